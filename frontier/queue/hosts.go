package queue

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A HostRecord is the durable state of a host. It is written with every commit that changes it.
type HostRecord struct {
	Name     string        // with the port, if it is not that of the scheme
	Queued   int64         // entries in the queue
	Fetched  int64         // requests for pages that were answered or failed
	Again    int64         // of these for URLs that had a page already
	New      int64         // documents that were new when they were settled
	Owed     time.Duration // the rest after its last request if that is longer than Options.Delay, else 0
	Address  string        // the IP address that answered last, if limits apply to it
	Failures *Failures     // nil: none
	Rated    int64         // answers in a focused crawl
	Sum      float32       // sum of the relevance of these answers
	Aside    time.Time     // parked by a user until then; zero: not parked by a user
}

// Encode returns the value of the record in TableHosts.
func (h *HostRecord) Encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 24+len(h.Name))}
	e.Byte(hostForm)
	e.Text(h.Name)
	e.Int(h.Queued)
	e.Int(h.Fetched)
	e.Tail(tailAddress, h.Address)
	if h.New > 0 {
		e.Tail(tailFound, string(binary.AppendUvarint(nil, uint64(h.New))))
	}
	if h.Again > 0 {
		e.Tail(tailAgain, string(binary.AppendUvarint(nil, uint64(h.Again))))
	}
	if h.Owed > 0 {
		e.Tail(tailOwed, string(binary.AppendUvarint(nil, uint64(h.Owed/time.Millisecond))))
	}
	if h.Rated > 0 {
		var in row.Encoder
		in.Uint(uint64(h.Rated))
		in.Float32(h.Sum)
		e.Tail(tailRelevant, string(in.B))
	}
	if !h.Aside.IsZero() {
		var in row.Encoder
		in.Time(h.Aside)
		e.Tail(tailAside, string(in.B))
	}
	if t := h.Failures; t != nil {
		var in row.Encoder
		in.Uint(uint64(t.Count))
		in.Text(t.Why)
		in.Time(t.Parked)
		e.Tail(tailTrouble, string(in.B))
	}
	return e.B
}

// The tags of the fields at the end of a host record.
const (
	tailAddress = 20 // the IP address that answered last
	tailTrouble = 21 // consecutive failures, why, and until when it is parked
	tailFound   = 22 // new documents, a varint
	tailOwed    = 23 // the rest after the last request, if it is longer than most, in milliseconds, a varint
	tailAside   = 24 // until when a user has parked it

	tailRelevant = 25 // answers in a focused crawl, and the sum of their relevance
	tailAgain    = 26 // requests for URLs that had a page already, a varint
)

// longestOwed is the longest tailOwed that is accepted. The longest rest of a job is a setting and
// far shorter.
const longestOwed = 24 * time.Hour

// DecodeHost reads a value of TableHosts.
func DecodeHost(b []byte) (h HostRecord, err error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != hostForm {
		return h, fmt.Errorf("host record of form %d; this version reads %d", f, hostForm)
	}
	h = HostRecord{Name: d.Text(), Queued: d.Int(), Fetched: d.Int()}
	d.Tails(func(tag byte, v string) {
		switch tag {
		case tailAddress:
			h.Address = v
		case tailFound:
			in := row.Decoder{B: []byte(v)}
			h.New = int64(in.Uint())
			d.Err = in.Err
		case tailAgain:
			in := row.Decoder{B: []byte(v)}
			h.Again = int64(in.Uint())
			d.Err = in.Err
		case tailOwed:
			in := row.Decoder{B: []byte(v)}
			h.Owed = time.Duration(min(in.Uint(), uint64(longestOwed/time.Millisecond))) * time.Millisecond
			d.Err = in.Err
		case tailRelevant:
			in := row.Decoder{B: []byte(v)}
			h.Rated, h.Sum = int64(in.Uint()), in.Float32()
			d.Err = in.Err
		case tailAside:
			in := row.Decoder{B: []byte(v)}
			h.Aside = in.Time()
			d.Err = in.Err
		case tailTrouble:
			in := row.Decoder{B: []byte(v)}
			h.Failures = &Failures{Count: int(in.Uint()), Why: in.Text(), Parked: in.Time()}
			d.Err = in.Err
		}
	})
	if d.Err != nil {
		return HostRecord{}, fmt.Errorf("host record: %w", d.Err)
	}
	return h, nil
}

