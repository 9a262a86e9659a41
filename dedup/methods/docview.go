package methods

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"slices"
)

// DocView compares documents by their N keywords of most weight (Yu and Xiong
// 2011), under one or both of the paper's conditions: the MD5 of the sorted
// keywords is equal, which forgives another order, or the cosine distance of
// their weights is below Delta, which forgives a word that slips over the N-th
// place. The paper is read in both ways: Rule says whether either is enough.
type DocView struct {
	Keywords int     `option:"n" range:"1,1000" about:"keywords of a document"`
	Delta    float64 `option:"delta" range:"0,0.99" about:"largest distance of copies, 1 - cosine"`
	Rule     Rule    // which conditions are asked
	Weights  Weights `option:"weights" oneof:"log,plain" about:"log: log tf x log idf; plain: tf x 1/df, as published"`
}

// A Rule is the conditions of a DocView.
type Rule string

// The rules.
const (
	Digests Rule = "md5"    // equal keywords
	Cosines Rule = "cosine" // a small distance
	Either  Rule = ""       // one of the two
	Both    Rule = "both"   // equal keywords at a small distance
)

func (m DocView) Name() string {
	if m.Rule == Either {
		return "docview"
	}
	return "docview-" + string(m.Rule)
}

func (m DocView) Source() string {
	return fmt.Sprintf("Yu, Xiong 2011; %d keywords, delta %g", m.Keywords, m.Delta)
}

func (m DocView) Threshold() float64 { return 1 - m.Delta }
func (DocView) needs() need          { return needTerms }

// Sign returns the keywords of each document, weighted by the collection.
func (m DocView) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the keywords with their weights. The score is 1 for equal keywords, if that
// is enough, and else the cosine.
func (m DocView) Scheme(c *Collection) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 { return m.Weights.vector(c, d, m.Keywords) },
		Keys: func(v []uint64, least float64, held func(uint64) int) []uint64 {
			if m.Rule == Digests || m.Rule == Both {
				return []uint64{m.digest(v)}
			}
			return heads(v, least, held)
		},
		Score: func(a, b []uint64) float64 {
			equal := slices.Equal(termsIn(a), termsIn(b)) // and so are the digests
			switch {
			case equal && (m.Rule == Digests || m.Rule == Either):
				return 1
			case m.Rule == Digests, m.Rule == Both && !equal:
				return 0
			}
			return cosine(a, b)
		},
		Parts: termsIn,
		Bytes: func(v []uint64) int {
			size := 0
			if m.Rule != Cosines {
				size += md5.Size
			}
			if m.Rule != Digests {
				size += 12 * len(v) / 2
			}
			return size
		},
	}
}

// digest is the first half of the MD5 of the sorted keywords.
func (DocView) digest(v []uint64) uint64 {
	var text []byte
	for _, t := range termsIn(v) { // sorted by term
		text = binary.LittleEndian.AppendUint64(text, t)
	}
	sum := md5.Sum(text)
	return binary.LittleEndian.Uint64(sum[:])
}
