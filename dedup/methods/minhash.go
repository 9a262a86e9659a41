package methods

import "fmt"

// MinHash estimates the resemblance of two documents by the share of their min-wise
// hashes that are equal (Broder and others 1998). Fetterly, Manasse and Najork keep 84.
type MinHash struct {
	Words  int     `option:"words" range:"1,32" about:"tokens of a shingle"`
	Hashes int     `option:"hashes" range:"1,1024" about:"min-wise hashes of a document"`
	Least  float64 `option:"threshold" range:"0.01,1" about:"share of equal hashes"`
}

func (MinHash) Name() string         { return "minhash" }
func (m MinHash) Source() string     { return fmt.Sprintf("Broder 1998; %d minima, an estimate", m.Hashes) }
func (m MinHash) Threshold() float64 { return m.Least }
func (MinHash) needs() need          { return needNothing }

// Sign returns the minima of each document.
func (m MinHash) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the minima, 8 bytes each.
func (m MinHash) Scheme(*Collection) Scheme {
	return equalScheme(m.Hashes, func(d Document) []uint64 {
		shingles := shinglesOf(tokensOf(d.Body), m.Words)
		if len(shingles) == 0 {
			return nil
		}
		minima := make([]uint64, m.Hashes)
		for i := range minima {
			minima[i] = least(shingles, uint64(i)) | 1 // not zero, which means no value
		}
		return minima
	})
}
