package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// newFetcher returns a Fetcher that may use loopback.
func newFetcher(t testing.TB, o Options) *Fetcher {
	t.Helper()
	o.AllowLoopback = true
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// serve starts a server and returns its origin.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// talk starts a server that reads a request, writes what speak writes and
// hangs up. It is for answers that net/http would not send.
func talk(t testing.TB, speak func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { // until l is closed
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { // until speak returns, which the end of ctx makes it
				defer c.Close()
				stop := context.AfterFunc(ctx, func() { c.Close() })
				defer stop()
				if err := readRequest(c); err == nil {
					speak(c)
				}
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		l.Close()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// readRequest reads until the empty line.
func readRequest(c net.Conn) error {
	var head []byte
	b := make([]byte, 1024)
	for !bytes.Contains(head, []byte("\r\n\r\n")) {
		n, err := c.Read(b)
		if err != nil {
			return err
		}
		head = append(head, b[:n]...)
	}
	return nil
}

// hang blocks until the client hangs up or the test is over.
func hang(c net.Conn) { io.Copy(io.Discard, c) }

func mustFetch(t testing.TB, f *Fetcher, address string) *Response {
	t.Helper()
	r, err := f.Fetch(t.Context(), mustParse(t, address))
	if err != nil {
		t.Fatalf("Fetch(%s): %v", address, err)
	}
	return r
}

func TestFetchReturnsWhatTheServerSaid(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "Text/HTML; charset=GBK")
		w.Header().Set("X-Robots-Tag", "nofollow")
		w.Write([]byte("<p>\xc4\xe3\xba\xc3"))
	})
	before := time.Now()
	r := mustFetch(t, newFetcher(t, Options{}), origin+"/a")
	if r.Status != 200 || r.ContentType != "text/html" || !r.IsHTML() || r.Truncated {
		t.Errorf("got %+v", r)
	}
	if want := "<p>\xc4\xe3\xba\xc3"; string(r.Body) != want {
		t.Errorf("Body = %q, want the bytes as sent, %q", r.Body, want)
	}
	if got := r.Header.Get("X-Robots-Tag"); got != "nofollow" {
		t.Errorf("X-Robots-Tag = %q", got)
	}
	if r.URL.String() != origin+"/a" || "http://"+r.Addr != origin || r.Wire != 7 {
		t.Errorf("URL %s, Addr %s, Wire %d", r.URL, r.Addr, r.Wire)
	}
	if r.Started.Before(before) || r.Took <= 0 || r.Took > time.Minute {
		t.Errorf("Started %v, Took %v", r.Started, r.Took)
	}
}

func TestFetchRequestsTheAddressByteForByte(t *testing.T) {
	var got atomic.Value
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) { got.Store(r.RequestURI) })
	f := newFetcher(t, Options{})
	for _, path := range []string{
		"/", "/?", "/a?b", "/a?z=1&a=2&z=0", "/a%2Fb", "/a;b=c;d", "/a?x;y", "/a?q=a+b%20c",
		"/%E4%B8%AD%E6%96%87?%E9%97%AE=%E7%AD%94", "/a//b", "//a", "//a/%2F?q", "/a%7Eb", "/~a",
		"/a?u=http://x/y?z", "/a'b(c)*!$,@:", "/a?%00", "/a[1]?b[]=2", "/a%2e%2e/b%2E", "/a?b=%e4",
	} {
		u := mustParse(t, origin+path)
		if _, err := f.Fetch(t.Context(), u); err != nil {
			t.Errorf("Fetch(%s): %v", u, err)
			continue
		}
		if got.Load() != u.RequestURI() {
			t.Errorf("Fetch(%s) requested %q, want %q", u, got.Load(), u.RequestURI())
		}
	}
}

func TestFetchSaysWhoItIs(t *testing.T) {
	var h atomic.Value
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) { h.Store(r.Header) })
	f := newFetcher(t, Options{Agent: Agent("https://crawl.example/", "1.2")})
	for range 2 {
		mustFetch(t, f, origin+"/")
		got := h.Load().(http.Header)
		if a := got.Get("User-Agent"); a != "Mozilla/5.0 (compatible; gatecrawl/1.2; +https://crawl.example/)" {
			t.Errorf("User-Agent = %q", a)
		}
		if len(got) != 3 {
			t.Errorf("headers %v, want User-Agent, Accept and Accept-Encoding only", got)
		}
	}
}

