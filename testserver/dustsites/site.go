package dustsites

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/splitmix"
	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// Patterns are the ways in which a Site gives a document more than one URL. The last five are traps
// for a learner: their URLs have different documents, always or on some pages.
var Patterns = []string{
	"parameter", "enumerated", "referrer", "two-parameters", "value", "order", "index", "slash", "case",
	"extension", "segment", "print-path", "print-parameter", "amp", "query-of-id", "campaign", "prefix", "tilde", "first-page",
	"sometimes", "revision", "action", "front-page", "pages",
}

// Options are the settings of a Site.
type Options struct {
	Seed     uint64   // determines every byte
	Pages    int      // articles, from 10 to 100,000
	Links    int      // from each article to others, 1 to 100
	Patterns []string // elements of Patterns
	Endless  bool     // days without an event, each of which leads to two more
	Strict   bool     // each tok= of the pattern parameter is a different document
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	if o.Pages < 10 || o.Pages > 100_000 {
		faults = append(faults, fmt.Errorf("pages is %d, must be from 10 to 100000", o.Pages))
	}
	if o.Links < 1 || o.Links > 100 {
		faults = append(faults, fmt.Errorf("links is %d, must be from 1 to 100", o.Links))
	}
	for _, p := range o.Patterns {
		if !slices.Contains(Patterns, p) {
			faults = append(faults, fmt.Errorf("pattern %q is not one of %s", p, strings.Join(Patterns, ", ")))
		}
	}
	return errors.Join(faults...)
}

// A Site is a site whose articles have many URLs. It is an http.Handler.
type Site struct {
	o      Options
	corpus *corpus.Corpus
}

// New plans a site.
func New(o Options) (*Site, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("dust site: %w", err)
	}
	return &Site{o: o, corpus: corpus.English(o.Seed)}, nil
}

func (d *Site) has(pattern string) bool { return slices.Contains(d.o.Patterns, pattern) }

// url returns the plain URL of an article.
func (d *Site) url(n int) string {
	topic := d.corpus.Slugs[n%len(d.corpus.Slugs)]
	if d.has("query-of-id") || d.has("order") {
		return fmt.Sprintf("/%s/show?cat=%d&id=%d", topic, n%7, n)
	}
	if d.has("index") || d.has("slash") || d.has("front-page") {
		return fmt.Sprintf("/%s/story-%d/", topic, n)
	}
	return fmt.Sprintf("/%s/story-%d.html", topic, n)
}

// variantURL returns another URL of an article by a pattern; h selects which.
func (d *Site) variantURL(pattern, address string, h uint64) string {
	path, query, _ := strings.Cut(address, "?")
	with := func(pair string) string {
		if query == "" {
			return path + "?" + pair
		}
		return path + "?" + query + "&" + pair
	}
	drawn := fmt.Sprintf("%016x", splitmix.Finish(h))
	switch pattern {
	case "parameter":
		return with("tok=" + drawn[:10])
	case "enumerated":
		return with("skin=" + []string{"dark", "light", "blue"}[h%3])
	case "referrer":
		return with(fmt.Sprintf("from=story-%d", h%50))
	case "two-parameters":
		return with("visit=" + drawn[:8] + "&box=" + strconv.FormatUint(h%9, 10))
	case "value":
		return with("part=1")
	case "order":
		pairs := strings.Split(query, "&")
		slices.Reverse(pairs)
		return path + "?" + strings.Join(pairs, "&")
	case "index":
		return path + "index.html"
	case "slash":
		return strings.TrimSuffix(path, "/")
	case "case":
		at := strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/') + 1
		return path[:at] + strings.ToUpper(path[at:at+1]) + path[at+1:] + strings.TrimPrefix(address, path)
	case "extension":
		return strings.TrimSuffix(path, ".html") + []string{".htm", ""}[h%2]
	case "segment":
		return "/v" + drawn + address
	case "print-path":
		return "/print" + address
	case "print-parameter":
		return with("print=1")
	case "amp":
		return strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".html") + "/amp"
	case "campaign":
		return with("utm_source=" + []string{"letter", "feed", "post"}[h%3] + "&utm_medium=m" + strconv.FormatUint(h%4, 10))
	case "prefix":
		return "/archive" + address
	case "tilde":
		return "/~" + address[1:]
	case "sometimes":
		return with("opt=" + strconv.FormatUint(h%4, 10))
	case "revision":
		return with("rev=" + strconv.FormatUint(1+h%2, 10))
	case "action":
		return with("action=print")
	case "front-page":
		return path + "index.php"
	case "first-page":
		return with("page=" + strconv.FormatUint(1+h%4, 10))
	case "pages":
		return with("page=" + strconv.FormatUint(2+h%3, 10))
	}
	return address
}

// eventless is the number of the document that all days without an event share.
const eventless = -1_000_000

