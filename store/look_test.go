package store

import (
	"testing"

	"gatecrawl/frontier"
)

// A scripted table has one entry. While its record is read something happens.
type scripted struct {
	key   frontier.Key
	rec   urlRecord
	while func()
}

func (q *scripted) peek() queuePeek { return q }
func (q *scripted) release()        {}

func (q *scripted) heads(h frontier.HostKey, from position, _ int, skip func(frontier.Key) bool) ([]waiting, bool, error) {
	e := waiting{positionOf(q.rec.score, q.rec.order), [10]byte(q.key[6:])}
	if h != q.key.Host() || e.at.before(from) || skip(q.key) {
		return nil, false, nil
	}
	return []waiting{e}, false, nil
}

func (q *scripted) url(k frontier.Key) (urlRecord, bool, error) {
	rec := q.rec
	q.while()
	return rec, k == q.key, nil
}

// TestWhatChangesWhileItIsLookedUpIsLentAsItIs has a commit rename a page while its
// record is read, and one more whenever it can: the look after that is taken under the
// lock, so that there is an end.
func TestWhatChangesWhileItIsLookedUpIsLentAsItIs(t *testing.T) {
	u, err := frontier.Parse("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	s := newScheduler(o)
	q := &scripted{key: u.Key(), rec: urlRecord{state: queued, url: u.String(), order: 1, label: "old"}}
	commits := 0
	q.while = func() {
		if !s.mu.TryLock() {
			return // the writer would wait
		}
		s.mu.Unlock()
		commits++
		q.rec.label = "new"
		s.committed(nil, map[frontier.Key]*urlRecord{q.key: &q.rec}, nil, 0, 0)
	}
	s.load(u.Key().Host(), &hostRecord{name: "a.test", queued: 1}, s.epoch.Add(-o.Delay), true)
	l, err := s.next(t.Context(), q, nil)
	if err != nil || l.URL != u || l.Label != "new" {
		t.Errorf("next = %v with label %q, %v; want it with its new label", l.URL, l.Label, err)
	}
	if commits != 1 {
		t.Errorf("%d commits came while the lock was free, want 1: the second look has the lock", commits)
	}
}
