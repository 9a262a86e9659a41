package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// The socket is in the job folder. If its path is too long for a socket address, the socket is
// elsewhere, and the file "control" in the job folder has its path.
const (
	socketName  = "control.sock"
	pointerName = "control"
	maxSocket   = 100 // bytes of a path; operating systems allow 104 to 108
)

// maxPage bounds the page of a question near: 10 MiB with every byte escaped.
const maxPage = 64 << 20

// Serve answers for the job in dir until shut is called: GET /VERB?url=...&limit=... for each of
// Verbs, POST /near with a Page, POST /fold with a FoldRequest, POST /rules with a RuleChange, POST
// /steer with a Change, and POST /seeds?name=... with a list of seeds. The caller must have the
// job's lock. shut may be called even after an error.
func Serve(dir string, r *Running) (shut func(), err error) {
	mux := http.NewServeMux()
	mux.Handle("GET /", Answers(r.Job(), r))
	mux.Handle("POST /near", Answers(r.Job(), r))
	mux.Handle("POST /fold", Answers(r.Job(), r))
	mux.Handle("POST /seeds", addSeeds(r.Seeds))
	mux.Handle("POST /rules", changeRules(r.Job()))
	mux.Handle("POST /steer", steer(r.Apply))
	return serve(dir, mux)
}

// yieldPath is where a client asks a schedule to let go of its job.
const yieldPath = "/yield"

// ServeBetween answers between two runs of a schedule until shut is called: GET /status, POST /steer, which calls stop if
// the Change has Stop, and POST /yield, which calls yield: it lets go of the job for a moment so that a client can change
// its files. All else a client does with the files. The caller must have the job's lock. shut may be called even after an
// error.
func ServeBetween(dir string, job gatecrawl.Inspector, stop, yield func()) (shut func(), err error) {
	mux := http.NewServeMux()
	mux.Handle("GET /status", Answers(job, nil))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, ErrNotRunning) })
	mux.Handle("POST /steer", steer(func(_ context.Context, c Change) (Settings, error) {
		if !c.Stop {
			return Settings{}, ErrNotRunning
		}
		stop()
		return Settings{}, nil
	}))
	mux.HandleFunc("POST "+yieldPath, func(http.ResponseWriter, *http.Request) { yield() })
	return serve(dir, mux)
}

// serve answers on the job's socket.
func serve(dir string, mux http.Handler) (shut func(), err error) {
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
			srv.Close() // an answer that takes longer is cut off, which its reader notices
		}
		<-ended
		cleanup()
	}, nil
}

// listen listens at the path. The caller has the job's lock, so a socket that exists was left by a
// process that was killed.
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

// socketPath returns the path for the socket of a job, and a function that removes what it has
// created.
func socketPath(dir string) (path string, cleanup func(), err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	pointer := filepath.Join(dir, pointerName)
	if path = filepath.Join(abs, socketName); len(path) <= maxSocket {
		os.Remove(pointer) // left from when the folder had a longer path
		return path, func() { os.Remove(path) }, nil
	}
	tmp, err := os.MkdirTemp("", "crawl")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(tmp, socketName)
	if err := writePointer(pointer, path); err != nil {
		os.RemoveAll(tmp)
		return "", nil, err
	}
	return path, func() {
		os.Remove(pointer)
		os.RemoveAll(tmp)
	}, nil
}

// writePointer writes the file that has the path of the socket. An existing file is removed, not
// overwritten, since it may be a link to another file.
func writePointer(pointer, path string) error {
	if err := os.Remove(pointer); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(pointer, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(path)
	return errors.Join(err, f.Close())
}

// An Answerer answers questions over HTTP. It caches the lists that it has folded as long as it
// exists, and what the job knows about their URLs for a minute, or as long as it exists if no crawl
// works on the job.
type Answerer struct {
	job     gatecrawl.Inspector
	running *Running
	lists   *describer
}

// Answers returns an Answerer; running is nil if no crawl works on the job.
func Answers(job gatecrawl.Inspector, running *Running) *Answerer {
	return &Answerer{job, running, newDescriber(running == nil)}
}

// ServeHTTP answers the question that the path names.
func (a *Answerer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuestion(strings.TrimPrefix(r.URL.Path, "/"), r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPost {
		page, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPage))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		q.Page = string(page)
	}
	out := &countingWriter{w: w}
	w.Header().Set("Content-Type", "application/x-ndjson")
	switch {
	case q.Verb == "live" && a.running != nil:
		err = answerLive(r.Context(), a.running, q, out)
	case q.Verb == "fold":
		err = a.lists.answerFold(r.Context(), a.job, q, encoder(out))
	default:
		err = Answer(r.Context(), a.job, q, out)
	}
	switch {
	case err == nil:
	case out.n > 0:
		panic(http.ErrAbortHandler) // the reader notices that the answer is incomplete
	default:
		refuse(w, err)
	}
}

// maxChange bounds a Change, in bytes of JSON.
const maxChange = 1 << 20

// steer answers POST /steer.
func steer(apply func(context.Context, Change) (Settings, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var c Change
		dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxChange))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		now, err := apply(r.Context(), c)
		if err != nil {
			refuse(w, err)
			return
		}
		AnswerJSON(w, now)
	}
}

func refuse(w http.ResponseWriter, err error) { http.Error(w, err.Error(), StatusOf(err)) }

// StatusOf returns the HTTP status of an answer that has failed before its first byte.
func StatusOf(err error) int {
	var noURL *weburl.ParseError
	switch {
	case errors.Is(err, gatecrawl.ErrUnknown), errors.Is(err, errNoQuestion):
		return http.StatusNotFound
	case errors.Is(err, ErrNotRunning):
		return http.StatusConflict
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return http.StatusInsufficientStorage
	case errors.As(err, &noURL), errors.Is(err, errBad), errors.Is(err, gatecrawl.ErrNoPlace):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// A countingWriter knows whether anything was written.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
