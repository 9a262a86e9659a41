package dust

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Learn says what learned rules may do.
type Learn string

// The modes of learning.
const (
	LearnOff   Learn = "off"   // nothing is learned
	LearnDefer Learn = "defer" // URLs that are probably copies come last
	LearnSkip  Learn = "skip"  // in addition, URLs that are almost certainly copies are left out
)

// UnmarshalText reads a mode.
func (l *Learn) UnmarshalText(b []byte) error {
	switch v := Learn(b); v {
	case LearnOff, LearnDefer, LearnSkip:
		*l = v
		return nil
	}
	return fmt.Errorf("invalid mode %q for learning URL rules: want off, defer or skip", b)
}

// MarshalText writes the mode.
func (l Learn) MarshalText() ([]byte, error) { return []byte(l), nil }

// Options are the settings of learning.
type Options struct {
	// Learn is what learned rules may do. Default skip.
	Learn Learn

	// MaxRules bounds the number of rules, and with it memory: about 100 bytes each. Default
	// 200,000. When that many are known, no more are learned.
	MaxRules int

	// MinTokens is how many words a page needs to count as evidence. Default 40: short pages are
	// errors, login forms and empty lists, which look alike everywhere.
	MinTokens int

	// Trials is how many different pages must have confirmed a rule when a crawl of a large site
	// ends; on a small site fewer are enough (see Wanted). If fewer have, some of the URLs that the
	// rule left out are fetched then: at most one URL of each page, and at most a fifth of the URLs
	// that the rule covers (see Stats.MayTry). Default 140. A rule that is wrong for a share p of
	// the pages then stays undetected with a probability of e^(-140 p), 1 in 1,100 for a share of 5
	// in 100, so that on average at most 1/(140 e) = 0.26% is left out wrongly, whatever p is. A
	// lower value saves more requests on small sites and loses more pages on unusual ones.
	Trials int

	// Recheck is how long a rule is valid without new evidence. When a re-crawl starts after that
	// time, the rule is tested like a new one, and all URLs that it left out are queued again.
	// Default 30 days. A lower value costs requests for pages that have not changed; with a higher
	// one a change is detected later.
	Recheck time.Duration
}

// DefaultOptions returns the defaults that Options documents.
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
		faults = append(faults, fmt.Errorf("url rules are limited to %d: want at least 1", o.MaxRules))
	}
	if o.MinTokens < 1 {
		faults = append(faults, fmt.Errorf("url rules need pages of %d words: want at least 1", o.MinTokens))
	}
	if o.Trials < minPages {
		faults = append(faults, fmt.Errorf("url rules need %d trials: want at least %d", o.Trials, minPages))
	}
	if o.Recheck <= 0 {
		faults = append(faults, fmt.Errorf("url rules are tested again after %v: want more than 0", o.Recheck))
	}
	return errors.Join(faults...)
}

// Wanted returns how many of the pages whose other URLs a rule leaves out must have confirmed it:
// the number that detects a wrong share as surely as Trials pages of an infinite site. With the
// default it is all of 20 pages, 76 of 100, and 112 of 300.
func (o Options) Wanted(pages int) int {
	m := float64(pages)
	return int(math.Ceil(m * -math.Expm1(-float64(o.Trials)/m)))
}

// Stats are the evidence for and against a rule. They take 28 bytes.
type Stats struct {
	OK       uint32 `json:"ok"`       // URLs with the same page as another URL that the rule equates with them
	Bad      uint32 `json:"bad"`      // URLs with a different page
	Distinct uint32 `json:"distinct"` // different pages among those, counted up to Options.Trials
	Skipped  uint32 `json:"skipped"`  // URLs left out
	Reopened uint32 `json:"reopened"` // URLs left out that were queued again
	Tried    uint32 `json:"tried"`    // URLs fetched to test the rule, although they could have been left out
	Revoked  bool   `json:"revoked,omitempty"`
}

// Count counts one URL. first says that no other URL of its page has confirmed the rule before.
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

// MayTry returns how many more URLs may be fetched to test whether the rule is still valid: at most
// a fifth of the URLs that it covers, or tests would cost what it can save.
func (s *Stats) MayTry() int {
	about := int(s.Skipped) - int(s.Reopened) + int(s.Tried)
	return max(0, about/trialsOneIn-int(s.Tried))
}

// trialsOneIn: one in this many URLs that a rule covers may be fetched to test it.
const trialsOneIn = 5

// Demote reduces the evidence for a rule, so that it must be proven again before it leaves anything
// out.
func (s *Stats) Demote() {
	const rest = 9 // less than any kind of rule needs
	s.OK, s.Distinct = min(s.OK, rest), min(s.Distinct, rest)
}

// LowerBound returns the lower bound of the 95% Wilson interval of the share of URLs for which the
// rule is right (Wilson 1927).
func (s Stats) LowerBound() float64 {
	n := float64(s.OK) + float64(s.Bad)
	if n == 0 {
		return 0
	}
	const z = 1.96
	p := float64(s.OK) / n
	return (p + z*z/(2*n) - z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))) / (1 + z*z/n)
}

// minEndlessCopies is how many documents in a row with URLs of one pattern must be copies before
// the pattern counts as endless. Then URLs that only such copies link to are left out. A pattern in
// which one page in a hundred is new is taken for endless with a probability of 0.13.
const minEndlessCopies = 200

