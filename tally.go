package gatecrawl

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// A Tally counts the visits of one run, without those of earlier runs. Fetched is the sum of
// New, Copies, Unchanged, Edited, Changed, Gone, Redirects, Errors and Others.
type Tally struct {
	Seconds float64 `json:"seconds"` // from the start of the run
	Fetched int64   `json:"fetched"` // URLs that a server answered: the URLs that max-pages counts, and pages that were visited again

	New    int64 `json:"new"`                             // documents at URLs that had none before
	Copies int64 `json:"copies"`                          // the same, but the job or an earlier crawl has the document
	Known  int64 `json:"known,omitempty"`                 // of these, copies of documents of earlier crawls
	Abroad int64 `json:"copies_of_other_hosts,omitempty"` // of the copies, those whose kept page is on another host

	Textless *Failure `json:"textless,omitempty"` // of the documents, those whose text could not be read; nil: none

	Sitemaps *Failure `json:"unread_sitemaps,omitempty"` // sitemaps that robots.txt files name and that were not read, since Options.Sitemaps is off; nil: none

	Unrendered *Failure `json:"unrendered,omitempty"` // of the answers, those whose scripts did not run to their end, so that they were read as sent; nil: none

	Unchanged int64 `json:"unchanged"`          // known documents that have not changed
	Promoted  int64 `json:"promoted,omitempty"` // of these, copies that are kept now, since the page that they were copies of is gone or has changed
	Edited    int64 `json:"edited"`             // kept ones with small edits since the visit before
	Changed   int64 `json:"changed"`            // known documents that are another document now
	Gone      int64 `json:"gone"`               // known documents answered by 404, 410 or a redirect: their records stay

	Redirects  int64 `json:"redirects"`
	Errors     int64 `json:"errors"`    // answers with an error status
	Others     int64 `json:"others"`    // answers that are not documents: sitemaps, noindex, error pages with status 200
	NoIndex    int64 `json:"noindex"`   // of these, pages that say noindex
	OffTopic   int64 `json:"off_topic"` // of these, pages off the topic (Options.FocusKeep)
	ErrorPages int64 `json:"soft_404"`  // of these, error pages with status 200
	Released   int64 `json:"released"`  // pages off the topic that were asked for again at the end, since they are on it by what was learned later

	NoFollow int64 `json:"nofollow,omitempty"` // of all answers, pages that say nofollow: no link of theirs is followed

	Forbidden  int64 `json:"forbidden"`                  // URLs that robots.txt disallows: they were not requested
	Excluded   int64 `json:"excluded,omitempty"`         // URLs that a rule of the crawl refused when their turn came, such as a pattern that was added since they were queued: they were not requested
	Unanswered int64 `json:"unanswered"`                 // URLs that did not answer, or whose robots.txt could not be fetched
	Seeds      int64 `json:"unanswered_seeds,omitempty"` // of these, seeds: the next run tries them again
	Retries    int64 `json:"retries"`                    // tries that failed and are repeated; no other count includes them

	Bytes    int64              `json:"wire_bytes"`         // of bodies
	Failures map[string]Failure `json:"failures"`           // errors and missing answers, by kind (see page.Record)
	LastTry  *Failure           `json:"last_try,omitempty"` // the last of Retries
}

// A Failure is a kind of failure that a run met.
type Failure struct {
	Count  int64  `json:"count"`
	URL    string `json:"url"`    // the first URL with it
	Reason string `json:"reason"` // of the first URL, in words
}

// tally counts the outcomes of visits.
type tally struct {
	start time.Time

	mu     sync.Mutex
	n      Tally
	unread []string // sitemaps that robots.txt files name and that were not read, the first mostUnread
	more   int64    // these beyond
}

// mostUnread is how many sitemaps that were not read are told apart from those that a user gives.
const mostUnread = 1000

// leftOut counts sitemaps that a robots.txt names and that are not read.
func (t *tally) leftOut(sitemaps []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, url := range sitemaps {
		switch {
		case len(t.unread) == mostUnread:
			t.more++
		case !slices.Contains(t.unread, url):
			t.unread = append(t.unread, url)
		}
	}
}

// read takes a sitemap that was given in another way out of those that were not read.
func (t *tally) read(sitemap string) {
	t.unread = slices.DeleteFunc(t.unread, func(url string) bool { return url == sitemap })
}

