package score

// A Kind says what a URL of the test web is.
type Kind string

// The kinds. Page, Hub, Slow and Trap are documents: their text counts.
const (
	KindPage      Kind = "page"      // an article, or another document of its own
	KindHub       Kind = "hub"       // a front page or a listing
	KindSlow      Kind = "slow"      // a page that answers after testserver.Options.SlowDelay
	KindTrap      Kind = "trap"      // a page of the calendar, at most TrapSteps from where sites link to it
	KindRedirect  Kind = "redirect"  // answers 301 or 302
	KindDead      Kind = "dead"      // answers 404 or 410
	KindForbidden Kind = "forbidden" // linked, but robots.txt forbids it
)

// TrapSteps is how far the truth follows the calendar, in steps from the month that the
// site's pages link to. Pages beyond are neither expected nor counted as faults.
const TrapSteps = 24

// A Class says what a copy shares with its original (Shivakumar and Garcia-Molina 1999).
type Class string

// The classes.
const (
	FullLayout     Class = "full-layout"     // same text, same layout
	FullContent    Class = "full-content"    // same text, another layout
	PartialLayout  Class = "partial-layout"  // edited text, same layout
	PartialContent Class = "partial-content" // edited text, another layout
)

// Truth is the truth about a test web. It does not change after Start.
type Truth struct {
	Pages   []Page   `json:"pages"` // every URL that can be reached, by site, then by path
	Pairs   []Pair   `json:"pairs"` // resemblance of different texts of one group
	Mirrors []Mirror `json:"mirrors"`
}

// A Page is one URL that can be reached from the seeds through pages that robots.txt allows.
// Group, Bytes, Text and Layout are numbers from 1 that can only be compared; 0 means that
// the page is not a document.
type Page struct {
	URL    string `json:"url"`
	Site   string `json:"site"` // the Site's name
	Kind   Kind   `json:"kind"`
	Status int    `json:"status"`           // of the response to GET
	Lang   string `json:"lang,omitempty"`   // en or zh; empty on a folder's pages
	Target string `json:"target,omitempty"` // absolute URL of a redirect's target

	Group  int `json:"group,omitempty"`  // equal for pages with the same main text, edited or not
	Bytes  int `json:"bytes,omitempty"`  // equal for pages with the same payload
	Text   int `json:"text,omitempty"`   // equal for pages with the same main text
	Layout int `json:"layout,omitempty"` // equal for pages in the same template

	// Class and Jaccard compare the page with its group's original; the
	// original itself has no class. Jaccard is the resemblance of the two sets
	// of 3-shingles, computed exactly: words by lower case, Chinese by character,
	// over title, headings, paragraphs and list items.
	Class   Class   `json:"class,omitempty"`
	Jaccard float64 `json:"jaccard,omitempty"`

	// Optional pages may or may not be found: other URLs of a folder's pages, to which its
	// pages may or may not link.
	Optional bool `json:"optional,omitempty"`
	// Folder pages come from disk. For them the truth does not know whether two files with
	// different bytes are near copies.
	Folder bool `json:"folder,omitempty"`
}

// A Pair is the exact resemblance of two texts of one group, A < B.
type Pair struct {
	A       int     `json:"a"`
	B       int     `json:"b"`
	Jaccard float64 `json:"jaccard"`
}

// A Mirror says that the site By has copies of pages of the site Of.
type Mirror struct {
	Of      string `json:"of"`      // the Site's name
	By      string `json:"by"`      // the Site's name
	Whole   bool   `json:"whole"`   // every page of Of is there
	Subtree string `json:"subtree"` // the part of Of that is mirrored; "/" for all
	Prefix  string `json:"prefix"`  // the path of the copies on By; "/" for the same paths
	Exact   bool   `json:"exact"`   // byte for byte; otherwise the same text in another layout
	Pages   int    `json:"pages"`   // mirrored documents
}

// ClassOf says what two pages of one group share.
func ClassOf(a, b *Page) Class {
	switch {
	case a.Text == b.Text && a.Layout == b.Layout:
		return FullLayout
	case a.Text == b.Text:
		return FullContent
	case a.Layout == b.Layout:
		return PartialLayout
	}
	return PartialContent
}
