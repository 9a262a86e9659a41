package linkrot

import (
	"context"
	"maps"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// Of the lines of a page, those count as its own that at most one of a few other pages of its site has: pages of a manual
// share their headings, flags and licence, whatever they are about.
const (
	maxSample = 32  // other pages that are read, up to twice as many; once for a domain
	minSample = 5   // fewer do not tell what is usual on a site
	maxLines  = 400 // of a page: those with the least hashes
	manyLines = 10  // of which an edited page has one still
	usual     = 2   // pages of the sample that have a line which is nobody's own
)

// A sample has every n-th document of a domain.
type sample struct {
	pages  []uint64
	met    int
	stride int

	on map[uint32]int // on how many of the pages a line is; nil: not read yet
	of int            // of how many there is a text
}

// add takes a document, or passes it over.
func (s *sample) add(seq uint64) {
	s.stride = max(1, s.stride)
	if s.met++; (s.met-1)%s.stride != 0 {
		return
	}
	if s.pages = append(s.pages, seq); len(s.pages) < 2*maxSample {
		return
	}
	for i := range maxSample {
		s.pages[i] = s.pages[2*i]
	}
	s.pages, s.stride = s.pages[:maxSample], 2*s.stride
}

// read counts the lines of the pages.
func (s *sample) read(job Job) error {
	if s.on != nil {
		return nil
	}
	on, of := make(map[uint32]int), 0
	for _, seq := range s.pages {
		text, ok, err := job.Text(dedup.Ref(seq))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		of++
		for line := range linesOf(text.Body) {
			on[line]++
		}
	}
	s.on, s.of = on, of
	return nil
}

// own returns hashes of a page's own lines, sorted; nil if too few other pages are known.
func (s *sample) own(seq uint64, body string) (own []uint32) {
	itself := 0
	if slices.Contains(s.pages, seq) {
		itself = 1
	}
	if s.of-itself < minSample {
		return nil
	}
	for line := range linesOf(body) {
		if s.on[line]-itself < usual {
			own = append(own, line)
		}
	}
	slices.Sort(own)
	return own[:min(len(own), maxLines)]
}

// linesOf returns a hash of each line's words, and how many they are.
func linesOf(text string) map[uint32]int {
	const odd = 0x9e3779b97f4a7c15
	lines := make(map[uint32]int)
	var words []uint64
	for line := range strings.SplitSeq(text, "\n") {
		if words = dedup.WordHashes(words[:0], line); len(words) == 0 {
			continue
		}
		h := uint64(0)
		for _, w := range words {
			h = (h ^ w) * odd
			h ^= h >> 29
		}
		lines[uint32(h>>32)] = len(words)
	}
	return lines
}

// own notes the lost page's own lines, by which an altered copy is known.
func (l *loss) own(context.Context) error {
	n := l.n
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.kept == 0 || l.lost.Sign == nil || n.domain == nil {
		return nil
	}
	if err := n.domain.sample.read(n.job); err != nil {
		return err
	}
	text, ok, err := n.job.Text(dedup.Ref(l.kept))
	if err == nil && ok {
		l.lost.Lines = n.domain.sample.own(l.kept, text.Body)
	}
	return err
}

// hasText reports whether a record is that of a kept page.
func hasText(p *page.Record, v dedup.Verdict) bool {
	return p.Document() && p.ReplacedBy == 0 && !v.Copy()
}

// sharedWith returns how many of a lost page's own lines are on a page, and how many words these have.
func (l *Lost) sharedWith(view *purify.DocView) (lines, words int) {
	if len(l.Lines) == 0 {
		return 0, 0
	}
	there := make(map[uint32]int)
	for i := range view.Blocks {
		if b := &view.Blocks[i]; !b.Linked { // the same neighbours make no page the same
			maps.Copy(there, linesOf(b.Text))
		}
	}
	for line := range linesOf(l.Title) {
		delete(there, line)
	}
	for _, line := range l.Lines {
		if n := there[line]; n > 0 {
			lines, words = lines+1, words+n
		}
	}
	return lines, words
}

// shareOn returns the share of a lost page's own lines that are on a page; 0 if these have too few words to say anything.
func (l *Lost) shareOn(view *purify.DocView) float64 {
	lines, words := l.sharedWith(view)
	if words < fewTokens {
		return 0
	}
	return float64(lines) / float64(len(l.Lines))
}

// hasNone reports whether a page has none of a lost page's own lines, though that has many: what the two share is what all pages of
// the site have.
func (l *Lost) hasNone(view *purify.DocView) bool {
	if len(l.Lines) < manyLines {
		return false
	}
	lines, _ := l.sharedWith(view)
	return lines == 0
}
