package page

import (
	"net/http"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

// A Verdict is the outcome of a visit.
type Verdict string

// The four verdicts.
const (
	VerdictNew     Verdict = "new"     // a document that is not a copy of a kept one
	VerdictCopy    Verdict = "copy"    // a copy of a kept document; Of names the kept page
	VerdictRefused Verdict = "refused" // not kept: robots.txt, a redirect, a rule; Reason says which
	VerdictFailed  Verdict = "failed"  // no document: an error status, or no answer; Reason says why
)

// A Record is what the job stores of one settled URL. The names of its JSON fields are the same in
// every command; docs/formats.md lists them.
type Record struct {
	Seq        uint64    `json:"seq"`                   // place in crawl order, from 1
	URL        string    `json:"url"`                   // canonical URL
	Status     int       `json:"status"`                // HTTP status; 0: no request was sent, or there was no answer
	Verdict    Verdict   `json:"verdict"`               //
	Of         string    `json:"of"`                    // for a copy: URL of the kept page
	Archive    string    `json:"archive,omitempty"`     // for a copy of a document of an earlier crawl: the job or file that has it
	Class      string    `json:"class"`                 // for a copy: full-layout, full-content, partial-layout or partial-content
	Level      int       `json:"level"`                 // for a copy: the level of the gate that decided: 3 bytes, 4 body, 5 near
	Distance   int       `json:"distance"`              // for a copy: bits in which the SimHashes differ, 0 to 64
	Similarity float64   `json:"similarity"`            // for a copy: estimated resemblance of the bodies, 0 to 1
	Reason     string    `json:"reason"`                // the verdict in words
	Rule       string    `json:"rule,omitempty"`        // for a refusal: the rule's name
	Failure    string    `json:"failure,omitempty"`     // for a failure: its kind, which failures are counted by: a fetch.Phase, "robots.txt", or an HTTP status with its text
	Location   string    `json:"location,omitempty"`    // for a redirect: its target
	Label      string    `json:"label,omitempty"`       // the label of the seed that the path to this URL started from
	Depth      int       `json:"depth"`                 // links followed from the nearest seed
	Score      float32   `json:"score"`                 // when the URL was leased
	Attempt    int       `json:"attempt,omitempty"`     // failed tries before this one
	Fetched    time.Time `json:"fetched"`               // when the request was sent; without one, when it was decided
	TookMS     int       `json:"took_ms"`               // until the last byte, milliseconds
	Type       string    `json:"content_type"`          // media type
	Charset    string    `json:"charset,omitempty"`     //
	Bytes      int64     `json:"bytes"`                 // of the body, decompressed
	Wire       int64     `json:"wire_bytes"`            // of the body, as transferred
	Truncated  bool      `json:"truncated,omitempty"`   // the body was cut
	TextError  string    `json:"text_error,omitempty"`  // why the text of a PDF, an Office document or a book could not be read
	Title      string    `json:"title,omitempty"`       //
	Lang       string    `json:"lang,omitempty"`        //
	PageType   string    `json:"page_type,omitempty"`   // article, forum, listing, ...
	Category   []string  `json:"category,omitempty"`    // the widest first: breadcrumb, section, folders of the URL, or what Options.Category tells
	Relevance  float32   `json:"relevance,omitempty"`   // to the topic of a focused crawl, 0 to 1
	OffTopic   bool      `json:"off_topic,omitempty"`   // for a kept page of a crawl that keeps only pages on the topic: it is off it by what was learned since
	Digest     string    `json:"digest,omitempty"`      // of the bytes, 128 bits, hexadecimal
	SimHash    string    `json:"simhash,omitempty"`     // of the body, hexadecimal
	BodyTokens int       `json:"body_tokens,omitempty"` // words, and Chinese, Japanese or Korean n-grams
	Links      int       `json:"links"`                 // URLs found on the page
	MoreLinks  int       `json:"more_links,omitempty"`  // links of the page beyond Options.MaxLinks, which were left out
	Canonical  string    `json:"canonical,omitempty"`   // its rel=canonical, if that is on another site

	Fields    purify.Fields `json:"fields,omitempty"`     // values of the selectors at the last reading; URLs are absolute
	FieldsCut []string      `json:"fields_cut,omitempty"` // names of the fields of which the page had more than is kept

	Render        string    `json:"render,omitempty"`         // the result of running its scripts: done, or failed and why
	ETag          string    `json:"etag,omitempty"`           // as sent, for the next visit
	LastModified  string    `json:"last_modified,omitempty"`  // as sent, for the next visit
	Revisited     time.Time `json:"revisited,omitzero"`       // when the page was last visited without a change of this record
	RevisitStatus int       `json:"revisit_status,omitempty"` // HTTP status of that visit
	Revisit       string    `json:"revisit,omitempty"`        // what that visit brought, in words
	RevisitRule   string    `json:"revisit_rule,omitempty"`   // the Rule of that visit: redirect, soft-404, not-modified; "": another answer
	RevisitTo     string    `json:"revisit_to,omitempty"`     // where that visit was redirected to
	Edited        time.Time `json:"edited,omitzero"`          // the visit that first found the small edits that the page has now; zero: it is as it is kept
	Gone          time.Time `json:"gone,omitzero"`            // the visit since which its URL has answered that the page is gone or moved

	Differs    *dedup.Difference `json:"differs,omitempty"`       // for a near copy: passages that only it or only the kept page has; if Edited is set, passages that only the current or only the kept version has
	Degree     int               `json:"degree,omitempty"`        // of a kept page: other registrable domains with a copy
	PartOf     []Part            `json:"part_of,omitempty"`       // for a new page: others that contain parts of it
	Contains   []Part            `json:"contains,omitempty"`      // for a new page: others that it contains parts of
	Body       uint64            `json:"-"`                       // for a near copy: digest of its body, the first 8 bytes; 0: not kept
	Layout     uint64            `json:"-"`                       // for a copy that was read: purify's layout hash; 0: see LayoutOf
	Lines      uint64            `json:"-"`                       // for a near copy: dedup.Text.Lines of its text; 0: not kept
	Says       bool              `json:"-"`                       // for a near copy: it says the same as the kept page that it was compared with, see dedup.SayTheSame
	Hostless   uint64            `json:"-"`                       // see HostlessOf
	Early      bool              `json:"-"`                       // it was among the first of its host, or was read without a template
	ReplacedBy uint64            `json:"replaced_by,omitempty"`   // sequence number of the record that replaced this one when the page had changed
	Replaces   uint64            `json:"-"`                       // only in what Store.Settle returns: sequence number of the document's previous record; Seq if that record stays
	Alike      bool              `json:"-"`                       // only in what Store.Settle returns: the document of the previous record had the same bytes
	Promoted   bool              `json:"-"`                       // the same: and was a copy, and is a kept page now
	Compared   uint64            `json:"compared_with,omitempty"` // for a copy: sequence number of the kept page that it was compared with, if its group has got another kept page since, or that page is younger
}

// A Part is another page that shares an important part with a page, though neither is a copy of
// the other.
type Part struct {
	URL      string          `json:"url"`                // the other page
	Share    float64         `json:"share"`              // share of the part's runs of three words that are in the whole, 0 to 1
	Rest     float64         `json:"share_of_whole"`     // share of the whole's runs that are in the part, 0 to 1
	Passages []dedup.Passage `json:"passages,omitempty"` // the longest that both have
}

// Earlier reports whether the record is that of a copy whose kept page is in an earlier crawl and
// not in the job. Such a copy has no vote and is in no group.
func (p *Record) Earlier() bool { return p.Archive != "" }

// RenderFailed starts Render of a page whose scripts did not run to their end.
const RenderFailed = "failed: "

// Unrendered reports whether a page was read as it was sent, although its scripts were to be run.
func (p *Record) Unrendered() bool { return strings.HasPrefix(p.Render, RenderFailed) }

// Document reports whether the record is of a document, new or a copy.
func (p *Record) Document() bool { return p.Verdict == VerdictNew || p.Verdict == VerdictCopy }

// List reports whether the record is that of a feed or a sitemap, which show which pages are new.
func (p *Record) List() bool {
	xml := strings.HasSuffix(p.Type, "xml") && p.Type != "application/xhtml+xml"
	return p.Rule == "sitemap" || p.Rule == "feed" || xml && p.Document() && p.PageType == "listing"
}

// GoneStatus reports whether an HTTP status says that a document is no longer at its URL.
func GoneStatus(s int) bool {
	return s == http.StatusNotFound || s == http.StatusGone || s >= 300 && s < 400 && s != http.StatusNotModified
}

// Missing reports whether the record says that its URL no longer has a document. A server that
// fails or can't be reached says nothing about its documents.
func (p *Record) Missing() bool {
	return p.Status == http.StatusNotFound || p.Status == http.StatusGone || p.Rule == "redirect" || p.Rule == "soft-404"
}

// MarkCopy makes the record that of a copy of the page at a URL, with the gate's verdict.
func (p *Record) MarkCopy(of string, v dedup.Verdict) {
	p.Verdict, p.Of, p.Reason, p.OffTopic = VerdictCopy, of, v.Reason(), false
	p.Level, p.Class = int(v.Level), v.Class.String()
	p.Distance, p.Similarity = v.Distance, v.Similarity
}

// MarkRevisited records a later visit in the record of a document that has not changed. visit is
// the record of that visit, and outcome says in words what it found.
func (p *Record) MarkRevisited(visit *Record, outcome string) {
	p.Revisited, p.RevisitStatus, p.Revisit = visit.Fetched, visit.Status, outcome
	p.RevisitRule, p.RevisitTo = visit.Rule, visit.Location
	switch {
	case !GoneStatus(visit.Status):
		p.Gone = time.Time{}
	case p.Gone.IsZero():
		p.Gone = visit.Fetched
	}
}

// Asked returns when the page was last visited.
func (p *Record) Asked() time.Time {
	if p.Revisited.After(p.Fetched) {
		return p.Revisited
	}
	return p.Fetched
}
