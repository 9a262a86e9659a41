package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// A toldJob is a job to which a test tells what is at URLs.
type toldJob struct {
	*Store
	t *testing.T
}

func (l toldJob) parse(address string) weburl.URL {
	l.t.Helper()
	u, err := weburl.Parse(address)
	if err != nil {
		l.t.Fatal(err)
	}
	return u
}

// has tells the job that a document is at a URL.
func (l toldJob) has(document int, address string) {
	l.t.Helper()
	l.brings(document, l.lease(address))
}

// lease adds a URL and borrows it.
func (l toldJob) lease(address string) frontier.Lease {
	l.t.Helper()
	if _, err := l.Add(l.t.Context(), []frontier.Candidate{{URL: l.parse(address)}}); err != nil {
		l.t.Fatal(err)
	}
	lease, err := l.leaseURL(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return lease
}

// brings settles a lease with a document.
func (l toldJob) brings(document int, lease frontier.Lease) {
	l.t.Helper()
	text := strings.Repeat(fmt.Sprintf("words%d of%d document%d %d ", document, document*7, document, document), 30)
	sig := dedup.SignText(text)
	sig.Bytes = dedup.DigestOf([]byte(text))
	v := &page.Visit{
		Lease: lease, Finished: time.Now(), Sign: &sig, Body: []byte(text),
		Page: page.Record{URL: lease.URL.String(), Status: 200, Digest: sig.Bytes.String(), BodyTokens: int(sig.Tokens), Fetched: time.Now()},
	}
	if _, err := l.Settle(l.t.Context(), v); err != nil {
		l.t.Fatal(err)
	}
}

func skipping() Options {
	o := testOptions()
	o.Rules.Learn = dust.LearnSkip
	return o
}

// leavingOut are the options of a job that leaves out what mirrors and rules say.
func leavingOut() Options {
	o := skipping()
	o.Mirrors, o.PerIP, o.Templates = mirror.ModeOn, 0, false
	return o
}

// sparingJob makes a job that left out addresses of a mirrored site, and others by
// a rule.
func sparingJob(t *testing.T, dir string) page.Totals {
	t.Helper()
	s, err := Open(dir, leavingOut())
	if err != nil {
		t.Fatal(err)
	}
	w := smallWeb{}
	w.site("http://one.test", 80, longText)
	w.site("http://two.test", 80, longText)
	crawlSmall(t, s, w)
	l := toldJob{s, t}
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
		lease, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		aside, err := s.applyRules(lease)
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
	other := frontier.Candidate{URL: l.parse("http://elsewhere.test/"), Refused: frontier.Refusal{Rule: "scope", Detail: "another host"}}
	if _, err := s.Add(t.Context(), []frontier.Candidate{other}); err != nil {
		t.Fatal(err)
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
	slow.Test(t, "damages a job in many places and repairs it each time")
	firstOf := func(table *kv.Table, change func(tx kv.Tx, k, v []byte)) func(*txn) error {
		return func(t *txn) error {
			e, ok, err := kv.First(kv.All(t.tx, table))
			if err == nil && !ok {
				err = fmt.Errorf("there is nothing in %s", table.Name)
			}
			if err == nil {
				change(t.tx, e.Key, e.Value)
			}
			return err
		}
	}
	forAll := func(table *kv.Table, change func(tx kv.Tx, k []byte)) func(*txn) error {
		return func(t *txn) error {
			return each(t.tx, table, func(k, _ []byte) error { change(t.tx, k); return nil })
		}
	}
	for _, c := range []struct {
		what   string
		damage func(*txn) error
		forgot bool // what was left out by it is queued
	}{
		{"records of hosts that cannot be read", forAll(tableNamed("mirrors"), func(tx kv.Tx, k []byte) { tx.Put(tableNamed("mirrors"), k, []byte{17}) }), true},
		{"a deferred address that is not there", firstOf(tableNamed("deferred"), func(tx kv.Tx, k, _ []byte) { tx.Delete(tableNamed("deferred"), k) }), true},
		{"a deferred address whose twin is another", firstOf(tableNamed("deferred"), func(tx kv.Tx, k, v []byte) {
			v[3]++
			tx.Put(tableNamed("deferred"), k, v)
		}), false},
		{"a twin that is not there", firstOf(tableNamed("twins"), func(tx kv.Tx, k, _ []byte) { tx.Delete(tableNamed("twins"), k) }), false},
		{"no list of twins", forAll(tableNamed("twins"), func(tx kv.Tx, k []byte) { tx.Delete(tableNamed("twins"), k) }), false},
		{"no rules", forAll(tableNamed("rules"), func(tx kv.Tx, k []byte) { tx.Delete(tableNamed("rules"), k) }), true},
		{"a note of a copy that can't be read", func(t *txn) error {
			t.tx.Put(tableNamed("told"), make([]byte, 16), nil)
			return nil
		}, false},
		{"an address that its rule does not name", firstOf(tableNamed("left"), func(tx kv.Tx, k, _ []byte) { tx.Delete(tableNamed("left"), k) }), true},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			before := sparingJob(t, dir)
			harm(t, dir, c.damage)
			if !damaged(t, dir) {
				t.Error("the damage is not noticed")
			}
			if _, err := Repair(t.Context(), dir, leavingOut(), func(gatecrawl.Breach) error { return nil }); err != nil {
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
			left := func(n page.Totals) int64 { return n.Rules[gatecrawl.RuleMirror] + n.Rules[gatecrawl.RuleDust] }
			if n.Hosts != before.Hosts {
				t.Errorf("%d hosts after the repair, %d before: only a refused link names one of them", n.Hosts, before.Hosts)
			}
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
	s, err := openTables(dir, leavingOut())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{s.loadState, s.loadQueue, func() error { return s.write(damage) }, s.closeFiles} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

// tableNamed returns a table of a noun's.
func tableNamed(name string) *kv.Table {
	return tables[slices.IndexFunc(tables, func(t *kv.Table) bool { return t.Name == name })]
}
