package testserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
)

// A Web is a set of sites on loopback addresses.
type Web struct {
	o        Options
	sites    []*site
	partials []partialMirror        // partial mirrors of generated sites
	home     map[*corpus.Text]*page // the first page with each text
	server   *http.Server
	served   sync.WaitGroup // one for each listener
	byAddr   map[string]*site
	buffer   sync.Pool // of *[]byte, for payloads
	log      requestLog

	mu      sync.Mutex // guards the fields below
	started bool
	closed  bool
	unbind  func() bool // cancels the AfterFunc of Start's context

	truthOnce sync.Once
	truth     score.Truth
}

// A Site is one host of a Web.
type Site struct {
	Name    string `json:"name"`              // unique in the Web, such as "vellinge-herald-3"
	URL     string `json:"url"`               // root, with its final slash
	Lang    string `json:"lang,omitempty"`    // main language, en or zh; empty for a folder
	Charset string `json:"charset,omitempty"` // utf-8, gbk or windows-1252; empty for a folder
	Folder  bool   `json:"folder,omitempty"`
	Pages   int    `json:"pages"` // documents that a crawl must fetch
}

// New plans a web. It serves nothing before Start.
func New(o Options) (*Web, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("test web: %w", err)
	}
	w := &Web{o: o, home: map[*corpus.Text]*page{}, log: requestLog{size: o.Log}}
	w.buffer.New = func() any { return new([]byte) }
	w.generate()
	if len(w.partials) < o.Partial && o.Hosts > 0 {
		return nil, fmt.Errorf("test web: partial mirrors is %d, but only %d sites can carry one: those that answer in UTF-8 and ask for no Crawl-delay", o.Partial, len(w.partials))
	}
	return w, nil
}

// Start listens on the sites' IP addresses and serves until ctx is done or Close is called.
// Each site has its own IP address and all have one port, if the system has all of
// 127.0.0.0/8; otherwise each site has its own port of 127.0.0.1. A Web starts only once.
func (w *Web) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started || w.closed {
		return errors.New("test web: already started or closed")
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("test web: %w", err)
	}
	if len(w.sites) == 0 {
		return errors.New("test web: no sites: set hosts, or add a folder")
	}
	listeners, err := Listen(len(w.sites), w.o.Port)
	if err != nil {
		return fmt.Errorf("test web: %w", err)
	}
	w.started = true
	w.byAddr = make(map[string]*site, len(w.sites))
	for i, l := range listeners {
		w.sites[i].addr = l.Addr().String()
		w.byAddr[w.sites[i].addr] = w.sites[i]
	}
	w.server = &http.Server{
		Handler:           http.HandlerFunc(w.serve),
		ReadHeaderTimeout: 30 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, siteKey{}, w.byAddr[c.LocalAddr().String()])
		},
	}
	for _, l := range listeners {
		// Ends when Close closes the listener; Close waits for it.
		w.served.Go(func() { _ = w.server.Serve(l) })
	}
	w.unbind = context.AfterFunc(ctx, func() { _ = w.Close() })
	return nil
}

type siteKey struct{}

// Listen opens n listeners on distinct loopback addresses with one port, or on ports of
// 127.0.0.1 if the system does not have these addresses. Port 0 is any free one.
func Listen(n, port int) ([]net.Listener, error) {
	const tries = 20 // a free port of the first address may be taken on another one
	for try := 1; ; try++ {
		listeners, err := listenAt(n, port, hostAddress, 0)
		switch {
		case errors.Is(err, syscall.EADDRNOTAVAIL):
			return listenAt(n, port, func(int) string { return "127.0.0.1" }, 1)
		case err == nil || port != 0 || try == tries:
			return listeners, err
		}
	}
}

// listenAt opens a listener for each host on its IP address. Its port is that of the host
// before plus stride; if port is 0 and stride is not, it is any free port.
func listenAt(n, port int, address func(i int) string, stride int) ([]net.Listener, error) {
	var open []net.Listener
	for i := range n {
		l, err := net.Listen("tcp", net.JoinHostPort(address(i), strconv.Itoa(port)))
		if err != nil {
			for _, o := range open {
				err = errors.Join(err, o.Close())
			}
			return nil, err
		}
		open = append(open, l)
		switch {
		case port != 0:
			port += stride
		case stride == 0:
			port = l.Addr().(*net.TCPAddr).Port
		}
	}
	return open, nil
}

// hostAddress returns the i-th IP address from 127.20.1.1 on.
func hostAddress(i int) string {
	return fmt.Sprintf("127.%d.%d.%d", 20+i/62_500, 1+i/250%250, 1+i%250)
}

// Close stops serving, and returns when every listener and connection is closed. Requests
// in progress are aborted. A Web with folders must be closed even if it never started.
func (w *Web) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	var err error
	if w.server != nil {
		w.unbind()
		err = w.server.Close()
		w.served.Wait()
	}
	for _, s := range w.sites {
		if s.folder != nil {
			err = errors.Join(err, s.folder.root.Close())
		}
	}
	return err
}

