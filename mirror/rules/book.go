package rules

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"gatecrawl/frontier"
)

// Learn is what learned rules may do.
type Learn string

// The modes of learning.
const (
	LearnOff   Learn = "off"   // nothing is learned
	LearnDefer Learn = "defer" // addresses that are likely copies come last
	LearnSkip  Learn = "skip"  // and those that are surely copies are left out
)

// UnmarshalText reads a mode.
func (l *Learn) UnmarshalText(b []byte) error {
	switch v := Learn(b); v {
	case LearnOff, LearnDefer, LearnSkip:
		*l = v
		return nil
	}
	return fmt.Errorf("%q is no mode of learning URL rules: want off, defer or skip", b)
}

// MarshalText writes the mode.
func (l Learn) MarshalText() ([]byte, error) { return []byte(l), nil }

// Options are the settings of learning.
type Options struct {
	// Learn is what learned rules may do. Default skip.
	Learn Learn

	// MaxRules bounds the rules, and with them memory: about 100 bytes each.
	// Default 200,000. What would come after that many is not learned.
	MaxRules int

	// MinTokens is how many words a page needs to be evidence. Default 40: short
	// pages are errors, log-ins and empty lists, which are alike everywhere.
	MinTokens int

	// Trials is how many different pages must have agreed to a rule when a crawl ends,
	// on a large site; on a small one fewer do (see Wanted). Of a rule with fewer some
	// of what it left out is fetched then, of each page one address at most. Default
	// 140. A rule that is wrong of a share p of the pages is then not found out with a
	// probability of e^(-140 p), 1 in 1,100 for a share of 5 in 100, so that in the mean
	// no more than 1/(140 e) = 0.26% is left out wrongly, whatever p is. With fewer more
	// is saved on small sites, and more lost on odd ones.
	Trials int

	// Recheck is after how long without a page that spoke for or against it a rule is
	// tried like a new one, when a re-crawl begins: all that it left out is queued
	// again. Default 30 days. With less a site is asked more often for what did not
	// change, with more it is noticed later that it did.
	Recheck time.Duration
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{Learn: LearnSkip, MaxRules: 200_000, MinTokens: 40, Trials: 140, Recheck: 30 * 24 * time.Hour}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	switch o.Learn {
	case LearnOff, LearnDefer, LearnSkip:
	default:
		faults = append(faults, fmt.Errorf("url-rules-learn is %q: want off, defer or skip", o.Learn))
	}
	if o.MaxRules < 1 {
		faults = append(faults, fmt.Errorf("url rules are bounded to %d: want at least 1", o.MaxRules))
	}
	if o.MinTokens < 1 {
		faults = append(faults, fmt.Errorf("url rules take pages of %d words: want at least 1", o.MinTokens))
	}
	if o.Trials < 1 {
		faults = append(faults, fmt.Errorf("url rules need %d trials: want at least 1", o.Trials))
	}
	if o.Recheck <= 0 {
		faults = append(faults, fmt.Errorf("url rules are tried again after %v: want more than 0", o.Recheck))
	}
	return errors.Join(faults...)
}

// Wanted returns how many of so many pages, of which a rule leaves addresses out, must
// have agreed to it: so many that a share of them of which it is wrong is met as surely
// as by Trials of a site without end. Of 20 pages that is all, of 100 it is 76, of 300
// 112 with the default.
func (o Options) Wanted(pages int) int {
	m := float64(pages)
	return int(math.Ceil(m * -math.Expm1(-float64(o.Trials)/m)))
}

// Stats are what is known for and against a rule. They take 24 bytes.
type Stats struct {
	OK       uint32 `json:"ok"`       // addresses with the page of another that the rule takes for the same
	Bad      uint32 `json:"bad"`      // addresses with another page
	Distinct uint32 `json:"distinct"` // different pages among those, at least: no more are counted than Options.Trials
	Skipped  uint32 `json:"skipped"`  // addresses left out
	Reopened uint32 `json:"reopened"` // of them, queued again since
	Revoked  bool   `json:"revoked,omitempty"`
}

