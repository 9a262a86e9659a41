package methods

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A Cutter is the constants of TTTD (Eshghi and Tang 2005) in bytes of text: no chunk is
// shorter than Min or longer than Max, a boundary is sought by the main divisor, and where
// Max comes first the last one by the backup divisor is taken. The published 460, 2800,
// 540 and 270 are for files; the default is an eighth, for pages of a few kilobytes.
type Cutter struct {
	Min    int `option:"min" range:"16,65536" about:"bytes of the shortest chunk"`
	Max    int `option:"max" range:"17,1048576" about:"bytes of the longest chunk"`
	Main   int `option:"main" range:"2,65536" about:"main divisor, the mean length of what follows the shortest"`
	Backup int `option:"backup" range:"1,65536" about:"backup divisor, smaller"`
}

// eighth is an eighth of the published constants.
var eighth = Cutter{Min: 58, Max: 350, Main: 67, Backup: 34}

const chunkWindow = 16 // bytes of the rolling hash

func (c Cutter) check() error {
	if c.Min >= c.Max {
		return fmt.Errorf("min=%d and max=%d: want min below max", c.Min, c.Max)
	}
	if c.Backup >= c.Main {
		return fmt.Errorf("backup=%d and main=%d: want backup below main", c.Backup, c.Main)
	}
	return nil
}

// Chunks cuts a document where its text says so, keeps the MD5 of each chunk,
// and compares the bytes in chunks of both (Forman, Eshghi and Chiocchetti
// 2005). Documents and chunks form a bipartite graph: only documents under
// one chunk are compared. Groups joins what was found.
type Chunks struct {
	Cutter
	Share float64 `option:"threshold" range:"0.01,1" about:"bytes in both over bytes in either"`
}

func (Chunks) Name() string { return "chunks" }
func (m Chunks) Source() string {
	of := fmt.Sprintf("TTTD of %d to %d bytes", m.Min, m.Max)
	if m.Cutter == eighth {
		of = "TTTD at an eighth"
	}
	return "Forman, Eshghi, Chiocchetti 2005; " + of
}
func (m Chunks) Threshold() float64 { return m.Share }
func (Chunks) needs() need          { return needNothing }

// Sign returns the chunks of each document.
func (m Chunks) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the first half of each chunk's MD5 and its length; repeated ones count
// once. The search walks the bipartite graph from the rarest chunks.
func (m Chunks) Scheme(*Collection) Scheme {
	return multisetScheme(func(d Document) []uint64 {
		length := make(map[uint64]int)
		for chunk := range m.cut(textOf(d.Body)) {
			sum := md5.Sum(chunk)
			length[binary.LittleEndian.Uint64(sum[:])] = len(chunk)
		}
		var s []uint64
		for _, key := range slices.Sorted(maps.Keys(length)) {
			s = append(s, key, uint64(length[key]))
		}
		return s
	}, md5.Size)
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
func (c Cutter) cut(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := c.boundary(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// boundary returns the length of the first chunk.
func (c Cutter) boundary(text []byte) int {
	if len(text) <= c.Min {
		return len(text)
	}
	h, backup := uint64(0), 0
	for _, b := range text[c.Min-chunkWindow : c.Min] {
		h = h*rolling + uint64(b) + 1
	}
	for n := c.Min; n < min(len(text), c.Max); n++ {
		// The low bits of the sum depend on few of the bytes.
		spread := splitmix.Mix(h)
		if spread%uint64(c.Main) == uint64(c.Main-1) {
			return n
		}
		if spread%uint64(c.Backup) == uint64(c.Backup-1) {
			backup = n
		}
		h = h*rolling + uint64(text[n]) - uint64(text[n-chunkWindow])*rollingOut - rollingOut + 1
	}
	switch {
	case len(text) <= c.Max:
		return len(text)
	case backup > 0:
		return backup
	}
	return c.Max
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
