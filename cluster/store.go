package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// of returns the partition of a URL.
func (c *Store) of(u weburl.URL) part { return c.parts[c.places.Of(u)] }

// Add implements frontier.Backlog.
func (c *Store) Add(ctx context.Context, cs []frontier.Candidate) (added int, err error) {
	defer c.moved()
	parts := make([][]frontier.Candidate, len(c.parts))
	for _, one := range cs {
		at := c.places.Of(one.URL)
		parts[at] = append(parts[at], one)
	}
	for i, mine := range parts {
		if len(mine) == 0 || c.here[i] == nil { // the process that has the partition reads the same list
			continue
		}
		n, err := c.here[i].Add(ctx, mine)
		added += n
		if err != nil {
			return added, err
		}
	}
	return added, nil
}

// held returns the partition of a lease, and the lease with the partition's own token. The token of
// a Reread is the number of its page, which tells the partition.
func (c *Store) held(l frontier.Lease) (*store.Store, frontier.Lease) {
	n := uint64(len(c.parts))
	p := c.here[l.Token%n]
	if l.Task != frontier.Reread {
		l.Token /= n
	}
	return p, l
}

// Release implements frontier.Backlog.
func (c *Store) Release(l frontier.Lease, rest time.Duration) error {
	p, l := c.held(l)
	return p.Release(l, rest)
}

// Reserve implements gatecrawl.Store.
func (c *Store) Reserve(l frontier.Lease, from time.Time) time.Time {
	p, l := c.held(l)
	return p.Reserve(l, from)
}

// Known implements gatecrawl.Store. Of a kept page of another process it has no bytes.
func (c *Store) Known(l frontier.Lease) (page.Known, error) {
	if l.Task == frontier.Reread {
		p := c.here[store.PlaceOf(c.places, l.Token)]
		if p == nil {
			return page.Known{}, page.ErrNoBytes
		}
		return p.Known(l)
	}
	return c.here[c.places.Of(l.URL)].Known(l)
}

// awayRest is how long a host rests if a page of it cannot be decided because another process does
// not answer. Without the rest the page would be fetched again and again until that process is
// back.
const awayRest = 2 * time.Second

// Settle implements gatecrawl.Store. It returns when the gate has answered the page's claim, or
// when the process that has the gate does not answer.
func (c *Store) Settle(ctx context.Context, v *page.Visit) (page.Record, error) {
	if err := c.fault(); err != nil {
		return page.Record{}, err
	}
	outer := v.Lease
	p, l := c.held(v.Lease)
	v.Lease = l
	defer func() { v.Lease.Token = outer.Token }()
	if v.Sign != nil && v.Lease.Task != frontier.Reread && c.o.Store.Dedup.Mode != dedup.ModeOff {
		err := c.look(p, v)
		if rpc.IsAway(err) { // the page cannot be decided without its text: it will be fetched again
			return page.Record{}, fmt.Errorf("%w: what it may be a copy of cannot be asked for: %w", frontier.ErrLeaseLost, errors.Join(err, p.Release(l, max(v.Rest, awayRest))))
		}
		if err != nil {
			return page.Record{}, fmt.Errorf("gate: %w", err)
		}
	}
	rec, err := p.Settle(ctx, v)
	if err != nil || v.Sign == nil {
		return rec, err
	}
	place := store.PlaceOf(c.places, uint64(outer.Token))
	answered := func() { err = c.answered(ctx, place) }
	if v.Await != nil {
		v.Await(answered)
	} else {
		answered()
	}
	if err != nil {
		c.fail(err)
		return rec, err
	}
	if rec.Verdict != page.VerdictNew || !c.becameCopy(rec.Seq) {
		return rec, nil
	}
	now, err := p.Record(rec.Seq)
	now.Replaces = rec.Replaces
	return now, err
}

// stillGood is the age up to which an answer of a gate in another process is good enough to settle
// a visit. It is about the time of a commit. Pages that others have settled since then are found
// when the gate gets the claim.
const stillGood = 100 * time.Millisecond

