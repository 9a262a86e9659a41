package focus

import (
	"cmp"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/priority"
)

// found is how far a page must be on the topic (onTopic) for its words to count as found: from half of
// what the words give a page on the topic. A page on one half of a topic in two languages has no more.
const found = .25

// leastFound is the number of pages on the topic from which something can be said, and the one in a language
// below which hardly any was found.
const leastFound = 3

// leastShare is the share of the documents from which a language is worth a hint: where half of the sites
// are in a language without the topic's words, a ninth of a crawl's pages were.
const leastShare = .1

// Gaps is what a crawl has not found of its topic so far. Nothing is said before three pages on the
// topic are found.
type Gaps struct {
	Words     []string        `json:"words,omitempty"`     // of the topic as it was given: words that no page on the topic has
	Languages []LanguageShare `json:"languages,omitempty"` // of a tenth of the documents or more, fewer than three of them on the topic
}

// A LanguageShare is the share of the documents, 0 to 1, that are in a language: the primary subtag of BCP 47.
type LanguageShare struct {
	Language string  `json:"language"`
	Share    float64 `json:"share"`
}

// Gaps returns what was not found of the topic so far, by the best pages. documents has the number of all documents of the crawl by
// language (page.Harvest.Languages).
func (j *Judge) Gaps(documents map[string]int64) (g Gaps) {
	j.mu.Lock()
	defer j.mu.Unlock()
	q95 := j.usually()
	n := 0                       // pages on the topic
	on := make(map[string]int)   // of these, by language
	has := make(map[uint32]bool) // words of the topic; true: a page on it has the word
	for _, id := range j.ids {
		has[id] = false
	}
	for _, e := range j.top {
		if onTopic(j.queryOf(&e), q95) >= found {
			n++
			on[e.lang]++
			for _, w := range e.words {
				if _, of := has[w.id]; of {
					has[w.id] = true
				}
			}
		}
	}
	if n < leastFound {
		return Gaps{}
	}
	for _, field := range strings.Fields(j.text) {
		any, words := false, 0
		priority.Tokens(field, func(w []byte) {
			if number(w) {
				return // numbers are not among a page's words
			}
			words++
			any = any || slices.ContainsFunc(formsOf(w), func(id uint32) bool { return has[id] })
		})
		if words > 0 && !any {
			g.Words = append(g.Words, field)
		}
	}
	all := int64(0)
	for _, some := range documents {
		all += some
	}
	for lang, some := range documents {
		if share := float64(some) / float64(all); lang != "" && share >= leastShare && on[lang] < leastFound {
			g.Languages = append(g.Languages, LanguageShare{lang, share})
		}
	}
	slices.SortFunc(g.Languages, func(a, b LanguageShare) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Language, b.Language))
	})
	return g
}
