package owner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

var (
	// ErrLapsed says that the lease has run out. It may come back with the next append.
	ErrLapsed = errors.New("the lease has run out: the engine has not acknowledged an append in time")

	// ErrReleased says that the owner gave the log up.
	ErrReleased = errors.New("the log was given up")
)

// An Owner owns a log until it is lost. It may be used by several goroutines.
type Owner struct {
	log   engine.Log
	opts  Options
	epoch uint64
	name  string
	first uint64

	turn chan struct{} // full while an append is under way
	last uint64        // the log's end; belongs to the goroutine that has the turn

	lost context.Context // ends when the log has another owner, or was given up
	lose context.CancelCauseFunc
	down sync.WaitGroup // beat and watch

	mu      sync.Mutex
	until   time.Duration // end of the lease without its margin, by opts.Clock
	term    context.Context
	lapse   context.CancelCauseFunc // ends term
	renewed chan struct{}           // closed when until has moved
	closing bool                    // until does not move any more
}

// newOwner returns the owner of a log whose last entry is its own.
func newOwner(log engine.Log, opts Options, e engine.Entry, seq uint64, sent time.Duration) *Owner {
	o := &Owner{
		log: log, opts: opts, epoch: e.Epoch, name: e.Owner, first: seq, last: seq,
		turn: make(chan struct{}, 1), renewed: make(chan struct{}),
	}
	o.lost, o.lose = context.WithCancelCause(context.Background())
	o.term, o.lapse = context.WithCancelCause(o.lost)
	o.renew(sent)
	o.down.Go(o.beat)  // ends when the log is lost
	o.down.Go(o.watch) // ends when the log is lost
	return o
}

// Epoch is the number of owners that the log has had, including this one.
func (o *Owner) Epoch() uint64 { return o.epoch }

// First is the number of the entry with which this owner took over.
func (o *Owner) First() uint64 { return o.first }

// Append adds a batch, and returns its number when it is in the log. Batches of several callers are
// added one after the other. Any error except engine.ErrTooLarge ends the ownership, since the end
// of the log is no longer known; the batch may or may not be in the log then.
func (o *Owner) Append(ctx context.Context, batch []byte) (seq uint64, err error) {
	e := engine.Entry{Epoch: o.epoch, Owner: o.name, Batch: batch}
	if err := e.Check(); err != nil {
		return 0, fmt.Errorf("append: %w", err)
	}
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, fmt.Errorf("append: %w", ctx.Err()) // nothing was sent
	case <-o.lost.Done():
		return 0, fmt.Errorf("append: %w", o.Err())
	}
	defer func() { <-o.turn }()
	if err := o.add(ctx, e); err != nil {
		return 0, fmt.Errorf("append: %w", err)
	}
	return o.last, nil
}

// add appends an entry. The caller has the turn.
func (o *Owner) add(ctx context.Context, e engine.Entry) error {
	if err := o.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(o.lost, func() { cancel(o.Err()) })
	defer stop()
	sent := o.opts.Clock.Now() // of the first try, which may be the one that arrived
	if err := settle(ctx, o.log, o.opts, o.last, e); err != nil {
		o.lose(err)
		return o.Err()
	}
	o.last++
	o.renew(sent)
	return nil
}

// renew extends the lease, counted from a moment before an acknowledged append.
func (o *Owner) renew(sent time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if until := sent + o.opts.Lease - o.opts.Margin; until > o.until && !o.closing {
		o.until = until
		close(o.renewed)
		o.renewed = make(chan struct{})
	}
}

// lease returns the end of the lease without its margin, and a channel that is closed when that
// changes.
func (o *Owner) lease() (until time.Duration, renewed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.until, o.renewed
}

// Allowed returns nil within the lease, and otherwise an error: ErrLapsed, or how the log was lost.
// Ask it immediately before a URL is leased, a connection opened or a request sent.
func (o *Owner) Allowed() error {
	if err := o.Err(); err != nil {
		return err
	}
	now := o.opts.Clock.Now()
	if until, _ := o.lease(); now >= until {
		return ErrLapsed
	}
	return nil
}

