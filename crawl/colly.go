package crawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/gocolly/colly/v2"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// Collect calls the callbacks of a colly collector for the pages of the crawl, when they are
// settled: OnRequest, OnResponseHeaders, OnResponse, OnHTML, OnXML and OnScraped for
// documents, OnError for error statuses and for servers that do not answer. Call it before
// Run. From then on the collector sends no requests of its own.
//
//   - The crawl decides which pages are fetched and when: it starts from the seeds of the
//     settings, follows links within their scope, and obeys robots.txt. It finds the links
//     of a page itself, so Visit in a callback does nothing and returns a
//     *colly.AlreadyVisitedError; OnLink decides which links are followed. Retry returns an
//     error, since the crawl has already retried.
//   - AllowedDomains, URL filters and MaxDepth of the collector limit which pages its
//     callbacks see. The depth of a seed is 1, as in colly.
//   - Copies are not shown if the setting dedup is discard. If it is mark they are, and
//     SettledOf tells what a page is a copy of.
//   - Redirects, pages that robots.txt forbids, and pages that have not changed since an
//     earlier run are not shown. The target of a redirect is a page of its own.
//   - Callbacks run one at a time, or for many pages at once if the collector is Async. If
//     one blocks or panics the same happens as with OnPage.
func (c *Crawl) Collect(collector *colly.Collector) error {
	if err := collector.SetStorage(visited{}); err != nil { // sends no request
		return err
	}
	f := &feed{collector: collector, discard: c.settings.Dedup == dedup.ModeDiscard, async: collector.Async}
	collector.DisableCookies()
	collector.SetRequestTimeout(0)
	collector.WithTransport(crawlTransport{})
	collector.Async, collector.AllowURLRevisit, collector.IgnoreRobotsTxt, collector.CacheDir = false, false, true, ""
	c.OnPage(func(s gatecrawl.Settled) {
		if err := f.page(s); err != nil {
			c.o.Log.Debug("not shown to the collector", "url", s.URL, "err", err)
		}
	})
	return nil
}

// SettledOf returns the page of the crawl behind a response that a callback of Collect got:
// its record with the gate's verdict, and its DocView. For other responses it is zero.
func SettledOf(r *colly.Response) gatecrawl.Settled {
	s, _ := r.Ctx.GetAny(settledKey).(gatecrawl.Settled)
	return s
}

const settledKey = "gatecrawl settled page"

// A feed hands settled pages to a collector.
type feed struct {
	collector *colly.Collector
	discard   bool // copies are not shown
	async     bool // callbacks may run for several pages at once

	mu sync.Mutex // held while callbacks run that are not async
}

// page has the callbacks called for one page. The error says why the collector did not, or
// is one that its callbacks have had.
func (f *feed) page(s gatecrawl.Settled) error {
	if !f.shows(&s) {
		return nil
	}
	text, err := json.Marshal(map[string]any{"URL": s.URL, "Method": http.MethodGet, "Depth": s.Depth + 1})
	if err != nil {
		return err
	}
	req, err := f.collector.UnmarshalRequest(text)
	if err != nil {
		return err
	}
	req.Headers = &http.Header{}
	req.Ctx.Put(settledKey, s)
	req.Body = &pageBody{settled: s}
	if !f.async {
		f.mu.Lock()
		defer f.mu.Unlock()
	}
	return req.Retry() // a request that is not compared with what was visited
}

// shows reports whether a page is one that a collector would have called its callbacks for.
func (f *feed) shows(s *gatecrawl.Settled) bool {
	switch s.Verdict {
	case page.VerdictNew:
		return s.Response != nil
	case page.VerdictCopy:
		return s.Response != nil && !f.discard
	case page.VerdictFailed:
		return true
	}
	return false
}

// A pageBody is a page on its way through a collector, as the body of the request that asks
// for it: no other part of a request reaches the transport as it was.
type pageBody struct {
	settled gatecrawl.Settled
	sent    bool
}

func (p *pageBody) Read([]byte) (int, error) { return 0, io.EOF }
func (p *pageBody) Close() error             { return nil }

// Seek is called when the request is made, and made again by Retry.
func (p *pageBody) Seek(int64, int) (int64, error) {
	if p.sent {
		return 0, errors.New("the page is from a crawl, which has tried again already")
	}
	p.sent = true
	return 0, nil
}

// crawlTransport is the transport of a collector that gets its pages from a crawl.
type crawlTransport struct{}

// RoundTrip answers with what the crawl was answered.
func (crawlTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	p, ok := req.Body.(*pageBody)
	if !ok {
		return nil, errors.New("this collector gets its pages from a crawl and sends no requests: add a seed to the crawl")
	}
	r := p.settled.Response
	if r == nil {
		return nil, errors.New(p.settled.Reason)
	}
	h := r.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Del("Content-Encoding") // the body is decoded
	h.Del("Content-Length")
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", r.ContentType)
	}
	return &http.Response{
		Status: http.StatusText(r.Status), StatusCode: r.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(r.Body)), ContentLength: int64(len(r.Body)),
		Uncompressed: true, // or colly opens gzip by the file's name
		Request:      req,
	}, nil
}

// visited is the storage of a collector that visits nothing by itself: it reports every URL as
// visited.
type visited struct{}

func (visited) Init() error                    { return nil }
func (visited) Visited(uint64) error           { return nil }
func (visited) IsVisited(uint64) (bool, error) { return true, nil }
func (visited) Cookies(*url.URL) string        { return "" }
func (visited) SetCookies(*url.URL, string)    {}
