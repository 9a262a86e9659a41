package mirror

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"gatecrawl/frontier"
)

// A Moves learns from pages that moved where others of their folders went: the
// rule that /docs/* is /handbook/* now, once it was seen often enough. It keeps at
// most mostMoves rules, the first ones it meets.
type Moves struct {
	seen map[move]*evidence
}

// A move is a rule: pages of one origin under a mapping are on another by now.
type move struct {
	from, to string // origins
	how      Mapping
}

// evidence is what speaks for a rule: distinct pages, up to proven.
type evidence struct {
	times int
	last  [moveProven]string
}

const (
	moveProven = 3      // pages that went one way, before others are looked for there
	mostMoves  = 10_000 // rules, about 300 bytes each
)

// A Moved says where a page may be, and after how many others.
type Moved struct {
	URL  string
	Rule string // in words
}

// Add takes note that the document at one address is at another by now.
func (m *Moves) Add(from, to string) {
	f, err := frontier.Parse(from)
	if err != nil {
		return
	}
	t, err := frontier.Parse(to)
	if err != nil {
		return
	}
	how, ok := between(f.RequestURI(), t.RequestURI())
	if !ok || f.Origin() == t.Origin() && how.From == how.To && how.FromExt == how.ToExt {
		return
	}
	// What one page says holds for its folder and for those above it.
	for {
		m.note(move{f.Origin(), t.Origin(), how}, f.RequestURI())
		up, ok := how.above()
		if !ok {
			return
		}
		how = up
	}
}

// above widens a mapping by a folder that both its sides have; ok is false where
// they have none in common.
func (m Mapping) above() (Mapping, bool) {
	from, to := strings.TrimSuffix(m.From, "/"), strings.TrimSuffix(m.To, "/")
	i, j := strings.LastIndexByte(from, '/'), strings.LastIndexByte(to, '/')
	if i < 0 || j < 0 || from[i:] != to[j:] {
		return m, false
	}
	m.From, m.To = from[:i+1], to[:j+1]
	return m, true
}

func (m *Moves) note(rule move, page string) {
	e := m.seen[rule]
	if e == nil {
		if len(m.seen) == mostMoves {
			return
		}
		if m.seen == nil {
			m.seen = make(map[move]*evidence)
		}
		e = &evidence{}
		m.seen[rule] = e
	}
	if slices.Contains(e.last[:min(e.times, moveProven)], page) {
		return
	}
	e.last[e.times%moveProven] = page
	e.times++
}

// Find returns where the proven rules lead from an address: by the rules that
// name the longest folder first, then by those that were seen most.
func (m *Moves) Find(url string) []Moved {
	u, err := frontier.Parse(url)
	if err != nil {
		return nil
	}
	type hit struct {
		Moved
		depth, times int
	}
	var hits []hit
	for rule, e := range m.seen {
		if rule.from != u.Origin() || e.times < moveProven {
			continue
		}
		path, ok := rule.how.Apply(u.RequestURI())
		if !ok || rule.to+path == u.String() {
			continue
		}
		words := rule.how.String()
		if rule.from != rule.to {
			words = rule.from + rule.how.From + "*" + rule.how.FromExt + " -> " + rule.to + rule.how.To + "*" + rule.how.ToExt
		}
		hits = append(hits, hit{Moved{rule.to + path, words}, len(rule.how.From), e.times})
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(b.times, a.times), cmp.Compare(a.URL, b.URL))
	})
	var out []Moved
	for _, h := range hits {
		if !slices.ContainsFunc(out, func(m Moved) bool { return m.URL == h.URL }) {
			out = append(out, h.Moved)
		}
	}
	return out
}

// minName is how long the name of a page is, at least, that says something.
const minName = 6

// SameName reports whether the last segments of two paths agree but for their
// extensions, and say something.
func SameName(a, b frontier.URL) bool {
	name := func(u frontier.URL) string {
		stem, _ := cutExt(u.Path())
		return stem[strings.LastIndexByte(stem, '/')+1:]
	}
	n := name(a)
	return len(n) >= minName && n == name(b) && a.Query() == b.Query()
}

// A Print is what tells how far two bodies are apart.
type Print struct {
	SimHash uint64
	Sketch  [16]byte // one-bit min-wise hashes
	Tokens  int
	Title   string
}

// The bounds within which a document counts as a lost page, moved or edited.
const (
	sameBody  = 3    // bits: dedup's default
	half      = 0.5  // resemblance of the same body
	titled    = 8    // bits, where the titles are equal
	likely    = 0.35 // resemblance, where the titles are equal; by chance two bodies come to .09 (one sigma of 128 bits)
	fewTokens = 20   // shorter bodies say nothing
)

// Distance returns the bits in which the bodies differ, and their estimated
// resemblance, 0 to 1.
func (p Print) Distance(q Print) (bitsApart int, similarity float64) {
	apart := 0
	for i := range p.Sketch {
		apart += bits.OnesCount8(p.Sketch[i] ^ q.Sketch[i])
	}
	n := float64(8 * len(p.Sketch))
	return bits.OnesCount64(p.SimHash ^ q.SimHash), max(0, 1-2*float64(apart)/n)
}

// Survives reports whether q may stand for p, which is lost: nearly the same
// body, or one that was edited under the same title. moved says that something
// else speaks for it too: a redirect, a rule, a group.
func (p Print) Survives(q Print, moved bool) bool {
	if min(p.Tokens, q.Tokens) < fewTokens {
		return false
	}
	d, similarity := p.Distance(q)
	title := p.Title != "" && strings.EqualFold(strings.TrimSpace(p.Title), strings.TrimSpace(q.Title))
	switch {
	case d <= sameBody && similarity >= half:
		return true
	case title || moved:
		return similarity >= likely || title && d <= titled
	}
	return false
}
