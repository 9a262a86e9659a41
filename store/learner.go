package store

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Learner draws conclusions from visits, and keeps them in tables of its own.
type Learner interface {
	// Learn takes in a visit that brought a record of its own, in the visit's
	// transaction, when record and vote are written.
	Learn(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) error

	// Check hands to breach what does not hold, until that returns an error.
	Check(r kv.Reader, breach func(what string, err error) error) error
}

var (
	_ Learner = (*template.Learner)(nil)
	_ Learner = (*dust.Rules)(nil)
)

// learners are those of a job, in the order in which they are told of a visit.
func (s *Store) learners() []Learner { return []Learner{s.templates, s.rules} }

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

// learners checks what was learned.
func (v *verifier) learners() error {
	for _, l := range v.s.learners() {
		err := l.Check(v.in, v.tell)
		if err != nil {
			return err
		}
	}
	return nil
}
