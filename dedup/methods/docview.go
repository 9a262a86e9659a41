package methods

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"iter"
)

// DocView compares documents by their N keywords of most weight (Yu and Xiong
// 2011), under one or both of the paper's conditions: the MD5 of the sorted
// keywords is equal, which forgives another order, or the cosine distance of
// their weights is below Delta, which forgives a word that slips over the N-th
// place.
type DocView struct {
	Keywords int     // N; 5 in the paper
	Delta    float64 // 0.1 in the paper
	Digest   bool    // the first condition is asked
	Cosine   bool    // the second condition is asked
}

func (m DocView) Name() string {
	switch {
	case !m.Cosine:
		return "docview-md5"
	case !m.Digest:
		return "docview-cosine"
	}
	return "docview"
}

func (m DocView) Source() string {
	return fmt.Sprintf("Yu, Xiong 2011; %d keywords, delta %g", m.Keywords, m.Delta)
}

func (m DocView) Threshold() float64 { return 1 - m.Delta }

// Sign returns the keywords of each document, weighted by the collection.
func (m DocView) Sign(docs []Document) Signatures {
	v := &views{method: m, vectors: vectorsOf(docs, m.Keywords)}
	v.digests = make([][md5.Size]byte, len(docs))
	for i, terms := range termSets(v.vectors) {
		var text []byte
		for _, t := range terms { // sorted by term
			text = binary.LittleEndian.AppendUint64(text, t)
		}
		v.digests[i] = md5.Sum(text)
	}
	return v
}

type views struct {
	method  DocView
	vectors vectors
	digests [][md5.Size]byte
}

func (v *views) Size() int {
	size := 0
	if v.method.Digest {
		size += md5.Size * len(v.digests)
	}
	if v.method.Cosine {
		size += v.vectors.Size()
	}
	return size
}

// Score is 1 for equal keywords, if that is asked, and else the cosine, if that
// is.
func (v *views) Score(a, b int) float64 {
	switch {
	case len(v.vectors[a]) == 0 || len(v.vectors[b]) == 0:
		return 0
	case v.method.Digest && v.digests[a] == v.digests[b]:
		return 1
	case v.method.Cosine:
		return v.vectors.Score(a, b)
	}
	return 0
}

func (v *views) Pairs(least float64) iter.Seq[Pair] {
	if v.method.Cosine {
		// Equal keywords are keywords in common.
		return scored(sharing(termSets(v.vectors)), least, v.Score)
	}
	keys := make([][]uint64, len(v.digests))
	for i, d := range v.digests {
		keys[i] = []uint64{binary.LittleEndian.Uint64(d[:])}
	}
	return scored(sharing(keys), least, v.Score)
}
