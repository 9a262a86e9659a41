package methods

import "gatecrawl.example/gatecrawl/splitmix"

// The constants of Fetterly, Manasse and Najork (2003).
const (
	superShingles = 6  // values a document
	superHashes   = 14 // min-wise hashes a value: 84 in all
	superWords    = 5  // tokens of a shingle
)

// SuperShingles are 84 min-wise hashes in six groups of 14, each hashed to one
// value. Two documents are copies when two values or more are equal. The
// chance that a group is equal is the resemblance to the power of 14: at 0.95
// it is a half.
type SuperShingles struct{}

func (SuperShingles) Name() string { return "supershingle" }
func (SuperShingles) Source() string {
	return "Fetterly, Manasse, Najork 2003; 6 x 14 hashes, 2 of 6"
}
func (SuperShingles) Threshold() float64 { return 2.0 / superShingles }

// Sign returns the six values of each document.
func (SuperShingles) Sign(docs []Document) Signatures {
	values := make([][]uint64, len(docs))
	for i, d := range docs {
		values[i] = groups(shinglesOf(tokensOf(d.Body), superWords), superShingles, superHashes)
	}
	return equals{values: values, n: superShingles, width: 8}
}

// MegaShingles are the 15 pairs of the six super-shingles. One equal value says
// what two equal super-shingles say, and is found by one look-up instead of a
// count.
type MegaShingles struct{}

func (MegaShingles) Name() string       { return "megashingle" }
func (MegaShingles) Source() string     { return "Fetterly, Manasse, Najork 2003; 15 pairs, 1 of 15" }
func (MegaShingles) Threshold() float64 { return 1.0 / megaShingles }

const megaShingles = superShingles * (superShingles - 1) / 2

// Sign returns the 15 values of each document.
func (MegaShingles) Sign(docs []Document) Signatures {
	values := make([][]uint64, len(docs))
	for i, s := range (SuperShingles{}).Sign(docs).(equals).values {
		for b := range s {
			for a := range b {
				values[i] = append(values[i], splitmix.Mix(chain(s[a], s[b])))
			}
		}
	}
	return equals{values: values, n: megaShingles, width: 8}
}

// Bands are the 14 bands of eight min-wise hashes over shingles of five words
// by which FineWeb (2024) removed copies: one equal band is enough, so that
// half of the pairs with a resemblance of 0.72 are found.
type Bands struct{}

const (
	bandsOfFineWeb  = 14
	hashesOfFineWeb = 8
	wordsOfFineWeb  = 5
)

func (Bands) Name() string       { return "bands" }
func (Bands) Source() string     { return "FineWeb 2024; 14 bands x 8 hashes, 1 of 14" }
func (Bands) Threshold() float64 { return 1.0 / bandsOfFineWeb }

// Sign returns the 14 values of each document.
func (Bands) Sign(docs []Document) Signatures {
	values := make([][]uint64, len(docs))
	for i, d := range docs {
		values[i] = groups(shinglesOf(tokensOf(d.Body), wordsOfFineWeb), bandsOfFineWeb, hashesOfFineWeb)
	}
	return equals{values: values, n: bandsOfFineWeb, width: 8}
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
		values[i] = splitmix.Mix(h) | 1 // not zero, which is no value
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
