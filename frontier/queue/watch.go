package queue

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// SetDelay changes Options.Delay while the queue is in use. Hosts that rest already rest as long as
// before.
func (q *Queue) SetDelay(d time.Duration) {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	q.sched.delay = d
}

// Delay returns the current Options.Delay.
func (q *Queue) Delay() time.Duration {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	return q.sched.delay
}

// Park parks a host until a time. The zero time ends that, even if the host was parked because of
// failures. Tx.TouchHost must then write the host's record. Park returns false for a host that is
// not known.
func (q *Queue) Park(k weburl.HostKey, till time.Time) bool {
	s := q.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts.find(k)
	if h == nil {
		return false
	}
	if till.IsZero() {
		delete(s.aside, h.id)
		s.unpark(h)
	} else {
		s.aside[h.id], s.parkedHosts[h.id] = till, true
	}
	s.place(h, s.moment(time.Now()))
	s.wakeOne()
	return true
}

// parkedTill returns until when a parked host is not asked.
func (s *scheduler) parkedTill(h *host) time.Time {
	till := s.aside[h.id]
	if t := s.troubles[h.id]; t != nil && t.Parked.After(till) {
		till = t.Parked
	}
	return till
}

// endParks unparks a host whose time is over.
func (s *scheduler) endParks(h *host, now moment) {
	if till, ok := s.aside[h.id]; ok && s.moment(till) <= now {
		delete(s.aside, h.id)
	}
	if t := s.troubles[h.id]; t != nil && t.parks() && s.moment(t.Parked) <= now {
		s.unpark(h)
	}
	if !s.parked(h) {
		delete(s.parkedHosts, h.id)
	}
}

// A ranked is a host in a list that is being made.
type ranked struct {
	key  weburl.HostKey
	rank int64 // the largest comes first
}

// rank returns the rank of a host in an order; false: the order leaves it out.
func (s *scheduler) rank(h *host, by frontier.HostOrder, inHand map[int32]time.Time) (int64, bool) {
	switch by {
	case frontier.HostsByFetched:
		return int64(h.fetched), true
	case frontier.HostsByFailures:
		if t := s.troubles[h.id]; t != nil {
			return int64(t.Count), true
		}
		return 0, false
	case frontier.HostsInHand:
		since, ok := inHand[h.id]
		return -since.UnixNano(), ok
	case frontier.HostsParked:
		return s.parkedTill(h).UnixNano(), s.parked(h)
	case frontier.HostsByHarvest:
		return int64(1e6 * h.harvest()), h.rated > 0
	}
	return int64(h.queued), h.queued > 0
}

// top returns the first hosts of an order.
func (s *scheduler) top(by frontier.HostOrder, limit int) []ranked {
	var best []ranked
	order := func(a, b ranked) int { return cmp.Or(cmp.Compare(b.rank, a.rank), slices.Compare(a.key[:], b.key[:])) }
	least := int64(math.MinInt64) // the least rank that is still of interest
	s.mu.Lock()
	inHand := s.inHand()
	s.mu.Unlock()
	for from := int32(0); ; from += hostsAtOnce {
		s.mu.Lock()
		last := int32(s.hosts.len())
		for id := from; id < min(last, from+hostsAtOnce); id++ {
			h := s.hosts.at(id)
			if n, ok := s.rank(h, by, inHand); ok && n >= least {
				best = append(best, ranked{h.key, n})
			}
		}
		s.mu.Unlock()
		if end := from+hostsAtOnce >= last; end || limit > 0 && len(best) > limit+hostsAtOnce {
			slices.SortFunc(best, order)
			if limit > 0 && len(best) > limit {
				best = best[:limit]
				least = best[limit-1].rank
			}
			if end {
				return best
			}
		}
	}
}

// inHand returns since when hosts have requests under way, by host.id.
func (s *scheduler) inHand() map[int32]time.Time {
	m := make(map[int32]time.Time, len(s.leases))
	for _, l := range s.leases {
		if t, ok := m[l.host.id]; l.slot && (!ok || l.started.Before(t)) {
			m[l.host.id] = l.started
		}
	}
	return m
}

// harvest returns the mean relevance of a host's answers, as if there were two more with .05: one
// good page counts less than several.
func (h *host) harvest() float64 { return (float64(h.relevance) + .1) / (float64(h.rated) + 2) }

// Head returns the score of the best waiting URL, among the hosts that are considered for a choice;
// false: none is known.
func (q *Queue) Head() (score float32, known bool) {
	s := q.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	var best position
	look := func(h *host) {
		if e, found, _ := s.head(h); found && h.more && (!known || e.at.before(best)) {
			best, known = e.at, true
		}
	}
	for _, p := range []*turns.Heap{&s.ready, &s.fresh, &s.resting} {
		for _, t := range p.Some(mostCompared) {
			look(s.hosts.at(t.ID))
		}
	}
	for _, l := range s.leases {
		look(l.host) // a host that is being asked is in no heap
	}
	return best.score(), known
}

// Top returns the names of the first hosts of an order, at most limit; 0: all.
func (q *Queue) Top(r kv.Reader, by frontier.HostOrder, limit int) (names []string, err error) {
	var keys []weburl.HostKey
	if by == frontier.HostsRetried {
		retries, err := RetriesOf(r)
		if err != nil {
			return nil, err
		}
		keys = slices.SortedFunc(maps.Keys(retries), func(a, b weburl.HostKey) int { return retries[a].At.Compare(retries[b].At) })
		if limit > 0 {
			keys = keys[:min(limit, len(keys))]
		}
	} else {
		for _, b := range q.sched.top(by, limit) {
			keys = append(keys, b.key)
		}
	}
	for _, key := range keys {
		v, err := r.Get(TableHosts, key[:])
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue // its first commit is under way
		}
		h, err := DecodeHost(v)
		if err != nil {
			return nil, err
		}
		names = append(names, h.Name)
	}
	return names, nil
}

// mostRetries is how many URLs RetriesOf looks at.
const mostRetries = 5_000

// Retries are the URLs of a host that wait for a retry.
type Retries struct {
	URLs int64
	At   time.Time // when the first of them is due
}

// RetriesOf returns the URLs that wait for a retry, by host, among the 5,000 that are due first.
func RetriesOf(r kv.Reader) (map[weburl.HostKey]Retries, error) {
	by, looked := make(map[weburl.HostKey]Retries), 0
	for e, err := range kv.All(r, TableLater) {
		if err != nil {
			return nil, fmt.Errorf("later: %w", err)
		}
		if looked++; looked > mostRetries {
			break
		}
		if len(e.Key) < 8+len(weburl.HostKey{}) {
			continue // damage, which Verify reports
		}
		host := weburl.HostKey(e.Key[8:])
		n, known := by[host]
		if n.URLs++; !known {
			n.At = time.Unix(0, LaterTime(e.Key))
		}
		by[host] = n
	}
	return by, nil
}

// A Turn is what a host is doing.
type Turn struct {
	InHand int       // requests under way
	Since  time.Time // when the first of them started
	Due    time.Time // when it may be asked next; zero: now, or it has nothing to ask for
}

// Turn says what a host is doing.
func (q *Queue) Turn(name string) (t Turn) {
	s := q.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts.find(weburl.HostKeyOf(name))
	if h == nil {
		return t
	}
	for _, l := range s.leases {
		if l.host == h && l.slot {
			t.InHand++
			if t.Since.IsZero() || l.started.Before(t.Since) {
				t.Since = l.started
			}
		}
	}
	if due := s.dueAt(h); due > s.moment(time.Now()) && h.more {
		t.Due = s.epoch.Add(due)
	}
	return t
}