func TestErrorStatusesAreResponses(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
		if status != 204 && status != 304 {
			io.WriteString(w, "sorry")
		}
	})
	f := newFetcher(t, Options{})
	for _, status := range []int{200, 203, 204, 206, 300, 304, 400, 404, 410, 429, 451, 500, 503, 599} {
		r := mustFetch(t, f, fmt.Sprintf("%s/%d", origin, status))
		if r.Status != status || status >= 400 && string(r.Body) != "sorry" {
			t.Errorf("status %d: got %d, %q", status, r.Status, r.Body)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var requests atomic.Int32
	var location atomic.Value
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Location", location.Load().(string))
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusFound)
	})
	f := newFetcher(t, Options{})
	for n, to := range []string{"/loop", "http://elsewhere.example/", "http://[bad", "%zz:", ""} {
		location.Store(to)
		r := mustFetch(t, f, origin+"/loop")
		if r.Status != 302 || r.Location() != to {
			t.Errorf("got status %d, Location %q, want 302, %q", r.Status, r.Location(), to)
		}
		if got := requests.Load(); got != int32(n+1) {
			t.Errorf("after %d fetches: %d requests", n+1, got)
		}
	}
}

func TestFileNamesDoNotUnzip(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		w.Write([]byte("\x1f\x8b no gzip at all"))
	})
	r := mustFetch(t, newFetcher(t, Options{}), origin+"/sitemap.xml.gz")
	if string(r.Body) != "\x1f\x8b no gzip at all" || r.ContentType != "application/gzip" {
		t.Errorf("got %q, %s", r.Body, r.ContentType)
	}
}

