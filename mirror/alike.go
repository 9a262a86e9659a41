package mirror

import (
	"context"
	"hash/fnv"
	"strings"
)

// A Reader is a library that has the texts of documents.
type Reader interface {
	Library
	// Text returns the body of the document at a URL, or of the kept page that it is a
	// copy of, and false if neither is stored.
	Text(ctx context.Context, url string) (text string, ok bool, err error)
}

// The thresholds by which documents that the gate tells apart are one document in two
// frames.
const (
	mostlyEqual    = 0.5  // of the common documents are equal to the bit, or more: then those that differ do so in content
	maxPairsRead   = 24   // pairs of documents are read at most
	maxWordsRead   = 600  // words of each
	frameShare     = 0.6  // of a site's read documents have a shingle of its frame: a banner, a menu
	minContained   = 0.85 // of the shorter text, without the frame, is in the longer one
	minResemblance = 0.6  // resemblance of the two without the frames
	minReadSame    = 0.9  // of the read pairs pass
	unrelatedBits  = 28   // beyond so many bits two bodies are as far apart as any two
)

// acceptOtherLayouts marks documents as the same that differ only in the frame of
// their site, or in what another layout leaves out. It does not do so for two versions
// of a manual: most of their documents are equal, and the rest differ in content.
func (r *analysis) acceptOtherLayouts(ctx context.Context, lib Library, rel *Relation, ts ...*lookups) error {
	equal, found := 0, 0
	for _, t := range ts {
		found += t.found
		for _, o := range t.outcomes {
			if o.found && o.bits == 0 {
				equal++
			}
		}
	}
	reader, ok := lib.(Reader)
	if !ok || found < 2*minAgreeing || float64(equal) >= mostlyEqual*float64(found) {
		return nil
	}
	var read []textPair
	for _, t := range ts {
		for _, o := range t.outcomes {
			if !o.found || o.same || o.bits > unrelatedBits || len(read) == maxPairsRead {
				continue
			}
			a, okA, err := reader.Text(ctx, rel.A+o.path)
			if err != nil {
				return err
			}
			b, okB, err := reader.Text(ctx, rel.B+o.there)
			if err != nil {
				return err
			}
			if okA && okB {
				read = append(read, textPair{shingles(a), shingles(b)})
			}
		}
	}
	if len(read) < minAgreeing {
		return nil
	}
	frameA, frameB := frameOf(read, false), frameOf(read, true)
	good := 0
	for _, p := range read {
		if p.isSame(frameA, frameB) {
			good++
		}
	}
	if float64(good) < minReadSame*float64(len(read)) {
		return nil
	}
	for _, t := range ts { // what holds for the documents read is taken to hold for all
		for k := range t.outcomes {
			if o := &t.outcomes[k]; o.found && !o.same && o.bits <= unrelatedBits {
				o.same = true
				t.same++
			}
		}
	}
	return nil
}

// A textPair has the shingles of two documents at corresponding paths.
type textPair struct{ a, b map[uint64]bool }

// shingles hashes every three consecutive words of the start of a text.
func shingles(text string) map[uint64]bool {
	words := strings.Fields(text)
	if len(words) > maxWordsRead {
		words = words[:maxWordsRead]
	}
	set := make(map[uint64]bool, len(words))
	for i := 0; i+3 <= len(words); i++ {
		h := fnv.New64a()
		for _, w := range words[i : i+3] {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
		set[h.Sum64()] = true
	}
	return set
}

// frameOf returns the shingles that most documents of one site have and those of the
// other lack: of site a, or of site b where ofB is set.
func frameOf(read []textPair, ofB bool) map[uint64]bool {
	count := make(map[uint64]int)
	for _, p := range read {
		mine, theirs := p.a, p.b
		if ofB {
			mine, theirs = p.b, p.a
		}
		for s := range mine {
			if !theirs[s] {
				count[s]++
			}
		}
	}
	frame := make(map[uint64]bool)
	for s, n := range count {
		if float64(n) >= frameShare*float64(len(read)) {
			frame[s] = true
		}
	}
	return frame
}

// isSame reports whether two documents are the same without the frames of their sites.
func (p textPair) isSame(frameA, frameB map[uint64]bool) bool {
	both, onlyA, onlyB := 0, 0, 0
	for s := range p.a {
		switch {
		case p.b[s]:
			both++
		case !frameA[s]:
			onlyA++
		}
	}
	for s := range p.b {
		if !p.a[s] && !frameB[s] {
			onlyB++
		}
	}
	shorter := float64(both + min(onlyA, onlyB))
	return shorter > 0 && float64(both) >= minContained*shorter && float64(both) >= minResemblance*float64(both+onlyA+onlyB)
}

// MarkTitle stores two hashes of the document's title: of all of it, and of it without
// digits, by which titles that differ only in numbers are recognized.
func (d *Document) MarkTitle(title string) {
	if title == "" {
		return
	}
	full, shape := fnv.New32a(), fnv.New32a()
	for _, c := range []byte(title) {
		full.Write([]byte{c})
		if c < '0' || '9' < c {
			shape.Write([]byte{c})
		}
	}
	d.Title, d.Shape = full.Sum32(), shape.Sum32()
}

// renumbered reports whether two titles differ in numbers alone, as the titles of one
// page in two versions of a manual do.
func renumbered(a, b *Document) bool { return a.Title != b.Title && a.Shape == b.Shape && a.Shape != 0 }
