package queue

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
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

// A passing table has one host's entries. It counts the places of removed entries that a search passes over, as
// tombstones cost a search in the tables.
type passing struct {
	host   weburl.HostKey
	rows   []passed // by place
	urls   map[weburl.Key]Record
	passed int
}

type passed struct {
	entry entry
	gone  bool
}

func (q *passing) peek(fn func(snapshot) error) error { return fn(q) }

func (q *passing) find(at position) (int, bool) {
	return slices.BinarySearchFunc(q.rows, at, func(r passed, at position) int { return bytes.Compare(r.entry.at[:], at[:]) })
}

func (q *passing) heads(_ weburl.HostKey, from position, limit int, skip func(weburl.Key) bool) (es []entry, more bool, err error) {
	start, _ := q.find(from)
	for _, r := range q.rows[start:] {
		switch {
		case r.gone:
			q.passed++
		case skip(r.entry.key(q.host)):
		case len(es) == limit:
			return es, true, nil
		default:
			es = append(es, r.entry)
		}
	}
	return es, false, nil
}

func (q *passing) url(k weburl.Key) (Record, bool, error) {
	rec, ok := q.urls[k]
	return rec, ok, nil
}

func (q *passing) put(e entry) {
	i, there := q.find(e.at)
	if !there {
		q.rows = slices.Insert(q.rows, i, passed{})
	}
	q.rows[i] = passed{entry: e}
}

func (q *passing) remove(at position) {
	if i, there := q.find(at); there {
		q.rows[i].gone = true
	}
}

// best returns the first entry that is not leased.
func (q *passing) best(leased map[weburl.Key]bool) (e entry, ok bool) {
	for _, r := range q.rows {
		if !r.gone && !leased[r.entry.key(q.host)] {
			return r.entry, true
		}
	}
	return e, false
}

// TestTheBestURLOfAHostIsLeased adds URLs to a host's queue, moves some, and leases, settles and gives back others, at
// random. It is always the best one that is leased, and those that were removed are hardly passed over.
func TestTheBestURLOfAHostIsLeased(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := DefaultOptions()
		o.Delay, o.PerHost = 0, 1000
		s := newScheduler(o)
		host := weburl.HostKeyOf("a.test")
		q := &passing{host: host, urls: make(map[weburl.Key]Record)}
		s.load(host, &HostRecord{Name: "a.test", Fetched: 1}, s.epoch, true)

		leases := make(map[weburl.Key]frontier.Lease)
		leased := make(map[weburl.Key]bool)
		var waiting []weburl.Key // and some that no longer are
		removed := 0
		commit := func(moves []move, settled ...*Held) {
			t.Helper()
			c := &change{name: "a.test", host: s.hosts.find(host), moves: moves}
			written := make(map[weburl.Key]*Record)
			for _, m := range moves {
				if m.gone {
					q.remove(m.entry.at)
					removed++
				} else {
					q.put(m.entry)
				}
				rec := q.urls[m.entry.key(host)]
				written[m.entry.key(host)] = &rec
			}
			s.committed(map[weburl.HostKey]*change{host: c}, written, settled, nil, 0, 0)
		}
		for i := range 4000 {
			switch n := r.IntN(10); {
			case n < 4: // a page's links
				var moves []move
				for j := range 1 + r.IntN(4) {
					u, err := weburl.Parse(fmt.Sprintf("http://a.test/%d/%d", i, j))
					if err != nil {
						t.Fatal(err)
					}
					rec := Record{State: Queued, URL: u.String(), Score: float32(r.IntN(50)), Order: uint64(4*i + j)}
					q.urls[u.Key()] = rec
					waiting = append(waiting, u.Key())
					key := u.Key()
					moves = append(moves, move{entry: entry{positionOf(rec.Score, rec.Order), [10]byte(key[6:])}})
				}
				commit(moves)
			case n == 4 && len(waiting) > 0: // a URL with a new score
				k := waiting[r.IntN(len(waiting))]
				rec := q.urls[k]
				if rec.State != Queued {
					continue
				}
				was := entry{positionOf(rec.Score, rec.Order), [10]byte(k[6:])}
				rec.Score = float32(r.IntN(60))
				q.urls[k] = rec
				if now := (entry{positionOf(rec.Score, rec.Order), was.tail}); now.at != was.at {
					commit([]move{{was, true}, {entry: now}})
				}
			case n == 5 && len(leases) > 0: // back
				for k, l := range leases {
					if _, _, err := s.release(l.Token, 0, ""); err != nil {
						t.Fatal(err)
					}
					delete(leases, k)
					delete(leased, k)
					break
				}
			case n < 8 && len(leases) > 0: // settled
				for k, l := range leases {
					held, err := s.settling(l.Token, Answer{})
					if err != nil {
						t.Fatal(err)
					}
					rec := q.urls[k]
					q.remove(positionOf(rec.Score, rec.Order))
					removed++
					rec.State = Done
					q.urls[k] = rec
					delete(leases, k)
					delete(leased, k)
					commit(nil, held)
					break
				}
			default:
				want, any := q.best(leased)
				if !any {
					continue
				}
				l, err := s.next(t.Context(), q, nil)
				k := l.URL.Key()
				if err != nil || k != want.key(host) {
					t.Fatalf("seed %d, step %d: next = %s, %v; want %s", seed, i, l.URL, err, q.urls[want.key(host)].URL)
				}
				leases[k], leased[k] = l, true
			}
		}
		if q.passed > removed {
			t.Errorf("seed %d: searches passed over %d removed entries, of which there are %d", seed, q.passed, removed)
		}
	}
}
