package methods

import (
	"crypto/md5"
	"encoding/binary"
)

// Digest is one hash for a whole document: the coarsest grain, the fastest method, and
// blind to any edit. Case, width and spaces do not count.
type Digest struct{}

func (Digest) Name() string       { return "digest" }
func (Digest) Source() string     { return "MD5 of the whole text" }
func (Digest) Threshold() float64 { return 1 }
func (Digest) needs() need        { return needNothing }

// Sign returns the hash of each document.
func (m Digest) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the hash.
func (Digest) Scheme(*Collection) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 {
			text := textOf(d.Body)
			if len(text) == 0 {
				return nil
			}
			sum := md5.Sum(text)
			return []uint64{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
		},
		Keys: func(s []uint64, _ float64, _ func(uint64) int) []uint64 { return s[:1] },
		Score: func(a, b []uint64) float64 {
			if a[0] == b[0] && a[1] == b[1] {
				return 1
			}
			return 0
		},
		Bytes: words64,
	}
}