// look asks the gate again about a visit that is about to be settled, since other visits may have
// been settled since it asked.
func (c *Store) look(p *store.Store, v *page.Visit) error {
	before, asked := v.Checked, *v.Sign
	good := c.box == nil && time.Since(v.Asked) < stillGood
	if decided := v.Checked.Copy() && v.View == nil; decided {
		ok, err := good, error(nil)
		if !good {
			ok, err = c.gate.speaksFor(v.Checked.Of)
		}
		if err != nil {
			return err
		}
		if ok {
			return c.introducePage(p, uint64(v.Checked.Of))
		}
	}
	err := p.Reread(v)
	if err == nil && !(good && *v.Sign == asked) {
		v.Checked, err = c.gate.look(*v.Sign, v.Text)
	}
	if err != nil {
		return err
	}
	if v.Checked.Copy() {
		err = c.introducePage(p, uint64(v.Checked.Of))
		if rpc.IsAway(err) { // it is settled as new, and becomes a copy when the gate gets its claim
			v.Checked, err = dedup.Verdict{}, nil
		}
	}
	if v.Checked.Of != before.Of {
		v.Page.Differs = nil // they compare it with another page
	}
	return err
}

// becameCopy reports whether the claim of a page was answered with "copy". It reports that only
// once.
func (c *Store) becameCopy(seq uint64) bool {
	c.copiesMu.Lock()
	defer c.copiesMu.Unlock()
	was := c.copies[seq]
	delete(c.copies, seq)
	return was
}

// answered returns when the gate has answered all claims of a partition and the partition has the
// answers, or when the gate does not answer now.
func (c *Store) answered(ctx context.Context, place uint32) error {
	if c.box == nil {
		err := c.carry(ctx, place, store.GatePlace)
		if rpc.IsAway(err) || ctx.Err() != nil {
			err = nil // the claims wait: see carryFrom
		}
		return err
	}
	for {
		if err := c.carry(ctx, place, store.GatePlace); err != nil {
			if rpc.IsAway(err) {
				return nil
			}
			return err
		}
		if err := c.carry(ctx, store.GatePlace, place); err != nil {
			if rpc.IsAway(err) {
				return nil
			}
			return err
		}
		if c.o.carry == nil || c.here[place].Unsent()[store.GatePlace] == 0 && c.box.Unsent()[place] == 0 {
			return nil
		}
	}
}

// CheckBytes implements gatecrawl.Store.
func (c *Store) CheckBytes(d dedup.Digest) (dedup.Verdict, error) { return c.gate.CheckBytes(d) }

// Check implements gatecrawl.Store.
func (c *Store) Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	v, err := c.gate.Check(sig, text)
	if err != nil || v.Level != dedup.LevelNear || text == nil {
		return v, err
	}
	if _, ok := text.Compared(v.Of); ok {
		return v, nil
	}
	kept, ok, err := c.Text(v.Of)
	if ok {
		text.SetCompared(v.Of, kept)
	}
	return v, err
}

// Text returns the title and body of a kept page; false if none are kept, or if the process that
// has the page does not answer.
func (c *Store) Text(of dedup.Ref) (dedup.Text, bool, error) {
	t, ok, err := c.owner(uint64(of)).Text(of)
	if rpc.IsAway(err) {
		c.peers.missed.Add(1)
		return t, false, nil
	}
	return t, ok, err
}

// SetLeasable is gatecrawl.Store's.
func (c *Store) SetLeasable(which frontier.Leasable) {
	for _, p := range c.own {
		p.SetLeasable(which)
	}
}

// Pace implements gatecrawl.Store.
func (c *Store) Pace() gatecrawl.Pace { return c.own[0].Pace() }

// Totals implements gatecrawl.Store. It carries links to their partitions first, so that they are
// counted.
func (c *Store) Totals() page.Totals {
	if err := c.settled(context.Background()); err != nil {
		c.fail(err)
	}
	t := c.own[0].Totals()
	for _, p := range c.own[1:] {
		t = t.Plus(p.Totals())
	}
	return t
}

