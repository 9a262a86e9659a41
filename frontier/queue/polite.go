package queue

import (
	"net"
	"net/netip"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Failures are the failures of a host that does not answer, or is too busy.
type Failures struct {
	Count  int       // consecutive requests without an answer
	Why    string    // reason of the last failure
	Parked time.Time // not asked before then; zero: not parked

	// Not stored: how many answers had come from all hosts at the first failure, and whether this
	// host had answered before.
	since    int64
	answered bool
}

// A hostGroup is a set of hosts that share limits: the hosts of a domain, or those at one IP
// address.
type hostGroup struct {
	name    string
	hosts   int
	limit   int     // concurrent requests
	leased  int     // requests that may be under way
	address bool    // its name is an IP address
	next    moment  // no request before this time
	blocked []int32 // hosts that wait for another's request to end, and some that no longer do
}

func (g *hostGroup) full() bool { return g.leased >= g.limit }

// The kinds of groups. The hosts of a zone have their turns as if they were one host; a line only
// limits connections.
const (
	zone = iota
	line
	groups
)

// groupOf returns the group of a kind that a host is in, nil if there is none.
func (s *scheduler) groupOf(h *host, kind int) *hostGroup {
	if id := h.groups[kind]; id != 0 {
		return s.groups[id]
	}
	return nil
}

// join puts a new host into the groups that its name determines: its domain, or its IP address if
// the name is one.
func (s *scheduler) join(h *host, name string) {
	if s.queueBy == frontier.ByDomain {
		u, err := weburl.Parse("http://" + name + "/")
		if err != nil {
			return // does not happen: every name was taken from a URL
		}
		s.move(h, zone, s.domains, u.Domain(), s.perHost)
	}
	if name[0] != '[' && (name[0] < '0' || '9' < name[0]) {
		return
	}
	ip, _, err := net.SplitHostPort(name)
	if err != nil {
		ip = strings.Trim(name, "[]")
	}
	if _, err := netip.ParseAddr(ip); err == nil {
		s.setIP(h, net.JoinHostPort(ip, "0"))
	}
}

// setIP records the address (host:port, or "") from which a host answered.
func (s *scheduler) setIP(h *host, addr string) {
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

// move moves a host from one group of a kind to another.
func (s *scheduler) move(h *host, kind int, all map[string]int32, name string, limit int) {
	if old := s.groupOf(h, kind); old != nil {
		if old.name == name {
			return
		}
		if old.hosts--; old.hosts == 0 && old.leased == 0 {
			s.groups[h.groups[kind]] = nil
			s.freeGroups = append(s.freeGroups, h.groups[kind])
			delete(all, old.name)
		}
		h.listed[kind] = false
	}
	id, ok := all[name]
	if !ok {
		// A name that is a part of a longer string, such as a record, would keep all of it in
		// memory.
		g := &hostGroup{name: strings.Clone(name), limit: limit, address: kind == line || s.queueBy == frontier.ByIP}
		id = s.number(g)
		all[g.name] = id
	}
	s.groups[id].hosts++
	h.groups[kind] = id
}

// number assigns a group its index in groups.
func (s *scheduler) number(g *hostGroup) int32 {
	if n := len(s.freeGroups); n > 0 {
		id := s.freeGroups[n-1]
		s.freeGroups = s.freeGroups[:n-1]
		s.groups[id] = g
		return id
	}
	s.groups = append(s.groups, g)
	return int32(len(s.groups) - 1)
}

// blockedBy returns the kind of group that allows a host no further request, or -1.
func (s *scheduler) blockedBy(h *host) int {
	for kind := range groups {
		if g := s.groupOf(h, kind); g != nil && g.full() {
			return kind
		}
	}
	return -1
}

// block adds a host to the hosts that wait for a group.
func (s *scheduler) block(h *host, kind int) {
	if !h.listed[kind] {
		h.listed[kind] = true
		g := s.groupOf(h, kind)
		g.blocked = append(g.blocked, h.id)
	}
}

// unblock gives hosts of a group their turn while the group has room and none of them can use it.
func (s *scheduler) unblock(g *hostGroup, now moment) {
	for len(g.blocked) > 0 && !g.full() {
		h := s.hosts.at(g.blocked[0])
		g.blocked = g.blocked[1:]
		for kind := range groups {
			if s.groupOf(h, kind) == g {
				h.listed[kind] = false
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

// dueAt returns when a host may be asked next.
func (s *scheduler) dueAt(h *host) moment {
	due := h.next
	if g := s.groupOf(h, zone); g != nil {
		due = max(due, g.next)
	}
	if s.parked(h) {
		due = max(due, s.moment(s.parkedTill(h)))
	}
	return due
}

// parked reports whether a host is parked, because of failures or by a user.
func (s *scheduler) parked(h *host) bool {
	return h.failing && s.troubles[h.id].parks() || !s.aside[h.id].IsZero()
}

func (t *Failures) parks() bool { return !t.Parked.IsZero() }

// An Answer is what a settled visit says about its host.
type Answer struct {
	Finished time.Time     // when the request ended; zero: the host was not asked
	Rest     time.Duration // the rest after that
	Addr     string        // the address that answered, host:port
	Down     string        // why there was no answer
}

// recordAnswer records whether a host answered and was not too busy. Every second consecutive
// failure doubles its rest; after parkThreshold failures it is parked.
func (s *scheduler) recordAnswer(h *host, a Answer, now time.Time) {
	if a.Down == "" {
		if !a.Finished.IsZero() {
			s.answers++
			s.recordSuccess(h)
			s.unpark(h)
		}
		return
	}
	t := s.troubles[h.id]
	if t == nil {
		t = &Failures{since: s.answers, answered: h.proven}
		s.troubles[h.id], h.failing = t, true
	}
	if a.Addr != "" {
		s.answers++ // the host is too busy, but our connection works
	}
	t.Count++
	t.Why = a.Down
	h.proven = false
	rest := frontier.Backoff(s.backoff, 1+(t.Count-1)/2, s.maxRest)
	s.rest(h, s.moment(now.Add(rest)))
	s.owe(h, rest)
	if s.parkAfter > 0 && t.Count >= s.parkThreshold(t) {
		t.Parked = now.Add(s.parkFor)
		s.parkedHosts[h.id] = true
	}
}

// recordSuccess clears the failures of a host that answered.
func (s *scheduler) recordSuccess(h *host) {
	delete(s.troubles, h.id)
	h.failing, h.proven = false, true
}

// parkThreshold returns after how many consecutive failures a host is parked. If the host did
// answer before, and no host has answered since its failures started, our own connection may be
// down: then it is four times as many, which with the growing rests takes most of an hour.
func (s *scheduler) parkThreshold(t *Failures) int {
	if t.answered && s.answers == t.since {
		return 4 * s.parkAfter
	}
	return s.parkAfter
}

// unpark lets a host be asked again. If it fails once more it is parked again.
func (s *scheduler) unpark(h *host) {
	if t := s.troubles[h.id]; t != nil && t.parks() {
		t.Parked = time.Time{}
		t.Count = max(0, min(t.Count, s.parkAfter-1))
	}
	if !s.parked(h) {
		delete(s.parkedHosts, h.id)
	}
}

// best returns the host whose turn it is, nil if there is none. Hosts that have never answered, or
// failed last time, get no more than MaxProbes leases: otherwise requests that end in a time-out
// would finally take all of them.
func (s *scheduler) best() *host {
	known, unknown := s.firstOf(&s.ready), s.firstOf(&s.fresh)
	switch {
	case unknown == nil || !s.mayProbe():
		return known
	case known == nil || s.turnOf(unknown).Before(s.turnOf(known)):
		return unknown
	}
	return known
}

// mayProbe reports whether a host that is not known to answer may be asked.
func (s *scheduler) mayProbe() bool { return s.maxProbes == 0 || s.probes < s.maxProbes }

// address returns the IP address that a host last answered from, "" if that is not known or no
// limit depends on it.
func (s *scheduler) address(h *host) string {
	for kind := range groups {
		if g := s.groupOf(h, kind); g != nil && g.address {
			return g.name
		}
	}
	return ""
}

// record returns the durable state of a host.
func (s *scheduler) record(h *host, name string) HostRecord {
	return HostRecord{
		Name: name, Queued: int64(h.queued), Fetched: int64(h.fetched), Again: int64(h.again), New: int64(h.found), Rated: int64(h.rated), Sum: h.relevance,
		Owed: time.Duration(h.owed) * time.Millisecond, Address: s.address(h), Failures: s.troubles[h.id], Aside: s.aside[h.id],
	}
}

// state returns the record of a host, and whether it has used up its budget; nil: the host is not
// known.
func (s *scheduler) state(name string) (r *HostRecord, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts.find(weburl.HostKeyOf(name))
	if h == nil {
		return nil, false
	}
	rec := s.record(h, name)
	if rec.Failures != nil {
		f := *rec.Failures
		rec.Failures = &f
	}
	return &rec, s.spent(h)
}
