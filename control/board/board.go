package board

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/page"
)

// A Bucket counts the pages that were settled in a span of time.
type Bucket struct {
	Pages   int64 `json:"pages"` // the sum of the next five
	New     int64 `json:"new"`
	Copies  int64 `json:"copies"`
	Refused int64 `json:"refused"`
	Failed  int64 `json:"failed"`
	Bytes   int64 `json:"bytes"` // of bodies, on the wire

	Relevant int64 `json:"relevant,omitempty"` // of New: to the topic of a focused crawl, see Relevant
}

// Relevant is the relevance from which a document counts as relevant in the harvest of a focused
// crawl: half of the highest.
const Relevant = .5

func (b *Bucket) add(o Bucket) {
	b.Pages += o.Pages
	b.New += o.New
	b.Copies += o.Copies
	b.Refused += o.Refused
	b.Failed += o.Failed
	b.Bytes += o.Bytes
	b.Relevant += o.Relevant
}

// A Line is a settled page, as a log shows it.
type Line struct {
	At      time.Time    `json:"at"`
	Seq     uint64       `json:"seq"`
	URL     string       `json:"url"`
	Status  int          `json:"status"`
	Verdict page.Verdict `json:"verdict"`
	Rule    string       `json:"rule,omitempty"`
	Reason  string       `json:"reason,omitempty"`
	Of      string       `json:"of,omitempty"`
	Class   string       `json:"class,omitempty"`
	Title   string       `json:"title,omitempty"`
}

// A HostRate says what a host did in the last minute.
type HostRate struct {
	Name   string  `json:"name"`
	Pages  int64   `json:"pages"`
	PerMin float64 `json:"per_minute"`
	TookMS int64   `json:"took_ms"` // mean time to an answer
	Failed int64   `json:"failed"`
	Reason string  `json:"reason,omitempty"` // of its last failure

	answers, took int64
}

const (
	seconds = 600  // how many buckets of a second
	minutes = 1440 // how many buckets of a minute
	lines   = 200  // how many lines of each log
	span    = 30 * time.Second
	most    = 20_000 // how many hosts are counted in a span; others are not
)

// A Board counts what one run settles.
type Board struct {
	started time.Time

	mu      sync.Mutex
	second  int64 // Unix time of the last bucket, seconds[second % seconds]
	minute  int64
	bySec   [seconds]Bucket
	byMin   [minutes]Bucket
	all     Bucket
	refused ring
	copies  ring
	hosts   [2]map[string]*HostRate // of this minute and of the one before
	turned  time.Time               // when this minute started
}

// New returns a board of a run that starts now.
func New() *Board {
	now := time.Now()
	return &Board{
		started: now, second: now.Unix(), minute: now.Unix() / 60, turned: now,
		hosts: [2]map[string]*HostRate{make(map[string]*HostRate), make(map[string]*HostRate)},
	}
}

