package purify

import (
	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// Version identifies the rules by which this package finds a body. It is stored with every
// signature: bodies of two versions can't be compared.
const Version = 36

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
	MoreLinks int       `json:"more_links,omitempty"` // links of the page beyond Reader.MaxLinks
	Date      string    `json:"date,omitempty"`       // publication, YYYY-MM-DD
	Author    string    `json:"author,omitempty"`     //
	Lang      string    `json:"lang,omitempty"`       // BCP 47, as declared, else by script or trigrams
	Canonical string    `json:"canonical,omitempty"`  // rel=canonical as written
	Base      string    `json:"base,omitempty"`       // <base href> as written
	Refresh   string    `json:"refresh,omitempty"`    // target of a meta refresh as written
	Robots    string    `json:"robots,omitempty"`     // meta robots, lower case
	Charset   string    `json:"charset,omitempty"`    // what the bytes were decoded as
	Layout    uint64    `json:"layout,omitempty"`     // hash of the page's tag skeleton; similar layouts differ in few bits; a feed has FeedLayout
	Template  int       `json:"template,omitempty"`   // generation of the site's template that it was read with, from 1; 0: none was known
	NoScript  bool      `json:"noscript,omitempty"`   // all of the body is text that browsers show only without scripts
	Dropped   int       `json:"dropped,omitempty"`    // blocks of the body that the template removed
	TextError string    `json:"text_error,omitempty"` // why a PDF, an Office document or a book has no body; in a job the page's record has it
	Fields    Fields    `json:"fields,omitempty"`     // what the selectors of the Reader extract
	FieldsCut []string  `json:"fields_cut,omitempty"` // names of fields of which the page has more than is kept
	Unsummed  bool      `json:"unsummed,omitempty"`   // Keywords and Abstract are not made yet: see Sum
	Blocks    []Block   `json:"-"`                    // what the gate compares the page by; nil unless it is HTML
	Places    *Places   `json:"-"`                    // where in the page Blocks start; nil unless it is HTML and the Reader has Answers
	Targets   []uint32  `json:"-"`                    // for each of Links a hash of its URL without the host, percent-encoding, a session in all links and, on another host, the page's version; 0: the page itself
	Answers   *Answers  `json:"-"`                    // what the template answered that it was read with; nil unless it is HTML and the Reader has Answers
	Moved     bool      `json:"-"`                    // it says hardly anything, and Refresh follows within a second
	Pictures  []uint32  `json:"-"`                    // hashes of the names in the URLs of the pictures and films above and in its body or of its album, sorted, the first MaxPictures
}

// Constants of DocView.Pictures.
const (
	MaxPictures  = blocks.MaxPictures
	FirstPicture = blocks.FirstPicture // the smallest hash of a picture; those of films are smaller
	FirstFormula = blocks.FirstFormula // the smallest hash of a formula that is shown as a picture
)

// A Block is a run of the page's text between block-level tags. A view has the blocks that the
// site's template lacks, and those that the models took for the body.
type Block struct {
	Text   string
	Print  Print // its name among the blocks of the site
	Chosen bool  // the models took it for a part of the body
	Linked bool  // most of it is links
	Cloud  bool  // it consists of at least fifteen links, such as a cloud of tags
	Prose  bool  // it is long, and does not consist of links
	Shared bool  // the template that the page was read with has it
	Pinned bool  // a selector keeps it: no template removes it
	Heads  bool  // it is a heading, or named as one, that can be the page's title, and not Prose
	Form   Form  // what other pages may have in its place with other words; 0: nothing
}

// Has reports whether the template has a block; a nil one has none.
func (t *Template) Has(b *Block) bool {
	return !b.Pinned && t.frames(t.pages(b.Print), b.Prose, b.Linked)
}

// Counts reports whether more pages of the site have a block, whether these are enough for the template or not.
func (t *Template) Counts(b *Block) bool { return t.pages(b.Print) > 0 }

// Share returns the share of the counted pages that have a block; 0 if the template does not have
// it.
func (t *Template) Share(b *Block) float64 {
	if !t.Has(b) {
		return 0
	}
	return float64(t.pages(b.Print)) / float64(max(1, t.fed))
}

// A Keyword is a word or a Chinese, Japanese or Korean n-gram of the body.
type Keyword = words.Keyword

// Words has the frequencies of words in a collection, such as the pages of a crawl.
type Words = words.Collection

// A Link is a URL that the page names in an a, area, frame or iframe.
type Link struct {
	URL      string `json:"url"`               // as written, entities decoded, until the crawler resolves it
	Text     string `json:"text,omitempty"`    // anchor words, or an image's alt; at most 200 bytes
	Context  string `json:"context,omitempty"` // words of the block around it; at most 200 bytes
	Body     bool   `json:"body"`              // it is in the body, not in the template
	NoFollow bool   `json:"nofollow,omitempty"`
}

// Weigh computes the keywords and the abstract of a view again. The weight of a keyword is its
// count in the body times its IDF in the collection (Yu and Xiong 2011). Purify uses a built-in
// table as the collection, with the words that more than 2% of 1,628 mixed pages have.
func (v *DocView) Weigh(words Words) {
	w := newWorkspace()
	defer w.done()
	v.sum(&w.digest, words)
}

// Entitle gives a view without a title its weightiest keyword as the title (Yu and Xiong 2011). It
// is for display only: the gate compares the titles that pages declare.
func (v *DocView) Entitle() {
	if v.Title != "" {
		return
	}
	if v.Sum(); len(v.Keywords) > 0 {
		v.Title = v.Keywords[0].Word
	}
}

// Sum makes the keywords and the abstract of a view that a Reader with Unsummed has made, with the
// same result as without Unsummed. It does not change any other view.
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

// DayIn returns the first day that a text in a language (BCP 47) names with its year, as YYYY-MM-DD; "" if it names none.
func DayIn(text, lang string) string { return metadata.DayIn([]byte(text), lang) }

// IsStamp reports whether a line says to the second when the page was made: see markup.IsStamp.
func IsStamp(line string) bool { return markup.IsStamp(line) }

// Unnumbered returns a title without what tells the issues of a series apart: numbers and names of months are "#".
func Unnumbered(title string) string { return metadata.Unnumbered(title) }
