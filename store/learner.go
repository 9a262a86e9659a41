package store

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Learner draws conclusions from visits, and keeps them in tables of its own.
type Learner interface {
	// Learn learns from a visit that brought a record of its own, in the visit's transaction,
	// after record and vote are written and the links are queued.
	Learn(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) error

	// Check hands to breach what does not hold, until that returns an error.
	Check(r kv.Reader, breach func(what string, err error) error) error
}

// An idler has work that waits until nothing else is left to fetch.
type idler interface {
	// Idle is called then. It reports whether the caller may find something to visit.
	Idle(tx kv.Tx) (found bool, err error)
}

// An Omitter is a Learner that leaves URLs out of the crawl, and may turn out to be wrong about
// them.
type Omitter interface {
	Learner

	idler // queues some of what was left out, as far as that has to be checked

	// Omits reports whether any URL is left out at all.
	Omits() bool

	// Finish is called once a commit, after Learn for all visits that share it. It writes what
	// they changed, and queues some of the URLs that are wanted again.
	Finish(tx kv.Tx) error
}

var (
	_ Learner = (*template.Learner)(nil)
	_ Omitter = (*dust.Rules)(nil)
	_ Omitter = (*twins.Learner)(nil)
)

// learners returns the learners of a job, in the order in which they learn from a visit.
func (s *Store) learners() []Learner { return []Learner{s.templates, s.rules, s.twins} }

// idle has an idler do what has waited.
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

// learn tells the learners of a visit.
func (t *txn) learn(v *page.Visit, r *page.Record, d dedup.Verdict) error {
	for _, l := range t.s.learners() {
		if l == t.s.rules && t.s.gateOff { // it is not known which pages are one
			continue
		}
		if err := l.Learn(t.tx, v, r, d); err != nil {
			return err
		}
	}
	return nil
}