// notify wakes one of the callers that wait in Next. The one that finds a lease wakes the next.
func (c *Store) notify() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Next implements gatecrawl.Store. It leases the best URL of all partitions from a host that may be
// visited now.
func (c *Store) Next(ctx context.Context) (frontier.Lease, error) {
	for {
		if err := c.fault(); err != nil {
			return frontier.Lease{}, err
		}
		if err := c.mayLease(ctx); err != nil {
			return frontier.Lease{}, err
		}
		before := c.mark()
		l, ok, wait, err := c.try(ctx)
		if err != nil || ok {
			c.notify()
			return l, err
		}
		if wait >= 0 {
			if err := c.sleep(ctx, wait); err != nil {
				c.notify()
				return frontier.Lease{}, err
			}
			continue
		}
		more, err := c.find(ctx, before)
		if err == nil && !more {
			err = frontier.ErrEmpty
		}
		if err != nil {
			c.notify()
			return frontier.Lease{}, err
		}
	}
}

// try leases a URL, once. If there is none now, wait is how long it takes until that may change by
// itself; 0 means that it will not, and below 0 that nothing is left to do in any partition.
func (c *Store) try(ctx context.Context) (l frontier.Lease, ok bool, wait time.Duration, err error) {
	empty := 0
	for _, i := range c.order() {
		l, ok, w, err := c.here[i].Try(ctx)
		switch {
		case errors.Is(err, frontier.ErrEmpty):
			empty++
			continue
		case err != nil && ctx.Err() != nil:
			continue // another partition may have a page to read again
		case err != nil:
			return l, false, 0, err
		case ok:
			c.turns.Add(1)
			if l.Task != frontier.Reread {
				l.Token = l.Token*uint64(len(c.parts)) + uint64(i)
			}
			return l, true, 0, nil
		}
		if w > 0 && (wait == 0 || w < wait) {
			wait = w
		}
	}
	if empty == len(c.own) {
		wait = -1
	}
	return l, false, wait, ctx.Err()
}

// order returns the partitions, those with the best URLs first. Among equal ones another one comes
// first each time.
func (c *Store) order() []int {
	type turn struct {
		place int
		rank  uint64
	}
	n := len(c.here)
	turns := make([]turn, 0, len(c.own))
	first := int(c.turns.Load() % uint64(n))
	for i := range n {
		at := (first + i) % n
		if c.here[at] == nil {
			continue
		}
		t := turn{at, 1 << 32}
		if rank, ok := c.here[at].Rank(); ok {
			t.rank = uint64(rank)
		}
		turns = append(turns, t)
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.rank, b.rank) })
	places := make([]int, len(turns))
	for i, t := range turns {
		places[i] = t.place
	}
	return places
}

// find looks for work when every partition is empty: first in the messages that are on their way,
// and then in the URLs that rules and mirrors left out. It reports whether there may be work now.
// The job is at its end when all partitions are empty, no message waits, and none was carried since
// mark returned before.
func (c *Store) find(ctx context.Context, before uint64) (more bool, err error) {
	if c.peers != nil {
		return c.findAmongPeers(ctx, before)
	}
	if !c.silent() {
		return true, c.settled(context.WithoutCancel(ctx))
	}
	if c.carried.Load() != before {
		return true, nil
	}
	for _, p := range c.own {
		if more, err := p.Audit(ctx); err != nil || more {
			return more, err
		}
	}
	return false, nil
}

// sleep waits until something may have changed, and if wait is above 0 no longer than that.
func (c *Store) sleep(ctx context.Context, wait time.Duration) error {
	var tick <-chan time.Time
	if wait > 0 {
		at := time.Now().Add(wait)
		c.timerMu.Lock()
		if c.timerAt.IsZero() || at.Before(c.timerAt) { // otherwise another caller wakes as early
			c.timerAt = at
			t := time.NewTimer(wait)
			defer t.Stop()
			tick = t.C
			defer func() {
				c.timerMu.Lock()
				if c.timerAt.Equal(at) {
					c.timerAt = time.Time{}
				}
				c.timerMu.Unlock()
			}()
		}
		c.timerMu.Unlock()
	}
	select {
	case <-c.wake:
		return nil
	case <-tick:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
