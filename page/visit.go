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

// A Visit is everything that came to light about a page. Settle makes it durable as a whole or
// not at all.
type Visit struct {
	Lease    frontier.Lease
	Page     Record               // without Seq; without the gate's answer where Sign is set
	Sign     *dedup.Signature     // set: the gate decides between new and copy
	Text     *dedup.Text          // what the gate compares word by word; nil: the signature decides alone
	Checked  dedup.Verdict        // what the gate said of it before: a copy stays one
	Asked    time.Time            // when the gate was asked that; zero: it is not known
	View     []byte               // DocView, kept for a new page: packed on Body, see PackViewOn
	Body     []byte               // its bytes, kept for a new page; of a frontier.Reread the bytes that are kept
	Sum      [sha256.Size]byte    // of Body; zero: not made
	Answer   Answer               // what the server said, kept with the bytes
	Prints   []purify.Print       // what a new page tells of its host's template
	Own      []purify.OwnBlock    // blocks of a page that is compared by little: it is read again when its host's template has one of them
	Template int                  // generation of the template that it was read with
	Robots   *robots.File         // of a frontier.Robots: what the origin answered
	Links    []frontier.Candidate // what the page links to, refused ones too
	Needs    []frontier.Candidate // files that it needs to be seen, asked for if it is kept, nil: they were not looked for; of a frontier.Requisite the style sheet's own
	Finished time.Time            // when the host's last byte came; zero: the host was not asked
	Rest     time.Duration        // how long the host rests from then
	Down     string               // why the host gave no answer, or said that it is too busy; "" where it did, or was not asked
	Retry    time.Duration        // above 0: the try failed, and another may help after this time

	// Reread reads the page again with this template of its host: Sign, Text, View, Own and
	// Template change accordingly, and Behind. Nil: the page has no blocks.
	Reread func(t *purify.Template) error
	Behind bool // it was, and its body and title may be others than that template makes: it is to be purified again

	// Await calls a function that waits for something that is elsewhere, such as the answer of a
	// gate, once the visit is durable: others may work meanwhile. Nil: nobody minds the wait.
	Await func(wait func())
}

// An Answer is what came with the bytes of a page.
type Answer struct {
	Header    http.Header // nil: it is not known
	IP        string      // the server's; "": not known
	Truncated bool        // the bytes were cut
	Rendered  bool        // the bytes are not the server's, but what the page's scripts made of them
}

// Earlier is the document of an earlier crawl that a page is a copy of.
type Earlier struct {
	Archive    string      // the job or file that has it
	URL        string      //
	Fetched    time.Time   // zero: not known
	Level      dedup.Level // by which it was told
	Class      dedup.Class
	Distance   int     // bits in which the SimHashes differ
	Similarity float64 // estimated resemblance of the bodies, 0 to 1
	Reason     string  // in words
}

// Verdict is the gate's answer in a form that names no page of the job.
func (e *Earlier) Verdict() dedup.Verdict {
	return dedup.Verdict{Level: e.Level, Class: e.Class, Distance: e.Distance, Similarity: e.Similarity}
}

// Note writes into the record of a page that it is a copy of the document.
func (e *Earlier) Note(p *Record) {
	p.Verdict, p.Of, p.Archive = VerdictCopy, e.URL, e.Archive
	p.Level, p.Class, p.Distance, p.Similarity = int(e.Level), e.Class.String(), e.Distance, e.Similarity
	p.Reason = strings.ReplaceAll(e.Reason, "the kept page", "a document of an earlier crawl")
	if !e.Fetched.IsZero() {
		p.Reason += ", fetched " + e.Fetched.Format(time.DateOnly)
	}
}
