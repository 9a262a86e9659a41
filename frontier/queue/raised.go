package queue

import (
	"container/heap"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A raise gives a waiting URL a better place in its host's queue than its entry has.
type raise struct {
	key  weburl.Key
	at   position
	cash float32 // the additional cash that is the reason
}

// raised has the URLs with a better place than their entries: the cash that they are owed, which is
// not in their records yet, has doubled theirs. Entries are not moved for this, since most URLs are
// raised several times before their turn comes; the scheduler leases a raised URL out of order, and
// removes its entry with it. The scheduler's mutex guards it.
type raised struct {
	at map[weburl.Key]raise
	of map[int32]*raisedQueue // by host.id
}

// A raisedQueue is a heap of the raised URLs of a host, the best first. Some of them are no longer
// raised, or have another place.
type raisedQueue struct {
	heap entryHeap
	most int  // the size at which those that are no longer raised are dropped
	sure bool // the first one is known to be raised
}

// raise gives a URL a better place, if its host is known and it is not leased.
func (s *scheduler) raise(r raise) (h *host) {
	h = s.hosts.find(r.key.Host())
	if h == nil || s.taken(r.key) {
		return nil
	}
	q := s.raised.of[h.id]
	if s.raised.at[r.key] = r; q != nil {
		q.doubt(r.key)
	} else {
		q = &raisedQueue{most: 64}
		s.raised.of[h.id] = q
		h.raised = true
	}
	if len(q.heap) >= q.most {
		q.heap = slices.DeleteFunc(q.heap, func(e entry) bool { return !s.isRaised(h, e) })
		heap.Init(&q.heap)
		q.most = 2*len(q.heap) + 64
		q.sure = false
	}
	q.push(entry{r.at, [10]byte(r.key[6:])})
	if q.heap[0].at == r.at {
		q.sure = true
	}
	return h
}

// isRaised reports whether a URL of a host is raised to the place of an entry.
func (s *scheduler) isRaised(h *host, e entry) bool {
	r, there := s.raised.at[e.key(h.key)]
	return there && r.at == e.at
}

// lower undoes raise for a URL.
func (s *scheduler) lower(k weburl.Key) (r raise, was bool) {
	if len(s.raised.at) == 0 {
		return r, false
	}
	if r, was = s.raised.at[k]; was {
		delete(s.raised.at, k)
		if q := s.raised.of[s.hosts.find(k.Host()).id]; q != nil {
			q.doubt(k)
		}
	}
	return r, was
}

// head returns the first entry of a host, or the raised URL that precedes it. If known is false, no
// entry precedes e's position.
func (s *scheduler) head(h *host) (e entry, known, isRaised bool) {
	for h.raised {
		q := s.raised.of[h.id]
		switch {
		case len(q.heap) == 0:
			delete(s.raised.of, h.id)
			h.raised = false
		case !q.sure && !s.isRaised(h, q.heap[0]):
			q.pop()
		default:
			q.sure = true
			if h.more && q.heap[0].at.before(h.first.at) {
				return q.heap[0], true, true
			}
			return h.first, h.known, false
		}
	}
	return h.first, h.known, false
}

// skip steps over an entry of a host's queue that was removed, or whose URL is leased out of order.
func (s *scheduler) skip(h *host, at position) {
	if h.known && h.first.at == at {
		s.advance(h)
		return
	}
	delete(s.looking, h.key)
	es := s.ahead[h.id]
	if i, there := slices.BinarySearchFunc(es, at, func(e entry, at position) int { return slices.Compare(e.at[:], at[:]) }); there {
		s.ahead[h.id] = slices.Delete(es, i, i+1)
	}
}

// turnOf returns the turn of a host that may be asked: the host with the best entry comes first; of
// equal scores the one that has waited longest. A host whose entries are not known comes before
// all. In a focused crawl an entry that says hardly anything, and is not put off, counts as its host's pages do: see
// priority.Options.HostScore.
func (s *scheduler) turnOf(h *host) turns.Turn {
	e, _, _ := s.head(h)
	rank := e.at.rank()
	if score := e.at.score(); score >= 0 {
		rank = ^sortable(s.priority.HostScore(score, h.rated, h.relevance))
	}
	return turns.Turn{Score: rank, Time: h.served, ID: h.id}
}

// doubt notes that a URL may no longer have its raised place.
func (q *raisedQueue) doubt(k weburl.Key) {
	if len(q.heap) > 0 && q.heap[0].tail == [10]byte(k[6:]) {
		q.sure = false
	}
}

func (q *raisedQueue) push(e entry) { heap.Push(&q.heap, e) }

func (q *raisedQueue) pop() {
	q.sure = false
	heap.Pop(&q.heap)
}

// An entryHeap has the entry that comes first at the front. It implements heap.Interface.
type entryHeap []entry

func (h entryHeap) Len() int           { return len(h) }
func (h entryHeap) Less(i, j int) bool { return h[i].at.before(h[j].at) }
func (h entryHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *entryHeap) Push(e any)        { *h = append(*h, e.(entry)) }

func (h *entryHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}

// Raised returns the additional cash by which a waiting URL has a better place than its record
// says, and the score of that place; false: it has none.
func (q *Queue) Raised(k weburl.Key) (cash, score float32, raised bool) {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	r, raised := q.sched.raised.at[k]
	return r.cash, r.at.score(), raised
}
