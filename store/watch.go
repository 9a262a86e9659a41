package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// SetDelay changes Options.Delay while the job is crawled. Rests that have begun are kept.
func (s *Store) SetDelay(d time.Duration) {
	s.sched.mu.Lock()
	defer s.sched.mu.Unlock()
	s.sched.delay = d
}

// Park leaves a host alone until a time, also where the job is opened again before that; the
// zero time lets it be asked again, also where it was parked since it does not answer. The
// error is gatecrawl.ErrUnknown for a host that the job never met.
func (s *Store) Park(_ context.Context, host string, till time.Time) error {
	u, err := weburl.Parse("http://" + host + "/")
	if err != nil {
		return fmt.Errorf("park: %q is not the name of a host", weburl.Shorten(host))
	}
	if !s.sched.park(u.Key().Host(), till) {
		return fmt.Errorf("park %s: %w", u.Host(), gatecrawl.ErrUnknown)
	}
	err = s.write(func(t *txn) error {
		t.changeOf(u.Key().Host(), u.String())
		return nil
	})
	if err != nil {
		return fmt.Errorf("park %s: %w", u.Host(), err)
	}
	return nil
}

// park is Store.Park's, in memory.
func (s *scheduler) park(k weburl.HostKey, till time.Time) bool {
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

// parkedTill is until when a parked host is left alone.
func (s *scheduler) parkedTill(h *host) time.Time {
	till := s.aside[h.id]
	if t := s.troubles[h.id]; t != nil && t.parked.After(till) {
		till = t.parked
	}
	return till
}

// endParks lets a parked host be asked again whose time is over.
func (s *scheduler) endParks(h *host, now moment) {
	if till, ok := s.aside[h.id]; ok && s.moment(till) <= now {
		delete(s.aside, h.id)
	}
	if t := s.troubles[h.id]; t != nil && t.parks() && s.moment(t.parked) <= now {
		s.unpark(h)
	}
	if !s.parked(h) {
		delete(s.parkedHosts, h.id)
	}
}

// tellAside says of a host that a user has parked it.
func (s *scheduler) tellAside(h *host, st *gatecrawl.HostState) {
	if _, ok := s.aside[h.id]; ok {
		till := s.parkedTill(h).Round(0).UTC()
		st.Parked, st.ByHand = &till, true
	}
}

// A ranked is a host on its way into a list.
type ranked struct {
	key  weburl.HostKey
	rank int64 // the largest comes first
}

// rank returns a host's place in an order; false: it is not in it.
func (s *scheduler) rank(h *host, by gatecrawl.HostOrder, inHand map[int32]time.Time) (int64, bool) {
	switch by {
	case gatecrawl.HostsByFetched:
		return int64(h.fetched), h.fetched > 0
	case gatecrawl.HostsByFailures:
		if t := s.troubles[h.id]; t != nil {
			return int64(t.fails), true
		}
		return 0, false
	case gatecrawl.HostsInHand:
		since, ok := inHand[h.id]
		return -since.UnixNano(), ok
	case gatecrawl.HostsParked:
		return s.parkedTill(h).UnixNano(), s.parked(h)
	}
	return int64(h.queued), h.queued > 0
}

// top returns the first hosts of an order.
func (s *scheduler) top(by gatecrawl.HostOrder, limit int) []ranked {
	var best []ranked
	order := func(a, b ranked) int { return cmp.Or(cmp.Compare(b.rank, a.rank), slices.Compare(a.key[:], b.key[:])) }
	least := int64(math.MinInt64) // that is still of interest
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

// inHand returns since when hosts are being asked, by host.id.
func (s *scheduler) inHand() map[int32]time.Time {
	m := make(map[int32]time.Time, len(s.leases))
	for _, l := range s.leases {
		if t, ok := m[l.host.id]; l.slot && (!ok || l.started.Before(t)) {
			m[l.host.id] = l.started
		}
	}
	return m
}

// Hosts is gatecrawl.HostLister's.
func (s *Store) Hosts(_ context.Context, q gatecrawl.HostQuery) (out []gatecrawl.HostState, err error) {
	names := q.Names
	if names == nil {
		best := s.sched.top(q.By, q.Limit)
		err := s.kv.View(context.Background(), func(r kv.Reader) error {
			for _, b := range best {
				v, err := r.Get(tableHosts, b.key[:])
				if err != nil {
					return err
				}
				if v == nil {
					continue // its first commit is under way
				}
				h, err := decodeHost(v)
				if err != nil {
					return err
				}
				names = append(names, h.name)
			}
			return nil
		}, tableHosts)
		if err != nil {
			return nil, fmt.Errorf("hosts: %w", err)
		}
	}
	for _, name := range names {
		if st := s.sched.tell(name); st != nil {
			s.sched.tellTurn(st)
			out = append(out, *st)
		}
	}
	return out, nil
}

// tellTurn says what a host is doing.
func (s *scheduler) tellTurn(st *gatecrawl.HostState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts.find(weburl.HostKeyOf(st.Name))
	if h == nil {
		return
	}
	for _, l := range s.leases {
		if l.host == h && l.slot {
			st.InHand++
			if at := l.started.Round(0).UTC(); st.Since == nil || at.Before(*st.Since) {
				st.Since = &at
			}
		}
	}
	now := s.moment(time.Now())
	if due := s.dueAt(h); due > now && h.more {
		at := s.epoch.Add(due).Round(0).UTC()
		st.Due = &at
	}
}

// spans is in how many places a queue is looked at that is longer than a sample.
const spans = 64

// Waiting is gatecrawl.HostLister's.
func (s *Store) Waiting(_ context.Context, sample int) (gatecrawl.Waiting, error) {
	w := gatecrawl.Waiting{Queued: s.Totals().Queued, Depths: []gatecrawl.DepthRow{}, Scores: []gatecrawl.ScoreRow{}}
	depths, scores := make(map[int]int64), make(map[int]int64)
	err := s.kv.View(context.Background(), func(r kv.Reader) error {
		in := snapshot{r}
		n := spans
		if w.Queued <= int64(sample) {
			n = 1
		}
		var next []byte
		for i := range n {
			if from := []byte{byte(i * 256 / n)}; bytes.Compare(from, next) > 0 { // the first byte of a key is as good as random
				next = from
			}
			var err error
			if next, err = in.span(next, max(1, sample/n), depths, scores, &w.Looked); err != nil || next == nil {
				return err
			}
		}
		return nil
	}, tableQueue, tableURLs)
	if err != nil {
		return w, fmt.Errorf("queue: %w", err)
	}
	for d, n := range depths {
		w.Depths = append(w.Depths, gatecrawl.DepthRow{Depth: d, URLs: n})
	}
	for f, n := range scores {
		w.Scores = append(w.Scores, gatecrawl.ScoreRow{From: f, URLs: n})
	}
	slices.SortFunc(w.Depths, func(a, b gatecrawl.DepthRow) int { return a.Depth - b.Depth })
	slices.SortFunc(w.Scores, func(a, b gatecrawl.ScoreRow) int { return b.From - a.From })
	return w, nil
}

// span counts entries of the queue from a key on, at most so many. It returns the key of the
// next one, nil if there is none.
func (in snapshot) span(from []byte, most int, depths, scores map[int]int64, looked *int64) ([]byte, error) {
	n := 0
	for e, err := range in.Scan(tableQueue, from, nil) {
		if err != nil {
			return nil, err
		}
		if n == most {
			return bytes.Clone(e.Key), nil
		}
		n++
		rec, ok, err := in.url(urlOfEntry(e.Key, e.Value))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		*looked++
		depths[int(rec.signals.Depth)]++
		scores[int(math.Floor(float64(rec.score)))]++
	}
	return nil, nil
}
