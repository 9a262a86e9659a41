package collygate

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/gocolly/colly/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/purify"
)

// Options are the settings of a Gate.
type Options struct {
	// Dedup are the settings of the gate. Default: dedup.DefaultOptions in mode mark, in
	// which handlers see copies and can ask for the verdict. In mode discard a copy loses
	// its body and its Content-Type, so that handlers for HTML and XML are not called.
	// Handlers for OnResponse and OnScraped are called, since colly has no way to stop
	// them: they can ask, and OnlyNew makes a handler that is skipped.
	Dedup dedup.Options

	// MaxSites is the largest number of hosts for which a template is learned, of up to 20 kB
	// each. Default 2,000. Pages of further hosts are compared by the body that purify
	// finds in each page.
	MaxSites int
}

// DefaultOptions returns the defaults that Options names.
func DefaultOptions() Options {
	o := Options{Dedup: dedup.DefaultOptions(), MaxSites: 2000}
	o.Dedup.Mode = dedup.ModeMark
	return o
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var sites error
	if o.MaxSites < 0 {
		sites = fmt.Errorf("max sites: want 0 or more, got %d", o.MaxSites)
	}
	return errors.Join(o.Dedup.Validate(), sites)
}

// A Gate compares the pages that colly collectors visit. All methods may be called from many
// goroutines.
//
// In memory a kept page takes some 500 bytes and its compressed text, a copy 8 bytes, a host
// 10 to 20 kB. The number of pages is not limited.
type Gate struct {
	o    Options
	gate *dedup.Gate
	lib  library

	claim sync.Mutex // adds one page at a time, since the gate needs rising numbers

	judged sync.Map // weak.Pointer[colly.Response] to judgement, for as long as the response is in use
}

// A judgement is the result for a response.
type judgement struct {
	match dedup.Match
	view  *purify.DocView // nil: the page was not read
}

// Use attaches a new gate with the default options to a collector. Call it before the collector's
// handlers are registered: handlers for OnResponse that were registered earlier run before the page
// is compared.
func Use(c *colly.Collector) *Gate {
	g, err := New(DefaultOptions())
	if err != nil {
		panic("the defaults are valid: " + err.Error())
	}
	g.Attach(c)
	return g
}

// New returns an empty gate.
func New(o Options) (*Gate, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("collygate options: %w", err)
	}
	o.Dedup.Recent = 1 // the library always has every signature
	g := &Gate{o: o}
	g.lib.max = o.MaxSites
	var err error
	g.gate, err = dedup.NewGate(o.Dedup, &g.lib)
	return g, err
}

// Attach attaches this gate to a collector, as Use does. A Clone of a collector has no handlers, so
// it must be attached too.
func (g *Gate) Attach(c *colly.Collector) {
	c.OnResponse(func(r *colly.Response) {
		m := g.judge(r, c.DetectCharset)
		if m.Copy() && g.o.Dedup.Mode == dedup.ModeDiscard {
			r.Body = nil
			r.Headers.Set("Content-Type", copyType)
		}
	})
}

// copyType is the Content-Type of a copy that is discarded: no handler reads it.
const copyType = "application/vnd.gatecrawl.copy"

// VerdictOf returns the URL of the page that a response is a copy of, in Match.Of, and how the gate
// found it. It is zero for a new page, and for responses that are not compared: answers to methods
// other than GET, and responses of collectors without this gate. A page that is visited again is a
// copy of itself.
func (g *Gate) VerdictOf(r *colly.Response) dedup.Match { return g.of(r).match }

// ViewOf returns a page without its template: title, text, date, author and links. It is nil for
// pages that are not read: copies with the same bytes, and responses that are neither HTML nor
// text.
func (g *Gate) ViewOf(r *colly.Response) *purify.DocView { return g.of(r).view }

// OnlyNew returns a handler for OnResponse or OnScraped that calls f unless the page is a copy.
func (g *Gate) OnlyNew(f func(*colly.Response)) func(*colly.Response) {
	return func(r *colly.Response) {
		if !g.VerdictOf(r).Copy() {
			f(r)
		}
	}
}

func (g *Gate) of(r *colly.Response) judgement {
	j, _ := g.judged.Load(weak.Make(r))
	known, _ := j.(judgement)
	return known
}

// Len returns how many pages are kept.
func (g *Gate) Len() int { return g.lib.len() }