// Document returns the number of the document at a URL, given as path and query: the same
// number for the same text. Articles have numbers from 0, the start page has -1, listings
// have lower ones, and days without an event a very low one; ok is false if there is no
// document.
func (d *Site) Document(address string) (n int, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, false
	}
	if u.Path == "/" {
		return -1, u.RawQuery == ""
	}
	if rest, found := strings.CutPrefix(u.Path, "/list/"); found {
		i, err := strconv.Atoi(rest)
		return -2 - i, err == nil && i >= 0 && i*20 < d.o.Pages
	}
	if rest, found := strings.CutPrefix(u.Path, "/day/"); found && d.o.Endless {
		_, err := strconv.ParseUint(rest, 10, 64)
		return eventless, err == nil
	}
	path := u.Path
	if i := strings.IndexByte(path[1:], '/') + 1; d.has("segment") && i == 18 && path[1] == 'v' {
		path = path[i:]
	}
	if d.has("print-path") {
		path = strings.TrimPrefix(path, "/print")
	}
	other := 0
	if d.has("front-page") && strings.HasSuffix(path, "index.php") {
		other = 1
	}
	n = numberIn(path)
	if id := u.Query().Get("id"); id != "" {
		n = numberIn(id)
	}
	if n < 0 || n >= d.o.Pages {
		return 0, false
	}
	q := u.Query()
	switch {
	case q.Has("opt") && corpus.Mix(d.o.Seed^0x0b7, uint64(n))%20 == 0:
		other = 2 + numberIn(q.Get("opt"))
	case q.Has("tok") && d.o.Strict:
		return n + (100+int(hashText(q.Get("tok"))%1_000_000))*d.o.Pages, true
	case q.Has("rev"):
		other = 10 + numberIn(q.Get("rev"))
	case q.Has("action"):
		other = 20
	case q.Has("page") && q.Get("page") != "1":
		other = 20 + numberIn(q.Get("page"))
	}
	return n + other*d.o.Pages, true
}

// numberIn returns the first number in a text, or -1.
func numberIn(s string) int {
	from := strings.IndexAny(s, "0123456789")
	if from < 0 {
		return -1
	}
	to := from
	for to < len(s) && '0' <= s[to] && s[to] <= '9' {
		to++
	}
	n, err := strconv.Atoi(s[from:to])
	if err != nil {
		return -1
	}
	return n
}

// hashText hashes a text.
func hashText(s string) uint64 {
	h := uint64(0)
	for _, c := range []byte(s) {
		h = splitmix.Finish(h ^ uint64(c))
	}
	return h
}

// ServeHTTP serves the site.
func (d *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, ok := d.Document(r.URL.RequestURI())
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(d.page(n, r.URL.Path)) // the client may be gone
}

// nothingToday is the text of a day without an event.
const nothingToday = `<h1>Events</h1>
<p>Nothing is planned for this day, neither in the great hall nor in the garden, and no guided tour was announced by any
of the societies that meet in the house during the year. Those who want to announce a meeting of their own may write to
the office on the ground floor, which answers within the week and publishes what it accepts on these pages.</p>
`

// page makes a document. The path decides the links of a day.
func (d *Site) page(n int, path string) []byte {
	title, body := "Start", []byte(nil)
	switch {
	case n == eventless:
		title, body = "Events", []byte(nothingToday)
	case n >= 0:
		v := d.corpus
		h := corpus.Mix(d.o.Seed, uint64(n))
		t := corpus.Text{Corpus: v, Topic: int(h % uint64(len(v.Topics))), Seed: h, Frame: h ^ 1, Length: 24, Day: 19_000 + n%900}
		title = fmt.Sprintf("Story %d", n)
		t.Title = title
		body = t.Append(nil, &corpus.Markup{
			Title: [2]string{"<h1>", "</h1>\n"}, Lead: [2]string{"<p>", "</p>\n"}, Heading: [2]string{"<h2>", "</h2>\n"},
			Para: [2]string{"<p>", "</p>\n"}, Quote: [2]string{"<p>", "</p>\n"}, List: [2]string{"<ul>", "</ul>\n"}, Item: [2]string{"<li>", "</li>\n"},
		}, nil)
	}
	b := fmt.Appendf(nil, "<!DOCTYPE html>\n<html lang=en><head><title>%s</title></head>\n<body><main><article>\n%s</article></main>\n<nav><ul>\n", title, body)
	for _, to := range d.links(n, path) {
		b = fmt.Appendf(b, "<li><a href=%q>read on</a></li>\n", to)
	}
	return append(b, "</ul></nav></body></html>\n"...)
}

// links returns the links of a document: from an article to others, by URLs of all patterns.
func (d *Site) links(n int, path string) (to []string) {
	if n == eventless {
		day := uint64(numberIn(path))
		return []string{fmt.Sprintf("/day/%d", 2*day+1), fmt.Sprintf("/day/%d", 2*day+2)}
	}
	if n == -1 {
		if d.o.Endless {
			to = append(to, "/day/0")
		}
		for i := 0; i*20 < d.o.Pages; i++ {
			to = append(to, fmt.Sprintf("/list/%d", i))
		}
		return to
	}
	if n < -1 {
		for i := (-2 - n) * 20; i < min((-1-n)*20, d.o.Pages); i++ {
			to = append(to, d.url(i))
		}
		return to
	}
	if d.o.Strict {
		n %= d.o.Pages // otherwise there would be no end of them
	}
	for i := range d.o.Links {
		h := corpus.Mix(d.o.Seed^0xd057, uint64(n)<<8|uint64(i))
		a := d.url(int(h % uint64(d.o.Pages)))
		if len(d.o.Patterns) > 0 {
			a = d.variantURL(corpus.Pick(d.o.Patterns, h>>20), a, h>>32)
		}
		to = append(to, a)
	}
	return to
}
