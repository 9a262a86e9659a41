package dedup

import (
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/paging"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/dedup/passage"
	"gatecrawl.example/gatecrawl/purify"
)

// sampleBits is how many low bits of a shingle must be zero for it to be in a sample: one in eight
// is.
const sampleBits = 3

// maxSample is the most values in a sample, which are the lowest ones then: it represents some
// 16,000 words.
const maxSample = 2048

// leastPart is how many tokens outside links a page must have to be a part of another.
const leastPart = 50

// SaysLittle reports whether a page says little but links. Such a page is never a part of another.
func (t *Text) SaysLittle() bool { return t.Thin && t.plain < leastPart }

// isMenu reports whether a page with a text of so many shingles has fewer than ownText tokens outside links, and more in
// links: a menu that is taken for text is on other pages too.
func (t *Text) isMenu(shingles int) bool {
	return t.Thin && t.plain < ownText && shingles > 2*t.plain
}

// Sample returns 32 bits of each shingle of the body whose hash is 0 modulo 8, sorted (Broder 1997,
// Mod_m). The share of one sample that is in another estimates how much of the first text is in the
// second. It is nil for a page that says little but links.
func (t *Text) Sample() []uint32 {
	if t.SaysLittle() {
		return nil
	}
	if t.sampled != nil && t.sampledBody == t.Body {
		return sorted(slices.Clone(t.sampled))
	}
	if t.made != nil {
		return sorted(t.sampleOf(nil, t.made.shingles))
	}
	w := signers.Get().(*signer)
	defer w.release()
	t.readBody(&w.tokens)
	w.shingles = token.Shingles(w.shingles[:0], &w.tokens)
	return sorted(t.sampleOf(nil, w.shingles))
}

// CompareSamples returns how many values two samples have in common, and how many the smaller one
// has, both counted only up to the value that both samples are complete to.
func CompareSamples(a, b []uint32) (both, of int) {
	end := uint32(math.MaxUint32)
	for _, s := range [][]uint32{a, b} {
		if len(s) >= maxSample {
			end = min(end, s[len(s)-1])
		}
	}
	a, b = upTo(a, end), upTo(b, end)
	return hashset.Common(a, b), min(len(a), len(b))
}

// upTo returns the values of a sorted list up to end.
func upTo(list []uint32, end uint32) []uint32 {
	i, found := slices.BinarySearch(list, end)
	if found {
		i++
	}
	return list[:i]
}

// draw keeps the values for Sample while the shingles of the body are at hand.
func (t *Text) draw(shingles []uint64) {
	if t.sampled == nil || t.sampledBody != t.Body {
		t.sampled, t.sampledBody = t.sampleOf(make([]uint32, 0, len(shingles)>>sampleBits*5/4+8), shingles), t.Body
	}
}

// sampleOf appends the sample's values of the shingles.
func (t *Text) sampleOf(sample []uint32, shingles []uint64) []uint32 {
	if t.isMenu(len(shingles)) {
		return sample
	}
	for _, s := range shingles {
		if s&(1<<sampleBits-1) == 0 {
			sample = append(sample, uint32(s>>32))
		}
	}
	return sample
}

// sorted makes a sample of the values from drawn.
func sorted(sample []uint32) []uint32 {
	hashset.Sort(sample)
	sample = slices.Compact(sample)
	return sample[:min(len(sample), maxSample)]
}

// A PartText is a text prepared for comparisons that look for parts in common. Preparing one takes
// as long as a few comparisons.
type PartText struct {
	shingles hashset.Table // of the body
	body     *passage.Text
}

// ForParts prepares a text for comparisons that look for parts; it returns nil if the text says
// little but links.
func (t *Text) ForParts() *PartText {
	w := signers.Get().(*signer)
	defer w.release()
	return t.forParts(w)
}

// PartLinks returns which links of a page PartOf looks at; nil: none. It is asked before the links of the view are there.
func PartLinks(view *purify.DocView) func(url []byte, text string) bool {
	if isListing(view) || paging.Of(view.URL).Told() {
		return nil
	}
	return paging.MayTurn
}

// PartOf is ForParts for the text that TextOf returns of a page, and makes nothing of it that other comparisons need.
func PartOf(view *purify.DocView, templates ...*purify.Template) *PartText {
	if view == nil || view.Layout == 0 || view.Layout == purify.FeedLayout || len(view.Blocks) == 0 {
		t := TextOf(view, templates...)
		return t.ForParts()
	}
	t := Text{Title: view.Title, blocks: view.Blocks, site: templates, Bare: view.Template == 0, cut: newCuts(view.Blocks)}
	if t.cut != nil {
		t.cut.lent = true
	}
	t.readAs(view)
	w := signers.Get().(*signer)
	defer w.release()
	t.joinComparedOn(w)
	return t.forParts(w)
}

func (t *Text) forParts(w *signer) *PartText {
	if t.SaysLittle() {
		return nil
	}
	t.readBody(&w.tokens)
	return w.part(t.Body)
}

// PartOfBody is ForParts for a text that is known to say enough, of which only the body is at hand.
func PartOfBody(body string) *PartText {
	w := signers.Get().(*signer)
	defer w.release()
	w.tokens.Read(body)
	return w.part(body)
}

// part prepares a body whose tokens were read.
func (w *signer) part(body string) *PartText {
	w.shingles = token.Shingles(w.shingles[:0], &w.tokens)
	return &PartText{hashset.TableOf(w.shingles), passage.Of(body)}
}

// String returns the text.
func (t *PartText) String() string { return t.body.String() }

// Bytes returns the length of the text.
func (t *PartText) Bytes() int { return len(t.String()) }

// Containment returns the share of each body's shingles that the other has, and how many both have
// (Broder 1997).
func Containment(a, b *PartText) (ofA, ofB float64, both int) {
	if both = a.shingles.Shared(&b.shingles); both == 0 {
		return 0, 0, 0
	}
	return float64(both) / float64(a.shingles.Len()), float64(both) / float64(b.shingles.Len()), both
}

// Shared returns the longest passages of a text that the other has too, in order, and the share of
// its words that are in passages of at least 16 words.
func Shared(here, there *PartText) (list []Passage, inOne float64) {
	return passage.Shared(here.body, there.body)
}
