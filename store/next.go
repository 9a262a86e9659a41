package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// rereadAtOnce is how many pages are purified again at once when nothing else is left to do: their
// commits are shared, and all processors are used.
const rereadAtOnce = 16

// SetLeasable is gatecrawl.Store's.
func (s *Store) SetLeasable(which frontier.Leasable) {
	if which == frontier.LeaseAgain {
		s.ahead.Store(true)
	}
	s.leasable.Store(uint32(which))
	s.queue.SetLeasable(which)
}

func (s *Store) leases() frontier.Leasable { return frontier.Leasable(s.leasable.Load()) }

// Next is gatecrawl.Store's.
func (s *Store) Next(ctx context.Context) (frontier.Lease, error) {
	for {
		if l, ok, err := s.templates.Next(1); err != nil || ok {
			return l, err
		}
		l, err := s.leaseURL(ctx)
		if errors.Is(err, frontier.ErrEmpty) {
			switch s.leases() {
			case frontier.LeaseRequisites:
				return l, err
			case frontier.LeaseAgain:
				if more, failed := s.auditCopies(ctx); failed != nil || !more {
					return l, cmp.Or(failed, err)
				}
				continue
			}
			if l, ok, err := s.templates.Next(rereadAtOnce); err != nil || ok {
				return l, err
			}
			if s.leases() == frontier.LeaseNone {
				if more, failed := s.finishTemplates(ctx); failed != nil || !more {
					return l, cmp.Or(failed, err)
				}
				continue
			}
			if more, failed := s.audit(ctx); failed != nil || !more {
				return l, cmp.Or(failed, err)
			}
			continue
		}
		if err != nil {
			return l, err
		}
		if l, ok, err := s.prepare(ctx, l); err != nil || ok {
			return l, err
		}
	}
}

// prepare turns a leased URL into a task; ok is false if it was settled without a visit, or was
// released.
func (s *Store) prepare(ctx context.Context, l frontier.Lease) (_ frontier.Lease, ok bool, err error) {
	skipped, err := s.skip(l)
	if err != nil {
		return l, false, err
	}
	if skipped {
		s.answers.Add(1)
		return l, false, nil
	}
	return s.withRobots(ctx, l)
}

// waitForRobots is how long a host rests while another worker fetches its robots.txt.
const waitForRobots = 50 * time.Millisecond

// withRobots makes a leased URL a task: Page if the robots.txt is known, Robots if it has to be
// fetched. If another worker is fetching it, the URL is released.
func (s *Store) withRobots(ctx context.Context, l frontier.Lease) (_ frontier.Lease, ok bool, err error) {
	turn, err := s.robots.Turn(ctx, l.URL.Origin(), time.Now(), l.Expires)
	switch {
	case err != nil && ctx.Err() != nil: // no worker will settle it, and a crawl may go on with other tasks
		return l, false, errors.Join(err, s.Release(l, 0))
	case err != nil:
		return l, false, err
	case turn == robots.TurnWait:
		if err := s.Release(l, waitForRobots); err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			return l, false, err
		}
		return l, false, nil
	case turn == robots.TurnAsk:
		l.For, l.Task = l.Task, frontier.Robots
	}
	return l, true, nil
}

// leaseURL leases the best URL of a host whose turn it is.
func (s *Store) leaseURL(ctx context.Context) (frontier.Lease, error) {
	return s.queue.Next(ctx, s.promote)
}

// promote queues the URLs that are due. A failure reaches the callers of Next through the queue.
func (s *Store) promote() { _ = s.write(func(t *txn) error { return t.queue.Promote() }) }

// Known implements gatecrawl.Store.
func (s *Store) Known(l frontier.Lease) (k page.Known, err error) {
	switch {
	case l.Task == frontier.Robots:
		k.Robots, _, err = s.Robots(l.URL.Origin())
	case l.Task == frontier.Requisite:
		err = s.look(func(in snapshot) error { return s.requisites.Known(in, l, &k) })
	case l.Task == frontier.Reread:
		err = s.look(func(in snapshot) error { k, err = s.templates.Known(in, l); return err })
	default:
		if l.Again {
			err = s.look(func(in snapshot) error { return s.versionOf(in, l.URL, &k) })
		}
		if err == nil {
			k.Template, err = s.Template(l.URL.String())
		}
		if err == nil {
			err = s.look(func(in snapshot) error { return s.twinIn(in, l.URL, &k) })
		}
	}
	if err != nil {
		return k, fmt.Errorf("what is known of %s: %w", l.URL, err)
	}
	return k, nil
}