func newTally() *tally {
	return &tally{start: time.Now(), n: Tally{Failures: make(map[string]Failure)}}
}

// snapshot returns the counts so far.
func (t *tally) snapshot() Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.n
	n.Seconds = time.Since(t.start).Seconds()
	n.Failures = maps.Clone(n.Failures)
	if len(t.unread) > 0 {
		n.Sitemaps = &Failure{Count: int64(len(t.unread)) + t.more, URL: t.unread[0], Reason: "named by robots.txt"}
	}
	return n
}

// settled counts a visit that the store has settled. now is the record that the store returned.
func (t *tally) settled(v *visit, now *page.Record) {
	p := &v.Page // what the visit itself brought
	t.mu.Lock()
	defer t.mu.Unlock()
	n := &t.n
	n.Bytes += p.Wire
	switch {
	case v.Retry > 0:
		n.Retries++
		n.LastTry = &Failure{1, p.URL, p.Reason}
		return
	case now.Seq == 0:
		return // the page is visited once more
	case p.Status == 0 && p.Verdict == page.VerdictRefused && p.Rule == ruleRobots:
		n.Forbidden++
		return
	case p.Status == 0 && p.Verdict == page.VerdictRefused:
		n.Excluded++
		return
	case p.Status == 0:
		n.Unanswered++
		if v.Lease.Seed {
			n.Seeds++
		}
		n.failed(p)
		return
	}
	n.Fetched++
	if v.orders.noFollow != "" {
		n.NoFollow++
	}
	if p.Rule == ruleSitemap {
		t.read(p.URL)
	}
	if p.TextError != "" {
		n.Textless = n.Textless.And(p.URL, p.TextError)
	}
	if why, failed := strings.CutPrefix(p.Render, page.RenderFailed); failed {
		n.Unrendered = n.Unrendered.And(p.URL, why)
	}
	switch stayed := now.Replaces == now.Seq; {
	case v.Sign != nil && stayed && !now.Edited.IsZero() && now.Edited.Equal(now.Fetched):
		n.Edited++
	case v.Sign == nil && stayed && p.Status == http.StatusNotModified, v.Sign != nil && stayed, v.Sign != nil && now.Alike:
		n.Unchanged++
		if now.Promoted {
			n.Promoted++
		}
	case v.Sign != nil && now.Replaces != 0:
		n.Changed++
	case v.Sign != nil && now.Verdict == page.VerdictCopy:
		n.Copies++
		if weburl.HostOf(now.Of) != weburl.HostOf(now.URL) {
			n.Abroad++
		}
	case v.Sign != nil:
		n.New++
	case p.Earlier() && stayed:
		n.Unchanged++
	case p.Earlier() && now.Replaces != 0:
		n.Changed++
	case p.Earlier():
		n.Copies++
		n.Known++
	case stayed && page.GoneStatus(p.Status) && now.Gone.Before(now.Fetched): // as at the visit before
		n.Unchanged++
	case stayed && page.GoneStatus(p.Status):
		n.Gone++
	case p.Rule == "redirect":
		n.Redirects++
	case p.Verdict == page.VerdictFailed:
		n.Errors++
		n.failed(p)
	default:
		n.Others++
		switch p.Rule {
		case ruleNoIndex:
			n.NoIndex++
		case ruleTopic:
			n.OffTopic++
		case ruleErrorPage:
			n.ErrorPages++
		}
	}
}

// released counts pages off the topic that are asked for again.
func (t *tally) released(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n.Released += int64(n)
}

// failed counts a failure by its kind.
func (n *Tally) failed(p *page.Record) {
	var before *Failure
	if f, ok := n.Failures[p.Failure]; ok {
		before = &f
	}
	n.Failures[p.Failure] = *before.And(p.URL, p.Reason)
}

// And returns the failure with its count raised by one; a nil f counts as none. It does not change
// f, since snapshots share it.
func (f *Failure) And(url, reason string) *Failure {
	if f == nil {
		return &Failure{1, url, reason}
	}
	return &Failure{f.Count + 1, f.URL, f.Reason}
}

// Again is how many known documents were visited again.
func (n *Tally) Again() int64 { return n.Unchanged + n.Edited + n.Changed + n.Gone }

// Tally returns what the run has brought so far, or brought when it has ended.
func (c *Crawler) Tally() Tally { return c.tally.snapshot() }