// serve answers one request.
func (w *Web) serve(rw http.ResponseWriter, r *http.Request) {
	s, _ := r.Context().Value(siteKey{}).(*site)
	if s == nil {
		http.Error(rw, "no site at this address", http.StatusMisdirectedRequest)
		return
	}
	now, key := time.Now(), s.key(r)
	s.traffic.start(key, now)
	defer s.traffic.end()
	status := w.answer(rw, r, s, key)
	w.log.add(Request{Time: now, Site: s.name, Path: key, Status: status, Agent: r.UserAgent()})
}

// answer writes the response and returns its status.
func (w *Web) answer(rw http.ResponseWriter, r *http.Request, s *site, key string) int {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		rw.Header().Set("Allow", "GET, HEAD")
		return reply(rw, 405, "text/plain; charset=utf-8", "only GET and HEAD\n")
	}
	if s.folder != nil {
		return w.serveFile(rw, r, s)
	}
	p := s.find(key)
	if p == nil {
		return w.serveOther(rw, s, r.URL.Path)
	}
	if p.kind == score.KindRedirect {
		rw.Header().Set("Location", w.location(p))
		return reply(rw, p.status, "text/html; charset=utf-8", "<html><body>Moved.</body></html>\n")
	}
	if p.kind == score.KindDead {
		return reply(rw, p.status, "text/html; charset=utf-8", "<html><head><title>Not here</title></head><body><h1>Not here</h1></body></html>\n")
	}
	if p.original().kind == score.KindSlow && !wait(r.Context(), w.o.SlowDelay) {
		return 0
	}
	buf := w.buffer.Get().(*[]byte)
	defer w.buffer.Put(buf)
	*buf = w.render((*buf)[:0], p)
	h := rw.Header()
	h["Content-Type"] = p.original().skin().ContentType
	h["Content-Length"] = []string{strconv.Itoa(len(*buf))}
	_, _ = rw.Write(*buf) // the client may be gone
	return p.status
}

// wait reports whether d passed before ctx was done.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// key returns the path and query of a request, escaped as in the truth however the client
// wrote it.
func (s *site) key(r *http.Request) string {
	if s.byPath[r.RequestURI] != nil {
		return r.RequestURI
	}
	key := escapePath(r.URL.Path)
	if r.URL.RawQuery != "" {
		key += "?" + r.URL.RawQuery
	}
	return key
}

// find returns the page of a key, or nil.
func (s *site) find(key string) *page {
	if p := s.byPath[key]; p != nil {
		return p
	}
	return s.calendarPage(key)
}

// serveOther answers requests that are not for a page.
func (w *Web) serveOther(rw http.ResponseWriter, s *site, path string) int {
	const xml = "application/xml; charset=utf-8"
	switch {
	case path == "/robots.txt":
		return reply(rw, 200, "text/plain; charset=utf-8", w.robots(s))
	case path == "/sitemap.xml":
		return reply(rw, 200, xml, w.sitemap(s, 0))
	case strings.HasPrefix(path, "/sitemap-"):
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path, "/sitemap-"), ".xml"))
		if err == nil && 0 < n && n <= len(s.pages) {
			if m := w.sitemap(s, n); m != "" {
				return reply(rw, 200, xml, m)
			}
		}
	}
	return reply(rw, 404, "text/plain; charset=utf-8", "not found\n")
}

func reply(rw http.ResponseWriter, status int, ctype, body string) int {
	rw.Header().Set("Content-Type", ctype)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(status)
	_, _ = rw.Write([]byte(body))
	return status
}

// location returns the target of a redirect: a path, or another site's root.
func (w *Web) location(p *page) string {
	if !p.external {
		return p.target
	}
	for _, o := range w.sites {
		if o.name == p.target {
			return "http://" + o.addr + "/"
		}
	}
	return "/"
}

// url returns the URL of a path. Before Start it has the site's name in place of its IP
// address.
func (s *site) url(path string) string {
	if s.addr == "" {
		return "http://" + s.name + path
	}
	return "http://" + s.addr + path
}

// Seeds returns the URLs from which all pages of the truth can be reached: the root of each
// site, and the listing of each folder.
func (w *Web) Seeds() []string {
	var seeds []string
	for _, s := range w.sites {
		seeds = append(seeds, s.url("/"))
		if s.folder != nil && s.folder.hasIndex() {
			seeds = append(seeds, s.url(s.folder.listingPath(0)))
		}
	}
	return seeds
}

// Sites returns the sites in a stable order: generated sites, their mirrors, then folders in
// the order in which they were added.
func (w *Web) Sites() []Site {
	sites := make([]Site, len(w.sites))
	for i, s := range w.sites {
		sites[i] = Site{Name: s.name, URL: s.url("/"), Folder: s.folder != nil}
		if s.folder != nil {
			sites[i].Pages = s.folder.documents()
			continue
		}
		sites[i].Lang, sites[i].Charset, sites[i].Pages = s.corpus.Lang, s.charset, w.documents(s)
	}
	return sites
}

// Requests returns the latest requests, oldest first, at most Options.Log.
func (w *Web) Requests() []Request { return w.log.all() }

// Traffic returns the counters of every site, in the order of Sites.
func (w *Web) Traffic() []Traffic {
	t := make([]Traffic, len(w.sites))
	for i, s := range w.sites {
		t[i] = s.traffic.report(s.name)
	}
	return t
}

// Reset clears the request log and the counters.
func (w *Web) Reset() {
	for _, s := range w.sites {
		s.traffic.reset()
	}
	w.log.reset()
}
