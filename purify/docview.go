package purify

import (
	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/words"
)

// Version names the rules by which this package finds a body. It is stored
// with every signature, since bodies of two versions do not compare.
const Version = 21

// A DocView is a page without its template (Yu and Xiong 2011).
type DocView struct {
	ID        string    `json:"id,omitempty"`         // the page's key in a job; set by the crawler
	URL       string    `json:"url,omitempty"`        // the page's URL; set by the caller
	Type      string    `json:"type"`                 // article, forum, listing, collection, product, service, documentation or other
	Role      string    `json:"role"`                 // topic, hub or other (picture, empty)
	Category  []string  `json:"category,omitempty"`   // breadcrumb, articleSection, else path segments
	Title     string    `json:"title"`                //
	Keywords  []Keyword `json:"keywords,omitempty"`   // best first, at most 10
	Abstract  string    `json:"abstract,omitempty"`   // one or two sentences of the body
	Body      string    `json:"body"`                 // UTF-8, one block a line
	Links     []Link    `json:"links,omitempty"`      // in document order, first occurrence of each URL
	MoreLinks int       `json:"more_links,omitempty"` // links of the page beyond those that are read
	Date      string    `json:"date,omitempty"`       // publication, YYYY-MM-DD
	Author    string    `json:"author,omitempty"`     //
	Lang      string    `json:"lang,omitempty"`       // BCP 47, as declared, else by script or trigrams
	Canonical string    `json:"canonical,omitempty"`  // rel=canonical as written
	Base      string    `json:"base,omitempty"`       // <base href> as written
	Refresh   string    `json:"refresh,omitempty"`    // target of a meta refresh as written
	Robots    string    `json:"robots,omitempty"`     // meta robots, lower case
	Charset   string    `json:"charset,omitempty"`    // what the bytes were decoded as
	Layout    uint64    `json:"layout,omitempty"`     // hash of the page's tag skeleton, equal layouts are near in bits; FeedLayout: of a feed
	Template  int       `json:"template,omitempty"`   // the site's template that it was read with, from 1; 0: none was known
	NoScript  bool      `json:"noscript,omitempty"`   // all of the body is what is shown where no scripts run
	Dropped   int       `json:"dropped,omitempty"`    // blocks of the body that this template took out
	TextError string    `json:"text_error,omitempty"` // why a PDF, an Office document or a book has no body; in a job its record has it
	Fields    Fields    `json:"fields,omitempty"`     // what the selectors of the Reader extract
	FieldsCut []string  `json:"fields_cut,omitempty"` // the names of those that the page has more of than are kept
	Unsummed  bool      `json:"unsummed,omitempty"`   // Keywords and Abstract are not made yet: see Sum
	Blocks    []Block   `json:"-"`                    // what the gate compares the page by; none unless it is HTML
	Unnamed   bool      `json:"-"`                    // it has more blocks than those whose names PurifyOn returns
	Targets   []uint32  `json:"-"`                    // a hash of each of Links, whatever its host and its percent-encoding; 0: to the page itself
	Pictures  []uint32  `json:"-"`                    // of the pictures and films that the page shows above and in its body: hashes of what names them in their URLs, sorted, the first MaxPictures
}

// Of DocView.Pictures.
const (
	MaxPictures  = blocks.MaxPictures
	FirstPicture = blocks.FirstPicture // the smallest that is of a picture; those of films are smaller
)

// A Block is a run of the page's text between block-level tags. A view has those
// that its site's template lacks, and those that the models took for body.
type Block struct {
	Text   string
	Print  Print // its name among the blocks of the site
	Chosen bool  // the models took it for body
	Linked bool  // most of it is links
	Cloud  bool  // it is made of fifteen links and more, such as a cloud of tags
	Prose  bool  // it is long, and not made of links
	Shared bool  // the template has it that the page was read with
	Pinned bool  // a selector keeps it: no template takes it out
}

// Has reports whether the template names a block; a nil one names none.
func (t *Template) Has(b *Block) bool {
	return !b.Pinned && t.frames(t.pages(b.Print), b.Prose, b.Linked)
}

// Share returns on what share of the pages that were counted for the template a block is, 0 if the template
// does not name it.
func (t *Template) Share(b *Block) float64 {
	if !t.Has(b) {
		return 0
	}
	return float64(t.pages(b.Print)) / float64(max(1, t.fed))
}

// A Keyword is a word or a Chinese, Japanese or Korean n-gram of the body.
type Keyword = words.Keyword

// Words says how rare words are in a collection, such as the pages of a crawl.
type Words = words.Collection

// A Link is a URL that the page names in an a, area, frame or iframe.
type Link struct {
	URL      string `json:"url"`               // as written, entities decoded, until the crawler resolves it
	Text     string `json:"text,omitempty"`    // anchor words, or an image's alt; at most 200 bytes
	Context  string `json:"context,omitempty"` // words of the block around it; at most 200 bytes
	Body     bool   `json:"body"`              // it is in the body, not in the template
	NoFollow bool   `json:"nofollow,omitempty"`
}

// Weigh computes the keywords and the abstract of a view again: a keyword's weight is its count
// in the body times its IDF in the collection (Yu and Xiong 2011). Purify uses a table of its
// own as the collection, of the words that more than 2% of 1,628 mixed pages have.
func (v *DocView) Weigh(words Words) {
	w := newWorkspace()
	defer w.done()
	v.sum(&w.digest, words)
}

// Entitle gives a view without a title its weightiest keyword as the title (Yu and Xiong 2011).
// It is for display: the gate compares the titles that pages name.
func (v *DocView) Entitle() {
	if v.Title != "" {
		return
	}
	if v.Sum(); len(v.Keywords) > 0 {
		v.Title = v.Keywords[0].Word
	}
}

// Sum makes the keywords and the abstract of a view that a Reader has left without them, as
// reading the page would have; any other view is not changed.
func (v *DocView) Sum() {
	if v.Unsummed {
		v.Weigh(nil)
	}
}

// SumKeywords is Sum for the keywords alone. It leaves the abstract to Sum.
func (v *DocView) SumKeywords() {
	if !v.Unsummed || v.Keywords != nil {
		return
	}
	w := newWorkspace()
	defer w.done()
	v.Keywords = w.digest.Keywords(v.Body, nil)
}