func TestContentTypeIsSniffedWhereTheServerIsSilent(t *testing.T) {
	for _, c := range []struct {
		header, body, want string
		html, text         bool
	}{
		{"text/html", "x", "text/html", true, true},
		{"TEXT/HTML ; charset=x", "x", "text/html", true, true},
		{"application/xhtml+xml", "x", "application/xhtml+xml", true, true},
		{"", "<!DOCTYPE html><p>", "text/html", true, true},
		{"", "\xef\xbb\xbf<html>", "text/html", true, true},
		{"html", "<html>", "text/html", true, true},
		{"*/*", "<html>", "text/html", true, true},
		{"", "plain words", "text/plain", false, true},
		{"", "%PDF-1.4", "application/pdf", false, false},
		{"", "{\\rtf1\\ansi words}", "application/rtf", false, false},
		{"text/plain", "{\\rtf1\\ansi words}", "application/rtf", false, false},
		{"", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "application/x-ole-storage", false, false},
		{"image/png", "<html>", "image/png", false, false},
		{"text/html", "%PDF-1.7", "application/pdf", false, false},
		{"text/html; charset=utf-8", "\x89PNG\r\n\x1a\n", "image/png", false, false},
		{"text/plain", "PK\x03\x04", "application/zip", false, false},
		{"text/plain", "<!doctype html>", "text/plain", false, true},
		{"text/html", "\x00\x01\x02", "application/octet-stream", false, false},
		{"text/html", "wOF2\x00\x01\x00\x00", "font/woff2", false, false},
		{"text/html", "II*\x00\x08\x00", "image/tiff", false, false},
		{"text/html", "\x00\x00\x00\x20ftypavif\x00\x00\x00\x00", "image/avif", false, false},
		{"text/html", "a.txt" + strings.Repeat("\x00", 252) + "ustar\x0000", "application/x-tar", false, false},
		{"text/html", strings.Repeat("a", 257) + "ustar, and words", "text/html", true, true},
		{"text/html", "II* is a text", "text/html", true, true},
		{"text/html", strings.Repeat("words and more words ", 20) + "\x01\x02", "text/html", true, true},
		{"text/plain", "BMW makes cars", "text/plain", false, true},
		{"", "BMW makes cars", "text/plain", false, true},
		{"text/plain; charset=utf-8", "BM\x00\x00\x01", "image/bmp", false, false},
		{"text/html", "\x1f\x8b\x08\x00", "application/gzip", false, false},
		{"application/json", "\x1f\x8b\x08\x00", "application/gzip", false, false},
		{"", "\x28\xb5\x2f\xfd\x04\x00", "application/zstd", false, false},
		{"text/plain", "WARC/1.0\r\nWARC-Type: warcinfo\r\n", "application/warc", false, false},
		{"text/plain", "WARC/1.0 is a format", "text/plain", false, true},
		{"text/html", "<\x00p\x00>\x00w\x00o\x00r\x00d\x00s\x00", "text/html", true, true},
		{"text/html; charset=UTF-16LE", "\x2d\x4e\x87\x65\x01\x30\x02\x30", "text/html", true, true},
		{"text/html", "\x1b$B4A;z\x1b(B", "text/html", true, true},
		{"image/svg+xml", "\x89PNG\r\n\x1a\n", "image/png", false, false},
		{"application/octet-stream", "<!DOCTYPE html><p>", "text/html", true, true},
		{"application/octet-stream", "\x00\x01", "application/octet-stream", false, false},
		{"application/octet-stream", "%PDF-1.7", "application/pdf", false, false},
		{"binary/octet-stream", "%PDF-1.7", "application/pdf", false, false},
		{"application/force-download", "{\\rtf1 words}", "application/rtf", false, false},
		{"application/octet-stream", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "application/octet-stream", false, false},
		{"application/octet-stream", "PK\x03\x04", "application/octet-stream", false, false},
		{"application/pdf", "%PDF-1.7", "application/pdf", false, false},
		{"application/pdf", "<!doctype html><title>Not found</title>", "text/html", true, true},
		{"application/pdf", "<br />\n<b>Warning</b>: header\n%PDF-1.4", "application/pdf", false, false},
		{"application/pdf", "\x00\x01", "application/pdf", false, false},
		{"application/msword", "{\\rtf1 words}", "application/rtf", false, false},
		{"application/msword", "<html><p>", "text/html", true, true},
		{"application/msword", "PK\x03\x04", wordType, false, false},
		{wordType, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", oleType, false, false},
		{wordType, "PK\x03\x04", wordType, false, false},
		{"application/xml", "<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>", "application/xhtml+xml", true, true},
		{"application/xml", "<?xml version='1.0'?><rss>", "application/xml", false, true},
		{"application/ld+json", "{}", "application/ld+json", false, true},
		{"", "", "", false, false},
	} {
		r := Response{ContentType: MediaType(c.header, []byte(c.body))}
		if r.ContentType != c.want || r.IsHTML() != c.html || r.IsText() != c.text {
			t.Errorf("MediaType(%q, %q) = %q, html %v, text %v; want %q, %v, %v",
				c.header, c.body, r.ContentType, r.IsHTML(), r.IsText(), c.want, c.html, c.text)
		}
	}
}

// A fault is an answer that goes wrong, and what must come of it.
type fault struct {
	name  string
	o     Options
	speak func(c net.Conn)

	op    Phase  // of the error; "" where there must be none
	retry bool   //
	words string // that the error has
	body  string // else: what is kept
	cut   bool   // and whether it is marked
}

// slowness is what a clock decides. It runs on synctest's, over connections in memory.
var slowness = []fault{
	{name: "no answer", o: Options{HeaderTimeout: 5 * time.Second}, speak: hang,
		op: PhaseTimeout, retry: true, words: "no answer within 5s"},
	{name: "no answer and no time", o: Options{Timeout: 5 * time.Second}, speak: hang,
		op: PhaseTimeout, retry: true, words: "not done within 5s"},
	{name: "body stalls", o: Options{StallTimeout: 5 * time.Second},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf a body")
			hang(c)
		},
		op: PhaseTimeout, retry: true, words: "body trickles: 11 bytes in 5s, want 320 at least"},
	{name: "body does not come", o: Options{StallTimeout: 5 * time.Second},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			hang(c)
		},
		op: PhaseTimeout, retry: true, words: "body stalled for 5s"},
	{name: "body trickles", o: Options{StallTimeout: 2 * time.Second, MinRate: 1, Timeout: 20 * time.Second},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
			trickle(c, "x")
		},
		op: PhaseTimeout, retry: true, words: "not done within 20s"},
	{name: "body comes too slowly", o: Options{StallTimeout: 2 * time.Second, MinRate: 1 << 10},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
			trickle(c, "x")
		},
		op: PhaseTimeout, retry: true, words: "body trickles: 20 bytes in 2s, want 2048 at least"},
	{name: "body comes slowly enough", o: Options{StallTimeout: 2 * time.Second, MinRate: 8},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n")
			trickle(c, "x")
		},
		body: strings.Repeat("x", 200)},
	{name: "headers trickle", o: Options{HeaderTimeout: 5 * time.Second},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			trickle(c, "X-A: b\r\n")
		},
		op: PhaseTimeout, retry: true, words: "no answer within 5s"},
}

