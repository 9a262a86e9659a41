package robots

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// rows has the robots.txt files of a job: by the first 6 bytes of the SHA-256 of the host, in whose order a
// wide crawl meets new hosts, and the first 10 of that of the origin. Jobs from before 2026-11-30
// have them by the origin itself. Most sites have none, or a short one.
var rows = &kv.Divided{Large: &kv.Table{Name: "robots", Fill: .75}, Small: &kv.Table{Name: "robots-small", ID: 'x', Filter: 16}, Most: 256}

// Tables returns the tables of this package.
func Tables() []*kv.Table { return rows.Tables() }

// rowOf returns the key of an origin.
func rowOf(origin string) []byte {
	host, sum := weburl.HostKeyOf(weburl.HostOf(origin)), sha256.Sum256([]byte(origin))
	return append(host[:], sum[:10]...)
}

// maxOrigins is for how many origins a Files remembers when to request their robots.txt.
const maxOrigins = 20_000

// Files are the robots.txt files of a job, and when to request them. Its methods may be called from
// many goroutines.
type Files struct {
	view    func(context.Context, func(kv.Reader) error, ...*kv.Table) error
	backoff func(tries int) time.Duration
	maxWait time.Duration

	mu    sync.Mutex
	known map[string]*origin
}

// An origin is what is remembered of one.
type origin struct {
	file   File      // without its body
	asked  time.Time // when the answer was received
	tries  int       // consecutive requests that failed
	asking time.Time // a caller is requesting it, until then at most; zero: none is
}

// NewFiles returns the files in the store behind view. After a failure an origin may be asked once
// more after backoff(failed tries before the last), or after as long as it asked for, at most
// maxWait.
func NewFiles(view func(context.Context, func(kv.Reader) error, ...*kv.Table) error, backoff func(tries int) time.Duration, maxWait time.Duration) *Files {
	return &Files{view: view, backoff: backoff, maxWait: maxWait, known: make(map[string]*origin)}
}

// Get returns the stored robots.txt of an origin; ok is false if there is none.
func (f *Files) Get(ctx context.Context, origin string) (file File, ok bool, err error) {
	err = f.view(ctx, func(r kv.Reader) error {
		b, err := rows.Get(r, rowOf(origin))
		if err == nil && b == nil {
			b, err = r.Get(rows.Large, []byte(origin))
		}
		if err != nil || b == nil {
			return err
		}
		ok = true
		err = file.UnmarshalBinary(b)
		file.Origin = origin
		return err
	})
	if err != nil {
		return file, false, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return file, ok, nil
}

// Put stores what an origin answered.
func (f *Files) Put(tx kv.Tx, file File) error {
	b, err := file.MarshalBinary()
	if err != nil {
		return fmt.Errorf("robots.txt of %s: %w", file.Origin, err)
	}
	if err := rows.Put(tx, rowOf(file.Origin), b); err != nil {
		return fmt.Errorf("robots.txt of %s: %w", file.Origin, err)
	}
	asked := time.Now()
	tx.OnCommit(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		o := &origin{file: file, asked: asked}
		o.file.Body = nil
		if file.Failed() {
			o.tries = 1
			if old := f.known[file.Origin]; old != nil {
				o.tries += old.tries
			}
		}
		f.remember(file.Origin, o)
	})
	return nil
}

// A Turn says what a caller who has a URL of an origin should do.
type Turn uint8

// The values of a Turn.
const (
	TurnPage Turn = iota // request the page: the robots.txt of its origin is known
	TurnAsk              // request the robots.txt, and then call Put or Leave
	TurnWait             // wait: another caller is requesting it
)

// Turn returns what a caller who has a URL of an origin should do. A TurnAsk is valid until the
// given time; then another caller may get it.
func (f *Files) Turn(ctx context.Context, of string, now, until time.Time) (Turn, error) {
	f.mu.Lock()
	o := f.known[of]
	f.mu.Unlock()
	if o == nil {
		file, ok, err := f.Get(ctx, of)
		if err != nil {
			return TurnPage, err
		}
		if ok {
			file.Body = nil
		}
		f.mu.Lock()
		if o = f.known[of]; o == nil {
			o = f.remember(of, &origin{file: file, asked: file.Fetched}) // the zero file has expired
		}
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case now.Before(o.asking):
		return TurnWait, nil
	case !o.file.Expired(now) && !f.mayAskAgain(o, now):
		return TurnPage, nil
	}
	o.asking = until
	return TurnAsk, nil
}

// mayAskAgain reports whether an origin that failed may be asked once more: after each failure it
// gets twice as long to recover.
func (f *Files) mayAskAgain(o *origin, now time.Time) bool {
	rest := max(f.backoff(max(o.tries, 1)-1), min(o.file.Wait, f.maxWait))
	return o.file.Failed() && !o.file.Final && now.Sub(o.asked) >= rest
}

// Leave ends a TurnAsk without an answer.
func (f *Files) Leave(of string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.known[of]; o != nil {
		o.asking = time.Time{}
	}
}

// remember stores what is known of an origin. If there are too many origins, it replaces one whose
// file no caller is requesting. The caller holds mu.
func (f *Files) remember(of string, o *origin) *origin {
	if len(f.known) >= maxOrigins {
		for name, old := range f.known {
			if old.asking.IsZero() && name != of {
				delete(f.known, name)
				break
			}
		}
	}
	f.known[of] = o
	return o
}
