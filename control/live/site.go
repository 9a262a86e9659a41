package live

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/style"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
)

//go:embed static/*
var static embed.FS

//go:embed pages.html
var pagesText string

// A Site serves the web page of one job.
type Site struct {
	job     gatecrawl.Inspector
	running *control.Running // nil: no crawl works on the job
	form    string           // the token of forms
	pages   *template.Template
	stop    <-chan struct{}

	front   cached[front]
	parts   cached[map[string]string] // of the first page, as HTML
	mirrors later[[]control.MirrorLine]
	outline later[*page.Outline]
	queue   cached[sampled]

	mu      sync.Mutex
	viewers int // open streams of events
}

// maxViewers bounds the open streams of events.
const maxViewers = 32

// New returns the site of a job; running is nil if no crawl works on it. formToken is that of
// guard.Guard. Streams of events end when stop is closed.
func New(job gatecrawl.Inspector, running *control.Running, formToken string, stop <-chan struct{}) *Site {
	s := &Site{job: job, running: running, form: formToken, stop: stop}
	s.pages = template.Must(template.New("").Funcs(functions).Parse(pagesText)) // its text is part of the program
	s.parts.keep, s.queue.keep = 900*time.Millisecond, 20*time.Second
	s.front.keep = s.parts.keep
	s.mirrors.keep, s.mirrors.wait = time.Minute, 500*time.Millisecond
	s.outline.keep, s.outline.wait = time.Minute, 50*time.Millisecond
	s.mirrors.paced, s.outline.paced = running != nil, running != nil
	s.front.seldom, s.queue.seldom = true, true // these read many records or hosts of the job
	return s
}

// Handler serves the site.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.first)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /pages", s.list)
	mux.HandleFunc("GET /refused", s.refused)
	mux.HandleFunc("GET /why", s.why)
	mux.HandleFunc("GET /hosts", s.hosts)
	mux.HandleFunc("GET /dups", s.dups)
	mux.HandleFunc("GET /mirrors", s.mirrored)
	mux.HandleFunc("GET /queue", s.waiting)
	mux.HandleFunc("POST /steer", s.steer)
	mux.Handle("GET /static/", http.FileServerFS(static))
	mux.HandleFunc("GET /static/style.css", style.Serve)
	return mux
}

// A view has the data of a page's template.
type view struct {
	Title   string
	Path    string // of the page, for the menu
	Form    string // token
	Running bool
	Paused  bool
	Job     string
	At      time.Time
	Said    string // result of a button
	Error   string
	Data    any
}

// render writes a complete page, or an error.
func (s *Site) render(w http.ResponseWriter, r *http.Request, status int, name string, v view) {
	v.Form, v.Running, v.At, v.Path = s.form, s.running != nil, time.Now(), r.URL.Path
	if s.running != nil {
		v.Paused = s.running.Controls().Paused
	}
	if f, err := s.overview(r.Context()); err == nil {
		v.Job = f.Status.Job
	}
	v.Said = said[r.URL.Query().Get("said")]
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // a client that stops reading gets no error
}

// fail answers with an error.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.render(w, r, control.StatusOf(err), "fault", view{Title: "This did not work", Error: err.Error()})
}

// Login shows the form that asks for the token.
func (s *Site) Login(w http.ResponseWriter, _ *http.Request, failed bool) {
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, "login", failed); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if failed {
		w.WriteHeader(http.StatusUnauthorized)
	}
	w.Write(b.Bytes())
}

// A front has the data of the first page.
type front struct {
	Status gatecrawl.Status
	Live   *control.Live // nil: no crawl works on the job
	Now    time.Time
}

// overview returns the data of the first page, read once for all viewers.
func (s *Site) overview(ctx context.Context) (front, error) {
	ctx = context.WithoutCancel(ctx) // other viewers wait for it too
	return s.front.get(func() (front, error) { return s.look(ctx) })
}

func (s *Site) look(ctx context.Context) (f front, err error) {
	f.Now = time.Now()
	if f.Status, err = s.job.Status(ctx); err != nil || s.running == nil {
		return f, err
	}
	l, err := s.running.LiveAt(ctx, f.Status, 12)
	f.Live = &l
	return f, err
}

func (s *Site) first(w http.ResponseWriter, r *http.Request) {
	f, err := s.overview(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "front", view{Title: "Overview", Data: f})
}

// partNames are the parts of the first page that change.
var partNames = []string{"state", "tiles", "topic", "charts", "hosttable", "logs", "reasons"}

