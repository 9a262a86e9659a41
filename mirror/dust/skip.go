package dust

import (
	"fmt"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Decision is what the rules decide for a URL.
type Decision struct {
	Tier Tier       // Watch: fetch it; Defer: postpone it, once; Skip: leave it out
	Same weburl.URL // the URL under which its page was fetched; the zero URL: none

	why     []Rule // the rules by which the two are equivalent
	page    uint64 // the kept page of Same
	explore bool   // it could be left out or postponed, and is fetched to test the rules
	trap    bool   // its template leads to hardly anything new
}

// Concerns reports, without reading, whether Skip may decide anything about a lease.
func (l *Rules) Concerns(lease frontier.Lease) bool {
	if !l.book.Learns() || lease.Attempt > 0 {
		return false
	}
	l.mu.RLock()
	traps := len(l.traps)
	l.mu.RUnlock()
	return traps > 0 || l.book.Affects(lease.URL)
}

// Skip decides about a URL before it is fetched. If it is left out or postponed, the caller has to
// settle it with LeaveOut.
func (l *Rules) Skip(r kv.Reader, lease frontier.Lease) (Decision, error) {
	if !l.Concerns(lease) {
		return Decision{}, nil
	}
	u, ok, err := l.job.URL(r, lease.URL.Key())
	if err != nil || !ok || u.Trial {
		return Decision{}, err
	}
	d, err := l.decide(r, lease.URL)
	if err == nil && d.Tier != Skip && d.trap {
		err = l.skipEndless(r, lease, &d)
	}
	switch {
	case err != nil:
		return Decision{}, fmt.Errorf("url rules for %s: %w", lease.URL, err)
	case d.explore:
		l.mu.Lock()
		if len(l.trials) < maxTrials {
			l.trials[lease.URL.Key()] = true
		}
		l.mu.Unlock()
		return Decision{}, nil
	case d.trap:
		d.Tier = max(d.Tier, Defer)
	}
	return d, nil
}

// decide looks for a page that was fetched under another URL.
func (l *Rules) decide(r kv.Reader, u weburl.URL) (d Decision, err error) {
	template := Template(u)
	l.mu.RLock()
	d.trap = l.traps[templateHash(template)]
	l.mu.RUnlock()
	if l.book.Affects(u) {
		err = l.decideByForms(r, u, template, &d)
	}
	if err == nil && d.Tier != Skip && d.trap {
		err = l.skipQuery(r, u, template, &d)
	}
	return d, err
}

// decideByForms looks for a page under the forms of a URL.
func (l *Rules) decideByForms(r kv.Reader, u weburl.URL, template string, d *Decision) error {
	for _, form := range l.book.Forms(u, Defer) {
		seqs, err := pagesWith(r, form)
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			if err := l.decideBy(r, u, uint64(seq), template, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// decideBy decides by a page that may be the one at the URL.
func (l *Rules) decideBy(r kv.Reader, u weburl.URL, seq uint64, template string, d *Decision) error {
	other, ok, err := documentAt(r, seq)
	if err != nil || !ok || other.url == u {
		return err
	}
	ds, ok := Compare(u, other.url)
	if !ok {
		return nil
	}
	tier, why, weakest := l.book.Judge(ds, template)
	if tier <= d.Tier {
		return nil
	}
	if n, err := unexplained(r, other.kept); err != nil || n >= maxUnexplained {
		return err
	}
	agreed, err := l.agreed(r, why, other.kept)
	if err != nil {
		return err
	}
	d.Tier, d.why, d.Same, d.page, d.explore = tier, why, other.url, other.kept, Explore(u, weakest, agreed)
	return nil
}

// agreed reports whether a page, or enough pages, have confirmed each of some rules.
func (l *Rules) agreed(r kv.Reader, why []Rule, kept uint64) (bool, error) {
	for _, rule := range why {
		id := rule.ID()
		if known, _ := l.book.Get(id); int(known.Distinct) >= l.o.Trials {
			continue
		}
		if ok, err := kv.Has(r, tableAgreed, agreedKey(id, kept)); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// skipQuery leaves out a URL with a query if all queries of its template lead to one page, or has it
// fetched to test whether they still do.
func (l *Rules) skipQuery(r kv.Reader, u weburl.URL, template string, d *Decision) error {
	rule := Rule{Kind: Query, Scope: template}
	if l.o.Learn != LearnSkip || u.Query() == "" || !l.leavesOut(rule) {
		return nil
	}
	b, err := r.Get(tableTemplates, numberKey(templateHash(template)))
	if err != nil {
		return err
	}
	page, ok, err := documentAt(r, decodeTemplateStats(b).kept)
	if err != nil || !ok || page.url == u {
		return err
	}
	k := u.Key()
	*d = Decision{Tier: Skip, Same: page.url, why: []Rule{rule}, page: page.kept, trap: true, explore: k[15]%exploreQueries == 0}
	return nil
}

// skipEndless leaves out a URL that only a copy links to, if both are of templates that no longer
// lead to anything new.
func (l *Rules) skipEndless(r kv.Reader, lease frontier.Lease, d *Decision) error {
	rule := Rule{Kind: Endless, Scope: Template(lease.URL)}
	if l.o.Learn != LearnSkip || lease.From.IsZero() || !l.leavesOut(rule) {
		return nil
	}
	from, ok, err := l.job.URL(r, lease.From)
	if err != nil || !ok || from.Page == 0 {
		return err
	}
	p, ok, err := documentAt(r, from.Page)
	if err != nil || !ok || p.kept == p.seq || !l.leavesOut(Rule{Kind: Endless, Scope: Template(p.url)}) {
		return err
	}
	*d = Decision{Tier: Skip, why: []Rule{rule}, trap: true}
	return nil
}

// leavesOut reports whether a rule leaves URLs out.
func (l *Rules) leavesOut(r Rule) bool {
	known, _ := l.book.Get(r.ID())
	return known.Tier(r.Kind) == Skip
}

// LeaveOut records a URL that is left out by a decision, and returns its refusal. It returns the
// zero Refusal if the URL is to be postponed: the decision says so, or there is new evidence
// against one of the rules.
func (l *Rules) LeaveOut(tx kv.Tx, k weburl.Key, d Decision) (frontier.Refusal, error) {
	if d.Tier != Skip || len(d.why) == 0 {
		return frontier.Refusal{}, nil
	}
	by := make([]*ruleRecord, len(d.why))
	for i, r := range d.why {
		rec, err := l.known(tx, r.ID())
		if err != nil || rec == nil || rec.Tier(r.Kind) < Skip || rec.reopening {
			return frontier.Refusal{}, err
		}
		by[i] = rec
	}
	for _, rec := range by {
		rec.Skipped++
		l.book.Put(rec.Rule, rec.Stats)
		tx.Put(tableLeft, leftKey(rec.ID(), k), numberKey(d.page))
	}
	first := by[0]
	left := leftOut{by: first.ID()}
	detail := fmt.Sprintf("rule %s: %s", first.ID(), first.Rule)
	if d.Same != (weburl.URL{}) {
		left.as = d.Same.Key()
		detail += "; fetched as " + d.Same.String()
	}
	tx.Put(tableLeftOut, k[:], left.encode())
	l.job.Totals(tx).Avoided[string(first.Kind)]++
	return frontier.Refusal{Rule: RefusalRule, Detail: detail}, nil
}

// TakeBack records that a URL that was left out is to be fetched after all. The caller has to queue
// it.
func (l *Rules) TakeBack(tx kv.Tx, k weburl.Key) error {
	left, ok, err := leftOutAt(tx, k)
	if err != nil || !ok {
		return err
	}
	rec, err := l.known(tx, left.by)
	if err != nil {
		return err
	}
	if rec == nil {
		return fmt.Errorf("url %s: left out by rule %s, which is not there", k, left.by)
	}
	tx.Delete(tableLeftOut, k[:])
	n := l.job.Totals(tx)
	if n.Avoided[string(rec.Kind)]--; n.Avoided[string(rec.Kind)] <= 0 {
		delete(n.Avoided, string(rec.Kind))
	}
	n.Reopened++
	return nil
}

// IsEndless reports whether a URL is left out because its template leads to nothing new, and not in
// favour of another URL of its page.
func IsEndless(r kv.Reader, k weburl.Key) (bool, error) {
	left, ok, err := leftOutAt(r, k)
	return ok && left.as.IsZero(), err
}