var faults = []fault{
	{name: "endless headers", o: Options{MaxHeader: 4 << 10},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			forever(c, "X-A: "+strings.Repeat("b", 1000)+"\r\n")
		},
		op: PhaseProtocol, words: "headers exceeded 4096 bytes"},
	{name: "hangs up", speak: func(c net.Conn) {},
		op: PhaseHeader, retry: true, words: "connection ended before the answer"},
	{name: "hangs up within headers", speak: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nX-A: b\r\n") },
		op: PhaseHeader, retry: true, words: "connection ended before the answer"},
	{name: "resets", speak: reset,
		op: PhaseHeader, retry: true, words: "connection ended before the answer"},
	{name: "is no HTTP", speak: func(c net.Conn) { io.WriteString(c, "SSH-2.0-OpenSSH\r\n\r\n") },
		op: PhaseProtocol, words: "malformed HTTP"},
	{name: "bad header", speak: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n") },
		op: PhaseProtocol, words: "malformed"},
	{name: "two lengths",
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
		},
		op: PhaseProtocol, words: "Content-Length"},
	{name: "resets within the body",
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			reset(c)
		},
		op: PhaseBody, retry: true, words: "read body"},
	{name: "shorter than its length",
		speak: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf a body") },
		body:  "half a body", cut: true},
	{name: "longer than its length",
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhalf a body")
		},
		body: "half"},
	{name: "chunks break off",
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
		},
		body: "half", cut: true},
	{name: "nonsense chunk",
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n")
		},
		body: "half", cut: true},
	{name: "no length, then hangs up",
		speak: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nall of it") },
		body:  "all of it"},
	{name: "endless body", o: Options{MaxBody: 5},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			forever(c, "x")
		},
		body: "xxxxx", cut: true},
	{name: "longer than the limit by its length", o: Options{MaxBody: 5},
		speak: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789") },
		body:  "12345", cut: true},
	{name: "as long as the limit", o: Options{MaxBody: 5},
		speak: func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345") },
		body:  "12345"},
	{name: "as long as the limit, in chunks", o: Options{MaxBody: 5},
		speak: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n")
		},
		body: "12345"},
}

// trickle writes ten times a second for as long as somebody listens, on synctest's clock.
func trickle(c net.Conn, s string) {
	for {
		time.Sleep(100*time.Millisecond - time.Nanosecond) // of synctest's clock, and never at the moment at which a time limit ends
		if _, err := io.WriteString(c, s); err != nil {
			return
		}
	}
}

// forever writes for as long as somebody listens.
func forever(c net.Conn, s string) {
	s = strings.Repeat(s, 1+4096/len(s))
	for {
		if _, err := io.WriteString(c, s); err != nil {
			return
		}
	}
}

// reset hangs up so that the peer sees an error.
func reset(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }

func TestFaults(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			c.check(t, newFetcher(t, c.o), talk(t, c.speak)+"/")
		})
	}
}

func TestSlowServersAreGivenUp(t *testing.T) {
	for _, c := range slowness {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFetcher(t, c.o)
				var servers sync.WaitGroup
				f.wire.base.DialContext = func(_ context.Context, _, address string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					servers.Go(func() { // until f hangs up
						defer theirs.Close()
						if readRequest(theirs) == nil {
							c.speak(theirs)
						}
					})
					return &conn{ours, address}, nil
				}
				c.check(t, f, "http://127.0.0.1/")
				f.Close()
				servers.Wait()
			})
		})
	}
}