// fresh renders the parts of the first page, once for all viewers.
func (s *Site) fresh(ctx context.Context) (map[string]string, error) {
	return s.parts.get(func() (map[string]string, error) {
		f, err := s.overview(ctx)
		if err != nil {
			return nil, err
		}
		parts := make(map[string]string, len(partNames))
		for _, name := range partNames {
			var b bytes.Buffer
			if err := s.pages.ExecuteTemplate(&b, name, f); err != nil {
				return nil, err
			}
			parts[name] = b.String()
		}
		return parts, nil
	})
}

// events sends the parts of the first page when they change.
func (s *Site) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	full := s.viewers >= maxViewers
	if !full {
		s.viewers++
	}
	s.mu.Unlock()
	if full {
		http.Error(w, "too many watch this crawl at once", http.StatusServiceUnavailable)
		return
	}
	defer func() {
		s.mu.Lock()
		s.viewers--
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	sent := make(map[string]string)
	for {
		parts, err := s.fresh(r.Context())
		if err != nil {
			return // the crawl has ended; the browser asks again
		}
		changed := make(map[string]string)
		for name, text := range parts {
			if sent[name] != text {
				changed[name], sent[name] = text, text
			}
		}
		b, err := json.Marshal(changed)
		if err != nil {
			return
		}
		out.SetWriteDeadline(time.Now().Add(10 * time.Second))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.stop:
			return
		case <-tick.C:
		}
	}
}

// How many rows a list shows, and how many records it reads for them.
const (
	Rows = 50
	Scan = 5_000
)

// A pageList has the data of a list of records.
type pageList struct {
	gatecrawl.Found
	Query   url.Values
	Filter  string    // in words; "": there is none
	From    uint64    // the first record that was read
	Before  uint64    // how many places were skipped because the Outline shows that they have no such record; 0: none
	Outline time.Time //
	Focused bool      // pages have a relevance
}

func (s *Site) list(w http.ResponseWriter, r *http.Request) {
	kind, from, err := kindOf(r.URL.Query())
	if err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	l := pageList{Query: url.Values{}, From: from, Filter: kind.String()}
	for _, name := range kindFields {
		if v := r.URL.Query().Get(name); v != "" {
			l.Query.Set(name, v)
		}
	}
	find := gatecrawl.Find{Kind: kind, From: from, Limit: Rows, Look: Scan}
	f, err := s.overview(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	l.Focused = f.Status.Harvest != nil
	if f.Status.Totals.Pages > Scan && l.Filter != "" {
		m := s.outline.get(s.read)
		if find.Outline = m.value; m.value != nil {
			l.Before, l.Outline = m.value.End()-1, m.at
		}
	}
	if l.Found, err = s.job.Find(r.Context(), find); err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "list", view{Title: "Pages", Data: l})
}

// kindFields are the fields of the form above a list.
var kindFields = []string{"verdict", "rule", "reason", "host", "status", "level", "class", "relevance"}

// kindOf reads from a query which records are wanted, and from which place on.
func kindOf(q url.Values) (k page.Kind, from uint64, err error) {
	number := func(name string, bits int) (n uint64) {
		text := strings.TrimSpace(q.Get(name))
		if text == "" {
			return 0
		}
		n, fault := strconv.ParseUint(text, 10, bits)
		if fault != nil && err == nil {
			err = fmt.Errorf("%s: %q is not a number", name, text)
		}
		return n
	}
	text := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	k = page.Kind{Verdict: page.Verdict(text("verdict")), Rule: text("rule"), Failure: text("reason"), Host: strings.ToLower(text("host")),
		Status: int(number("status", 16)), Level: int(number("level", 8)), Class: text("class")}
	if rel := text("relevance"); rel != "" && err == nil {
		k.Relevance, err = control.ParseRelevance(rel)
	}
	from, fault := placeOf(q.Get("from"))
	if err == nil {
		err = fault
	}
	if err == nil {
		err = k.Validate()
	}
	return k, from, err
}

// How many refused URLs a list shows, and how many URLs of the job it reads for them.
const (
	refusedRows = 200
	refusedScan = 10_000
)

// A refusedList has the data of a list of refused URLs.
type refusedList struct {
	gatecrawl.Refused
	Rule string // "": any rule
}

func (s *Site) refused(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	l := refusedList{Rule: strings.TrimSpace(q.Get("rule"))}
	var err error
	if l.Refused, err = s.job.Refused(r.Context(), gatecrawl.RefusedQuery{Rule: l.Rule, From: q.Get("from"), Limit: refusedRows, Look: refusedScan}); err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "refused", view{Title: "Refused URLs", Data: l})
}

func (s *Site) why(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.URL.Query().Get("url"))
	if text == "" {
		s.render(w, r, http.StatusOK, "why", view{Title: "Why"})
		return
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	why, err := s.job.Why(r.Context(), text)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "why", view{Title: "Why", Data: why})
}

