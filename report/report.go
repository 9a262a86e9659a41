package report

import (
	"time"

	"gatecrawl.example/gatecrawl"
)

// MaxRows bounds a list of a Report; MaxLinks the links of a row, MaxMembers the members.
const (
	MaxRows    = 100_000
	MaxLinks   = 10
	MaxMembers = 20
)

// A Report is what a crawl found out.
type Report struct {
	Made     time.Time        `json:"made"`
	Software string           `json:"software,omitempty"`
	Status   gatecrawl.Status `json:"status"`

	Verdicts  []Count `json:"verdicts"`
	Statuses  []Count `json:"statuses"` // HTTP, and why there was none
	Types     []Count `json:"content_types"`
	Languages []Count `json:"languages"` // of documents
	PageTypes []Count `json:"page_types"`
	Depths    []Count `json:"depths"` // links from the nearest seed
	Hosts     []Host  `json:"hosts"`  // those with most pages first

	Broken       List[Broken]          `json:"broken"`
	Redirects    List[Chain]           `json:"redirects"`
	Duplicates   List[Duplicate]       `json:"duplicates"`
	Titles       List[Shared]          `json:"titles"`
	Descriptions List[Shared]          `json:"descriptions"`
	Canonicals   List[Conflict]        `json:"canonicals"`
	Translations List[Conflict]        `json:"translations"`
	Mirrors      []Mirror              `json:"mirrors"`
	Refused      []Refusal             `json:"refused"`
	Parked       []gatecrawl.HostState `json:"parked"`
}

// A List is rows, with what was left out counted.
type List[T any] struct {
	Rows []T   `json:"rows"`
	More int64 `json:"more,omitempty"` // rows beyond MaxRows
}

func (l *List[T]) add(row T) {
	if len(l.Rows) == MaxRows {
		l.More++
		return
	}
	l.Rows = append(l.Rows, row)
}

// Len returns how many rows there are, those that were left out counted in.
func (l List[T]) Len() int64 { return int64(len(l.Rows)) + l.More }

// A Count is how many records have a value.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// A Host is what a host's pages came to.
type Host struct {
	Name    string `json:"name"`
	Pages   int64  `json:"pages"` // records
	New     int64  `json:"new"`
	Copies  int64  `json:"copies"`
	Refused int64  `json:"refused"`
	Failed  int64  `json:"failed"`
	Bytes   int64  `json:"bytes"`
	Answers int64  `json:"answers"` // requests that were answered
	MeanMS  int64  `json:"mean_ms"` // of answers, until the last byte
	MaxMS   int64  `json:"max_ms"`

	took int64
}

// Broken is a URL that gave no page.
type Broken struct {
	URL     string           `json:"url"`
	Status  int              `json:"status"` // HTTP; 0: no answer
	Reason  string           `json:"reason"`
	Inlinks int64            `json:"inlinks"` // kept pages that link there
	Links   []gatecrawl.Edge `json:"links"`   // some of these links, at most MaxLinks
}

// A Chain is URLs that redirect one to the next.
type Chain struct {
	URLs    []string         `json:"urls"` // the last is where it ends, or the one that begins the circle again
	Loop    bool             `json:"loop,omitempty"`
	End     string           `json:"end"`     // what the last URL is: new, copy, refused, failed, or "" where it was not fetched
	Reason  string           `json:"reason"`  // why it is no document
	Inlinks int64            `json:"inlinks"` // kept pages that link to the first
	Links   []gatecrawl.Edge `json:"links"`   // at most MaxLinks
}

// A Duplicate is a document at several URLs.
type Duplicate struct {
	URL     string             `json:"url"` // that was kept
	Title   string             `json:"title,omitempty"`
	Degree  int                `json:"degree"` // other domains with a copy
	Copies  int                `json:"copies"`
	Members []gatecrawl.Member `json:"members"` // some of the copies, at most MaxMembers
}

// Shared is a title or a description that several kept pages have.
type Shared struct {
	Text  string   `json:"text"`
	Pages int64    `json:"pages"`
	URLs  []string `json:"urls"` // some of them, at most MaxMembers
}

// A Conflict is a page whose head says something else of it than the crawl found.
type Conflict struct {
	URL   string `json:"url"`
	Says  string `json:"says"`           // the URL that it names
	Lang  string `json:"lang,omitempty"` // of a translation
	Kind  string `json:"kind"`           // see the Kind constants
	Found string `json:"found"`          // what was found, in words
}

// The kinds of a Conflict.
const (
	KindDead      = "dead"      // what is named gave no page
	KindRedirect  = "redirect"  // what is named redirects
	KindDifferent = "different" // the gate found two documents
	KindOther     = "other"     // the gate found a copy of another page
	KindSame      = "same"      // a translation is the same document
	KindOneWay    = "one-way"   // the translation does not name the page
	KindLanguage  = "language"  // it is in another language
)

// A Mirror is a group of sites with the same pages.
type Mirror struct {
	Canonical  string         `json:"canonical"`
	Why        string         `json:"why"`        // it is the canonical one
	Documents  int            `json:"documents"`  // crawled from it
	Confidence float64        `json:"confidence"` // of all members: the least of the lower bounds of their shares, 90% intervals
	Members    []MirrorMember `json:"members"`
}

// A MirrorMember is a site whose pages the canonical one has.
type MirrorMember struct {
	Site    string  `json:"site"`
	Class   string  `json:"class"`   // alias, mirror, partial
	Mapping string  `json:"mapping"` // from its paths to those of the canonical site
	Share   float64 `json:"share"`   // of its documents that the canonical site has
	Low     float64 `json:"low"`     // lower bound of that
	Pages   int     `json:"pages"`   // documents crawled from it
	Avoided int     `json:"avoided"` // URLs that were not requested
}

// A Refusal is what a rule kept out.
type Refusal struct {
	Rule     string    `json:"rule"`
	URLs     int64     `json:"urls"`
	Examples []Example `json:"examples"` // of those that have a record, at most MaxLinks
}

// An Example is a URL that was refused.
type Example struct {
	URL    string `json:"url"`
	Reason string `json:"reason"`
}
