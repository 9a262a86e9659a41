package control

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fold"
)

// A Job is a job whose files are open.
type Job interface {
	gatecrawl.Inspector
	io.Closer
}

// A Client asks questions about a job and changes it, whether or not a crawl works on it.
type Client struct {
	Dir string // the job's folder

	// Read opens the job's files for questions, and Write for changes. They are called if no crawl
	// answers.
	Read, Write func() (Job, error)

	// Locked reports whether an error of Read or Write means that another process has the job. A
	// crawl that starts or ends has it for a moment while its socket does not answer, so both ways
	// are tried for five seconds.
	Locked func(error) bool

	// Want says that the job is wanted until done is called, so that crawl serve lets go of it. It may be
	// nil, or fail: then nobody is asked.
	Want func() (done func(), err error)

	// Suspended returns the process that has the job, if it was stopped, as by Ctrl-Z; otherwise 0. It may
	// be nil. A suspended crawl would be waited for without end.
	Suspended func() (pid int)
}

const (
	patience  = 5 * time.Second // with a job that is locked
	retryRest = 50 * time.Millisecond
)

var (
	// ErrNotRunning says that no crawl works on the job, or that it does not answer. An error that is
	// fs.ErrPermission too says that this user may not ask it.
	ErrNotRunning = errors.New("no crawl answers")

	// ErrCutOff says that a crawl ended, or was killed, in the middle of an answer.
	ErrCutOff = errors.New("the crawl ended while it answered: ask again")
)

// Ask returns the answer to a question as JSON lines. The caller closes it.
func (c *Client) Ask(ctx context.Context, q Question) (answer io.ReadCloser, err error) {
	err = c.retry(ctx, toAsk, func() error {
		answer, err = c.askRunning(ctx, q)
		return err
	}, func() error {
		job, err := c.Read()
		if err == nil {
			answer = answerFrom(ctx, job, q)
		}
		return err
	})
	return answer, err
}

// Fold calls show with the groups of a list of search results, completed with what the job knows
// about them. If no crawl answers, list is called while the job's files are opened, and the groups
// are not converted to JSON and back.
func (c *Client) Fold(ctx context.Context, list func() (FoldRequest, error), show func(fold.Group) error) error {
	var wanted FoldRequest
	var listing errgroup.Group
	listing.Go(func() (err error) { wanted, err = list(); return err })

	var answer io.ReadCloser
	var job Job
	err := c.retry(ctx, toAsk, func() error {
		if !c.mayAnswer() {
			return ErrNotRunning
		}
		if err := listing.Wait(); err != nil {
			return err
		}
		request, err := json.Marshal(wanted)
		if err != nil {
			return err
		}
		answer, err = c.askRunning(ctx, Question{Verb: "fold", Page: string(request)})
		return err
	}, func() (err error) {
		job, err = c.Read()
		return err
	})
	err = cmp.Or(listing.Wait(), err)
	if job != nil {
		return foldOnce(ctx, job, wanted, err, show)
	}
	if err != nil {
		return err
	}
	defer answer.Close()
	_, err = Each(answer, show)
	return err
}

// foldOnce folds a list with what a job knows, unless the list could not be read, and closes the
// job. The job is closed while the list is folded, since unmapping the pages that were read takes a
// tenth of the time.
func foldOnce(ctx context.Context, job Job, list FoldRequest, unread error, show func(fold.Group) error) error {
	d, err := newOnce(true), unread
	if err == nil {
		err = d.describe(ctx, job, &list)
	}
	var closing sync.WaitGroup
	closing.Go(func() { job.Close() }) // a job that was opened for reading has nothing to lose
	defer closing.Wait()
	if err != nil {
		return err
	}
	return d.list(list, show)
}

// ChangeRules changes the job's URL rules.
func (c *Client) ChangeRules(ctx context.Context, change RuleChange) (came RuleOutcome, err error) {
	body, err := json.Marshal(change)
	if err != nil {
		return came, err
	}
	err = c.retry(ctx, toChange, func() error {
		return c.post(ctx, "/rules", nil, bytes.NewReader(body), &came)
	}, func() error {
		job, err := c.Write()
		if err != nil {
			return err
		}
		came, err = ChangeRules(ctx, job, change)
		return errors.Join(err, job.Close())
	})
	return came, err
}

