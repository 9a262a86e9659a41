package store

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// postponed is what being postponed costs in score: behind all that is no copy, before
// all that was only found on one (see priority.Options.Score).
const postponed = 1_024

// Flags of a URL's record, see tailDust.
const (
	isPostponed = 1 << iota // it was postponed once
	isTrial                 // it is fetched, whatever URL rules and mirrors say
	isTold                  // a sitemap said that it changed: see noteListed
)

// A ruledJob is a job as dust.Job.
type ruledJob struct{ s *Store }

// URL is dust.Job's.
func (j ruledJob) URL(r kv.Reader, k weburl.Key) (dust.URL, bool, error) {
	rec, err := j.s.urlIn(r, k)
	if err != nil || rec == nil {
		return dust.URL{}, false, err
	}
	left := rec.state == refused && rec.refusal.Rule == dust.RefusalRule
	return dust.URL{Text: rec.url, Page: rec.seq, LeftOut: left, Trial: rec.dust&isTrial != 0}, true, nil
}

// urlIn reads a URL's record; within a transaction as this one has left it. nil: the URL
// was never met.
func (s *Store) urlIn(r kv.Reader, k weburl.Key) (*urlRecord, error) {
	if tx, ok := r.(kv.Tx); ok {
		return s.txnOf(tx).url(k)
	}
	rec, ok, err := snapshot{r}.url(k)
	if err != nil || !ok {
		return nil, err
	}
	return &rec, nil
}

// Readmit is dust.Job's.
func (j ruledJob) Readmit(tx kv.Tx, k weburl.Key, trial bool) error {
	return j.s.txnOf(tx).readmit(k, trial)
}

// readmit takes back the refusal of a URL that was left out, and queues it. A trial is
// fetched whatever URL rules and mirrors say.
func (t *txn) readmit(k weburl.Key, trial bool) error {
	rec, err := t.url(k)
	if err != nil || rec == nil {
		return errors.Join(err, fmt.Errorf("url %s was left out, and is not there", k))
	}
	if trial {
		rec.dust |= isTrial
	}
	lower(t.state.Totals.Rules, rec.refusal.Rule)
	rec.refusal = frontier.Refusal{}
	t.s.known.put(k, rec.score)
	t.enqueue(k, rec)
	return nil
}

// Totals is dust.Job's.
func (j ruledJob) Totals(tx kv.Tx) *page.Totals { return &j.s.txnOf(tx).state.Totals }

// aside settles a lent URL where learned rules say that its page was fetched under another
// URL, and postpones one that likely was; it reports whether it did either.
func (s *Store) aside(l frontier.Lease) (bool, error) {
	if !s.rules.Concerns(l) {
		return false, nil
	}
	var d dust.Decision
	was := byte(0)
	err := s.look(func(in snapshot) (err error) {
		if d, err = s.rules.Skip(in, l); err != nil || d.Tier != dust.Defer {
			return err
		}
		rec, _, err := in.url(l.URL.Key())
		was = rec.dust
		return err
	})
	if err != nil {
		return false, err
	}
	if d.Tier == dust.Watch || d.Tier == dust.Defer && was&isPostponed != 0 {
		return false, nil
	}
	lent, err := s.sched.settling(l.Token, answer{})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	err = s.write(func(t *txn) error { return t.setAside(lent, d) })
	if err != nil {
		return false, fmt.Errorf("url rules for %s: %w", l.URL, err)
	}
	return true, nil
}

// setAside leaves a lent URL out, or postpones it.
func (t *txn) setAside(l *activeLease, d dust.Decision) error {
	u, err := t.lent(l)
	if err != nil {
		return err
	}
	t.unqueue(l.key, u)
	t.settled = append(t.settled, l)
	refusal, err := t.s.rules.LeaveOut(t.tx, l.key, d)
	if err != nil {
		return err
	}
	if refusal.IsZero() {
		u.dust |= isPostponed
		u.score = t.s.priority.Score(u.signals) - postponed
		t.s.known.put(l.key, u.score)
		t.enqueue(l.key, u)
		return nil
	}
	u.state, u.refusal = refused, refusal
	t.state.Totals.Rules[refusal.Rule]++
	t.s.known.put(l.key, float32(math.Inf(-1)))
	t.put(l.key, u)
	return nil
}

// Rules is gatecrawl.URLRules's.
func (s *Store) Rules(ctx context.Context, fn func(dust.Learned) error) error {
	return s.look(func(in snapshot) error { return s.rules.Each(ctx, in, fn) })
}

// Explain is gatecrawl.URLRules's.
func (s *Store) Explain(_ context.Context, u weburl.URL) (e dust.Explained, err error) {
	err = s.look(func(in snapshot) (err error) {
		e, err = s.rules.Explain(in, u)
		return err
	})
	return e, err
}

// Left calls fn for every URL that rules leave out, and the URL under which
// its page was fetched.
func (s *Store) Left(ctx context.Context, fn func(url, as string) error) error {
	return s.look(func(in snapshot) error { return s.rules.LeftOut(ctx, in, fn) })
}

// ImportRules is gatecrawl.URLRules's.
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

// RevokeRule is gatecrawl.URLRules's.
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

// ruleCounts checks that what rules left out is counted. Where anything is wrong it is in
// doubt.
func (v *verifier) ruleCounts() error {
	if v.n.Breaches > 0 {
		return nil
	}
	found, err := dust.CountLeftOut(v.in)
	if err != nil {
		return err
	}
	state, err := v.in.state()
	if err != nil {
		return v.breach("the totals can be read", "%v", err)
	}
	var n, kinds int64
	for _, c := range found {
		n += c
	}
	for _, c := range state.Totals.Avoided {
		kinds += c
	}
	if n != state.Totals.Rules[dust.RefusalRule] || n != kinds {
		return v.breach("the totals count what rules left out", "%d urls were left out; the totals count %d, by kind %d",
			n, state.Totals.Rules[dust.RefusalRule], kinds)
	}
	return nil
}