// twinIn reads which URL of another site has the document of a URL, and which page that is.
func (s *Store) twinIn(in snapshot, u weburl.URL, k *page.Known) error {
	twin, ok := s.Twin(u)
	if !ok {
		return nil
	}
	k.Twin = twin
	rec, met, err := in.URL(twin.Key())
	if err != nil || !met || rec.Page == 0 {
		return err
	}
	p, v, err := in.Page(rec.Page)
	if err != nil || !p.Document() {
		return err
	}
	k.TwinSeq, k.TwinBytes = rec.Page, rec.Page
	switch {
	case v.Level == dedup.LevelBytes:
		k.TwinBytes = uint64(v.Of)
	case v.Copy() && (v.Similarity == 1 || p.Says): // in the words of another page, whose bytes are kept
		of, _, err := in.Page(uint64(v.Of))
		if err != nil {
			return err
		}
		if k.Twin, err = weburl.Parse(of.URL); err != nil {
			return err
		}
		k.TwinBytes = uint64(v.Of)
	}
	return nil
}

// versionOf reads the validators that the server sent for the known version of a URL's page, and
// whether its requisites were looked for.
func (s *Store) versionOf(in snapshot, u weburl.URL, k *page.Known) error {
	rec, _, err := in.URL(u.Key())
	if err != nil || rec.Page == 0 {
		return err
	}
	p, was, err := in.Page(rec.Page)
	if err != nil || !p.Document() {
		return err
	}
	k.Seq = rec.Page
	wanted, err := mustRefetch(in, rec.Page, was)
	if err == nil && !wanted {
		k.ETag, k.LastModified = p.ETag, p.LastModified
	}
	if err == nil && !was.Copy() {
		k.Sought, err = s.requisites.Sought(in, u.Key())
	}
	k.Sought = k.Sought || was.Copy()
	return err
}

// skip reports whether a leased URL needs no visit now: it was settled because a learned rule says
// that its page was fetched under another URL, or it was put off because that is likely or another
// site has the page.
func (s *Store) skip(l frontier.Lease) (bool, error) {
	if l.Task == frontier.Requisite {
		return false, nil
	}
	if l.Again {
		return false, nil // its own record has what is known of it
	}
	if skipped, err := s.rerate(l); err != nil || skipped {
		return skipped, err
	}
	if skipped, err := s.applyRules(l); err != nil || skipped {
		return skipped, err
	}
	return s.deferred(l)
}

// rerate puts a leased URL of a focused crawl back into the queue if what came of other links of the page on which
// it was found says that it stands at the wrong place.
func (s *Store) rerate(l frontier.Lease) (bool, error) {
	if !s.priority.Focused || l.From.IsZero() {
		return false, nil
	}
	misplaced := false
	err := s.look(func(in snapshot) (err error) {
		misplaced, err = s.queue.Misplaced(in, l)
		return err
	})
	if err != nil || !misplaced {
		return false, err
	}
	held, err := s.queue.Hold(l, queue.Answer{Addr: l.Addr})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.write(func(t *txn) error { return t.queue.Rerate(held) }); err != nil {
		return false, fmt.Errorf("rate %s again: %w", l.URL, err)
	}
	return true, nil
}

// deferred postpones a URL in favour of the twin that the learner of mirrors names for it, unless
// the scope of the crawl refuses the twin.
func (s *Store) deferred(l frontier.Lease) (bool, error) {
	to, ok := s.twins.Instead(l)
	if !ok || s.refuse != nil && !s.refuse(to, int(l.Signals.Depth), l.Trap).IsZero() {
		return false, nil
	}
	return s.putOff(l, frontier.Candidate{URL: to, From: l.From, Anchor: l.Anchor, Label: l.Label, Signals: l.Signals, Trap: l.Trap})
}
