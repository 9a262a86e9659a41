package robots

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/store/kv"
)

// Table has the robots.txt files of a job, by origin.
var Table = &kv.Table{Name: "robots"}

// maxOrigins bounds of how many origins a Files remembers when to ask for their file.
const maxOrigins = 20_000

// Files are the robots.txt files of a job, and what is known of when to ask for them. Its
// methods may be called from many goroutines.
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
	asked  time.Time // the answer came then
	tries  int       // requests in a row that brought no robots.txt
	asking time.Time // a caller asks for it, until then at most; zero: none does
}

// NewFiles returns the files that a store's View shows. An origin that could not be asked
// may be asked once more after backoff(failed tries before the last), or after as long as it
// asked for, at most maxWait.
func NewFiles(view func(context.Context, func(kv.Reader) error, ...*kv.Table) error, backoff func(tries int) time.Duration, maxWait time.Duration) *Files {
	return &Files{view: view, backoff: backoff, maxWait: maxWait, known: make(map[string]*origin)}
}

// Get returns what is kept of an origin's robots.txt; ok is false if nothing is.
func (f *Files) Get(ctx context.Context, origin string) (file File, ok bool, err error) {
	err = f.view(ctx, func(r kv.Reader) error {
		b, err := r.Get(Table, []byte(origin))
		if err != nil || b == nil {
			return err
		}
		ok = true
		return file.UnmarshalBinary(b)
	})
	if err != nil {
		return file, false, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return file, ok, nil
}

// Put keeps what an origin answered.
func (f *Files) Put(tx kv.Tx, file File) error {
	b, err := file.MarshalBinary()
	if err != nil {
		return fmt.Errorf("robots.txt of %s: %w", file.Origin, err)
	}
	tx.Put(Table, []byte(file.Origin), b)
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

// A Turn says what the turn of a URL is for.
type Turn uint8

// The turns.
const (
	TurnPage Turn = iota // the robots.txt of its origin is known
	TurnAsk              // the caller is to ask for it, and then to call Put or Leave
	TurnWait             // another caller asks for it
)

// Turn returns what the turn of a URL of an origin is for. Who is to ask and does not by the
// given time has no longer to.
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

// mayAskAgain reports whether an origin that could not be asked may be asked once more:
// after each failure it has twice as long to recover.
func (f *Files) mayAskAgain(o *origin, now time.Time) bool {
	rest := max(f.backoff(max(o.tries, 1)-1), min(o.file.Wait, f.maxWait))
	return o.file.Failed() && !o.file.Final && now.Sub(o.asked) >= rest
}

// Leave ends the turn of a caller who has not asked.
func (f *Files) Leave(of string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.known[of]; o != nil {
		o.asking = time.Time{}
	}
}

// remember keeps what is known of an origin. If there are too many it replaces another whose
// file no caller is asking for. The caller holds mu.
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
