package methods

import (
	"iter"
	"strings"

	"gatecrawl.example/gatecrawl/splitmix"
)

// Segments hashes each paragraph of a document, and of long ones each sentence
// (Shivakumar and Garcia-Molina 1998): m of n must be equal. An edit costs one
// segment; a document of few long ones is lost by few edits.
type Segments struct {
	Share float64 // m over n, n being that of the longer document
}

// segmentBytes is the length of a paragraph from which on its sentences are
// segments: a page whose text has no line ends is one paragraph.
const segmentBytes = 400

func (Segments) Name() string         { return "segments" }
func (Segments) Source() string       { return "Shivakumar, Garcia-Molina 1998; paragraphs" }
func (m Segments) Threshold() float64 { return m.Share }

// Sign returns a hash of each segment; repeated ones count once.
func (m Segments) Sign(docs []Document) Signatures {
	sets := make([][]uint64, len(docs))
	for i, d := range docs {
		for segment := range segmentsOf(d.Body) {
			h := uint64(0)
			for _, t := range tokensOf(segment) {
				h = chain(h, t.hash)
			}
			if h != 0 {
				sets[i] = append(sets[i], splitmix.Mix(h))
			}
		}
		sets[i] = set(sets[i])
	}
	return shares(sets)
}

func segmentsOf(body string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(body) {
			if len(line) <= segmentBytes {
				if !yield(line) {
					return
				}
				continue
			}
			for s := range strings.FieldsFuncSeq(line, endsSentence) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?。！？", r) }

// shares are sets of which a share of the larger must be in both.
type shares [][]uint64

func (s shares) Size() int { return stored(s, 8) }

func (s shares) Score(a, b int) float64 {
	n := max(len(s[a]), len(s[b]))
	if n == 0 {
		return 0
	}
	return float64(common(s[a], s[b])) / float64(n)
}

// Pairs finds candidates as Jaccard does: a share of x in common is at the least
// a resemblance of x / (2 - x).
func (s shares) Pairs(least float64) iter.Seq[Pair] {
	return scored(alike(s, least/(2-least)), least, s.Score)
}
