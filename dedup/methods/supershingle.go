package methods

import (
	"fmt"

	"gatecrawl.example/gatecrawl/splitmix"
)

// SuperShingles are min-wise hashes over shingles in a few groups, each group hashed to
// one value: 84 in 6 groups of 14 with Fetterly, Manasse and Najork (2003), of whose values
// two or more must be equal. The chance that a group is equal is the resemblance to the
// power of its size: at 0.95 and 14 hashes it is a half.
type SuperShingles struct {
	Words  int `option:"words" range:"1,32" about:"tokens of a shingle"`
	Groups int `option:"groups" range:"1,64" about:"super-shingles of a document"`
	Hashes int `option:"hashes" range:"1,64" about:"min-wise hashes of a super-shingle"`
	Equal  int `option:"equal" range:"1,64" about:"super-shingles that must be equal"`
}

func (SuperShingles) Name() string { return "supershingle" }
func (m SuperShingles) Source() string {
	return fmt.Sprintf("Fetterly, Manasse, Najork 2003; %d x %d hashes, %d of %d", m.Groups, m.Hashes, m.Equal, m.Groups)
}
func (m SuperShingles) Threshold() float64 { return float64(m.Equal) / float64(m.Groups) }
func (SuperShingles) needs() need          { return needNothing }

func (m SuperShingles) check() error {
	if m.Equal > m.Groups {
		return fmt.Errorf("equal=%d of groups=%d: want no more than there are", m.Equal, m.Groups)
	}
	return nil
}

// Sign returns the values of each document.
func (m SuperShingles) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the values, 8 bytes each.
func (m SuperShingles) Scheme(*Collection) Scheme { return equalScheme(m.Groups, m.values) }

func (m SuperShingles) values(d Document) []uint64 {
	return groups(shinglesOf(tokensOf(d.Body), m.Words), m.Groups, m.Hashes)
}

// MegaShingles are the pairs of super-shingles, 15 of six. One equal value says
// what two equal super-shingles say, and is found by one look-up instead of a
// count.
type MegaShingles struct {
	Words  int `option:"words" range:"1,32" about:"tokens of a shingle"`
	Groups int `option:"groups" range:"2,64" about:"super-shingles of a document"`
	Hashes int `option:"hashes" range:"1,64" about:"min-wise hashes of a super-shingle"`
}

func (m MegaShingles) number() int { return m.Groups * (m.Groups - 1) / 2 }

func (MegaShingles) Name() string { return "megashingle" }
func (m MegaShingles) Source() string {
	return fmt.Sprintf("Fetterly, Manasse, Najork 2003; %d pairs, 1 of %[1]d", m.number())
}
func (m MegaShingles) Threshold() float64 { return 1 / float64(m.number()) }
func (MegaShingles) needs() need          { return needNothing }

// Sign returns the values of each document.
func (m MegaShingles) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the values, 8 bytes each.
func (m MegaShingles) Scheme(*Collection) Scheme {
	super := SuperShingles{Words: m.Words, Groups: m.Groups, Hashes: m.Hashes}
	return equalScheme(m.number(), func(d Document) []uint64 {
		var values []uint64
		s := super.values(d)
		for b := range s {
			for a := range b {
				values = append(values, splitmix.Mix(chain(s[a], s[b])))
			}
		}
		return values
	})
}

// Bands are the 14 bands of eight min-wise hashes over shingles of five words
// by which FineWeb (2024) removed copies: one equal band is enough, so that
// half of the pairs with a resemblance of 0.72 are found.
type Bands struct {
	Words  int `option:"words" range:"1,32" about:"tokens of a shingle"`
	Bands  int `option:"bands" range:"1,256" about:"bands of a document"`
	Hashes int `option:"hashes" range:"1,64" about:"min-wise hashes of a band"`
}

func (Bands) Name() string { return "bands" }
func (m Bands) Source() string {
	return fmt.Sprintf("FineWeb 2024; %d bands x %d hashes, 1 of %[1]d", m.Bands, m.Hashes)
}
func (m Bands) Threshold() float64 { return 1 / float64(m.Bands) }
func (Bands) needs() need          { return needNothing }

// Sign returns the values of each document.
func (m Bands) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the values, 8 bytes each.
func (m Bands) Scheme(*Collection) Scheme {
	return equalScheme(m.Bands, func(d Document) []uint64 {
		return groups(shinglesOf(tokensOf(d.Body), m.Words), m.Bands, m.Hashes)
	})
}

// groups returns n values, each a hash over the least of the shingles under
// size functions; none for no shingles.
func groups(shingles []uint64, n, size int) []uint64 {
	if len(shingles) == 0 {
		return nil
	}
	values := make([]uint64, n)
	for i := range values {
		h := uint64(i)
		for f := range size {
			h = chain(h, least(shingles, uint64(i*size+f)))
		}
		values[i] = splitmix.Mix(h) | 1 // not zero, which means no value
	}
	return values
}

// least returns the least hash of the shingles under the function of a number.
// The shingles are spread evenly, so that a multiplication by an odd number
// and a shift that brings the high bits down make a function as good as new.
func least(shingles []uint64, function uint64) uint64 {
	odd, off := splitmix.Mix(2*function)|1, splitmix.Mix(2*function+1)
	lowest := ^uint64(0)
	for _, s := range shingles {
		h := (s ^ off) * odd
		lowest = min(lowest, h^h>>32)
	}
	return lowest
}
