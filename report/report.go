package report

import (
	"time"

	"gatecrawl.example/gatecrawl"
)

// MaxRows bounds the rows of each list of a Report, MaxLinks the links of a row, MaxMembers its
// members.
const (
	MaxRows    = 100_000
	MaxLinks   = 10
	MaxMembers = 20
)

// A Report is the result of a crawl.
type Report struct {
	Made     time.Time        `json:"made"`
	Software string           `json:"software,omitempty"`
	Status   gatecrawl.Status `json:"status"`

	Verdicts  []Count `json:"verdicts"`
	Statuses  []Count `json:"statuses"` // HTTP statuses, and why requests had none
	Types     []Count `json:"content_types"`
	Languages []Count `json:"languages"` // of documents
	PageTypes []Count `json:"page_types"`
	Depths    []Count `json:"depths"` // links from the nearest seed
	Hosts     []Host  `json:"hosts"`  // the hosts with the most pages first

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

// A List has rows and the number of rows that were left out.
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

// Len returns the number of rows, including those that were left out.
func (l List[T]) Len() int64 { return int64(len(l.Rows)) + l.More }

// A Count is the number of records with a value.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// A Host sums up the pages of a host.
type Host struct {
	Name    string `json:"name"`
	Pages   int64  `json:"pages"` // records
	New     int64  `json:"new"`
	Copies  int64  `json:"copies"`
	Refused int64  `json:"refused"`
	Failed  int64  `json:"failed"`
	Bytes   int64  `json:"bytes"`
	Answers int64  `json:"answers"` // requests that got an answer
	MeanMS  int64  `json:"mean_ms"` // mean time to the last byte of an answer
	MaxMS   int64  `json:"max_ms"`

	took int64
}

// A Broken is a URL that led to no page.
type Broken struct {
	URL     string           `json:"url"`
	Status  int              `json:"status"` // HTTP; 0: no answer
	Reason  string           `json:"reason"`
	Inlinks int64            `json:"inlinks"` // kept pages that link there
	Links   []gatecrawl.Edge `json:"links"`   // some of these links, at most MaxLinks
}

// A Chain is a sequence of URLs, each of which redirects to the next.
type Chain struct {
	URLs    []string         `json:"urls"` // the last one ends the chain, or is the one at which a loop starts again
	Loop    bool             `json:"loop,omitempty"`
	End     string           `json:"end"`     // outcome of the last URL: new, copy, refused, failed, or "" if it was not fetched
	Reason  string           `json:"reason"`  // why the last URL is not a document
	Inlinks int64            `json:"inlinks"` // kept pages that link to the first URL
	Links   []gatecrawl.Edge `json:"links"`   // at most MaxLinks
}

// A Duplicate is a document with several URLs.
type Duplicate struct {
	URL     string             `json:"url"` // of the kept page
	Title   string             `json:"title,omitempty"`
	Degree  int                `json:"degree"` // mirror degree: other domains with a copy
	Copies  int                `json:"copies"`
	Members []gatecrawl.Member `json:"members"` // some of the copies, at most MaxMembers
}

// A Shared is a title or description that several kept pages have.
type Shared struct {
	Text  string   `json:"text"`
	Pages int64    `json:"pages"`
	URLs  []string `json:"urls"` // some of them, at most MaxMembers
}

// A Conflict is a statement in a page's head that contradicts what the crawl found.
type Conflict struct {
	URL   string `json:"url"`
	Says  string `json:"says"`           // the URL that the head names
	Lang  string `json:"lang,omitempty"` // the language, for a translation
	Kind  string `json:"kind"`           // see the Kind constants
	Found string `json:"found"`          // what the crawl found, as text
}

// The kinds of a Conflict.
const (
	KindDead      = "dead"      // the named URL led to no page
	KindRedirect  = "redirect"  // the named URL redirects
	KindDifferent = "different" // the gate found two different documents
	KindOther     = "other"     // the named URL is a copy of another page
	KindSame      = "same"      // the translation is the same document
	KindOneWay    = "one-way"   // the translation does not name this page in return
	KindLanguage  = "language"  // the page is in another language than named
)

// A Mirror is a group of sites that have the same pages.
type Mirror struct {
	Canonical  string         `json:"canonical"`
	Why        string         `json:"why"`        // why this site is the canonical one
	Documents  int            `json:"documents"`  // documents crawled from it
	Confidence float64        `json:"confidence"` // the least lower bound (90% interval) of the members' shares
	Members    []MirrorMember `json:"members"`
}

// A MirrorMember is a site that has pages of the canonical site.
type MirrorMember struct {
	Site    string  `json:"site"`
	Class   string  `json:"class"`   // alias, mirror, partial
	Mapping string  `json:"mapping"` // from its paths to those of the canonical site
	Share   float64 `json:"share"`   // share of its documents that the canonical site has too
	Low     float64 `json:"low"`     // lower bound of Share
	Pages   int     `json:"pages"`   // documents crawled from it
	Avoided int     `json:"avoided"` // URLs that were not requested
}

// A Refusal sums up the URLs that a rule refused.
type Refusal struct {
	Rule     string    `json:"rule"`
	URLs     int64     `json:"urls"`
	Examples []Example `json:"examples"` // URLs that have a record, at most MaxLinks
}

// An Example is a refused URL.
type Example struct {
	URL    string `json:"url"`
	Reason string `json:"reason"`
}
