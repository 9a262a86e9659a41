package store

import (
	"errors"
	"fmt"
	"testing"

	"gatecrawl"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
)

// leavingOut are the options of a job that leaves out what mirrors and rules say.
func leavingOut() Options {
	o := skipping()
	o.Mirrors, o.PerIP, o.Templates = mirror.ModeOn, 0, false
	return o
}

// sparingJob makes a job that left out addresses of a mirrored site, and others by
// a rule.
func sparingJob(t *testing.T, dir string) gatecrawl.Totals {
	t.Helper()
	s, err := Open(dir, leavingOut())
	if err != nil {
		t.Fatal(err)
	}
	w := smallWeb{}
	w.site("http://one.test", 80, longText)
	w.site("http://two.test", 80, longText)
	crawlSmall(t, s, w)
	l := archive{s, t}
	for n := range 17 {
		l.has(n, fmt.Sprintf("http://a.test/n/%d", n))
		l.has(n, fmt.Sprintf("http://a.test/n/%d?tok=x%d", n, n))
	}
	for n := range 60 { // of each some are tried
		l.has(100+n, fmt.Sprintf("http://a.test/n/%d", 100+n))
		u := l.parse(fmt.Sprintf("http://a.test/n/%d?tok=x%d", 100+n, n))
		if _, err := s.Add(t.Context(), []frontier.Candidate{{URL: u}}); err != nil {
			t.Fatal(err)
		}
		lease, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		aside, err := s.Aside(t.Context(), lease)
		if err != nil {
			t.Fatal(err)
		}
		if !aside {
			if err := s.Release(lease, 0); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	n := s.Totals()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n.Rules[gatecrawl.RuleMirror] == 0 || n.Rules[gatecrawl.RuleDust] == 0 {
		t.Fatalf("refused are %v: want some for a mirror and some by a rule", n.Rules)
	}
	return n
}

func TestWhatIsKnownOfMirrorsAndRulesIsMendedOrForgotten(t *testing.T) {
	firstOf := func(bucket []byte, change func(t *txn, k, v []byte) error) func(*txn) error {
		return func(t *txn) error {
			k, v := t.tx.Bucket(bucket).Cursor().First()
			return change(t, append([]byte(nil), k...), append([]byte(nil), v...))
		}
	}
	inTable := func(kind byte, change func(t *txn, k []byte)) func(*txn) error {
		return func(t *txn) error {
			return t.table.Range([]byte{kind}, nil, func(k, _ []byte) bool { change(t, append([]byte(nil), k...)); return false })
		}
	}
	for _, c := range []struct {
		what   string
		damage func(*txn) error
		forgot bool // what was left out by it is queued
	}{
		{"records of hosts that cannot be read", func(t *txn) error {
			b := t.tx.Bucket(bucketMirrors)
			var keys [][]byte
			err := b.ForEach(func(k, _ []byte) error { keys = append(keys, append([]byte(nil), k...)); return nil })
			for _, k := range keys {
				err = errors.Join(err, b.Put(k, []byte{17}))
			}
			return err
		}, true},
		{"a deferred address that is not there", firstOf(bucketDeferred, func(t *txn, k, _ []byte) error {
			return t.tx.Bucket(bucketDeferred).Delete(k)
		}), true},
		{"a deferred address whose twin is another", firstOf(bucketDeferred, func(t *txn, k, v []byte) error {
			v[3]++
			return t.tx.Bucket(bucketDeferred).Put(k, v)
		}), false},
		{"a twin that is not there", firstOf(bucketTwins, func(t *txn, k, _ []byte) error {
			return t.tx.Bucket(bucketTwins).Delete(k)
		}), false},
		{"no list of twins", func(t *txn) error { return t.tx.DeleteBucket(bucketTwins) }, false},
		{"no rules", func(t *txn) error {
			return t.table.Range([]byte{kindRule}, nil, func(k, _ []byte) bool { t.batch.Delete(append([]byte(nil), k...)); return true })
		}, true},
		{"a note of a copy that can't be read", func(t *txn) error {
			b, err := t.tx.CreateBucket(bucketTold)
			return errors.Join(err, b.Put(make([]byte, 16), nil))
		}, false},
		{"an address that its rule does not name", inTable(kindLeft, func(t *txn, k []byte) { t.batch.Delete(k) }), true},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			before := sparingJob(t, dir)
			harm(t, dir, c.damage)
			if !damaged(t, dir) {
				t.Error("the damage is not noticed")
			}
			if err := Repair(t.Context(), dir, leavingOut(), func(gatecrawl.Breach) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if got := found(t, dir); len(got) > 0 {
				t.Errorf("after the repair %q", got)
			}
			s, err := Open(dir, leavingOut())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			n := s.Totals()
			left := func(n gatecrawl.Totals) int64 { return n.Rules[gatecrawl.RuleMirror] + n.Rules[gatecrawl.RuleDust] }
			if n.Seen != before.Seen || n.Pages != before.Pages || left(n)+n.Queued != left(before)+before.Queued {
				t.Errorf("%d addresses, %d pages, %d left out and %d queued; were %d, %d, %d and %d",
					n.Seen, n.Pages, left(n), n.Queued, before.Seen, before.Pages, left(before), before.Queued)
			}
			if c.forgot != (n.Queued > before.Queued) {
				t.Errorf("%d are queued, and %d were; want more: %v", n.Queued, before.Queued, c.forgot)
			}
		})
	}
}

// harm changes a job behind the back of what keeps its parts in agreement.
func harm(t *testing.T, dir string, damage func(*txn) error) {
	t.Helper()
	s, err := openFile(dir, leavingOut())
	if err != nil {
		t.Fatal(err)
	}
	r := &repair{s: s, o: leavingOut(), ctx: t.Context(), fn: func(gatecrawl.Breach) error { return nil }}
	for _, step := range []func() error{s.loadState, r.table, s.loadQueue, func() error { return r.update(damage) }, s.closeFiles} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}
