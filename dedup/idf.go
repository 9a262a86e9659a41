package dedup

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// An IDF weighs the words of a SimHash by log tf x idf (Manku, Jain and Das Sarma 2007), with the
// document frequencies of one collection, which never change: fingerprints that were made with two
// tables can't be compared. A nil IDF has the default weights, which need no collection.
type IDF struct {
	pages   uint32
	words   map[uint64]uint16 // idf in 1/256 bit
	rare    uint16            // idf of a word that the table lacks
	version string
}

// SignView is SignView with this table's weights.
func (t *IDF) SignView(payload Digest, view *purify.DocView) Signature {
	text := TextOf(view)
	return t.SignPage(payload, view, &text)
}

// SignPage is SignPage with this table's weights.
func (t *IDF) SignPage(payload Digest, view *purify.DocView, text *Text) Signature {
	s := SignPage(payload, view, text)
	if t != nil && s.Tokens > 0 {
		s.SimHash = t.simHash(text)
	}
	return s
}

// SignAgain is SignPage for a text that Text.Again made of was, which has the signature sig.
func (t *IDF) SignAgain(view *purify.DocView, text, was *Text, sig Signature) Signature {
	if !text.signsLike(was) {
		return t.SignPage(sig.Bytes, view, text)
	}
	text.sampled, text.sampledBody = was.sampled, was.sampledBody
	return sig
}

func (t *IDF) simHash(text *Text) uint64 {
	w := signers.Get().(*signer)
	defer w.release()
	text.readBody(&w.tokens)
	w.tally.Tally(w.tokens.Hashes)
	var v sketch.Votes
	for hash, n := range w.tally.All() {
		idf, ok := t.words[hash]
		if !ok {
			idf = t.rare
		}
		v.Add(hash, (256+log2(uint64(n)))*uint64(idf)>>8)
	}
	return v.Signs()
}

// log2 returns the logarithm in units of 1/256. The result is the same on every machine, unlike
// that of math.Log.
func log2(n uint64) uint64 {
	whole := uint64(bits.Len64(n) - 1)
	x := n << (63 - whole) >> 32 // between 1 and 2, in 1/2^31
	log := whole << 8
	for bit := uint64(128); bit > 0; bit >>= 1 {
		if x = x * x >> 31; x >= 1<<32 {
			x >>= 1
			log += bit
		}
	}
	return log
}

// Version identifies the table: signatures can be compared if they were made with equal versions.
// The version of a nil IDF is "".
func (t *IDF) Version() string {
	if t == nil {
		return ""
	}
	return t.version
}

// Pages returns the number of pages that the table was counted on.
func (t *IDF) Pages() int { return int(t.pages) }

// Words is the number of words that the table has a weight for.
func (t *IDF) Words() int { return len(t.words) }

// An IDFCount counts in how many pages each word occurs.
type IDFCount struct {
	pages uint32
	words map[uint64]uint32
	bench signer
}

// Add counts the words and the pairs of characters of a page's body. A page without any is not
// counted.
func (c *IDFCount) Add(body string) {
	c.bench.tokens.Read(body)
	if len(c.bench.tokens.Hashes) == 0 {
		return
	}
	if c.words == nil {
		c.words = make(map[uint64]uint32)
	}
	c.pages++
	c.bench.tally.Reset(2 * len(c.bench.tokens.Hashes))
	for i, h := range c.bench.tokens.Hashes {
		c.bench.tally.Add(h)
		if s := c.bench.tokens.Sorts; i > 0 && s[i] == token.Character && s[i-1] == token.Character {
			c.bench.tally.Add(pairOf(c.bench.tokens.Hashes[i-1], h))
		}
	}
	for hash := range c.bench.tally.All() {
		c.words[hash]++
	}
}

// maxIDFWords is the most words that a table has: those that most pages have.
const maxIDFWords = 1 << 20

const idfMagic = "gatecrawl idf 1\n"

// Write writes the table of what was counted: the line "gatecrawl idf 1", the number of pages and
// the number of words (4 bytes each), for each word that two pages have its hash (8) and the number
// of its pages (4), by hash, and the first 16 bytes of the SHA-256 of all that. Integers are
// little-endian. It returns the table's version.
func (c *IDFCount) Write(w io.Writer) (version string, err error) {
	if c.pages == 0 {
		return "", errors.New("no page has a body to count the words of")
	}
	type entry struct {
		hash uint64
		n    uint32
	}
	var list []entry
	for h, n := range c.words {
		if n > 1 {
			list = append(list, entry{h, n})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.hash, b.hash)) })
	list = list[:min(len(list), maxIDFWords)]
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	text := []byte(idfMagic)
	text = binary.LittleEndian.AppendUint32(text, c.pages)
	text = binary.LittleEndian.AppendUint32(text, uint32(len(list)))
	for _, e := range list {
		text = binary.LittleEndian.AppendUint64(text, e.hash)
		text = binary.LittleEndian.AppendUint32(text, e.n)
	}
	sum := sha256.Sum256(text)
	if _, err := w.Write(append(text, sum[:16]...)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:8]), nil
}

// ReadIDF reads what Write wrote.
func ReadIDF(r io.Reader) (*IDF, error) {
	h := sha256.New()
	b := bufio.NewReader(r)
	hashed := io.TeeReader(b, h)
	head := make([]byte, len(idfMagic)+8)
	if _, err := io.ReadFull(hashed, head); err != nil || string(head[:len(idfMagic)]) != idfMagic {
		return nil, errors.New("not an idf table of version 1: build one with crawl idf build")
	}
	t := &IDF{pages: binary.LittleEndian.Uint32(head[len(idfMagic):])}
	n := binary.LittleEndian.Uint32(head[len(idfMagic)+4:])
	if n > maxIDFWords || t.pages == 0 {
		return nil, fmt.Errorf("idf table of %d pages with %d words: want 1 page or more, and at most %d words", t.pages, n, maxIDFWords)
	}
	t.words = make(map[uint64]uint16, min(n, 1<<16)) // a short file must not make us allocate much
	t.rare = t.weight(1)
	var row [12]byte
	for i := range n {
		if _, err := io.ReadFull(hashed, row[:]); err != nil {
			return nil, fmt.Errorf("idf table is cut off at word %d of %d", i+1, n)
		}
		df := binary.LittleEndian.Uint32(row[8:])
		if df == 0 || df > t.pages {
			return nil, fmt.Errorf("idf table: word %d is in %d of %d pages", i+1, df, t.pages)
		}
		t.words[binary.LittleEndian.Uint64(row[:])] = t.weight(df)
	}
	var sum [16]byte
	if _, err := io.ReadFull(b, sum[:]); err != nil || sum != [16]byte(h.Sum(nil)) {
		return nil, errors.New("idf table is damaged: its sum is wrong; build it again")
	}
	t.version = hex.EncodeToString(sum[:8])
	return t, nil
}

// weight is the idf of a word that df of the pages have: log2(1 + pages/df).
func (t *IDF) weight(df uint32) uint16 {
	return uint16(log2((uint64(t.pages)<<16)/uint64(df)+1<<16) - 16<<8)
}

// Frequency returns how many of the table's pages have a word or a pair of characters, by its hash;
// 0 for one that the table lacks. It is accurate to 0.3%.
func (t *IDF) Frequency(hash uint64) float64 {
	weight, ok := t.words[hash]
	if !ok {
		return 0
	}
	return float64(t.pages) / (math.Exp2(float64(weight)/256) - 1)
}
