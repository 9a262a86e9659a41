package focus

import (
	"cmp"
	"math"
	"slices"

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

// count returns the words of a page in the order of their buckets, and how many words the body
// has. Named is called for each different word; nil: for none.
func count(d Doc, named func(id uint32, w []byte)) (ws []word, length float32) {
	places := make(map[uint32]int32, 512)
	add := func(by float32) func([]byte) {
		return func(w []byte) {
			id := hash(w)
			at, ok := places[id]
			if !ok {
				if len(ws) == mostWords {
					return
				}
				at = int32(len(ws))
				places[id] = at
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