// minSameQueries is how many documents in a row with queries of one pattern must have the bytes of
// one page before the other queries are left out. An example is javadoc, where each page links to
// index.html?NAME, a frame that a script fills. A pattern in which one query in twenty leads to
// another page is accepted with a probability of .006, and one URL in exploreQueries is fetched all
// the same.
const (
	minSameQueries = 100
	exploreQueries = 16
)

// minPages is how many different pages must confirm a rule before it has any effect: one may be an
// error page that is served everywhere.
const minPages = 3

// A Tier says what the evidence allows a rule to do.
type Tier int

// The tiers, each with more evidence than the one before.
const (
	Watch Tier = iota // nothing
	Defer             // postpone URLs
	Skip              // leave URLs out
)

// String returns the tier's name.
func (t Tier) String() string { return [...]string{"watch", "defer", "skip"}[t] }

// Tier returns what a rule of a kind may do on its own evidence. After a miss a rule leaves nothing
// out until it is right in 99 of 100 cases, and one of kind Query never again.
func (s Stats) Tier(k Kind) Tier {
	switch {
	case k == Endless && s.OK >= minEndlessCopies && !s.Revoked, k == Query && s.OK >= minSameQueries && s.Bad == 0 && !s.Revoked:
		return Skip
	case k == Endless, k == Query:
		return Watch
	}
	lower := s.LowerBound()
	enough := .80 // 16 hits without a miss
	if k == Scheme || k == WWW {
		enough = .70 // 10 hits without a miss
	}
	if s.Bad > 0 {
		enough = .99
	}
	switch {
	case s.Revoked || s.Distinct < minPages || lower < .5:
		return Watch
	case lower >= enough:
		return Skip
	}
	return Defer
}

// A Book holds the counts of all rules in memory. Its methods may be called from many goroutines.
type Book struct {
	o Options

	mu    sync.RWMutex
	stats map[ID]Stats
	hosts map[uint64]int // number of rules of a host that are not in tier Watch

	prefixes map[uint64][]Rule // by host: its first maxPrefixes rules of kind Prefix
}

// NewBook returns an empty book.
func NewBook(o Options) *Book {
	return &Book{o: o, stats: make(map[ID]Stats), hosts: make(map[uint64]int), prefixes: make(map[uint64][]Rule)}
}

// Learns reports whether learning is on.
func (b *Book) Learns() bool { return b.o.Learn != LearnOff && b.o.Learn != "" }

// Get returns the evidence of a rule.
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

// Put replaces the evidence of a rule. It returns false if the book is full and does not have the
// rule.
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

// Affects reports whether any rule for the URL's host may postpone or leave out URLs.
func (b *Book) Affects(u weburl.URL) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.hosts) > 0 && b.hosts[hostHash(Host(u))] > 0
}

// Allows returns what a rule may do for URLs of a template, and the rule that decides: the
// template's own rule if it has enough evidence or was ever wrong, else the host's rule if that was
// never wrong.
func (b *Book) Allows(r Rule, template string) (Tier, Rule, Stats) {
	own := r
	own.Scope = template
	b.mu.RLock()
	mine, host := b.stats[own.ID()], b.stats[r.ID()]
	b.mu.RUnlock()
	if mine.Revoked || host.Revoked {
		return Watch, r, host
	}
	tier, wide := r.tier(mine), r.tier(host)
	if r.Kind == Value {
		switch whole := b.parameterOf(r, template); {
		case whole.Revoked:
			return Watch, r, host
		case whole.Bad > 0:
			// Other values of the parameter matter, so this one must be proven.
			tier, wide = proven(tier, mine), proven(wide, host)
		}
	}
	if mine.Bad == 0 && host.Bad == 0 && wide == Skip && mine.OK >= 3 {
		return Skip, r, host // the rule with more evidence
	}
	if mine.Bad > 0 || tier >= wide {
		return tier, own, mine
	}
	return min(wide, Defer), r, host // some URLs of a template without evidence must be fetched
}

// tier returns what a rule may do on its own evidence.
func (r Rule) tier(s Stats) Tier {
	if r.isOfVersions() {
		return proven(s.Tier(r.Kind), s)
	}
	return s.Tier(r.Kind)
}

// parameterOf returns the evidence on the parameter of a rule of kind Value: the worse of both
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

// proven lowers Skip to Defer if fewer than 73 pages confirm it.
func proven(t Tier, s Stats) Tier {
	if t == Skip && s.LowerBound() < .95 {
		return Defer
	}
	return t
}

// Judge returns what may be done with a URL, given its differences from a URL that was fetched: the
// least that the differences allow, and the rules that allow it.
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

// Explore reports whether a URL that could be left out is fetched, to test whether the rule is
// still valid: a quarter of them at first, then 12 in n when n URLs have confirmed the rule, and 1
// in 100 in the end or if the page has confirmed the rule before; never more than MayTry. The
// result depends only on the URL and the arguments.
func Explore(u weburl.URL, s Stats, agreed bool) bool {
	if s.MayTry() == 0 {
		return false
	}
	rate := .01
	if !agreed {
		rate = max(rate, min(.25, 12/float64(max(s.OK, 1))))
	}
	k := u.Key()
	return float64(uint16(k[14])<<8|uint16(k[15])) < rate*65536
}
