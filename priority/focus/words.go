package focus

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/priority"
)

const (
	// buckets is the number of buckets that words are hashed to: of the 30,000 different words in a
	// crawl's examples one in ten shares its bucket with another.
	buckets = 1 << 18

	// longest is how many bytes of a body count. After the first 16 KiB a page says little new
	// about its subject, and rating a page should take 100 microseconds.
	longest = 16 << 10

	// titleWeight is how many times a word of the title or the keywords counts.
	titleWeight = 3

	// mostWords is how many different words of a page count: the first ones.
	mostWords = 1000
)

// A Doc is a page to be rated.
type Doc struct {
	URL      string // identifies an example
	Title    string
	Keywords []string
	Body     string
	Lang     string // BCP 47 tag; "": not known
}

// language returns the language of a page without region and script.
func (d *Doc) language() string {
	primary, _, _ := strings.Cut(d.Lang, "-")
	return strings.ToLower(primary)
}

// A word is a hashed word and how often it occurs in a page.
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

// idsOf returns the buckets of a topic's words and of their other forms, without duplicates.
func idsOf(text string) (ids []uint32) {
	priority.Tokens(text, func(w []byte) {
		for _, id := range formsOf(w) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// formsOf returns the buckets of a word and its other forms.
func formsOf(w []byte) []uint32 {
	ids := []uint32{hash(w)}
	for _, form := range priority.Forms(string(w)) {
		ids = append(ids, hash([]byte(form)))
	}
	return ids
}

// A table finds the place of a page's word among those that were counted. It has four times as many
// slots as a page can have words, and is faster than a map.
type table struct {
	ids [4 * 1024]uint32 // bucket of the word plus 1; 0: the slot is free
	at  [4 * 1024]uint16
}

var tables = sync.Pool{New: func() any { return new(table) }}

// slot returns the slot of a word, or the free one for it.
func (t *table) slot(id uint32) uint32 {
	const last = uint32(len(t.ids)) - 1
	s := id & last
	for t.ids[s] != 0 && t.ids[s] != id+1 {
		s = (s + 1) & last
	}
	return s
}

// number reports whether a word consists of digits: a year, a price, a page number. Its weight in
// the examples says nothing about other pages.
func number(w []byte) bool {
	for _, c := range w {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// count returns the words of a page in the order in which they occur, without numbers. If named is
// not nil it is called for each different word.
func count(d Doc, named func(id uint32, w []byte)) []word { return read(d, nil, nil, named).words }

// A reading is what was counted in a page.
type reading struct {
	words  []word
	length float32 // number of words in the body
	topic  float32 // of these, words of the topic
	about  float64 // priority.Topic.Page of the page
	by     priority.ByScript
}

// read is count, and also rates the page by the topic with these word ids: the text is split into
// words once for both.
func read(d Doc, topic *priority.Topic, ids []uint32, named func(id uint32, w []byte)) (r reading) {
	var inTitle, inKeywords, inBody priority.Count
	places := tables.Get().(*table)
	defer tables.Put(places)
	clear(places.ids[:])
	ws := make([]word, 0, 512)
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
	topic.Tokens(d.Title, &inTitle, add(titleWeight))
	for _, k := range d.Keywords {
		topic.Tokens(k, &inKeywords, add(titleWeight))
	}
	at := cut(d.Body)
	in := add(1)
	topic.Tokens(d.Body[:at], &inBody, func(w []byte) {
		r.length++
		in(w)
	})
	topic.Count(d.Body[at:], &inBody)
	r.words = ws
	r.about, r.by = topic.PageOf(&inTitle, &inKeywords, &inBody, len(d.Body))
	for _, id := range ids {
		if slot := places.slot(id); places.ids[slot] != 0 {
			r.topic += ws[places.at[slot]].n
		}
	}
	return r
}

// cut returns where the part of a body ends whose words count, at a space if there is one.
func cut(body string) int {
	if len(body) <= longest {
		return len(body)
	}
	const near = 256
	if i := strings.LastIndexByte(body[longest-near:longest], ' '); i >= 0 {
		return longest - near + i
	}
	at := longest
	for at > 0 && !utf8.RuneStart(body[at]) {
		at--
	}
	return at
}

// A corpus counts the pages in which each word occurs.
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

// idf returns the inverse document frequencies of words: ln((1+N)/(1+n)), at least .01.
func (c *corpus) idf() []float32 {
	all := make([]float32, buckets)
	for id, n := range c.with {
		all[id] = max(.01, float32(math.Log(float64(1+c.pages)/float64(1+n))))
	}
	return all
}
