package methods

import (
	"fmt"
	"iter"
	"strings"

	"gatecrawl.example/gatecrawl/splitmix"
)

// Segments hashes each paragraph of a document, and of long ones each sentence
// (Shivakumar and Garcia-Molina 1998): m of n must be equal. An edit costs one
// segment; a document of few long ones is lost by few edits.
type Segments struct {
	Lines int     `option:"lines" range:"0,1000" about:"lines of a segment; 0: a paragraph, and of long ones each sentence"`
	Share float64 `option:"threshold" range:"0.01,1" about:"m over n, n being that of the longer document"`
}

// segmentBytes is the length of a paragraph from which its sentences are segments: a page whose
// text has no line ends is one paragraph.
const segmentBytes = 400

func (m Segments) Name() string {
	if m.Lines > 0 {
		return "segments-lines"
	}
	return "segments"
}

func (m Segments) Source() string {
	if m.Lines > 0 {
		return fmt.Sprintf("Shivakumar, Garcia-Molina 1998; segments of %d lines", m.Lines)
	}
	return "Shivakumar, Garcia-Molina 1998; paragraphs"
}

func (m Segments) Threshold() float64 { return m.Share }
func (Segments) needs() need          { return needNothing }

// Sign returns a hash of each segment.
func (m Segments) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps a hash of each segment; repeated ones count once.
func (m Segments) Scheme(*Collection) Scheme {
	cut := segmentsOf
	if m.Lines > 0 {
		cut = func(body string) iter.Seq[string] { return linesOf(body, m.Lines) }
	}
	return sharesScheme(func(d Document) []uint64 {
		var hashes []uint64
		for segment := range cut(d.Body) {
			h := uint64(0)
			for _, t := range tokensOf(segment) {
				h = chain(h, t.hash)
			}
			if h != 0 {
				hashes = append(hashes, splitmix.Mix(h))
			}
		}
		return set(hashes)
	})
}

// linesOf yields n lines at a time, of those that have a word.
func linesOf(body string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		var segment strings.Builder
		lines := 0
		for line := range strings.Lines(body) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			segment.WriteString(line)
			if lines++; lines < n {
				continue
			}
			if !yield(segment.String()) {
				return
			}
			segment.Reset()
			lines = 0
		}
		if lines > 0 {
			yield(segment.String())
		}
	}
}

// segmentsOf yields the paragraphs of a body, and of long ones the sentences.
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
