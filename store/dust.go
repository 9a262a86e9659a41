package store

import (
	"context"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A ruledJob implements dust.Job for a job.
type ruledJob struct{ s *Store }

// URL implements dust.Job.
func (j ruledJob) URL(r kv.Reader, k weburl.Key) (dust.URL, bool, error) {
	rec, err := j.s.urlIn(r, k)
	if err != nil || rec == nil {
		return dust.URL{}, false, err
	}
	left := rec.State == queue.Refused && rec.Refusal.Rule == dust.RefusalRule
	return dust.URL{Text: rec.URL, Page: rec.Page, LeftOut: left, Trial: rec.Flags&queue.Trial != 0}, true, nil
}

// urlIn reads a URL's record; within a transaction it sees the transaction's changes. It returns
// nil if the URL is not known.
func (s *Store) urlIn(r kv.Reader, k weburl.Key) (*queue.Record, error) {
	if tx, ok := r.(kv.Tx); ok {
		return s.txnOf(tx).queue.Get(k)
	}
	rec, ok, err := snapshot{Reader: r}.URL(k)
	if err != nil || !ok {
		return nil, err
	}
	return &rec, nil
}

// Readmit implements dust.Job.
func (j ruledJob) Readmit(tx kv.Tx, k weburl.Key, trial bool) error {
	return j.s.txnOf(tx).readmit(k, trial)
}

// readmit undoes the refusal of a URL that was left out, and queues it. A trial is fetched whatever
// URL rules and mirrors say.
func (t *txn) readmit(k weburl.Key, trial bool) error {
	rec, err := t.queue.Get(k)
	if err != nil || rec == nil {
		return errors.Join(err, fmt.Errorf("url %s was left out, and is not there", k))
	}
	if trial {
		rec.Flags |= queue.Trial
	}
	t.queue.Readmit(k, rec)
	return nil
}

// Totals implements dust.Job.
func (j ruledJob) Totals(tx kv.Tx) *page.Totals { return &j.s.txnOf(tx).state.Totals }

// applyRules settles a leased URL if learned rules say that its page was fetched under another URL,
// and postpones one whose page probably was; it reports whether it did either.
func (s *Store) applyRules(l frontier.Lease) (bool, error) {
	if !s.rules.Concerns(l) {
		return false, nil
	}
	var d dust.Decision
	was := byte(0)
	err := s.look(func(in snapshot) (err error) {
		if d, err = s.rules.Skip(in, l); err != nil || d.Tier != dust.Defer {
			return err
		}
		rec, _, err := in.URL(l.URL.Key())
		was = rec.Flags
		return err
	})
	if err != nil {
		return false, err
	}
	if d.Tier == dust.Watch || d.Tier == dust.Defer && was&queue.Postponed != 0 {
		return false, nil
	}
	lent, err := s.queue.Hold(l, queue.Answer{})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	err = s.write(func(t *txn) error { return t.leaveOut(lent, d) })
	if err != nil {
		return false, fmt.Errorf("url rules for %s: %w", l.URL, err)
	}
	return true, nil
}

// wanted is the queue.Wanted of the store: for a URL that URL rules or mirrors have left out, they
// decide whether the link brings it back.
func (s *Store) wanted(q *queue.Tx, l *queue.Link, rec *queue.Record) (decided bool, err error) {
	t := s.current
	user := l.Candidate.From.IsZero()
	switch rec.Refusal.Rule {
	case dust.RefusalRule:
		wanted := user
		if !wanted && !l.Candidate.Signals.Copy { // it may have been left out because only copies linked to it
			if wanted, err = dust.IsEndless(t.tx, l.Key); err != nil {
				return true, err
			}
		}
		if wanted {
			if err := s.rules.TakeBack(t.tx, l.Key); err != nil {
				return true, err
			}
			return true, t.readmit(l.Key, true)
		}
	case mirror.RefusalRule:
		if user {
			rec.From = weburl.Key{} // as for a seed
			q.Put(l.Key, rec)
			return true, s.twins.TakeBack(t.tx, l.Key)
		}
	default:
		return false, nil
	}
	q.StaysRefused(l.Key)
	return true, nil
}

// leaveOut refuses or postpones a leased URL, as d says.
func (t *txn) leaveOut(l *queue.Held, d dust.Decision) error {
	u, err := t.queue.Take(l)
	if err != nil {
		return err
	}
	refusal, err := t.s.rules.LeaveOut(t.tx, l.Key, d)
	if err != nil {
		return err
	}
	if refusal.IsZero() {
		if u.Flags&queue.Postponed != 0 { // the rule that decides is not in force any more, and its turn would come for ever
			u.Flags |= queue.Trial
		}
		t.queue.Postpone(l.Key, u)
		return nil
	}
	t.queue.Refuse(l.Key, u, refusal)
	return nil
}

// Rules implements gatecrawl.URLRules.
func (s *Store) Rules(ctx context.Context, fn func(dust.Learned) error) error {
	return s.look(func(in snapshot) error { return s.rules.Each(ctx, in, fn) })
}

// Explain implements gatecrawl.URLRules.
func (s *Store) Explain(_ context.Context, u weburl.URL) (e dust.Explained, err error) {
	err = s.look(func(in snapshot) (err error) {
		e, err = s.rules.Explain(in, u)
		return err
	})
	return e, err
}

// Left calls fn for every URL that rules leave out, with the URL that its page was fetched under.
func (s *Store) Left(ctx context.Context, fn func(url, as string) error) error {
	return s.look(func(in snapshot) error { return s.rules.LeftOut(ctx, in, fn) })
}

// ImportRules implements gatecrawl.URLRules.
func (s *Store) ImportRules(_ context.Context, rs []dust.Learned) (added int, err error) {
	full := false
	err = s.write(func(t *txn) (err error) {
		added, full, err = s.rules.Import(t.tx, rs)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("import url rules: %w", err)
	}
	if full {
		return added, fmt.Errorf("import url rules: a job holds at most %d, so %d were left out", s.rules.Options().MaxRules, len(rs)-added)
	}
	return added, nil
}

// RevokeRule implements gatecrawl.URLRules.
func (s *Store) RevokeRule(_ context.Context, id dust.ID) error {
	found := true
	err := s.write(func(t *txn) (err error) {
		found, err = s.rules.Revoke(t.tx, id)
		return err
	})
	if err == nil && !found {
		return fmt.Errorf("rule %s: %w", id, gatecrawl.ErrUnknown)
	}
	return err
}
