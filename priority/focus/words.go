package focus

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gatecrawl.example/gatecrawl/priority"
)

const (
	// buckets is how many hashed words a model tells apart: with the 30,000 different words
	// of a crawl's examples one in ten shares its bucket with another.
	buckets = 1 << 18

	// longest is how many bytes of a body count. Beyond the first 16 KiB a page says little
	// new of what it is about, and a page is to be rated in 100 microseconds.
	longest = 16 << 10

	// titleWeight is how many times a word of the title or the keywords counts.
	titleWeight = 3

	// mostWords is how many different words of a page count, those that come first.
	mostWords = 1000
)

// A Doc is what a page is judged by.
type Doc struct {
	URL      string // names an example
	Title    string
	Keywords []string
	Body     string
}

// A word is a hashed word of a page, and how often the page has it.
type word struct {
	id uint32
	n  float32
}

// hash returns the bucket of a word (FNV-1a).
func hash(w []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range w {
		h = (h ^ uint32(c)) * 16777619
	}
	return (h ^ h>>18) & (buckets - 1)
}

// A table says where each word of a page stands among those that were counted. It has four times
// as many slots as a page can have words, which makes it quicker than a map.
type table struct {
	ids [4 * 1024]uint32 // bucket of the word and 1; 0: the slot is free
	at  [4 * 1024]uint16
}

var tables = sync.Pool{New: func() any { return new(table) }}

// slot returns where a word is, or is to be put.
func (t *table) slot(id uint32) uint32 {
	const last = uint32(len(t.ids)) - 1
	s := id & last
	for t.ids[s] != 0 && t.ids[s] != id+1 {
		s = (s + 1) & last
	}
	return s
}

// number reports whether a word is made of digits alone: a year, a price, a page's number. What such
// a word says of the pages that a model is fitted on, it does not say of others.
func number(w []byte) bool {
	for _, c := range w {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// count returns the words of a page in the order of their buckets, and how many words the body
// has. Numbers are left out. Named is called for each different word; nil: for none.
func count(d Doc, named func(id uint32, w []byte)) (ws []word, length float32) {
	places := tables.Get().(*table)
	defer tables.Put(places)
	clear(places.ids[:])
	ws = make([]word, 0, 512)
	add := func(by float32) func([]byte) {
		return func(w []byte) {
			if number(w) {
				return
			}
			id := hash(w)
			slot := places.slot(id)
			at := places.at[slot]
			if places.ids[slot] == 0 {
				if len(ws) == mostWords {
					return
				}
				at = uint16(len(ws))
				places.ids[slot], places.at[slot] = id+1, at
				ws = append(ws, word{id: id})
				if named != nil {
					named(id, w)
				}
			}
			ws[at].n += by
		}
	}
	priority.Tokens(d.Title, add(titleWeight))
	for _, k := range d.Keywords {
		priority.Tokens(k, add(titleWeight))
	}
	body := d.Body[:min(len(d.Body), longest)]
	in := add(1)
	priority.Tokens(body, func(w []byte) {
		length++
		in(w)
	})
	slices.SortFunc(ws, func(a, b word) int { return cmp.Compare(a.id, b.id) })
	return ws, length
}

// A corpus counts in how many pages each word was met.
type corpus struct {
	pages uint32
	with  []uint32 // by bucket
}

func newCorpus() corpus { return corpus{with: make([]uint32, buckets)} }

func (c *corpus) add(ws []word) {
	c.pages++
	for _, w := range ws {
		c.with[w.id]++
	}
}

// idf returns the weights of words by how few pages have them: ln((1+N)/(1+n)), at least .01.
func (c *corpus) idf() []float32 {
	all := make([]float32, buckets)
	for id, n := range c.with {
		all[id] = max(.01, float32(math.Log(float64(1+c.pages)/float64(1+n))))
	}
	return all
}
