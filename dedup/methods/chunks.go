package methods

import (
	"crypto/md5"
	"encoding/binary"
	"iter"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// The constants of TTTD (Eshghi and Tang 2005) in bytes of text: no chunk is
// shorter than chunkMin or longer than chunkMax, a boundary is sought by the
// main divisor, and where chunkMax comes first the last one by the backup
// divisor is taken. The published 460, 2800, 540 and 270 are for files; these
// are an eighth, for pages of a few kilobytes.
const (
	chunkMin    = 58
	chunkMax    = 350
	chunkMain   = 67
	chunkBackup = 34
	chunkWindow = 16 // bytes of the rolling hash
)

// Chunks cuts a document where its text says so, keeps the MD5 of each chunk,
// and compares the bytes in chunks of both (Forman, Eshghi and Chiocchetti
// 2005). Documents and chunks form a bipartite graph: only documents under
// one chunk are compared. Groups joins what was found.
type Chunks struct {
	Share float64 // bytes in both over bytes in either
}

func (Chunks) Name() string { return "chunks" }
func (Chunks) Source() string {
	return "Forman, Eshghi, Chiocchetti 2005; TTTD at an eighth"
}
func (m Chunks) Threshold() float64 { return m.Share }

// Sign returns the chunks of each document; repeated ones count once.
func (m Chunks) Sign(docs []Document) Signatures {
	c := &chunked{length: make(map[uint64]int), sets: make([][]uint64, len(docs)), bytes: make([]int, len(docs))}
	for i, d := range docs {
		for chunk := range cut(textOf(d.Body)) {
			sum := md5.Sum(chunk)
			key := binary.LittleEndian.Uint64(sum[:])
			c.length[key] = len(chunk)
			c.sets[i] = append(c.sets[i], key)
		}
		c.sets[i] = set(c.sets[i])
		for _, key := range c.sets[i] {
			c.bytes[i] += c.length[key]
		}
	}
	return c
}

// textOf returns the tokens of a body with spaces between them.
func textOf(body string) []byte {
	text := make([]byte, 0, len(body))
	for w, single := range dedup.Words(body) {
		text = append(text, w...)
		if !single {
			text = append(text, ' ')
		}
	}
	return text
}

// cut yields the chunks of a text, which together are the text.
func cut(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := boundary(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// boundary returns the length of the first chunk.
func boundary(text []byte) int {
	if len(text) <= chunkMin {
		return len(text)
	}
	h, backup := uint64(0), 0
	for _, c := range text[chunkMin-chunkWindow : chunkMin] {
		h = h*rolling + uint64(c) + 1
	}
	for n := chunkMin; n < min(len(text), chunkMax); n++ {
		// The low bits of the sum depend on few of the bytes.
		spread := splitmix.Mix(h)
		if spread%chunkMain == chunkMain-1 {
			return n
		}
		if spread%chunkBackup == chunkBackup-1 {
			backup = n
		}
		h = h*rolling + uint64(text[n]) - uint64(text[n-chunkWindow])*rollingOut - rollingOut + 1
	}
	switch {
	case len(text) <= chunkMax:
		return len(text)
	case backup > 0:
		return backup
	}
	return chunkMax
}

// The rolling hash is a polynomial in rolling over the window's bytes plus 1.
const rolling = 0x9E3779B97F4A7C15

// rollingOut is rolling to the power of chunkWindow: the weight of the byte that
// leaves the window.
var rollingOut = func() uint64 {
	p := uint64(1)
	for range chunkWindow {
		p *= rolling
	}
	return p
}()

// chunked are the sets of chunks, by the first half of their MD5.
type chunked struct {
	sets   [][]uint64
	length map[uint64]int // bytes of a chunk
	bytes  []int          // of all chunks of a document
}

func (c *chunked) Size() int { return stored(c.sets, md5.Size) }

func (c *chunked) Score(i, j int) float64 {
	both := 0
	for a, b := c.sets[i], c.sets[j]; len(a) > 0 && len(b) > 0; {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both += c.length[a[0]]
			a, b = a[1:], b[1:]
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(c.bytes[i]+c.bytes[j]-both)
}

// Pairs walks the bipartite graph.
func (c *chunked) Pairs(least float64) iter.Seq[Pair] {
	return scored(sharing(c.sets), least, c.Score)
}