// A host is a host's queue and its turn. It has no pointers and is stored in an array with others,
// so that a million hosts are 112 MB that the garbage collector need not scan. The host's name is in
// its record and in its URLs. The scheduler's mutex guards all fields but key and id.
type host struct {
	next   moment // no request before this time
	served uint64 // when it last had its turn, as a tick; see unserved

	first entry // if known is set, the first entry that is not leased; otherwise no entry precedes its position
	key   weburl.HostKey

	// What is durable, see hostRecord. A queue of more entries than fit is counted
	// as one of that many.
	queued, fetched, again, found uint32
	owed                          uint32 // milliseconds

	rated     uint32  // answers in a focused crawl
	relevance float32 // sum of the relevance of these answers

	id     int32         // its index in hosts
	groups [groups]int32 // indexes in scheduler.groups; 0: none
	leased uint16        // leases whose request may be under way
	flying uint16        // leases that are not durable yet; at least as many as leased
	bound  position      // while known and beyond are set, no entry precedes it but those in memory
	place  place         // which heap it is in

	more    bool         // the queue may have an entry that is not leased
	known   bool         // first is such an entry
	beyond  bool         // there may be more entries after first and scheduler.ahead
	proven  bool         // its last request was answered
	asleep  bool         // it rests because it is parked
	failing bool         // it has an entry in scheduler.troubles
	raised  bool         // it has a queue in scheduler.raised
	listed  [groups]bool // it is in blocked of groups[i]
}

// A moment is a time on the scheduler's clock: since its epoch.
type moment = time.Duration

type place byte

const (
	idle    place = iota // in no heap: nothing to lease, or at its limit
	ready                // it may be asked now
	fresh                // it may be asked now too, and it is not known whether it answers
	resting              // it may be asked at due
	blocked              // it may be asked when a request of its group ends
)

// hosts has all hosts of a job, by id.
type hosts struct {
	chunks []*[hostsAtOnce]host
	ids    map[weburl.HostKey]int32
	places turns.Places
}

const hostsAtOnce = 1024

func (hs *hosts) len() int { return len(hs.ids) }

func (hs *hosts) at(id int32) *host { return &hs.chunks[id/hostsAtOnce][id%hostsAtOnce] }

// find returns nil for a host that is not known.
func (hs *hosts) find(k weburl.HostKey) *host {
	if id, ok := hs.ids[k]; ok {
		return hs.at(id)
	}
	return nil
}

// add makes a host without a queue.
func (hs *hosts) add(k weburl.HostKey) *host {
	id := int32(len(hs.ids))
	if id%hostsAtOnce == 0 {
		hs.chunks = append(hs.chunks, new([hostsAtOnce]host))
	}
	hs.ids[k] = id
	hs.places = append(hs.places, 0)
	h := hs.at(id)
	h.key, h.id, h.served = k, id, unserved(k)
	return h
}

// all calls fn for each host.
func (hs *hosts) all(fn func(*host)) {
	for id := range int32(hs.len()) {
		fn(hs.at(id))
	}
}