// Until returns the time from which no URL may be leased, no connection opened and nothing read, by
// the clock of time.Now. That clock may stand still while the machine sleeps; only Allowed takes
// that into account.
func (o *Owner) Until() time.Time {
	left, _ := o.lease()
	return time.Now().Add(left - o.opts.Clock.Now())
}

// Within returns a context that ends when the lease does, with the cause ErrLapsed or how the
// log was lost. A lease that is renewed meanwhile goes on.
func (o *Owner) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	o.mu.Lock()
	term := o.term
	o.mu.Unlock()
	within, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(term, func() { cancel(context.Cause(term)) })
	return within, func() { stop(); cancel(nil) }
}

// Lost is closed when the log has another owner, was given up, or its end is not known. Err says
// which.
func (o *Owner) Lost() <-chan struct{} { return o.lost.Done() }

// Err returns nil while the log is owned.
func (o *Owner) Err() error {
	if o.lost.Err() == nil {
		return nil
	}
	return context.Cause(o.lost)
}

// beat appends a heartbeat whenever nothing else was appended for a while.
func (o *Owner) beat() {
	for !o.ending() {
		until, renewed := o.lease()
		next := until - (o.opts.Lease - o.opts.Margin) + o.opts.Beat
		fires, stop := o.opts.Clock.Timer(max(0, next-o.opts.Clock.Now()))
		select {
		case <-fires:
			o.beatOnce()
		case <-renewed:
		case <-o.lost.Done():
		}
		stop()
	}
}

// ending reports whether the log is lost, or is being given up.
func (o *Owner) ending() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closing || o.lost.Err() != nil
}

// beatOnce waits for its turn, and appends if no one else has appended meanwhile.
func (o *Owner) beatOnce() {
	until, renewed := o.lease()
	select {
	case o.turn <- struct{}{}:
		if now, _ := o.lease(); now == until && !o.ending() {
			o.add(o.lost, engine.Entry{Epoch: o.epoch, Owner: o.name}) // beat ends on an error too
		}
		<-o.turn
	case <-renewed:
	case <-o.lost.Done():
	}
}

// watch ends the term when the lease lapses, and starts a new term when it is renewed.
func (o *Owner) watch() {
	for o.lost.Err() == nil {
		until, renewed := o.lease()
		now := o.opts.Clock.Now()
		var fires <-chan time.Time
		stop := func() {}
		if now < until {
			o.enter()
			fires, stop = o.opts.Clock.Timer(until - now)
		} else {
			o.leave(ErrLapsed)
		}
		select {
		case <-fires:
		case <-renewed:
		case <-o.lost.Done():
		}
		stop()
	}
}

// enter starts a term if the last one has ended.
func (o *Owner) enter() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.term.Err() != nil {
		o.term, o.lapse = context.WithCancelCause(o.lost)
	}
}

func (o *Owner) leave(why error) {
	o.mu.Lock()
	lapse := o.lapse
	o.mu.Unlock()
	lapse(why)
}

// Release gives the log up, so that another node need not wait for the end of the lease. The caller
// must have ended its requests and appends. When Release returns, the owner has no goroutine left.
// After an error other nodes wait for the end of the lease, as after a crash.
func (o *Owner) Release(ctx context.Context) error {
	defer o.Close()
	o.mu.Lock()
	o.closing, o.until = true, 0
	close(o.renewed)
	o.renewed = make(chan struct{})
	o.mu.Unlock()
	o.leave(ErrReleased)
	var err error
	select {
	case o.turn <- struct{}{}:
		err = o.add(ctx, engine.Entry{Epoch: o.epoch})
		<-o.turn
	case <-ctx.Done():
		err = ctx.Err()
	case <-o.lost.Done():
		err = o.Err()
	}
	if err != nil {
		return fmt.Errorf("give the log up: %w", err)
	}
	return nil
}

// Close stops the owner without giving the log up: other nodes wait for the end of its lease. When
// Close returns, the owner has no goroutine left.
func (o *Owner) Close() {
	o.lose(ErrReleased)
	o.down.Wait()
}
