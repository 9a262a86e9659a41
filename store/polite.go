package store

import (
	"net"
	"time"

	"gatecrawl"
	"gatecrawl/frontier"
)

// A trouble is what is known of a host that does not answer.
type trouble struct {
	fails  int       // requests in a row without an answer
	why    string    // of the last
	parked time.Time // not asked before; zero: it is not parked

	// In memory: how many answers had come from all hosts by the first of them, and
	// whether one was this host's.
	since    int64
	answered bool
}

// A group is a set of hosts that share what a server can bear: the hosts of a
// domain, or those at one address.
type group struct {
	name    string
	hosts   int
	limit   int       // requests at once
	lent    int       // requests that may be under way
	rests   bool      // it has a delay of its own
	address bool      // its name is an IP address
	next    time.Time // no request before this time
	blocked []*host   // that wait for another's request to end, and some that no longer do
}

func (g *group) full() bool { return g.lent >= g.limit }

// The groups of a host: zone takes turns like a host, line only bounds connections.
const (
	zone = iota
	line
	groups
)

// join puts a new host into the group of its domain.
func (s *scheduler) join(h *host) {
	if s.queueBy != frontier.ByDomain {
		return
	}
	u, err := frontier.Parse("http://" + h.name + "/")
	if err != nil {
		return // every name was taken from a URL
	}
	s.move(h, zone, s.domains, u.Domain(), s.perHost)
}

// reached learns at which address, host:port or "", a host answered.
func (s *scheduler) reached(h *host, addr string) {
	ip, _, err := net.SplitHostPort(addr)
	if err != nil {
		return
	}
	switch {
	case s.queueBy == frontier.ByIP:
		limit := s.perHost
		if s.perIP > 0 {
			limit = min(limit, s.perIP)
		}
		s.move(h, zone, s.addresses, ip, limit)
	case s.perIP > 0:
		s.move(h, line, s.addresses, ip, s.perIP)
	}
}

// move puts a host into a group, and takes it out of the one before.
func (s *scheduler) move(h *host, kind int, all map[string]*group, name string, limit int) {
	old := h.groups[kind]
	if old != nil && old.name == name {
		return
	}
	if old != nil {
		if old.hosts--; old.hosts == 0 && old.lent == 0 {
			delete(all, old.name)
		}
		h.listed[kind] = false
	}
	g := all[name]
	if g == nil {
		g = &group{name: name, limit: limit, rests: kind == zone, address: kind == line || s.queueBy == frontier.ByIP}
		all[name] = g
	}
	g.hosts++
	h.groups[kind] = g
}

// blockedBy returns the group that lets a host take no further request, or -1.
func (h *host) blockedBy() int {
	for i, g := range h.groups {
		if g != nil && g.full() {
			return i
		}
	}
	return -1
}

// block lists a host with the group that it waits for.
func (h *host) block(kind int) {
	if !h.listed[kind] {
		h.listed[kind] = true
		h.groups[kind].blocked = append(h.groups[kind].blocked, h)
	}
}

// unblock lets hosts of a group have their turn as long as there is room and none
// of them can take it.
func (s *scheduler) unblock(g *group, now time.Time) {
	for len(g.blocked) > 0 && !g.full() {
		h := g.blocked[0]
		g.blocked[0] = nil
		g.blocked = g.blocked[1:]
		for i := range h.groups {
			if h.groups[i] == g {
				h.listed[i] = false
			}
		}
		if h.place != blocked {
			continue
		}
		s.place(h, now)
		if h.place == ready || h.place == fresh {
			return
		}
	}
}

// due is when a host may be asked next.
func (h *host) dueAt() time.Time {
	due := h.next
	if g := h.groups[zone]; g != nil && g.next.After(due) {
		due = g.next
	}
	if h.parked() && h.trouble.parked.After(due) {
		due = h.trouble.parked
	}
	return due
}

// parked reports whether the host is left alone because it does not answer.
func (h *host) parked() bool { return h.trouble != nil && !h.trouble.parked.IsZero() }

// An answer is what a settled visit says about its host.
type answer struct {
	finished time.Time     // when the request ended; zero: the host was not asked
	rest     time.Duration // from then
	addr     string        // where it was reached, host:port
	down     string        // why there was no answer
}

// hear takes note of whether a host answered. Every second failure in a row
// lets it rest twice as long as those before; after some it is parked.
func (s *scheduler) hear(h *host, a answer, now time.Time) {
	if a.down == "" {
		if !a.finished.IsZero() {
			s.answers++
			s.unpark(h)
			h.trouble, h.proven = nil, true
		}
		return
	}
	if h.trouble == nil {
		h.trouble = &trouble{since: s.answers, answered: h.proven}
	}
	t := h.trouble
	t.fails++
	t.why = a.down
	h.proven = false
	rest := min(s.backoff<<min((t.fails-1)/2, 30), s.maxRest)
	s.rest(h, now.Add(rest))
	s.owe(h, rest)
	if s.parkAfter > 0 && t.fails >= s.patience(t) {
		t.parked = now.Add(s.parkFor)
		s.parkedHosts[h.key] = h
	}
}

// patience is after how many failures in a row a host is parked. Where it did
// answer before, and no host has since it stopped, our own line may be down: four
// times as many then, which with the growing rests is most of an hour.
func (s *scheduler) patience(t *trouble) int {
	if t.answered && s.answers == t.since {
		return 4 * s.parkAfter
	}
	return s.parkAfter
}

// unpark lets a host be asked again. If it fails once more it is parked again.
func (s *scheduler) unpark(h *host) {
	if h.parked() {
		h.trouble.parked = time.Time{}
		h.trouble.fails = max(0, min(h.trouble.fails, s.parkAfter-1))
		delete(s.parkedHosts, h.key)
	}
}

// best returns the host whose turn it is, nil if there is none. Hosts that never
// answered, or not the last time, take no more than their share of the leases:
// requests that end in a time-out would in the end hold all of them.
func (s *scheduler) best() *host {
	var known, unknown *host
	if len(s.ready) > 0 {
		known = s.ready[0]
	}
	if len(s.fresh) > 0 && (s.maxProbes == 0 || s.probes < s.maxProbes) {
		unknown = s.fresh[0]
	}
	switch {
	case known == nil:
		return unknown
	case unknown == nil:
		return known
	case unknown.before(known):
		return unknown
	}
	return known
}

// tell says what is known of a host; nil: nothing.
func (s *scheduler) tell(k frontier.HostKey) *gatecrawl.HostState {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[k]
	if h == nil {
		return nil
	}
	st := &gatecrawl.HostState{Name: h.name, Queued: h.queued, Fetched: h.fetched, Address: h.address()}
	if t := h.trouble; t != nil {
		st.Failures, st.Failure = t.fails, t.why
		if h.parked() {
			till := t.parked.Round(0).UTC()
			st.Parked = &till
		}
	}
	return st
}