// judge asks the gate about a response, and keeps the result for as long as the response is in use.
func (g *Gate) judge(r *colly.Response, converted bool) dedup.Match {
	if r.Request.Method != http.MethodGet || r.StatusCode < 200 || r.StatusCode > 299 || len(r.Body) == 0 || g.o.Dedup.Mode == dedup.ModeOff {
		return dedup.Match{}
	}
	j := g.ask(read(r, converted))
	key := weak.Make(r)
	g.judged.Store(key, j)
	runtime.AddCleanup(r, func(key weak.Pointer[colly.Response]) { g.judged.Delete(key) }, key)
	return j.match
}

// An unread is a page before it is read.
type unread struct {
	url, host string
	kind      string // its Content-Type, with the charset that body has now; "": it has no text
	body      []byte
}

// read extracts the parts of a response that are compared. If the server names a charset, or colly
// detects one or is given one, colly has converted the body to UTF-8.
func read(r *colly.Response, converted bool) unread {
	u := unread{url: r.Request.URL.String(), host: r.Request.URL.Host, body: r.Body}
	header := r.Headers.Get("Content-Type")
	media := fetch.MediaType(header, r.Body)
	if !fetch.IsTextType(media) && media != "application/xhtml+xml" {
		return u
	}
	u.kind = media
	if converted || r.Request.ResponseCharacterEncoding != "" || strings.Contains(strings.ToLower(header), "charset") {
		u.kind += "; charset=utf-8"
	}
	return u
}

// ask finds the page that this one is a copy of, or keeps it.
func (g *Gate) ask(u unread) judgement {
	digest := dedup.DigestOf(u.body)
	if v, err := g.gate.CheckBytes(digest); v.Copy() || err != nil {
		return judgement{match: g.match(v, err)} // copies by their bytes are not parsed
	}
	var view *purify.DocView
	var prints []purify.Print
	if u.kind != "" {
		view, prints = purify.PurifyOn(g.lib.template(u.host), u.url, u.body, u.kind)
		view.URL = u.url
	}
	sig, text := g.sign(digest, view, u.host)
	g.claim.Lock()
	defer g.claim.Unlock()
	if view != nil && view.Template != g.lib.template(u.host).Generation() { // another page has changed the template meanwhile
		sig, text = g.sign(digest, view, u.host)
	}
	doc := g.lib.push(u, sig, view)
	v, err := g.gate.Claim(doc, sig, &text)
	if v.Copy() || err != nil {
		g.lib.drop(doc)
		if err == nil && g.lib.teaches(dedup.DocID(v.Of), u, view, &text) && g.lib.learn(u.host, prints, false) {
			g.readAgain(u.host)
		}
		return judgement{g.match(v, err), view}
	}
	if g.lib.learn(u.host, prints, true) {
		g.readAgain(u.host)
	}
	return judgement{view: view}
}

// sign signs a page, with the current template of its host.
func (g *Gate) sign(digest dedup.Digest, view *purify.DocView, host string) (dedup.Signature, dedup.Text) {
	if view == nil {
		return dedup.SignPage(digest, nil, nil), dedup.Text{}
	}
	site := g.lib.template(host)
	view.Reframe(site)
	text := dedup.TextOf(view, site)
	return dedup.SignPage(digest, view, &text), text
}

// readAgain signs the pages of a host again that were kept before it had a template.
func (g *Gate) readAgain(host string) {
	g.gate.ForgetTexts(func(string) bool { return true }) // their readings were made without the template
	for _, doc := range g.lib.early(host) {
		view, digest, err := g.lib.view(doc)
		if err == nil && view != nil {
			sig, _ := g.sign(digest, view, host)
			if err = g.gate.Revise(doc, sig); err == nil {
				g.lib.resign(doc, sig)
			}
		}
		if err != nil {
			panic("a gate in memory fails: " + err.Error())
		}
	}
}

// match converts a verdict. It panics on an error: tables and texts in memory do not fail.
func (g *Gate) match(v dedup.Verdict, err error) dedup.Match {
	if err != nil {
		panic("a gate in memory fails: " + err.Error())
	}
	if !v.Copy() {
		return dedup.Match{}
	}
	return dedup.Match{Of: g.lib.url(dedup.DocID(v.Of)), Level: v.Level, Class: v.Class, Distance: v.Distance, Similarity: v.Similarity}
}
