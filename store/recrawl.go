package store

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/requisite"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// A revisitedJob implements revisit.Job for a job.
type revisitedJob struct{ s *Store }

// URL implements revisit.Job.
func (j revisitedJob) URL(r kv.Reader, k weburl.Key) (revisit.URL, bool, error) {
	rec, err := j.s.urlIn(r, k)
	if err != nil || rec == nil {
		return revisit.URL{}, false, err
	}
	return revisit.URL{Text: rec.URL, Page: rec.Page, Settled: rec.State == queue.Done, Listed: rec.Flags&queue.Announced != 0}, true, nil
}

// Ask implements revisit.Job.
func (j revisitedJob) Ask(tx kv.Tx, k weburl.Key, score *float32) (bool, error) {
	t := j.s.txnOf(tx)
	rec, err := t.queue.Get(k)
	if err != nil || rec == nil {
		return false, err
	}
	return t.queue.Again(k, rec, score, j.s.ahead.Load()), nil
}

// Neighbours implements revisit.Job.
func (j revisitedJob) Neighbours(r kv.Reader, h weburl.HostKey, from weburl.Key, most int) (keys []weburl.Key, err error) {
	for e, err := range kv.PrefixFrom(r, queue.TableURLs, h[:], from[:]) {
		if err != nil || len(keys) == most {
			return keys, err
		}
		keys = append(keys, weburl.Key(e.Key))
	}
	return keys, nil
}

// Requeue queues settled URLs again, in the order of what a visit is worth: first the pages that
// have probably changed and will stay as they are then. With a kept page a share of its copies is
// queued. Of redirects and URLs without a page one in eight is queued, of those that were unchanged
// last time one in 16, then one in 32.
//
// Records stay. When such a URL is settled again and its page has not changed, the record says so.
// When it has changed, it gets a new record, which names the old one, and the vote of an old copy
// is taken back. When a kept page with copies has changed or is gone, its copies are queued one by
// one until one shows what happened to the group: a copy that has not changed becomes the kept page
// of the others.
//
// Calling Requeue again for the same time queues nothing twice. A Requeue that was interrupted is
// finished by the next one, whatever that is called with.
func (s *Store) Requeue(ctx context.Context, a gatecrawl.Again) (gatecrawl.Requeued, error) {
	s.ahead.Store(a.Ahead)
	all, err := s.goOn(ctx)
	if err == nil && !a.Before.IsZero() && ctx.Err() == nil {
		if err = s.startAgain(ctx, a, &all); err == nil {
			var more gatecrawl.Requeued
			more, err = s.goOn(ctx)
			all.Add(more)
		}
	}
	if err != nil {
		return all, fmt.Errorf("queue pages again: %w", err)
	}
	return all, ctx.Err()
}

// RetryFailed puts the URLs back into the queue that failed when they were visited last, and
// returns how many; ahead is Again.Ahead. Their records stay until they are visited.
func (s *Store) RetryFailed(ctx context.Context, ahead bool) (n int, err error) {
	s.ahead.Store(ahead)
	for from := uint64(1); from != 0 && err == nil && ctx.Err() == nil; {
		var failed []weburl.Key
		err = s.look(func(in snapshot) (err error) {
			failed, from, err = page.FailedFrom(in, from)
			return err
		})
		if err != nil {
			break
		}
		err = s.write(func(t *txn) error {
			for _, k := range failed {
				asked, err := revisitedJob{s}.Ask(t.tx, k, nil)
				if err != nil {
					return err
				}
				if asked {
					t.state.Stopped = ""
					n++
				}
			}
			return nil
		})
	}
	if err != nil {
		return n, fmt.Errorf("queue failed pages again: %w", err)
	}
	return n, ctx.Err()
}

// AskAgain implements gatecrawl.Store.
func (s *Store) AskAgain(_ context.Context, urls []weburl.URL) (n int, err error) {
	s.ahead.Store(true)
	err = s.write(func(t *txn) error {
		for _, u := range urls {
			asked, err := revisitedJob{s}.Ask(t.tx, u.Key(), nil)
			if err != nil {
				return err
			}
			if asked {
				n++
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("queue pages again: %w", err)
	}
	return n, nil
}

// Ended returns how the last run ended; "" if it was cut off, or while one goes on.
func (s *Store) Ended() gatecrawl.Ended {
	s.stateMu.Lock()
	defer s.stateMu.Unlock()
	return gatecrawl.Ended(s.state.Stopped)
}

// startAgain makes the plan of a re-crawl.
func (s *Store) startAgain(ctx context.Context, a gatecrawl.Again, all *gatecrawl.Requeued) error {
	s.stateMu.Lock()
	turn := s.state.Recrawls
	s.stateMu.Unlock()
	p, put, err := revisit.NewPlan(ctx, s.kv, s.priority, revisit.Ask{Before: a.Before, Copies: a.Copies, Pages: a.Pages}, turn)
	if err != nil {
		return err
	}
	all.Put = put
	return s.write(func(t *txn) error {
		t.state.Again, t.state.Stopped, t.state.Recrawled = p, "", p.Started
		if a.Requisites {
			t.state.Renewal = &job.Renewal{Before: a.Before, Turn: turn}
		}
		t.state.Recrawls++
		if err := s.twins.Recrawl(t.tx, p.Copies); err != nil {
			return err
		}
		return s.rules.Recrawl(t.tx, p.Copies)
	})
}

// goOn queues the rest of a plan.
func (s *Store) goOn(ctx context.Context) (all gatecrawl.Requeued, err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		err = s.write(func(t *txn) error {
			if t.state.Again == nil && t.state.Renewal != nil {
				rest, n, err := requisite.Renew(t.requisites(), *t.state.Renewal)
				t.state.Renewal = rest
				all.Files += n
				return err
			}
			if more = t.state.Again != nil; !more {
				return nil
			}
			rest, n, err := t.state.Again.Next(t.tx, s.priority, s.groups, revisitedJob{s})
			t.state.Again = rest
			all.Add(gatecrawl.Requeued{Asked: n.Asked, Spared: n.Spared, Put: n.Put, Rested: n.Rested})
			return err
		})
	}
	return all, err
}

// auditCopies queues copies that may have changed without their kept page, when nothing else is
// left to visit. It is called by many workers at once, and each may find one URL.
func (s *Store) auditCopies(ctx context.Context) (bool, error) {
	more := false
	err := s.look(func(in snapshot) (err error) {
		more, err = revisit.HasHints(in)
		return err
	})
	for err == nil && more && ctx.Err() == nil {
		err = s.write(func(t *txn) error {
			asked, listed, left, err := revisit.FollowHints(t.tx, revisitedJob{s}, t.state.Recrawled)
			for _, k := range listed {
				t.queue.Changed(k).Flags |= queue.Announced
			}
			more = left
			s.hintsAsked.Add(int64(asked))
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("ask copies that may have changed: %w", err)
	}
	for n := s.hintsAsked.Load(); n > 0; n = s.hintsAsked.Load() {
		if s.hintsAsked.CompareAndSwap(n, n-1) {
			return true, nil
		}
	}
	return false, nil
}
