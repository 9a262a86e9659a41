package linkrot

import (
	"cmp"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
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
	how      mirror.Mapping
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

// Add notes that the document at one URL has moved to another.
func (m *Moves) Add(from, to string) {
	f, err := weburl.Parse(from)
	if err != nil {
		return
	}
	t, err := weburl.Parse(to)
	if err != nil {
		return
	}
	how, ok := mirror.MappingBetween(f.RequestURI(), t.RequestURI())
	if !ok || f.Origin() == t.Origin() && how.From == how.To && how.FromExt == how.ToExt {
		return
	}
	// What one page says holds for its folder and for those above it.
	for {
		m.note(move{f.Origin(), t.Origin(), how}, f.RequestURI())
		up, ok := how.Wider()
		if !ok {
			return
		}
		how = up
	}
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

// Find returns where the proven rules lead from a URL: by the rules that
// name the longest folder first, then by those that were seen most.
func (m *Moves) Find(url string) []Moved {
	u, err := weburl.Parse(url)
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

// sameName reports whether the last segments of two paths agree but for their
// extensions, and say something.
func sameName(a, b weburl.URL) bool {
	name := func(u weburl.URL) string {
		stem, _ := mirror.SplitExt(u.Path())
		return stem[strings.LastIndexByte(stem, '/')+1:]
	}
	n := name(a)
	return len(n) >= minName && n == name(b) && a.Query() == b.Query()
}

// pagedMark is before the number of a page of a list of many: as a folder, as a
// parameter, or in the name.
var pagedMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)([/?&](?:page|paged|seite|pagina|p|pg)(?:/|=|-|_)?)(\d{1,5})(/?(?:\.\w{3,5})?)$`)
})

// Paged returns the URLs of the neighbours of a page of a list of many pages: the
// next two and the one before; none for other URLs.
func Paged(url string) (urls []string) {
	at := pagedMark().FindStringSubmatchIndex(url)
	if at == nil {
		return nil
	}
	n, err := strconv.Atoi(url[at[4]:at[5]])
	if err != nil {
		return nil
	}
	for _, next := range []int{n + 1, n - 1, n + 2} {
		if next > 0 {
			urls = append(urls, url[:at[4]]+strconv.Itoa(next)+url[at[5]:])
		}
	}
	return urls
}

// A BodyPrint is what tells how far two bodies are apart.
type BodyPrint struct {
	SimHash uint64
	Sketch  [16]byte // one-bit min-wise hashes
	Tokens  int
	Title   string
}

// PrintOf returns the print of a page with this signature and title.
func PrintOf(sig *dedup.Signature, title string) BodyPrint {
	return BodyPrint{SimHash: sig.SimHash, Sketch: sig.Sketch, Tokens: int(sig.Tokens), Title: title}
}

// The bounds within which a document counts as a lost page, moved or edited.
const (
	sameBody     = 3    // bits: dedup's default
	half         = 0.5  // resemblance of the same body
	titled       = 8    // bits, where the titles are equal
	likely       = 0.35 // resemblance, where the titles are equal; by chance two bodies come to .09 (one sigma of 128 bits)
	unlike       = 0.2  // resemblance of any edited page: less is chance, though SimHashes are near where pages say a few words often
	nearlyAll    = 0.75 // resemblance of a page that may have other lines for the same words
	fewTokens    = 20   // shorter bodies say nothing
	brief        = 60   // and these say something together with their titles alone: they may be the frame of their site
	relatedShare = 0.55 // resemblance of a page and its relative
	altered      = 0.3  // of a page's own lines, on another one of its title at its place; pages of one manual share under .25
)

// Distance returns the bits in which the bodies differ, and their estimated
// resemblance, 0 to 1.
func (p BodyPrint) Distance(q BodyPrint) (bitsApart int, similarity float64) {
	apart := 0
	for i := range p.Sketch {
		apart += bits.OnesCount8(p.Sketch[i] ^ q.Sketch[i])
	}
	n := float64(8 * len(p.Sketch))
	return bits.OnesCount64(p.SimHash ^ q.SimHash), max(0, 1-2*float64(apart)/n)
}

// A Lead is other evidence that a page may replace a lost one.
type Lead int

// The leads, by their strength.
const (
	NoLead      Lead = iota // it is near, or at the lost page's URL
	RelatedLead             // it is where relatives of the lost page are
	SureLead                // a redirect, a rule or a name leads to it
	CopyLead                // it is of the lost page's group, or in its place on a mirror
)

// Survives reports whether q may replace p, which is lost: it has nearly the same body, or one
// that was edited under the same title, or a lead says so. Brief bodies need the same title too, but for a copy with all of
// the text: the name of its site may be at another place of the title there.
func (p BodyPrint) Survives(q BodyPrint, lead Lead) bool {
	title := p.hasTitleOf(q)
	d, similarity := p.Distance(q)
	switch {
	case p.tooBrief(q, lead):
		return false
	case p.resembles(q):
		return true
	case title || lead >= SureLead:
		return similarity >= likely || title && d <= titled && similarity >= unlike
	case lead == RelatedLead:
		return similarity >= relatedShare
	}
	return false
}

func (p BodyPrint) hasTitleOf(q BodyPrint) bool { return sameTitle(p.Title, q.Title) }

func sameTitle(a, b string) bool {
	return a != "" && strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// tooBrief reports whether one of two bodies says so little that q may be another page even if they are equal.
func (p BodyPrint) tooBrief(q BodyPrint, lead Lead) bool {
	tokens := min(p.Tokens, q.Tokens)
	d, similarity := p.Distance(q)
	equal := lead == CopyLead && d == 0 && similarity == 1
	return tokens < fewTokens || tokens < brief && !p.hasTitleOf(q) && !equal
}

// resembles reports whether two bodies are nearly the same, however brief they are.
func (p BodyPrint) resembles(q BodyPrint) bool {
	d, similarity := p.Distance(q)
	return d <= sameBody && similarity >= half
}