// Steer changes the crawl that works on the job. If there is none it calls stopped, which may fail as Write may.
func (c *Client) Steer(ctx context.Context, change Change, stopped func() (Settings, error)) (now Settings, err error) {
	body, err := json.Marshal(change)
	if err != nil {
		return now, err
	}
	err = c.retry(ctx, toChange, func() error {
		return c.post(ctx, "/steer", nil, bytes.NewReader(body), &now)
	}, func() (err error) {
		now, err = stopped()
		return err
	})
	return now, err
}

// Take calls change, which opens the job's files itself and may fail as Write may. It is for changes
// that no running crawl can make. A schedule between two runs, and crawl serve, let go of the job until change
// returns.
func (c *Client) Take(ctx context.Context, change func() error) error {
	return c.retry(ctx, byFiles, func() error { return ErrNotRunning }, change)
}

// AskRunning asks the crawl that works on the job, and never reads the job's files. The error is
// ErrNotRunning if there is none.
func (c *Client) AskRunning(ctx context.Context, q Question) (io.ReadCloser, error) {
	return c.askRunning(ctx, q)
}

// AddSeeds passes a list of seeds to the crawl that works on the job. If there is none it calls
// stopped, which adds them to the job's files and may fail as Write may.
func (c *Client) AddSeeds(ctx context.Context, list io.Reader, name string, stopped func(list io.Reader) (AddedSeeds, error)) (came AddedSeeds, err error) {
	text := bufio.NewReader(list) // a request that finds no crawl would close list, although it has read nothing of it: see send
	err = c.retry(ctx, toChange, func() error {
		return c.post(ctx, "/seeds", url.Values{"name": {name}}, text, &came)
	}, func() (err error) {
		came, err = stopped(text)
		return err
	})
	return came, err
}

// A way is how a client gets what it wants.
type way int

const (
	toAsk    way = iota // a crawl that runs is asked, or else the files are read
	toChange            // a crawl that runs is asked, or else the files are changed
	byFiles             // the files are changed, which cannot be done while a crawl runs
)

// retry calls running, and stopped if no crawl answers, until one of them succeeds or fails for
// good. If a crawl is killed while it answers, a question is asked again; a change is not made
// again. A schedule that waits for its next run is asked to let go of the job: see ServeBetween. So
// is crawl serve for a change; it does not keep a question out.
func (c *Client) retry(ctx context.Context, by way, running, stopped func() error) error {
	var done func()
	defer func() {
		if done != nil {
			done()
		}
	}()
	for deadline := time.Now().Add(patience); ; {
		if c.Suspended != nil && c.mayAnswer() {
			if pid := c.Suspended(); pid != 0 {
				return fmt.Errorf("the crawl that works on the job, process %d, is suspended, as by Ctrl-Z: let it go on with fg in its terminal, or with kill -CONT %d, and ask again", pid, pid)
			}
		}
		err := running()
		if unasked := err; errors.Is(err, ErrNotRunning) {
			if err = stopped(); errors.Is(err, ErrNotRunning) {
				err = unasked // it may say that the crawl is another user's
			}
		}
		locked := err != nil && c.Locked(err)
		if locked {
			if runs := c.askToYield(ctx); runs && by == byFiles {
				return err
			}
			if by != toAsk && done == nil && c.Want != nil {
				done, _ = c.Want() // without it the lock is waited for all the same
			}
		}
		wait := locked || err != nil && by == toAsk && brokeOff(err)
		if !wait || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryRest):
		}
	}
}

// askToYield asks a schedule to let go of the job. It reports whether a crawl that runs answers
// instead. Whoever else has the job's lock does not answer.
func (c *Client) askToYield(ctx context.Context) (runs bool) {
	r, err := c.send(ctx, http.MethodPost, yieldPath, nil, nil)
	if err == nil {
		r.Close()
	}
	return errors.As(err, new(*refusal))
}

// askRunning asks the crawl that works on the job.
func (c *Client) askRunning(ctx context.Context, q Question) (io.ReadCloser, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if q.Page != "" {
		method, body = http.MethodPost, strings.NewReader(q.Page)
	}
	return c.send(ctx, method, "/"+q.Verb, q.values(), body)
}

// post sends a change to the crawl that works on the job, and decodes its answer into came.
func (c *Client) post(ctx context.Context, path string, query url.Values, body io.Reader, came any) error {
	r, err := c.send(ctx, http.MethodPost, path, query, body)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := json.NewDecoder(r).Decode(came); err != nil {
		return fmt.Errorf("the running crawl ended before all was done; run the command again: %w", err)
	}
	return nil
}

