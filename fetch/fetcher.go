package fetch

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/gocolly/colly/v2"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Fetcher sends requests. Its methods may be called from many goroutines;
// each call in progress has a worker of its own.
type Fetcher struct {
	o    Options
	wire *wire
	base *colly.Collector // what workers are cloned from; never sends itself

	mu   sync.Mutex
	idle []*worker // the one used last is at the end
}

// New returns a Fetcher with settings o.
func New(o Options) (*Fetcher, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f := &Fetcher{o: o.filled()}
	f.wire = newWire(&f.o)
	f.base = f.collector()
	return f, nil
}

// collector returns a colly collector that does nothing on its own: it keeps no cookies and no
// visited URLs, follows no redirect, reads no robots.txt and never waits. It does not call
// NewCollector, which reads the environment, where a COLLY_ variable could change any of this.
func (f *Fetcher) collector() *colly.Collector {
	c := new(colly.Collector)
	c.Init()
	c.UserAgent = f.o.Agent
	c.AllowURLRevisit = true
	c.ParseHTTPErrorResponse = true
	c.IgnoreRobotsTxt = true
	c.MaxBodySize = 0 // wire limits the body after decompression
	c.DisableCookies()
	c.SetRequestTimeout(0) // wire has the time limits
	// wire does not pass on a Location either; this is a second safeguard, since a failure of one
	// would not be noticed.
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	c.WithTransport(f.wire)
	return c
}

// Fetch requests u once and returns what the server answered, whatever its
// status; redirects are not followed. The error is an *Error.
func (f *Fetcher) Fetch(ctx context.Context, u weburl.URL) (*Response, error) {
	return f.FetchIf(ctx, u, Validators{})
}

// FetchIf is Fetch for a page with a known version: the server may answer 304 without a body if the
// version is still current.
func (f *Fetcher) FetchIf(ctx context.Context, u weburl.URL, known Validators) (*Response, error) {
	j, err := f.fetch(ctx, u, limits{max(f.o.MaxSitemap, f.o.MaxBody), f.o.MaxBody}, known)
	if err != nil {
		return nil, err
	}
	return j.answer, nil
}

// fetch requests u and keeps as much of the body as l allows.
func (f *Fetcher) fetch(ctx context.Context, u weburl.URL, l limits, known Validators) (*job, error) {
	if u.IsZero() {
		return nil, (&Error{URL: u}).is(PhaseURL, false, errors.New("no URL"))
	}
	booked, err := f.wire.rate.wait(ctx)
	if err != nil {
		return nil, f.o.explain(ctx, u, err)
	}
	w := f.worker()
	defer f.release(w)
	j, err := w.do(ctx, u, l, known, booked)
	f.wire.rate.came(booked, w.job.answer.Wire)
	return j, err
}

// Close closes the connections that no request uses. Requests in progress are not affected.
func (f *Fetcher) Close() {
	f.wire.base.CloseIdleConnections()
	if f.wire.bare != nil {
		f.wire.bare.CloseIdleConnections()
	}
}

// Direct reports whether Response.Addr is the server's address; through a proxy it is the proxy's.
func (f *Fetcher) Direct() bool { return f.o.Proxy == "" }

// worker returns an idle worker, or a new one. There are never more workers than calls were in
// progress at once.
func (f *Fetcher) worker() *worker {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.idle); n > 0 {
		w := f.idle[n-1]
		f.idle = f.idle[:n-1]
		return w
	}
	return newWorker(f)
}

func (f *Fetcher) release(w *worker) {
	w.job = nil
	w.collector.Context = context.Background()
	f.mu.Lock()
	f.idle = append(f.idle, w)
	f.mu.Unlock()
}

// A worker is one clone of the collector, for one request at a time. Its callbacks are registered
// once and find the current request in job.
type worker struct {
	f         *Fetcher
	collector *colly.Collector
	header    http.Header // of every request; read only
	job       *job
}

func newWorker(f *Fetcher) *worker {
	w := &worker{f: f, collector: f.base.Clone()}
	w.header = http.Header{
		"User-Agent":      {f.o.Agent},
		"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Encoding": {acceptEncoding},
	}
	w.collector.OnResponse(func(*colly.Response) { w.job.finish() })
	return w
}

// do sends one request through colly and wire.
func (w *worker) do(ctx context.Context, u weburl.URL, l limits, known Validators, booked float64) (*job, error) {
	j := newJob(&w.f.o, u, l)
	j.claim, j.rate, j.booked = claimIn(ctx), w.f.wire.rate, booked
	ctx = j.start(ctx)
	defer j.stop()
	w.job, w.collector.Context = j, ctx

	j.answer.Asked = known.conditional(w.header)
	if err := w.collector.Request(http.MethodGet, u.String(), nil, nil, j.answer.Asked); err != nil {
		return nil, w.f.o.explain(ctx, u, err)
	}
	return j, nil
}
