package methods

import (
	"net/url"
	"strings"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
)

// Features compares documents by their text, the links on them and the words of their URLs at
// once, each by its resemblance: the third class of the survey of 2006, which says that what is
// not text adds little. The weight of what neither document has goes to the rest; a link to a
// document's own host is taken without the host, so that a copy on another one has the same.
type Features struct {
	Words int     `option:"words" range:"1,32" about:"tokens of a shingle"`
	Links float64 `option:"links" range:"0,0.4" about:"weight of the links, of 1 in all"`
	URL   float64 `option:"url" range:"0,0.4" about:"weight of the URL's words"`
	Least float64 `option:"threshold" range:"0.01,1" about:"weighted resemblance of copies"`
}

func (Features) Name() string         { return "text-links-url" }
func (Features) Source() string       { return "text, links and words of the URL; survey 2006" }
func (m Features) Threshold() float64 { return m.Least }
func (Features) needs() need          { return needLinks }

// Sign returns the sets of each document.
func (m Features) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps three sets: two lengths, then shingles, links and words.
func (m Features) Scheme(*Collection) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 {
			text := set(shinglesOf(tokensOf(d.Body), m.Words))
			if len(text) == 0 {
				return nil
			}
			links, words := set(linksOf(d)), set(wordsOfURL(d.URL))
			s := append([]uint64{uint64(len(text)), uint64(len(links))}, text...)
			return append(append(s, links...), words...)
		},
		Keys: func(s []uint64, least float64, held func(uint64) int) []uint64 {
			// Where links and words are equal the texts may resemble each other by this.
			of := 1 - m.Links - m.URL
			text, _, _ := featuresIn(s)
			if needed := (least - m.Links - m.URL) / of; needed > 0 {
				return rarest(text, needed, held)
			}
			return text
		},
		Score: func(a, b []uint64) float64 {
			text, links, words := featuresIn(a)
			theirText, theirLinks, theirWords := featuresIn(b)
			sum, weight := (1-m.Links-m.URL)*hashset.Jaccard(text, theirText), 1-m.Links-m.URL
			if sum == 0 {
				return 0 // of one text at least
			}
			if len(links)+len(theirLinks) > 0 {
				sum, weight = sum+m.Links*hashset.Jaccard(links, theirLinks), weight+m.Links
			}
			if len(words)+len(theirWords) > 0 {
				sum, weight = sum+m.URL*hashset.Jaccard(words, theirWords), weight+m.URL
			}
			return min(1, sum/weight)
		},
		Parts: func(s []uint64) []uint64 { text, _, _ := featuresIn(s); return text },
		Bytes: func(s []uint64) int { return 8 * (len(s) - 2) },
	}
}

func featuresIn(s []uint64) (text, links, words []uint64) {
	rest := s[2:]
	return rest[:s[0]], rest[s[0] : s[0]+s[1]], rest[s[0]+s[1]:]
}

// linksOf returns hashes of the links of a document.
func linksOf(d Document) []uint64 {
	var own string
	if u, err := url.Parse(d.URL); err == nil && u.Host != "" {
		own = u.Scheme + "://" + u.Host
	}
	var list []uint64
	for _, l := range d.Links {
		if own != "" {
			l = strings.TrimPrefix(l, own)
		}
		list = append(list, xxhash.Sum64String(l))
	}
	return list
}

// wordsOfURL returns hashes of the words in the path of a URL.
func wordsOfURL(address string) []uint64 {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var list []uint64
	for _, t := range tokensOf(strings.ReplaceAll(u.Path, "_", " ")) {
		list = append(list, t.hash)
	}
	return list
}
