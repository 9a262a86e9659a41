package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gatecrawl"
)

// A running crawl answers questions over HTTP on a unix socket in its job
// folder: GET /VERB?url=...&other=...&verdict=...&from=...&limit=... answers with JSON
// lines, and so does POST /near with a page. POST /seeds?name=... takes a list of seeds, and answers with what came
// of it. A path that is too long for a socket address is put elsewhere, and
// the file "control" in the job folder says where.
const (
	socketName  = "control.sock"
	pointerName = "control"
	maxSocket   = 100 // bytes of a path; the systems allow 104 to 108
)

// serveControl answers for in, and hands lists of seeds to seeds, until shut is
// called. shut may be called whether or not there is an error.
func serveControl(dir string, in gatecrawl.Inspector, seeds, rules http.HandlerFunc) (shut func(), err error) {
	nothing := func() {}
	path, cleanup, err := socketPath(dir)
	if err != nil {
		return nothing, err
	}
	l, err := listen(path)
	if err != nil {
		cleanup()
		return nothing, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", answers(in))
	mux.Handle("POST /near", answers(in))
	mux.Handle("POST /seeds", seeds)
	mux.Handle("POST /rules", rules)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan struct{})
	go func() { // ends in shut
		defer close(ended)
		srv.Serve(l) // returns ErrServerClosed
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			srv.Close() // a listing that takes longer is cut off, and its reader told so
		}
		<-ended
		cleanup()
	}, nil
}

// listen takes the address. Whoever calls holds the job's lock, so a socket
// that lies there is what a killed process left.
func listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// socketPath returns where the socket of a job goes, and what removes it.
func socketPath(dir string) (path string, cleanup func(), err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	pointer := filepath.Join(dir, pointerName)
	if path = filepath.Join(abs, socketName); len(path) <= maxSocket {
		os.Remove(pointer) // of a time when the folder had a longer name
		return path, func() { os.Remove(path) }, nil
	}
	tmp, err := os.MkdirTemp("", "crawl")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(tmp, socketName)
	if err := os.WriteFile(pointer, []byte(path), 0o600); err != nil {
		os.RemoveAll(tmp)
		return "", nil, err
	}
	return path, func() {
		os.Remove(pointer)
		os.RemoveAll(tmp)
	}, nil
}

// answers is the handler of a running crawl.
func answers(in gatecrawl.Inspector) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q, err := parseQuestion(strings.TrimPrefix(r.URL.Path, "/"), r.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if r.Method == http.MethodPost {
			page, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
			if err != nil {
				http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
				return
			}
			q.page = string(page)
		}
		out := &counting{w: w}
		w.Header().Set("Content-Type", "application/x-ndjson")
		err = answer(r.Context(), in, q, out)
		switch {
		case err == nil:
		case out.n > 0:
			panic(http.ErrAbortHandler) // the reader sees that the answer is not whole
		case errors.Is(err, gatecrawl.ErrUnknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		default:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// A counting writer knows whether anything was written.
type counting struct {
	w http.ResponseWriter
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// errNotRunning says that no crawl answers for a job.
var errNotRunning = errors.New("no crawl answers")

// toRunning returns the way to the crawl that works on a job. The error, also of
// a request that finds nobody there, is errNotRunning.
func toRunning(dir string) (*http.Transport, error) {
	path := filepath.Join(dir, socketName)
	if b, err := os.ReadFile(filepath.Join(dir, pointerName)); err == nil {
		path = string(b)
	}
	if len(path) > maxSocket {
		return nil, errNotRunning
	}
	return &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			d := net.Dialer{Timeout: 2 * time.Second}
			c, err := d.DialContext(ctx, "unix", path)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errNotRunning, err)
			}
			return c, nil
		},
	}, nil
}

// askRunning puts a question to the crawl that works on a job.
func askRunning(ctx context.Context, dir string, q question) (*http.Response, error) {
	transport, err := toRunning(dir)
	if err != nil {
		return nil, err
	}
	address := url.URL{Scheme: "http", Host: "crawl", Path: "/" + q.verb, RawQuery: q.values().Encode()}
	method, body := http.MethodGet, io.Reader(nil)
	if q.page != "" {
		method, body = http.MethodPost, strings.NewReader(q.page)
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), body)
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(req)
}

// values writes a question as the query of an address.
func (q question) values() url.Values {
	v := url.Values{}
	set := func(key, value string, given bool) {
		if given {
			v.Set(key, value)
		}
	}
	set("url", q.url, q.url != "")
	set("other", q.other, q.other != "")
	set("verdict", string(q.verdict), q.verdict != "")
	set("from", strconv.FormatUint(q.from, 10), q.from > 0)
	set("limit", strconv.Itoa(q.limit), q.limit > 0)
	return v
}

// parseQuestion reads what values wrote.
func parseQuestion(verb string, v url.Values) (q question, err error) {
	q = question{verb: verb, url: v.Get("url"), other: v.Get("other"), verdict: gatecrawl.Verdict(v.Get("verdict"))}
	if s := v.Get("from"); s != "" {
		if q.from, err = strconv.ParseUint(s, 10, 64); err != nil {
			return q, fmt.Errorf("from: %q is not a place in crawl order", s)
		}
	}
	if s := v.Get("limit"); s != "" {
		if q.limit, err = strconv.Atoi(s); err != nil {
			return q, fmt.Errorf("limit: %q is not a number", s)
		}
	}
	return q, nil
}