// Settled counts a page. It is a record hook, see gatecrawl.Hooks.
func (b *Board) Settled(p page.Record) {
	now := time.Now()
	n := Bucket{Pages: 1, Bytes: p.Wire}
	switch p.Verdict {
	case page.VerdictNew:
		n.New = 1
		if p.Relevance >= Relevant {
			n.Relevant = 1
		}
	case page.VerdictCopy:
		n.Copies = 1
	case page.VerdictRefused:
		n.Refused = 1
	case page.VerdictFailed:
		n.Failed = 1
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(now)
	b.bySec[b.second%seconds].add(n)
	b.byMin[b.minute%minutes].add(n)
	b.all.add(n)
	if p.Verdict != page.VerdictNew {
		l := Line{now.UTC(), p.Seq, p.URL, p.Status, p.Verdict, p.Rule, p.Reason, p.Of, p.Class, p.Title}
		switch {
		case p.Verdict != page.VerdictCopy:
			b.refused.add(l)
		case p.Replaces != p.Seq: // otherwise it was found before, and is still a copy
			b.copies.add(l)
		}
	}
	b.host(&p)
}

// turn moves the buckets on to the given time.
func (b *Board) turn(now time.Time) {
	for s := max(b.second+1, now.Unix()-seconds+1); s <= now.Unix(); s++ {
		b.bySec[s%seconds] = Bucket{}
	}
	b.second = max(b.second, now.Unix())
	for m := max(b.minute+1, now.Unix()/60-minutes+1); m <= now.Unix()/60; m++ {
		b.byMin[m%minutes] = Bucket{}
	}
	b.minute = max(b.minute, now.Unix()/60)
	for range 2 {
		if now.Sub(b.turned) < span {
			return
		}
		b.hosts[0], b.hosts[1] = make(map[string]*HostRate), b.hosts[0]
		b.turned = b.turned.Add(span)
	}
	b.turned = now
}

// host counts a page for its host.
func (b *Board) host(p *page.Record) {
	_, rest, _ := strings.Cut(p.URL, "://")
	name, _, _ := strings.Cut(rest, "/")
	h := b.hosts[0][name]
	if h == nil {
		if len(b.hosts[0]) >= most {
			return
		}
		h = &HostRate{Name: strings.Clone(name)}
		b.hosts[0][h.Name] = h
	}
	h.Pages++
	if p.Status != 0 {
		h.answers++
		h.took += int64(p.TookMS)
	}
	if p.Verdict == page.VerdictFailed {
		h.Failed++
		h.Reason = p.Reason
	}
}

// A ring keeps the last lines.
type ring struct {
	all  []Line
	next int
}

func (r *ring) add(l Line) {
	if len(r.all) < lines {
		r.all = append(r.all, l)
		return
	}
	r.all[r.next] = l
	r.next = (r.next + 1) % lines
}

// last returns the lines, the newest first.
func (r *ring) last() []Line {
	out := make([]Line, 0, len(r.all))
	for i := range r.all {
		out = append(out, r.all[(r.next+len(r.all)-1-i)%len(r.all)])
	}
	return out
}

// A Snapshot is the state of a board at one moment.
type Snapshot struct {
	Started        time.Time `json:"began"` // start of the run
	PerSecond      float64   `json:"pages_per_second"`
	BytesPerSecond float64   `json:"bytes_per_second"` // this and the number before, over the last ten full seconds
	Run            Bucket    `json:"run"`              // of the whole run
	Lately         Bucket    `json:"lately"`           // of the last ten minutes

	Step   int      `json:"step"`   // seconds in a bucket of Series
	Series []Bucket `json:"series"` // oldest first; the last bucket is complete
	Days   []Bucket `json:"day"`    // the last 24 hours, in buckets of a quarter of an hour

	Refused []Line     `json:"refused"` // the last refusals and failures, the newest first
	Copies  []Line     `json:"copies"`  // the last copies
	Hosts   []HostRate `json:"hosts"`   // hosts with a page in the last minute, most pages first
}

const (
	step    = 5  // seconds
	quarter = 15 // minutes
)

// Now returns a Snapshot with at most limit lines of each log and limit hosts.
func (b *Board) Now(limit int) Snapshot {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(now)
	s := Snapshot{Started: b.started.UTC(), Run: b.all, Step: step, Series: make([]Bucket, seconds/step-1), Days: make([]Bucket, minutes/quarter)}
	var last Bucket
	full := b.second - b.second%step - 1 // the last second of a complete bucket
	for at := b.second - seconds + 1; at <= b.second; at++ {
		n := b.bySec[at%seconds]
		s.Lately.add(n)
		if i := len(s.Series) - 1 - int(full-at)/step; at <= full && i >= 0 {
			s.Series[i].add(n)
		}
		if at < b.second && at >= b.second-10 {
			last.add(n)
		}
	}
	for i := range minutes {
		s.Days[i/quarter].add(b.byMin[(b.minute-minutes+1+int64(i)+minutes)%minutes])
	}
	over := float64(max(1, min(10, b.second-b.started.Unix())))
	s.PerSecond, s.BytesPerSecond = float64(last.Pages)/over, float64(last.Bytes)/over
	s.Refused, s.Copies = first(b.refused.last(), limit), first(b.copies.last(), limit)
	s.Hosts = first(b.rates(now), limit)
	return s
}

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// Rate returns what a host did in the last minute.
func (b *Board) Rate(name string) HostRate {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(now)
	h := HostRate{Name: name}
	for _, m := range b.hosts {
		h.sum(m[name])
	}
	h.done(b.over(now))
	return h
}

// over returns how many minutes the two spans of hosts have taken so far.
func (b *Board) over(now time.Time) float64 {
	return max(1, min(now.Sub(b.turned)+span, now.Sub(b.started)).Seconds()) / 60
}

// rates returns the hosts of the last minute, those with most pages first.
func (b *Board) rates(now time.Time) []HostRate {
	sums := make(map[string]*HostRate, len(b.hosts[0])+len(b.hosts[1]))
	for _, m := range b.hosts {
		for name, h := range m {
			if sums[name] == nil {
				sums[name] = &HostRate{Name: name}
			}
			sums[name].sum(h)
		}
	}
	out := make([]HostRate, 0, len(sums))
	for h := range maps.Values(sums) {
		h.done(b.over(now))
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b HostRate) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), strings.Compare(a.Name, b.Name))
	})
	return out
}

// sum adds the counts of another span; o may be nil.
func (h *HostRate) sum(o *HostRate) {
	if o == nil {
		return
	}
	h.Pages += o.Pages
	h.Failed += o.Failed
	h.answers += o.answers
	h.took += o.took
	if h.Reason == "" {
		h.Reason = o.Reason
	}
}

// done turns the sums into means.
func (h *HostRate) done(over float64) {
	h.PerMin = float64(h.Pages) / over
	if h.answers > 0 {
		h.TookMS = h.took / h.answers
	}
}
