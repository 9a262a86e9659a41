package page

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/purify"
)

// A Visit is everything that a visit has found out about a page. Store.Settle makes it durable as a
// whole or not at all.
type Visit struct {
	Lease    frontier.Lease
	Page     Record               // without Seq; without the gate's verdict if Sign is set
	Sign     *dedup.Signature     // set: the gate decides between new and copy
	Text     *dedup.Text          // what the gate compares word by word; nil: the signature decides alone
	Checked  dedup.Verdict        // the gate's verdict before settling: a copy stays a copy
	Earlier  *Earlier             // for a frontier.Reread: the document of an earlier crawl that it is a copy of as it is read now; nil: none
	Says     bool                 // it says the same as the kept page of Checked
	Same     uint64               // the page of its site's twin, if it says the same as that one, both read with the templates of the moment; 0: not known
	Asked    time.Time            // when the gate gave that verdict; zero: not known
	View     []byte               // packed DocView, kept for a new page: see PackViewOn
	Body     []byte               // its bytes, kept for a new page; for a frontier.Reread the kept bytes
	Sum      [sha256.Size]byte    // of Body; zero: not made
	Answer   Answer               // the server's answer, kept with the bytes
	Prints   []purify.Print       // what the host's template learns from a new page
	Own      []purify.OwnBlock    // blocks of a page that is compared by little text: it is read again when its host's template takes some of them or gives some back
	Template int                  // generation of the template that it was read with
	Robots   *robots.File         // for a frontier.Robots: the origin's answer
	Links    []frontier.Candidate // what the page links to, refused ones too
	Needs    []frontier.Candidate // its requisites, which are fetched if it is kept; nil: they were not looked for; for a frontier.Requisite those of the style sheet
	Finished time.Time            // when the last byte was received; zero: the host was not asked
	Rest     time.Duration        // how long the host rests after that
	Down     string               // why the host did not answer, or that it is too busy; "": it answered, or was not asked
	Retry    time.Duration        // if above 0, the try failed, and another may succeed after this time
	Cookies  bool                 // of a redirect: the crawl has cookies of its site by now, which a page that redirected here may not have been requested with

	// Reread reads the page again with the template t of its host, and changes Sign, Text, View,
	// Own, Template, Moved and Behind accordingly. Nil: the page has no blocks. For a frontier.Reread it changes
	// nothing if that takes the page's bytes.
	Reread func(t *purify.Template)
	Moved  bool // it was read again, and the template has other blocks of it than the one that it was read with before
	Behind bool // it was read again, but must be purified again: body and title may differ from what the template would make, or documents of earlier crawls be like it now

	// Await calls a function that waits for something elsewhere, such as the gate's answer in a
	// partitioned job, after the visit is durable, so that others can work meanwhile. Nil: the wait
	// blocks no one.
	Await func(wait func())
}

// An Answer is what was received with the bytes of a page.
type Answer struct {
	Header    http.Header // nil: not known
	IP        string      // of the server; "": not known
	Truncated bool        // the bytes were cut
	Rendered  bool        // the bytes are not those of the server, but the result of the page's scripts
}

// Earlier is the document of an earlier crawl that a page is a copy of.
type Earlier struct {
	Archive    string      // the job or file that has it
	URL        string      //
	Fetched    time.Time   // zero: not known
	Level      dedup.Level // the level that decided
	Class      dedup.Class
	Distance   int     // bits in which the SimHashes differ
	Similarity float64 // estimated resemblance of the bodies, 0 to 1
	Reason     string  // in words
}

// Verdict returns the verdict without the page, which is not in the job.
func (e *Earlier) Verdict() dedup.Verdict {
	return dedup.Verdict{Level: e.Level, Class: e.Class, Distance: e.Distance, Similarity: e.Similarity}
}

// Note marks the record of a page as that of a copy of the document.
func (e *Earlier) Note(p *Record) {
	p.Verdict, p.Of, p.Archive = VerdictCopy, e.URL, e.Archive
	p.Level, p.Class, p.Distance, p.Similarity = int(e.Level), e.Class.String(), e.Distance, e.Similarity
	p.Reason = strings.ReplaceAll(e.Reason, "the kept page", "a document of an earlier crawl")
	if !e.Fetched.IsZero() {
		p.Reason += ", fetched " + e.Fetched.Format(time.DateOnly)
	}
}