// deepest is the last place that is shown of a list that is sorted for each view.
const deepest = 10_000

// nextPlace returns where such a list goes on; 0: there is no more.
func nextPlace(from uint64, rows int) uint64 {
	if next := from + uint64(rows); next <= deepest {
		return next
	}
	return 0
}

// A hostList has the data of a list of hosts.
type hostList struct {
	By   frontier.HostOrder
	All  []frontier.HostOrder
	Rows []hostRow
	Now  time.Time

	Next uint64 // place of the next host; 0: no more are shown

	Focused bool    // hosts have a relevance
	OnTopic float64 // the relevance from which a page is on the topic; 0: not known
}

type hostRow struct {
	gatecrawl.HostState
	PerMin float64
	TookMS int64
}

func (s *Site) hosts(w http.ResponseWriter, r *http.Request) {
	by, err := frontier.ParseHostOrder(r.URL.Query().Get("by"))
	if err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	from, err := placeOf(r.URL.Query().Get("from"))
	if err == nil && from > deepest {
		err = fmt.Errorf("from: %d is too far: this list goes to %d, and that of the API, %s, to the end", from, deepest, "/api/v1/hosts")
	}
	if err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	hs, err := s.job.Hosts(r.Context(), gatecrawl.HostQuery{By: by, Skip: int(from - 1), Limit: 2*Rows + 1})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	l := hostList{By: by, All: frontier.HostOrders, Now: time.Now()}
	if f, err := s.overview(r.Context()); err == nil && f.Status.Topic != nil {
		l.OnTopic = f.Status.Topic.Threshold
	}
	if len(hs) > 2*Rows {
		hs = hs[:2*Rows]
		l.Next = nextPlace(from, 2*Rows)
	}
	for _, h := range hs {
		row := hostRow{HostState: h}
		l.Focused = l.Focused || h.Rated > 0
		if s.running != nil {
			rate := s.running.Board.Rate(h.Name)
			row.PerMin, row.TookMS = rate.PerMin, rate.TookMS
		}
		l.Rows = append(l.Rows, row)
	}
	s.render(w, r, http.StatusOK, "hosts", view{Title: "Hosts", Data: l})
}

// How many copies of a group are shown: in the list of groups, and on the page of one group.
const (
	shownCopies = 20
	allCopies   = 5_000
)

// A groupList has the data of a list of groups, or of one group.
type groupList struct {
	Groups []gatecrawl.Group
	From   uint64
	Next   uint64 // where to go on; 0: there is no more
	Alone  bool   // it is one group, which shows more of its copies
}

func (s *Site) dups(w http.ResponseWriter, r *http.Request) {
	from, err := placeOf(r.URL.Query().Get("from"))
	if err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	l := groupList{From: from, Alone: r.URL.Query().Has("alone")}
	most, copies := Rows, shownCopies
	if l.Alone {
		most, copies = 1, allCopies
	}
	err = s.job.Groups(r.Context(), gatecrawl.GroupQuery{From: from, Limit: most + 1, Copies: copies}, func(g gatecrawl.Group) error {
		if len(l.Groups) == most {
			l.Next = g.Seq
			return nil
		}
		l.Groups = append(l.Groups, g)
		return nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "dups", view{Title: "Duplicates", Data: l})
}

// placeOf reads a place in crawl order, from 1 on.
func placeOf(text string) (uint64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 1, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("from: %q is not a number", text)
	}
	return max(1, n), nil
}

func (s *Site) mirrored(w http.ResponseWriter, r *http.Request) {
	m := s.mirrors.get(s.compare)
	if m.err != nil {
		s.fail(w, r, m.err)
		return
	}
	from, err := placeOf(r.URL.Query().Get("from"))
	if err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	l := mirrorList{Made: m.at, Since: m.since, From: from}
	lines := m.value[min(from-1, uint64(len(m.value))):]
	if len(lines) > 2*Rows {
		lines = lines[:2*Rows]
		l.Next = from + 2*Rows
	}
	for _, line := range lines {
		if line.Group != nil {
			l.Groups = append(l.Groups, line)
		} else {
			l.Pairs = append(l.Pairs, line)
		}
	}
	s.render(w, r, http.StatusOK, "mirrors", view{Title: "Mirrors", Data: l})
}

// compare compares all sites of the job, until the site stops.
func (s *Site) compare(ctx context.Context) ([]control.MirrorLine, error) {
	ctx, done := s.untilStop(ctx)
	defer done()
	return control.Mirrors(ctx, s.job)
}