// send sends a request to the crawl that works on the job, and returns its answer. The error is
// ErrNotRunning if there is no such crawl, and a *refusal if it refuses.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, body io.Reader) (io.ReadCloser, error) {
	transport, err := transportTo(c.Dir)
	if err != nil {
		return nil, err
	}
	to := url.URL{Scheme: "http", Host: "crawl", Path: path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Expect", "100-continue") // a list that was sent to who does not take it could not be read again
	}
	resp, err := transport.RoundTrip(req)
	if errors.Is(err, ErrNotRunning) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("asking the running crawl: %w", err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusConflict {
		return nil, ErrNotRunning
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return nil, fmt.Errorf("asking the running crawl: %w", err)
	}
	return nil, &refusal{strings.TrimSpace(string(text)), resp.StatusCode}
}

// socketOf returns the path of the socket of the crawl that works on a job.
func socketOf(dir string) string {
	if b, err := os.ReadFile(filepath.Join(dir, pointerName)); err == nil {
		return string(b)
	}
	return filepath.Join(dir, socketName)
}

// mayAnswer reports whether the job has a socket. A killed crawl may have left it.
func (c *Client) mayAnswer() bool {
	_, err := os.Stat(socketOf(c.Dir))
	return err == nil
}

// transportTo returns the transport to the crawl that works on a job. Its error, and that of a
// request for which no crawl listens, is ErrNotRunning.
func transportTo(dir string) (*http.Transport, error) {
	path := socketOf(dir)
	if len(path) > maxSocket {
		return nil, ErrNotRunning
	}
	return &http.Transport{
		DisableKeepAlives:     true,
		ExpectContinueTimeout: time.Hour, // a body is sent when it is asked for, or never
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			d := net.Dialer{Timeout: 2 * time.Second}
			c, err := d.DialContext(ctx, "unix", path)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrNotRunning, err)
			}
			return c, nil
		},
	}, nil
}

// A refusal is a running crawl's reason not to answer.
type refusal struct {
	text   string
	status int // as StatusOf has it
}

func (r *refusal) Error() string { return r.text }

// Is makes errors.Is find gatecrawl.ErrUnknown, or that the disk is full, in a refusal.
func (r *refusal) Is(target error) bool {
	switch r.status {
	case http.StatusNotFound:
		return target == gatecrawl.ErrUnknown
	case http.StatusInsufficientStorage:
		return target == syscall.ENOSPC
	}
	return false
}

// answerFrom answers from a job's files while the answer is read, and closes the job with the
// answer.
func answerFrom(ctx context.Context, job Job, q Question) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	closed := make(chan error, 1)
	go func() { // ends with the answer, or when its reader closes
		w.CloseWithError(Answer(ctx, job, q, w))
		closed <- job.Close()
	}()
	return &fileAnswer{PipeReader: r, cancel: cancel, closed: closed}
}

type fileAnswer struct {
	*io.PipeReader
	cancel func()
	closed chan error
}

func (a *fileAnswer) Close() error {
	a.cancel()
	a.PipeReader.Close()
	return <-a.closed
}

// Each decodes the lines of an answer and calls show with each. It reports whether there were any.
// The error is that of show, that of the answer, or ErrCutOff.
func Each[T any](answer io.Reader, show func(T) error) (found bool, err error) {
	dec := json.NewDecoder(answer)
	for {
		var v T
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return found, cutOff(err)
		}
		found = true
		if err := show(v); err != nil {
			return found, err
		}
	}
}

// Copy writes an answer unchanged. It reports whether there was any. The error is that of w, that
// of the answer, or ErrCutOff.
func Copy(w io.Writer, answer io.Reader) (found bool, err error) {
	n, err := io.Copy(w, answer)
	if errors.Is(err, syscall.EPIPE) { // the reader of w has gone away; reading never returns this error
		return n > 0, err
	}
	return n > 0, cutOff(err)
}

// brokeOff reports whether an error means that the other side of a connection has ended.
func brokeOff(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// cutOff returns ErrCutOff for an error that means that an answer has ended early.
func cutOff(err error) error {
	if brokeOff(err) {
		return ErrCutOff
	}
	return err
}
