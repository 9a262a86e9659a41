package queue

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A scripted table has one entry. While its record is read something happens.
type scripted struct {
	key   weburl.Key
	rec   Record
	while func()
}

func (q *scripted) peek(fn func(snapshot) error) error { return fn(q) }

func (q *scripted) heads(h weburl.HostKey, from position, _ int, skip func(weburl.Key) bool) ([]entry, bool, error) {
	e := entry{positionOf(q.rec.Score, q.rec.Order), [10]byte(q.key[6:])}
	if h != q.key.Host() || e.at.before(from) || skip(q.key) {
		return nil, false, nil
	}
	return []entry{e}, false, nil
}

func (q *scripted) url(k weburl.Key) (Record, bool, error) {
	rec := q.rec
	q.while()
	return rec, k == q.key, nil
}

// TestWhatChangesWhileItIsLookedUpIsLentAsItIs has a commit rename a page while its
// record is read, and one more whenever it can: the look after that is taken under the
// lock, so that there is an end.
func TestWhatChangesWhileItIsLookedUpIsLentAsItIs(t *testing.T) {
	u, err := weburl.Parse("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	s := newScheduler(o)
	q := &scripted{key: u.Key(), rec: Record{State: Queued, URL: u.String(), Order: 1, Label: "old"}}
	commits := 0
	q.while = func() {
		if !s.mu.TryLock() {
			return // the writer would wait
		}
		s.mu.Unlock()
		commits++
		q.rec.Label = "new"
		s.committed(nil, map[weburl.Key]*Record{q.key: &q.rec}, nil, nil, 0, 0)
	}
	s.load(u.Key().Host(), &HostRecord{Name: "a.test", Queued: 1}, s.epoch.Add(-o.Delay), true)
	l, err := s.next(t.Context(), q, nil)
	if err != nil || l.URL != u || l.Label != "new" {
		t.Errorf("next = %v with label %q, %v; want it with its new label", l.URL, l.Label, err)
	}
	if commits != 1 {
		t.Errorf("%d commits came while the lock was free, want 1: the second look has the lock", commits)
	}
}

// A listed table has each host's entries, the best first, and counts how often a host's
// are read.
type listed struct {
	queues map[weburl.HostKey][]entry
	urls   map[weburl.Key]Record
	reads  int
}

func (q *listed) peek(fn func(snapshot) error) error { return fn(q) }

func (q *listed) heads(h weburl.HostKey, from position, limit int, skip func(weburl.Key) bool) (es []entry, more bool, err error) {
	q.reads++
	for _, e := range q.queues[h] {
		switch {
		case e.at.before(from) || skip(e.key(h)):
		case len(es) == limit:
			return es, true, nil
		default:
			es = append(es, e)
		}
	}
	return es, false, nil
}

func (q *listed) url(k weburl.Key) (Record, bool, error) {
	rec, ok := q.urls[k]
	return rec, ok, nil
}

// TestAHostIsReadAgainWhenItsTurnComes has hosts of which each has a good page and one
// that is worse than all good ones. While there are good ones, nobody need know which
// the worse are.
func TestAHostIsReadAgainWhenItsTurnComes(t *testing.T) {
	const hosts = 4 * turnsAtOnce
	o := DefaultOptions()
	o.Delay, o.PerHost = 0, 2
	s := newScheduler(o)
	q := &listed{queues: make(map[weburl.HostKey][]entry), urls: make(map[weburl.Key]Record)}
	for i := range hosts {
		name := fmt.Sprintf("h%d.test", i)
		k := weburl.HostKeyOf(name)
		for j, score := range []float32{float32(2*hosts - i), 1} {
			u, err := weburl.Parse(fmt.Sprintf("http://%s/%d", name, j))
			if err != nil {
				t.Fatal(err)
			}
			rec := Record{State: Queued, URL: u.String(), Score: score, Order: uint64(2*i + j)}
			key := u.Key()
			q.urls[key] = rec
			q.queues[k] = append(q.queues[k], entry{positionOf(rec.Score, rec.Order), [10]byte(key[6:])})
		}
		s.load(k, &HostRecord{Name: name, Queued: 2, Fetched: 1}, s.epoch, true)
	}
	for i := range hosts / 2 {
		want := fmt.Sprintf("http://h%d.test/0", i)
		if l, err := s.next(t.Context(), q, nil); err != nil || l.URL.String() != want {
			t.Fatalf("next = %v, %v; want %s", l.URL, err, want)
		}
	}
	if q.reads != hosts {
		t.Errorf("%d hosts' queues were read %d times, want once each", hosts, q.reads)
	}
}
