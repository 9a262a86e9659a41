package focus

import (
	"cmp"
	"hash/fnv"
	"io"
	"math"
	"slices"
)

// mostHeld bounds the refused pages whose words are kept. Those of a page take some 3 kB, 8 at most.
const mostHeld = 2000

// A held page was refused, and may be on the topic by a later model. Its text is not kept.
type held struct {
	page      example
	relevance float64 // when it was refused
}

// Hold remembers the words of a page that was refused, so that Released can rate it again. Of more than 2,000 the most
// relevant are remembered.
func (j *Judge) Hold(r Rating) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.held = slices.DeleteFunc(j.held, func(h held) bool { return h.page.url == r.doc.URL })
	j.hold(held{example{url: r.doc.URL, query: float32(r.all), by: r.by, lang: r.doc.language(), words: r.words}, r.Relevance})
}

func (j *Judge) hold(h held) {
	at, _ := slices.BinarySearchFunc(j.held, h.relevance, func(a held, x float64) int { return cmp.Compare(x, a.relevance) })
	if at < mostHeld {
		j.held = slices.Insert(j.held, at, h)
		j.held = j.held[:min(mostHeld, len(j.held))]
	}
}

// Released returns the URLs of held pages whose relevance is by now at least the given one, and forgets these pages.
func (j *Judge) Released(least float64) (urls []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.held = slices.DeleteFunc(j.held, func(h held) bool {
		r := Rating{words: h.page.words, all: float64(h.page.query), by: h.page.by}
		if j.rate(&r, h.page.lang); r.Relevance < least {
			return false
		}
		urls = append(urls, h.page.url)
		return true
	})
	return urls
}

// Fingerprint identifies how the judge rates pages now: two that are equal rate a page equally.
func (j *Judge) Fingerprint() uint64 {
	h := fnv.New64a()
	put := func(xs ...uint64) {
		for _, x := range xs {
			var b [8]byte
			for i := range b {
				b[i] = byte(x >> (8 * i))
			}
			h.Write(b[:])
		}
	}
	io.WriteString(h, j.text)
	put(j.best.Load())
	if v := j.halves.Load(); v != nil {
		for _, x := range v.factor {
			put(math.Float64bits(x))
		}
	}
	if m := j.current.Load(); m != nil && m.weight != nil {
		put(uint64(math.Float32bits(m.bias)), uint64(math.Float32bits(m.usual)))
		if m.given {
			put(1)
		}
		for _, lang := range m.langs {
			io.WriteString(h, lang)
		}
		for id, w := range m.weight {
			if w != 0 {
				put(uint64(id), uint64(math.Float32bits(w)), uint64(math.Float32bits(m.idf[id])))
			}
		}
	}
	return max(1, h.Sum64()) // 0 is no fingerprint
}
