package owner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

// ErrShort says that a log ends before what the caller has already applied: the engine has
// lost acknowledged entries.
var ErrShort = errors.New("the log ends before what is already applied here")

// mark is the length of the random mark that is added to a node's name.
const mark = 1 + 26

// Take waits until a log has no owner, and takes it over. It returns an error when ctx ends, or
// when the log cannot be followed: engine.ErrTrimmed if it no longer has the entries that the
// caller lacks. When it succeeds, it has called Options.Apply for all entries before its own.
func Take(ctx context.Context, log engine.Log, opts Options) (*Owner, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("take a log over: %w", err)
	}
	c := &candidate{log: log, opts: opts, name: opts.Name + "/" + rand.Text(), at: opts.After}
	if err := c.start(ctx); err != nil {
		return nil, fmt.Errorf("take a log over: %w", err)
	}
	o, err := c.wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("take a log over: %w", err)
	}
	return o, nil
}

// A candidate waits to become the owner.
type candidate struct {
	log  engine.Log
	opts Options
	name string

	at    uint64        // number of the last entry that was applied
	last  engine.Entry  // that entry, if known is set
	known bool          // whether last is known
	due   time.Duration // when the previous owner has certainly stopped
}

// start finds the end of the log. A log that is new, or was given up, has no owner.
func (c *candidate) start(ctx context.Context) error {
	seq, last, err := c.log.Last(ctx)
	for err != nil {
		if final(err) {
			return err
		}
		c.opts.Tried(err)
		if err := c.opts.pause(ctx); err != nil {
			return err
		}
		seq, last, err = c.log.Last(ctx)
	}
	c.opts.Tried(nil)
	if seq == c.at {
		c.saw(seq, last)
	} else {
		c.due = c.opts.Clock.Now() + c.opts.silence()
	}
	return nil
}

// saw notes the last entry, and when its owner has certainly stopped.
func (c *candidate) saw(seq uint64, e engine.Entry) {
	c.at, c.last, c.known = seq, e, true
	c.due = c.opts.Clock.Now()
	if e.Owner != "" {
		c.due += c.opts.silence()
	}
}

// A numbered is an entry and its number, as the follower passes it on.
type numbered struct {
	seq   uint64
	entry engine.Entry
}

// wait applies the entries that arrive, and tries to append whenever none has arrived for long
// enough.
func (c *candidate) wait(ctx context.Context) (*Owner, error) {
	following, cancel := context.WithCancel(ctx)
	came, ended := make(chan numbered), make(chan error, 1)
	var group sync.WaitGroup
	defer func() { cancel(); group.Wait() }()
	group.Go(func() { // ends before wait returns
		ended <- c.log.Follow(following, c.at, func(seq uint64, e engine.Entry) error {
			select {
			case came <- numbered{seq, e}:
				return nil
			case <-following.Done():
				return following.Err()
			}
		})
	})
	for {
		fires, stop := c.opts.Clock.Timer(max(0, c.due-c.opts.Clock.Now()))
		var o *Owner
		var err error
		select {
		case n := <-came:
			if err = c.opts.Apply(n.seq, n.entry); err == nil {
				c.saw(n.seq, n.entry)
			}
		case <-fires:
			o, err = c.try(ctx)
		case err = <-ended:
			if err == nil {
				err = errors.New("the log's end was not followed")
			}
		case <-ctx.Done():
			err = ctx.Err()
		}
		stop()
		if o != nil || err != nil {
			return o, err
		}
	}
}

// try appends if nothing was appended for long enough. It returns nil, nil if that is not so, if the
// last entry is not known yet, or if another process was first.
func (c *candidate) try(ctx context.Context) (*Owner, error) {
	if c.opts.Clock.Now() < c.due {
		return nil, nil // the timer was early by this clock
	}
	if !c.known {
		return nil, c.findLast(ctx)
	}
	first := engine.Entry{Epoch: c.last.Epoch + 1, Owner: c.name}
	sent := c.opts.Clock.Now()
	err := settle(ctx, c.log, c.opts, c.at, first)
	if errors.Is(err, engine.ErrFenced) {
		c.due = c.opts.Clock.Now() + c.opts.silence() // an entry of another process is on its way here
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return newOwner(c.log, c.opts, first, c.at+1, sent), nil
}

// findLast reads the entry that the caller applied last: its epoch is needed.
func (c *candidate) findLast(ctx context.Context) error {
	seq, last, err := c.log.Last(ctx)
	if final(err) {
		return err
	}
	c.opts.Tried(err)
	switch {
	case err != nil:
		return c.opts.pause(ctx)
	case seq < c.at:
		return fmt.Errorf("%w: %d of %d", ErrShort, seq, c.at)
	case seq == c.at:
		c.saw(seq, last)
	default:
		c.due = c.opts.Clock.Now() + c.opts.silence() // an entry of another process is on its way here
	}
	return nil
}

// settle tries to append an entry until it is known whether it is in the log: nil, or
// engine.ErrFenced if it is not. After any other error that is unknown.
func settle(ctx context.Context, log engine.Log, opts Options, after uint64, e engine.Entry) error {
	for {
		_, err := log.Append(ctx, after, e)
		if final(err) {
			return err
		}
		if errors.Is(err, engine.ErrFenced) {
			seq, last, lastErr := log.Last(ctx)
			switch {
			case lastErr == nil && seq == after+1 && last.Epoch == e.Epoch && last.Owner == e.Owner:
				err = nil // an earlier try succeeded, but its answer was lost
			case lastErr == nil && seq > after:
				opts.Tried(nil)
				return err
			}
		}
		opts.Tried(err)
		if err == nil {
			return nil
		}
		if err := opts.pause(ctx); err != nil {
			return err
		}
	}
}

// final reports whether it is useless to try again.
func final(err error) bool {
	return errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrTooLarge)
}

// pause waits for a moment before something is tried again.
func (o Options) pause(ctx context.Context) error {
	fires, stop := o.Clock.Timer(o.Retry)
	defer stop()
	select {
	case <-fires:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
