package mirror

import (
	"context"
	"math/bits"
)

// Surely is the least lower bound of a site's share on another from which the
// other is asked in its place: with 90 % certainty fewer than 6 of 100 of its
// documents are not there, or are other ones. 42 look-ups without a miss reach it,
// or 80 with one.
const Surely = 0.94

// MaxMissed is how many of the last Recent checks of a Twin may fail before it
// is given up.
const (
	MaxMissed = 2
	Recent    = 10
)

// A Twin says that the documents of a host are asked for at another site.
type Twin struct {
	Origin string    `json:"origin"` // of the host's site
	To     string    `json:"to"`     // the origin that is asked
	Maps   []Mapping `json:"map"`    // from the host's paths to those of To, the longest From first
	Class  Class     `json:"class"`
	Share  Interval  `json:"share"` // of the host's documents that are on To
	Why    string    `json:"why"`   // To is asked and not the host

	Checks  uint16 `json:"checks"`   // the last Recent, newest lowest: 1 is a miss
	Checked int    `json:"checked"`  // pages that were fetched from both
	Missed  int    `json:"missed"`   // of these, another document
	There   int    `json:"there"`    // addresses asked for on To that have a document
	Lost    int    `json:"lost"`     // and those that have none
	GivenUp bool   `json:"given_up"` // too many were missed or lost, and it will not be tried again
}

// TwinOf returns the twin that a relation is sure enough for, of its site that
// is not the canonical one.
func TwinOf(r *Relation) (Twin, bool) {
	share := r.AB
	if r.Other() == r.B {
		share = r.BA
	}
	if !r.Class.Rewrites() || r.Canonical == "" || share.Low < Surely {
		return Twin{}, false
	}
	return Twin{Origin: r.Other(), To: r.Canonical, Maps: r.Mapped(), Class: r.Class, Share: share, Why: r.Why}, true
}

// Address returns where the document at a path of the host is asked for. It
// reports false for a path that the twin says nothing about.
func (t *Twin) Address(path string) (string, bool) {
	to, ok := apply(t.Maps, path)
	return t.To + to, ok
}

// Check takes what came of a page that was fetched from both sites. It reports
// whether the twin must be given up.
func (t *Twin) Check(same bool) bool {
	t.Checked++
	t.Checks <<= 1
	if !same {
		t.Checks |= 1
		t.Missed++
	}
	t.Checks &= 1<<Recent - 1
	return bits.OnesCount16(t.Checks) > MaxMissed
}

// Lose counts an address that has no document on To. It reports whether they are
// so many that the twin must be given up: each costs a request for nothing.
func (t *Twin) Lose() bool {
	t.Lost++
	return t.Lost >= Recent && float64(t.Lost) > (1-mostly)*float64(t.Lost+t.There)
}

// Agree reports whether two documents have one body.
func Agree(a, b Document) bool { return agree(&a, &b) }

// Order says which documents of a site are sampled: those with the least.
func Order(path string) uint64 {
	h, _ := tail(path)
	return h
}

// Hold compares two sites that a crawl has sampled.
func Hold(ctx context.Context, o Options, lib Library, a, b *Sampled) (Relation, error) {
	v, err := NewSurvey(o)
	if err != nil {
		return Relation{}, err
	}
	for _, x := range []*Sampled{a, b} {
		s := v.Site(x.Origin)
		for _, d := range x.Sample {
			v.Add(s, d)
		}
		for _, origin := range x.Canonicals {
			s.Canonical(origin)
		}
		s.Documents = x.Documents
	}
	return v.Compare(ctx, lib, a.Origin, b.Origin)
}

// A Sampled is a site as a crawl keeps it.
type Sampled struct {
	Origin     string
	Documents  int // met, not only those in the sample
	Sample     []Document
	Canonicals []string // of each document that names another site as canonical, its origin
}