// read reads the Outline of the job, until the site stops.
func (s *Site) read(ctx context.Context) (*page.Outline, error) {
	ctx, done := s.untilStop(ctx)
	defer done()
	return s.job.Outline(ctx)
}

// untilStop returns a context that is cancelled when the site stops, too.
func (s *Site) untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the context
		select {
		case <-s.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// Wait returns when nothing of the site reads the job any more. Before, stop has to be closed, and
// no request may be under way.
func (s *Site) Wait() {
	s.mirrors.busy.Wait()
	s.outline.busy.Wait()
}

// A mirrorList has the data of the page of mirrors.
type mirrorList struct {
	Groups, Pairs []control.MirrorLine

	From, Next uint64 // places of the first one and of the next one after the page; Next 0: there is no more

	Made  time.Time // when the sites were compared; zero: they are being compared for the first time
	Since time.Time // since when they are being compared again; zero: they are not
}

// looked is how many URLs of the queue are read for its page.
const looked = 5000

func (s *Site) waiting(w http.ResponseWriter, r *http.Request) {
	l := queueList{Depth: -1}
	var err error
	if text := strings.TrimSpace(r.URL.Query().Get("depth")); text != "" {
		n, fault := strconv.ParseUint(text, 10, 31)
		if fault != nil {
			s.refuse(w, r, fmt.Sprintf("depth: %q is not a number of links", text))
			return
		}
		l.Depth = int(n)
	}
	if text := strings.TrimSpace(r.URL.Query().Get("score")); text != "" {
		n, fault := strconv.Atoi(text)
		if fault != nil {
			s.refuse(w, r, fmt.Sprintf("score: %q is not a whole number", text))
			return
		}
		l.Score = &n
	}
	if l.From, err = placeOf(r.URL.Query().Get("from")); err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	if l.sampled, err = s.queue.get(func() (sampled, error) { return s.sample(r.Context()) }); err != nil {
		s.fail(w, r, err)
		return
	}
	l.choose()
	s.render(w, r, http.StatusOK, "queue", view{Title: "Queue", Data: l})
}

// A sampled is a part of the queue, and when it was read.
type sampled struct {
	gatecrawl.Waiting
	Read time.Time
}

func (s *Site) sample(ctx context.Context) (q sampled, err error) {
	q.Waiting, err = s.job.Waiting(context.WithoutCancel(ctx), gatecrawl.WaitingQuery{Sample: looked, List: true})
	q.Read = time.Now()
	return q, err
}

// A queueList has the data of the page of the queue.
type queueList struct {
	sampled
	Depth int  // only URLs this many links from a seed; -1: all
	Score *int // only URLs with a score from this number up to the next whole one; nil: all

	From, Next uint64 // places of the first one and of the next one after the page; Next 0: there is no more
	Chosen     int    // how many have this Depth and Score
}

// choose reduces the list to the URLs of one page. It does not change the list that other viewers
// share.
func (l *queueList) choose() {
	var of []gatecrawl.WaitingURL
	for _, u := range l.URLs {
		if (l.Depth < 0 || u.Depth == l.Depth) && (l.Score == nil || int(math.Floor(float64(u.Score))) == *l.Score) {
			of = append(of, u)
		}
	}
	l.Chosen = len(of)
	of = of[min(l.From-1, uint64(len(of))):]
	if len(of) > Rows {
		of, l.Next = of[:Rows], l.From+Rows
	}
	l.URLs = of
}

// Query returns the query of this list for the page that starts at another place.
func (l queueList) Query() url.Values {
	v := url.Values{}
	if l.Depth >= 0 {
		v.Set("depth", strconv.Itoa(l.Depth))
	}
	if l.Score != nil {
		v.Set("score", strconv.Itoa(*l.Score))
	}
	return v
}

// A cached value is computed again when it is older than keep, once for all who ask. A seldom value
// is also kept for a hundred times as long as it took to compute, so that viewers take no more than
// a hundredth of a processor from a crawl, however large the job is.
type cached[T any] struct {
	keep   time.Duration
	seldom bool

	mu   sync.Mutex
	at   time.Time
	next time.Time
	last T
}

const timesAsLong = 100

func (c *cached[T]) get(anew func() (T, error)) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && time.Now().Before(c.next) {
		return c.last, nil
	}
	start := time.Now()
	v, err := anew()
	if err == nil {
		c.last, c.at = v, time.Now()
		keep := c.keep
		if c.seldom {
			keep = max(keep, timesAsLong*c.at.Sub(start))
		}
		c.next = c.at.Add(keep)
	}
	return v, err
}

// forget makes the next get compute the value again.
func (c *cached[T]) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = time.Time{}
}