// check fetches a URL that the fault is behind.
func (c *fault) check(t *testing.T, f *Fetcher, url string) {
	t.Helper()
	r, err := f.Fetch(t.Context(), mustParse(t, url))
	if c.op != "" {
		wantError(t, err, c.op, c.retry, c.words)
		return
	}
	if err != nil || string(r.Body) != c.body || r.Truncated != c.cut {
		t.Errorf("Fetch: %+v, %v; want body %q, truncated %v", r, err, c.body, c.cut)
	}
}

// wantError fails the test unless err is an Error with these properties.
func wantError(t *testing.T, err error, op Phase, retry bool, words string) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error %v, want one in phase %s", err, op)
	}
	if e.Op != op || e.Retry != retry || !strings.Contains(e.Reason(), words) {
		t.Errorf("error in phase %s, retry %v: %v; want phase %s, retry %v, %q", e.Op, e.Retry, e, op, retry, words)
	}
	if strings.Contains(e.Reason(), "http://") {
		t.Errorf("reason repeats the URL: %s", e.Reason())
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, err = newFetcher(t, Options{}).Fetch(t.Context(), mustParse(t, "http://"+address+"/"))
	wantError(t, err, PhaseConnect, true, "connect to "+address+": connection refused")
}

func TestUnknownHost(t *testing.T) {
	// The name server is asked only where there is one; "invalid" never exists
	// (RFC 2606).
	_, err := newFetcher(t, Options{ConnectTimeout: 2 * time.Second}).Fetch(t.Context(), mustParse(t, "http://no.such.invalid/"))
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Op != PhaseDNS && e.Op != PhaseTimeout {
		t.Fatalf("error %v, want one in phase %s", err, PhaseDNS)
	}
	if e.Op == PhaseDNS && !strings.HasPrefix(e.Reason(), "look up host no.such.invalid: ") {
		t.Errorf("reason %q", e.Reason())
	}
}

func TestLoopbackIsRefusedAfterDNS(t *testing.T) {
	var asked atomic.Bool
	origin := serve(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	f, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, address := range []string{
		origin + "/",
		strings.Replace(origin, "127.0.0.1", "localhost", 1) + "/",
		strings.Replace(origin, "127.0.0.1", "[::ffff:127.0.0.1]", 1) + "/",
	} {
		u, err := weburl.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Fetch(t.Context(), u)
		wantError(t, err, PhaseAddress, false, "is loopback and not allowed")
	}
	if asked.Load() {
		t.Error("the server was asked")
	}
}

// TestWhatIsNotAllowedIsNoFaultOfThePage: the lease may end before the request, and between it and its
// connection.
func TestWhatIsNotAllowedIsNoFaultOfThePage(t *testing.T) {
	at := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the site was asked") })
	for allowed := range 2 {
		n := 0
		f := newFetcher(t, Options{Allowed: func() error {
			if n++; n > allowed {
				return errors.New("the lease has run out")
			}
			return nil
		}})
		_, err := f.Fetch(t.Context(), mustParse(t, at))
		wantError(t, err, PhaseCanceled, true, "the lease has run out")
		n = 0
		if file := f.Robots(t.Context(), strings.TrimSuffix(at, "/")); file.Phase != string(PhaseCanceled) || file.Final {
			t.Errorf("robots.txt after %d questions: %+v", allowed, file)
		}
	}
}

func TestCancelledContextIsNoFaultOfThePage(t *testing.T) {
	arrived := make(chan struct{})
	origin := talk(t, func(c net.Conn) {
		close(arrived)
		hang(c)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // until the request arrives
		<-arrived
		cancel()
	}()
	_, err := newFetcher(t, Options{}).Fetch(ctx, mustParse(t, origin+"/"))
	wantError(t, err, PhaseCanceled, true, "canceled")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v is not context.Canceled", err)
	}
}

func TestZeroURLIsAnError(t *testing.T) {
	_, err := newFetcher(t, Options{}).Fetch(t.Context(), weburl.URL{})
	wantError(t, err, PhaseURL, false, "no URL")
}

func TestUnknownCertificateIsRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := newFetcher(t, Options{}).Fetch(t.Context(), mustParse(t, s.URL+"/"))
	wantError(t, err, PhaseTLS, false, "certificate")
}