// atMost returns n, limited to what a uint32 can count.
func atMost(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// unserved returns the tick of a host that never had its turn: before all that had, and in the
// order of the keys, in which looking hosts up is fastest.
func unserved(k weburl.HostKey) uint64 {
	return uint64(binary.BigEndian.Uint16(k[:]))<<32 | uint64(binary.BigEndian.Uint32(k[2:]))
}

// firstTick is above all that unserved returns.
const firstTick = 1 << 48

// firstOf returns the first host of a heap, nil if the heap is empty.
func (s *scheduler) firstOf(p *turns.Heap) *host {
	if p.Len() == 0 {
		return nil
	}
	return s.hosts.at(p.Some(1)[0].ID)
}

// heapOf returns the heap of a place; nil if the place is not a heap.
func (s *scheduler) heapOf(p place) *turns.Heap {
	switch p {
	case ready:
		return &s.ready
	case fresh:
		return &s.fresh
	case resting:
		return &s.resting
	}
	return nil
}

// place moves a host to the heap where it belongs. Call it after any change of the host.
func (s *scheduler) place(h *host, now moment) {
	want, was := s.placeOf(h, now), h.place
	if want != was || want == resting {
		s.leave(h)
	}
	turn := s.turnOf(h)
	if want == resting {
		turn.Score, turn.Time = 0, uint64(s.dueAt(h))
		if h.asleep = s.parked(h); h.asleep {
			s.asleep++
		}
	}
	switch heap := s.heapOf(want); {
	case want == blocked:
		s.block(h, s.blockedBy(h))
	case heap != nil && h.place == want:
		heap.Fix(turn)
	case heap != nil:
		heap.Push(turn)
	}
	h.place = want
	if (was == ready || was == fresh) && h.place != ready && h.place != fresh {
		for _, id := range h.groups {
			if id != 0 {
				s.unblock(s.groups[id], now) // it may have kept others of its group waiting
			}
		}
	}
}

// placeOf returns the place where a host belongs.
func (s *scheduler) placeOf(h *host, now moment) place {
	if !h.more || int(h.leased) >= s.limits(h).PerHost {
		return idle
	}
	last := s.last
	if s.overBudget(h) && lastAhead.before(last) {
		last = lastAhead // budgets are of URLs that are visited for the first time
	}
	if last.before(h.first.at) {
		return idle
	}
	if s.parked(h) {
		s.endParks(h, now)
	}
	switch {
	case s.dueAt(h) > now:
		return resting
	case s.blockedBy(h) >= 0:
		return blocked
	case h.proven:
		return ready
	}
	return fresh
}

// leave removes a host from its heap.
func (s *scheduler) leave(h *host) {
	if heap := s.heapOf(h.place); heap != nil {
		heap.Remove(h.id)
	}
	if h.asleep {
		h.asleep = false
		s.asleep--
	}
	h.place = idle
}

// pages is how many requests count towards the budget of pages: those for URLs that had no page yet.
func (h *host) pages() int64 { return int64(h.fetched) - int64(h.again) }

// spent reports whether the host has used up one of its budgets.
func (s *scheduler) spent(h *host) bool {
	l := s.limits(h)
	return l.Pages > 0 && h.pages() >= l.Pages || l.New > 0 && int64(h.found) >= l.New
}

// isSpent is spent of a host by its key.
func (s *scheduler) isSpent(k weburl.HostKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts.find(k)
	return h != nil && s.spent(h)
}

// overBudget reports whether the host has had as many pages as it may, including those under way.
func (s *scheduler) overBudget(h *host) bool {
	l := s.limits(h)
	return l.Pages > 0 && h.pages()+int64(h.flying) >= l.Pages ||
		l.New > 0 && int64(h.found)+int64(h.flying) >= l.New
}

// limits returns the limits of a host: its own, or the common ones where it has none.
func (s *scheduler) limits(h *host) frontier.HostLimits {
	all := frontier.HostLimits{PerHost: s.perHost, Pages: s.budget, New: s.newBudget}
	if len(s.own) == 0 {
		return all
	}
	own := s.own[h.key]
	if own.PerHost > 0 {
		all.PerHost = own.PerHost
	}
	if own.Pages > 0 {
		all.Pages = own.Pages
	}
	if own.New > 0 {
		all.New = own.New
	}
	return all
}
