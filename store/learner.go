package store

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Learner learns from visits, and stores the results in tables of its own.
type Learner interface {
	// Learn learns from a visit that brought a record of its own, in the visit's transaction,
	// after record and vote are written and the links are queued.
	Learn(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) error

	// Check calls breach for each inconsistency, until breach returns an error.
	Check(r kv.Reader, breach func(what string, err error) error) error
}

// An idler has work that is done when nothing else is left to fetch.
type idler interface {
	// Idle does that work. It reports whether there may be something to visit now.
	Idle(tx kv.Tx) (found bool, err error)
}

// An Omitter is a Learner that leaves URLs out of the crawl, and may be wrong about them.
type Omitter interface {
	Learner

	idler // Idle queues some of the URLs that were left out, as many as must be checked

	// Omits reports whether any URL is left out at all.
	Omits() bool

	// Finish is called once a commit, after Learn for all visits that share it. It writes what they
	// have changed, and queues some of the URLs that are wanted again.
	Finish(tx kv.Tx) error
}

var (
	_ Learner = (*template.Learner)(nil)
	_ Omitter = (*dust.Rules)(nil)
	_ Omitter = (*twins.Learner)(nil)
)

// learners returns the learners of a job, in the order in which they learn from a visit.
func (s *Store) learners() []Learner { return []Learner{s.templates, s.rules, s.twins} }

// idle calls Idle in a transaction.
func (s *Store) idle(i idler) (more bool, err error) {
	if o, ok := i.(Omitter); ok && !o.Omits() {
		return false, nil
	}
	err = s.write(func(t *txn) (err error) {
		more, err = i.Idle(t.tx)
		return err
	})
	return more && err == nil, err
}

// learn passes a visit to the learners.
func (t *txn) learn(v *page.Visit, r *page.Record, d dedup.Verdict) error {
	for _, l := range t.s.learners() {
		if l == t.s.rules && t.s.gateOff { // without the gate it is not known which pages are the same
			continue
		}
		if err := l.Learn(t.tx, v, r, d); err != nil {
			return err
		}
	}
	return nil
}
