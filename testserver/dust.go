package testserver

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// DustPatterns are the ways in which a Dust site gives a document more than one
// address. The last five are traps for who learns such ways: there the addresses
// are of different documents, always or on some pages.
var DustPatterns = []string{
	"parameter", "enumerated", "referrer", "two-parameters", "value", "order", "index", "slash", "case",
	"extension", "segment", "print-path", "print-parameter", "amp", "query-of-id", "campaign", "prefix", "tilde", "first-page",
	"sometimes", "revision", "action", "front-page", "pages",
}

// dustTraps is how many of DustPatterns, from the end, are traps.
const dustTraps = 5

// DustOptions says what site to make.
type DustOptions struct {
	Seed     uint64   // decides every byte
	Pages    int      // articles, from 10 to 100,000
	Links    int      // from each article to others, 1 to 100
	Patterns []string // of DustPatterns
	Endless  bool     // days without an event, each of which leads to two more
	Strict   bool     // tok= of the pattern parameter is another document each time
}

// Validate reports every fault at once.
func (o DustOptions) Validate() error {
	var faults []error
	if o.Pages < 10 || o.Pages > 100_000 {
		faults = append(faults, fmt.Errorf("pages is %d, must be from 10 to 100000", o.Pages))
	}
	if o.Links < 1 || o.Links > 100 {
		faults = append(faults, fmt.Errorf("links is %d, must be from 1 to 100", o.Links))
	}
	for _, p := range o.Patterns {
		if !slices.Contains(DustPatterns, p) {
			faults = append(faults, fmt.Errorf("pattern %q is not one of %s", p, strings.Join(DustPatterns, ", ")))
		}
	}
	return errors.Join(faults...)
}

// A Dust is a site whose articles have many addresses. It is an http.Handler.
type Dust struct {
	o      DustOptions
	voices *voice
}

// NewDust plans a site.
func NewDust(o DustOptions) (*Dust, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("dust site: %w", err)
	}
	return &Dust{o: o, voices: newVoice("en", &english, o.Seed)}, nil
}

func (d *Dust) has(pattern string) bool { return slices.Contains(d.o.Patterns, pattern) }

// address returns the plain address of an article.
func (d *Dust) address(n int) string {
	topic := d.voices.slugs[n%len(d.voices.slugs)]
	if d.has("query-of-id") || d.has("order") {
		return fmt.Sprintf("/%s/show?cat=%d&id=%d", topic, n%7, n)
	}
	if d.has("index") || d.has("slash") || d.has("front-page") {
		return fmt.Sprintf("/%s/story-%d/", topic, n)
	}
	return fmt.Sprintf("/%s/story-%d.html", topic, n)
}

// variant returns another address of an article by a pattern; h decides which.
func (d *Dust) variant(pattern, address string, h uint64) string {
	path, query, _ := strings.Cut(address, "?")
	with := func(pair string) string {
		if query == "" {
			return path + "?" + pair
		}
		return path + "?" + query + "&" + pair
	}
	drawn := fmt.Sprintf("%016x", scramble(h))
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

// eventless is the document of all days.
const eventless = -1_000_000

// Document returns which document an address, with path and query, is of: the
// same number for the same text. Articles count from 0; the start page is -1,
// listings are below, and days without an event far below; ok is false where there
// is none.
func (d *Dust) Document(address string) (n int, ok bool) {
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
	case q.Has("opt") && mix(d.o.Seed^0x0b7, uint64(n))%20 == 0:
		other = 2 + numberIn(q.Get("opt"))
	case q.Has("tok") && d.o.Strict:
		return n + (100+int(scrambleText(q.Get("tok"))%1_000_000))*d.o.Pages, true
	case q.Has("rev"):
		other = 10 + numberIn(q.Get("rev"))
	case q.Has("action"):
		other = 20
	case q.Has("page") && q.Get("page") != "1":
		other = 20 + numberIn(q.Get("page"))
	}
	return n + other*d.o.Pages, true
}

// numberIn returns the first number of a text, -1 where there is none.
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

// scrambleText turns a text into a number.
func scrambleText(s string) uint64 {
	h := uint64(0)
	for _, c := range []byte(s) {
		h = scramble(h ^ uint64(c))
	}
	return h
}

// ServeHTTP answers for an address.
func (d *Dust) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, ok := d.Document(r.URL.RequestURI())
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(d.page(n, r.URL.Path)) // the client may be gone, which is its business
}

// nothingToday is the text of a day without an event.
const nothingToday = `<h1>Events</h1>
<p>Nothing is planned for this day, neither in the great hall nor in the garden, and no guided tour was announced by any
of the societies that meet in the house during the year. Those who want to announce a meeting of their own may write to
the office on the ground floor, which answers within the week and publishes what it accepts on these pages.</p>
`

// page makes a document. The path decides where a day leads to.
func (d *Dust) page(n int, path string) []byte {
	title, body := "Start", []byte(nil)
	switch {
	case n == eventless:
		title, body = "Events", []byte(nothingToday)
	case n >= 0:
		v := d.voices
		h := mix(d.o.Seed, uint64(n))
		t := text{voice: v, topic: int(h % uint64(len(v.topics))), seed: h, frame: h ^ 1, length: 24, day: 19_000 + n%900}
		title = fmt.Sprintf("Story %d", n)
		t.title = title
		body = t.compose(nil, &marks{
			title: [2]string{"<h1>", "</h1>\n"}, lead: [2]string{"<p>", "</p>\n"}, heading: [2]string{"<h2>", "</h2>\n"},
			para: [2]string{"<p>", "</p>\n"}, quote: [2]string{"<p>", "</p>\n"}, list: [2]string{"<ul>", "</ul>\n"}, item: [2]string{"<li>", "</li>\n"},
		}, nil)
	}
	b := fmt.Appendf(nil, "<!DOCTYPE html>\n<html lang=en><head><title>%s</title></head>\n<body><main><article>\n%s</article></main>\n<nav><ul>\n", title, body)
	for _, to := range d.links(n, path) {
		b = fmt.Appendf(b, "<li><a href=%q>read on</a></li>\n", to)
	}
	return append(b, "</ul></nav></body></html>\n"...)
}

// links are the addresses that a document links to: of an article, others under
// addresses of all patterns.
func (d *Dust) links(n int, path string) (to []string) {
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
			to = append(to, d.address(i))
		}
		return to
	}
	if d.o.Strict {
		n %= d.o.Pages // or there would be no end of them
	}
	for i := range d.o.Links {
		h := mix(d.o.Seed^0xd057, uint64(n)<<8|uint64(i))
		a := d.address(int(h % uint64(d.o.Pages)))
		if len(d.o.Patterns) > 0 {
			a = d.variant(pick(d.o.Patterns, h>>20), a, h>>32)
		}
		to = append(to, a)
	}
	return to
}

// DustTrap reports whether a pattern is one of the traps.
func DustTrap(pattern string) bool {
	return slices.Index(DustPatterns, pattern) >= len(DustPatterns)-dustTraps
}
