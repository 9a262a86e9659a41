package dust

import (
	"context"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Learned is a learned rule with the evidence for and against it.
type Learned struct {
	ID string `json:"id"`
	Rule
	Stats
	Tier   string    `json:"tier"`            // watch, defer or skip
	Lower  float64   `json:"lower"`           // lower bound of the share of URLs for which it is right: 95% Wilson
	Same   [2]string `json:"same,omitzero"`   // two URLs with one page
	Differ [2]string `json:"differ,omitzero"` // two with different pages
	Words  string    `json:"means,omitempty"` // the rule as text
}

// An Explained says what the learned rules decide for one URL.
type Explained struct {
	URL      string    `json:"url"`
	Decision string    `json:"decision"`       // fetch, defer, skip, or explore: fetched to test whether the rule is still valid
	Same     string    `json:"same,omitempty"` // the URL with the same page
	Rules    []Learned `json:"rules"`          // by which the two URLs are equivalent
	Template string    `json:"template"`       // the narrower scope
}

// Each calls fn for every rule, until fn returns an error, which Each returns.
func (l *Rules) Each(ctx context.Context, r kv.Reader, fn func(Learned) error) error {
	return eachRule(r, func(rec *ruleRecord) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(learned(r, rec))
	})
}

func learned(r kv.Reader, rec *ruleRecord) Learned {
	v := Learned{
		ID: rec.ID().String(), Rule: rec.Rule, Stats: rec.Stats,
		Tier: rec.tier(rec.Stats).String(), Lower: rec.LowerBound(), Words: rec.Rule.String(),
	}
	for i := range 2 {
		// Without a page the URL stays empty: an imported rule has no pages in this job.
		v.Same[i], _ = page.URLOf(r, rec.same[i])
		v.Differ[i], _ = page.URLOf(r, rec.differ[i])
	}
	return v
}

// Explain returns what the rules would decide if the URL were found now.
func (l *Rules) Explain(r kv.Reader, u weburl.URL) (Explained, error) {
	e := Explained{URL: u.String(), Template: Template(u), Decision: "fetch", Rules: []Learned{}}
	d, err := l.decide(r, u)
	if err != nil {
		return e, err
	}
	switch {
	case d.Tier == Skip && d.explore:
		e.Decision = "explore"
	case d.Tier > Watch:
		e.Decision = d.Tier.String()
	case d.trap:
		e.Decision = Defer.String()
	}
	if d.Same != (weburl.URL{}) {
		e.Same = d.Same.String()
	}
	for _, rule := range d.why {
		rec, err := ruleAt(r, rule.ID())
		if err != nil || rec == nil {
			return e, err
		}
		e.Rules = append(e.Rules, learned(r, rec))
	}
	return e, nil
}

// LeftOut calls fn for every URL that is left out in favour of another, with that other URL.
func (l *Rules) LeftOut(ctx context.Context, r kv.Reader, fn func(url, as string) error) error {
	return kv.Each(r, tableLeftOut, func(k, v []byte) error {
		left, err := decodeLeftOut(v)
		if err != nil || left.as.IsZero() {
			return errors.Join(err, ctx.Err())
		}
		u, ok, err := l.job.URL(r, weburl.Key(k))
		if err == nil && !ok {
			err = fmt.Errorf("url %x was left out, and is not there", k)
		}
		if err != nil {
			return err
		}
		as, _, err := l.job.URL(r, left.as)
		if err != nil {
			return err
		}
		return errors.Join(fn(u.Text, as.Text), ctx.Err())
	})
}

// Import takes over rules with their evidence; a rule that the job has already stays as it is. It
// returns how many were new, and full if MaxRules was reached.
func (l *Rules) Import(tx kv.Tx, rules []Learned) (added int, full bool, err error) {
	for _, r := range rules {
		if _, known := l.book.Get(r.Rule.ID()); known {
			continue
		}
		rec, err := l.rule(tx, r.Rule)
		if err != nil {
			return added, false, err
		}
		if rec == nil {
			return added, true, nil
		}
		rec.Stats = Stats{OK: r.OK, Bad: r.Bad, Distinct: r.Distinct, Revoked: r.Revoked}
		l.book.Put(rec.Rule, rec.Stats)
		added++
	}
	return added, false, nil
}

// Revoke ends a rule for good, and queues again what it left out. It reports whether there is such
// a rule.
func (l *Rules) Revoke(tx kv.Tx, id ID) (bool, error) {
	rec, err := l.known(tx, id)
	if err != nil || rec == nil {
		return false, err
	}
	rec.Revoked = true
	l.book.Put(rec.Rule, rec.Stats)
	l.reopen(rec)
	return true, nil
}

// Options returns the settings of learning.
func (l *Rules) Options() Options { return l.o }