// Count takes one address into account. first says that it is the first one of its
// page that agreed.
func (s *Stats) Count(same, first bool) {
	switch {
	case !same:
		s.Bad++
	case first:
		s.Distinct++
		fallthrough
	default:
		s.OK++
	}
}

// Doubt takes from what is known for a rule so much that it has to be proven again
// before it leaves anything out.
func (s *Stats) Doubt() {
	const rest = 9 // below what any kind of rule needs
	s.OK, s.Distinct = min(s.OK, rest), min(s.Distinct, rest)
}

// Lower returns the lower end of the 95% Wilson interval of the share of
// addresses for which the rule is right (Wilson 1927).
func (s Stats) Lower() float64 {
	n := float64(s.OK) + float64(s.Bad)
	if n == 0 {
		return 0
	}
	const z = 1.96
	p := float64(s.OK) / n
	return (p + z*z/(2*n) - z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))) / (1 + z*z/n)
}

// barren is how many documents in a row, of addresses that are made alike, have to
// be copies for these to be taken for endless: those are left out then that only
// such copies lead to. A template of which one page in a hundred is new passes for
// endless with a probability of 0.13.
const barren = 200

// A Tier is what a rule may do.
type Tier int

// The tiers, each with more evidence than the one before.
const (
	Watch Tier = iota // nothing
	Defer             // put addresses off
	Skip              // leave addresses out
)

// String returns the tier's name.
func (t Tier) String() string { return [...]string{"watch", "defer", "skip"}[t] }

// Tier returns what a rule of a kind may do by its own evidence. A rule that was
// ever wrong leaves nothing out before it is right in 99 of 100.
func (s Stats) Tier(k Kind) Tier {
	const pages = 3
	if k == Endless {
		if s.OK < barren || s.Revoked {
			return Watch
		}
		return Skip
	}
	lower := s.Lower()
	enough := .80 // 16 without a miss
	if k == Scheme || k == WWW {
		enough = .70 // 10
	}
	if s.Bad > 0 {
		enough = .99
	}
	switch {
	case s.Revoked || s.Distinct < pages || lower < .5:
		return Watch
	case lower >= enough:
		return Skip
	}
	return Defer
}

// A Book holds the counts of all rules in memory. Its methods may be called from
// many goroutines.
type Book struct {
	o Options

	mu    sync.RWMutex
	stats map[ID]Stats
	hosts map[uint64]int // rules of a host that do something

	prefixes map[uint64][]Rule // of a host, the first maxPrefixes
}

// NewBook returns an empty book.
func NewBook(o Options) *Book {
	return &Book{o: o, stats: make(map[ID]Stats), hosts: make(map[uint64]int), prefixes: make(map[uint64][]Rule)}
}

// Learns reports whether there is anything to learn.
func (b *Book) Learns() bool { return b.o.Learn != LearnOff && b.o.Learn != "" }

// Get returns what is known of a rule.
func (b *Book) Get(id ID) (Stats, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	s, ok := b.stats[id]
	return s, ok
}

// Len returns how many rules there are.
func (b *Book) Len() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.stats)
}

// Put replaces what is known of a rule. It reports false where the book is full
// and does not have the rule.
func (b *Book) Put(r Rule, s Stats) bool {
	id, host := r.ID(), hostHash(r.Scope)
	b.mu.Lock()
	defer b.mu.Unlock()
	old, ok := b.stats[id]
	if !ok && len(b.stats) >= b.o.MaxRules {
		return false
	}
	if was, is := old.Tier(r.Kind) > Watch, s.Tier(r.Kind) > Watch; was != is {
		if is {
			b.hosts[host]++
		} else if b.hosts[host]--; b.hosts[host] == 0 {
			delete(b.hosts, host)
		}
	}
	if !ok && r.Kind == Prefix && !strings.Contains(r.Scope, "/") && len(b.prefixes[host]) < maxPrefixes {
		b.prefixes[host] = append(b.prefixes[host], r)
	}
	b.stats[id] = s
	return true
}

