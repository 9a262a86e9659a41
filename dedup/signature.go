package dedup

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
)

// A DocID identifies a kept document within one job: its place in crawl order, counted from 1. Zero
// is no document.
type DocID = index.DocID

// A Ref identifies a kept document of a job outside of a gate. In a job with one gate and one store
// it is the document's DocID. In a partitioned job each gate numbers the documents that it keeps by
// itself, so that the job may have more pages than a DocID can count; there a Ref is the number of
// the page. Zero is no document.
type Ref uint64

// A Digest is the first 128 bits of a SHA-256.
type Digest [16]byte

// A Signature is what the gate keeps of a document.
type Signature struct {
	Bytes   Digest      // of the payload as fetched
	Body    Digest      // of the body's normalised tokens, and for a brief body of its title and language too; zero if the page has no body
	SimHash uint64      // 64 bits over weighted body features (Charikar 2002)
	Sketch  [16]byte    // 128 one-bit min-wise hashes of body shingles (Li and König 2010)
	Bands   index.Bands // keys that resembling bodies are likely to share
	Layout  uint64      // purify's layout hash
	Facts   Facts       // title and numbers, which tell pages of one template apart
	Tokens  uint32      // words and CJK characters of the body; below Options.MinTokens only the bytes are compared
}

// SketchResemblance estimates the resemblance of two bodies by their sketches: the share of their
// shingles that both have, 0 to 1, with a standard deviation of at most 0.09.
func SketchResemblance(a, b [16]byte) float64 { return sketch.Resemblance(sketch.Agree(a, b)) }

// A Level is a step of the gate. A higher level costs more.
type Level uint8

// The levels that can find a copy. Zero is a document that passed all of them.
const (
	LevelSite  Level = 2
	LevelBytes Level = 3
	LevelBody  Level = 4
	LevelNear  Level = 5
)

// A Class says what a copy shares with its kept page (Shivakumar and Garcia-Molina 1999).
type Class uint8

// The four classes.
const (
	ClassNone      Class = iota
	FullLayout           // same content, same layout
	FullContent          // same content, another layout
	PartialLayout        // important parts of the content, same layout
	PartialContent       // important parts of the content, another layout
)

// A Verdict is the gate's answer for one document. The zero Verdict is "new".
type Verdict struct {
	Of         Ref // the kept document; 0 when this one is new
	Level      Level
	Class      Class
	Distance   int     // Hamming distance of the SimHashes, 0 to 64
	Similarity float64 // estimated resemblance of the bodies, 0 to 1
}

// Copy reports whether the document is a copy of a kept one.
func (v Verdict) Copy() bool { return v.Of != 0 }

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest {
	h := sha256.Sum256(b)
	return Digest(h[:])
}

// DigestOfWords returns the digest of a text whatever white space parts its words; zero if it has none.
func DigestOfWords(text string) Digest {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Digest{}
	}
	return DigestOf([]byte(strings.Join(words, " ")))
}

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest reads what String returns; "" is the zero Digest.
func ParseDigest(text string) (d Digest, err error) {
	if text == "" {
		return d, nil
	}
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("%q is not a digest: want %d hexadecimal digits", text, hex.EncodedLen(len(d)))
	}
	return Digest(b), nil
}

// IsZero reports whether d is the zero Digest, which stands for no digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// head returns the part of d that the digest tables hold.
func (d Digest) head() uint64 { return binary.BigEndian.Uint64(d[:8]) }