func TestHTTPSToAnHTTPPort(t *testing.T) {
	origin := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := newFetcher(t, Options{}).Fetch(t.Context(), mustParse(t, strings.Replace(origin, "http", "https", 1)+"/"))
	wantError(t, err, PhaseTLS, false, "HTTP")
}

func TestHTTP2IsSpokenOverTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ", r.RequestURI)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	f := newFetcher(t, Options{})
	f.wire.base.TLSClientConfig = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	r := mustFetch(t, f, s.URL+"/a%2Fb?z&a")
	if got, want := string(r.Body), "HTTP/2.0 /a%2Fb?z&a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(r.Protocols, []string{"h2", "tls/1.3"}) || !strings.HasPrefix(r.Cipher, "TLS_") {
		t.Errorf("it came by %q and %q, want h2 and tls/1.3 with a cipher suite", r.Protocols, r.Cipher)
	}
	if "https://"+r.Addr != s.URL {
		t.Errorf("Addr = %q, want that of %s", r.Addr, s.URL)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	const hosts, workers, pages = 16, 64, 400
	var opened atomic.Int32
	origins := make([]string, hosts)
	for i := range origins {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			t.Skipf("no further loopback address: %v", err)
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(pageOf(30 << 10)))
		s.Listener.Close()
		s.Listener = l
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		s.Start()
		defer s.Close()
		origins[i] = s.URL
	}
	f := newFetcher(t, Options{})
	var wg sync.WaitGroup
	var next atomic.Int32
	for range workers {
		wg.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= pages {
					return
				}
				r, err := f.Fetch(t.Context(), mustParse(t, fmt.Sprintf("%s/%d?kind=%d", origins[n%hosts], n, n%5)))
				if err != nil || len(r.Body) != 30<<10 {
					t.Errorf("Fetch: %v, %v", r, err)
				}
			}
		})
	}
	wg.Wait()
	// At most as many as requests were in progress, and some that were dialed
	// while another became free.
	if got := opened.Load(); got > 3*workers {
		t.Errorf("%d fetches opened %d connections", pages, got)
	}
	t.Logf("%d fetches by %d workers opened %d connections", pages, workers, opened.Load())
	if n := len(f.idle); n > workers {
		t.Errorf("%d workers are idle, want at most %d", n, workers)
	}
}

// pageOf serves n bytes in one of five encodings, by the last digit of the query.
func pageOf(n int) http.HandlerFunc {
	plain := text(n)
	names := []string{"", "gzip", "br", "zstd", "deflate"}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		name := names[r.RequestURI[len(r.RequestURI)-1]-'0']
		if name == "" {
			w.Write(plain)
			return
		}
		w.Header().Set("Content-Encoding", name)
		w.Write(encode(name, plain))
	}
}

// TestARequestIsSentOnce has a server that answers the first request of each
// connection and hangs up on the second, as one does whose time for kept
// connections is over. net/http would send that one again at once.
func TestARequestIsSentOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var asked atomic.Int64
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for first := true; ; first = false {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					req.Body.Close()
					asked.Add(1)
					if !first {
						return
					}
					io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			}()
		}
	}()
	f := newFetcher(t, Options{})
	u := mustParse(t, "http://"+l.Addr().String()+"/")
	if _, err := f.Fetch(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	_, err = f.Fetch(t.Context(), u)
	var fault *Error
	if !errors.As(err, &fault) || fault.Op != PhaseHeader || !fault.Retry {
		t.Errorf("the second fetch: %v, want a fault of the header that may pass", err)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the server was asked %d times for two fetches", n)
	}
	if _, err := f.Fetch(t.Context(), u); err != nil {
		t.Errorf("the third fetch: %v", err)
	}
}

func mustParse(t testing.TB, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