func hostHash(scope string) uint64 {
	host, _, _ := strings.Cut(scope, "/")
	return uint64(Rule{Scope: host}.ID())
}

// Concerns reports whether some rule does something on the address's host.
func (b *Book) Concerns(u frontier.URL) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.hosts) > 0 && b.hosts[hostHash(Host(u))] > 0
}

// Allows returns what a rule of a host's scope may do for addresses of a
// template, and the rule of the scope that says so: the template's own where it
// has seen enough or was ever wrong, else the host's, where that was never wrong.
func (b *Book) Allows(r Rule, template string) (Tier, Rule, Stats) {
	own := r
	own.Scope = template
	b.mu.RLock()
	mine, host := b.stats[own.ID()], b.stats[r.ID()]
	b.mu.RUnlock()
	if mine.Revoked || host.Revoked {
		return Watch, r, host
	}
	tier, wide := mine.Tier(r.Kind), host.Tier(r.Kind)
	if r.Kind == Value {
		switch whole := b.parameterOf(r, template); {
		case whole.Revoked:
			return Watch, r, host
		case whole.Bad > 0:
			// Its other values do something; this one has to be proven.
			tier, wide = proven(tier, mine), proven(wide, host)
		}
	}
	if mine.Bad == 0 && host.Bad == 0 && wide == Skip && mine.OK >= 3 {
		return Skip, r, host // the one that more pages stand behind
	}
	if mine.Bad > 0 || tier >= wide {
		return tier, own, mine
	}
	return min(wide, Defer), r, host // fetch some of a template that is not known yet
}

// parameterOf returns what is known of a value's parameter, the worse of both
// scopes.
func (b *Book) parameterOf(value Rule, template string) Stats {
	whole := Rule{Param, value.Scope, nameOf(value.Arg)}
	own := Rule{Param, template, whole.Arg}
	b.mu.RLock()
	defer b.mu.RUnlock()
	s, t := b.stats[whole.ID()], b.stats[own.ID()]
	s.Revoked = s.Revoked || t.Revoked
	s.Bad = max(s.Bad, t.Bad)
	return s
}

// proven lowers a tier that fewer than 73 pages stand behind.
func proven(t Tier, s Stats) Tier {
	if t == Skip && s.Lower() < .95 {
		return Defer
	}
	return t
}

// Judge returns what may be done with an address that differs from one which
// was fetched: the least of what each difference allows, and by which rules.
func (b *Book) Judge(ds []Difference, template string) (Tier, []Rule, Stats) {
	least, why := Skip, []Rule(nil)
	weakest := Stats{OK: math.MaxUint32}
	for _, d := range ds {
		tier, by, with := Watch, Rule{}, Stats{}
		for _, r := range d {
			if t, rule, s := b.Allows(r, template); t > tier {
				tier, by, with = t, rule, s
			}
		}
		if tier == Watch {
			return Watch, nil, Stats{}
		}
		least = min(least, tier)
		why = append(why, by)
		if with.OK < weakest.OK {
			weakest = with
		}
	}
	if least == Skip && b.o.Learn == LearnDefer {
		least = Defer
	}
	return least, why, weakest
}

// Explore reports whether an address that could be left out is fetched all the
// same, to see whether the rule still holds: a quarter of them at first, then 12
// of as many as have agreed, and 1 of 100 in the end, or where the page has agreed to
// the rule before. It depends on nothing but the address and what it is told.
func Explore(u frontier.URL, s Stats, agreed bool) bool {
	rate := .01
	if !agreed {
		rate = max(rate, min(.25, 12/float64(max(s.OK, 1))))
	}
	k := u.Key()
	return float64(uint16(k[14])<<8|uint16(k[15])) < rate*65536
}
