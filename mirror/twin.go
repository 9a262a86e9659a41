package mirror

import (
	"context"
	"fmt"
	"math/bits"
	"time"
)

// Surely is the least lower bound of a site's share on another from which the
// other is asked in its place: with 90 % certainty fewer than 1 of 10 of its
// documents are not there. 25 look-ups without a miss reach it, or 43 with one.
// What is not there comes back when the other's address brings no document; what is
// there and another document does not, so that of these no more than 1 of 100 may
// be met (see Audit).
const Surely = 0.9

// Named is the same for two names of one site: that www. and https change nothing
// is likely before anything was looked up. 11 look-ups, or redirects, without a
// miss reach it, or 21 with one.
const Named = 0.8

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
	GivenUp bool   `json:"given_up"` // too many were missed or lost; the two sites will not be tried again

	Since time.Time `json:"since,omitzero"`  // it was found, or put to a new audit
	Tried int       `json:"tried,omitempty"` // addresses that audits since then had asked for all the same

	Audited int `json:"audited,omitempty"` // addresses that were put off, tried ones too, at the last audit
}

// TwinOf returns the twin that a relation is sure enough for, of its site that
// is not the canonical one.
func TwinOf(r *Relation) (Twin, bool) {
	share := r.AB
	if r.Other() == r.B {
		share = r.BA
	}
	need := Surely
	if r.Class == Alias {
		need = Named
	}
	if !r.Class.Rewrites() || r.Canonical == "" || share.Low < need || isDoubtful(r.apart, r.found) {
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

// Redirected returns the twin of a site of which so many addresses redirect to their own
// path on another, and so many others do not.
func Redirected(from, to string, same, other int) (Twin, bool) {
	share := intervalOf(float64(same), same+other)
	if share.Low < Named {
		return Twin{}, false
	}
	return Twin{
		Origin: from, To: to, Maps: []Mapping{identity}, Class: Alias, Share: share,
		Why: fmt.Sprintf("redirects lead to it (%d addresses)", same),
	}, true
}

// How much of what was put off for a twin is tried at the end of a crawl.
const (
	audited      = 0.1                 // of the addresses that were put off since the last time, and
	auditedLeast = 30                  // at least so many
	doubtful     = 0.01                // of the checks found another document: from here on all are asked for
	renewed      = 30 * 24 * time.Hour // after which a twin is put to a new audit
)

// Audit returns how many more addresses are to be asked for, of so many that are
// put off, before the crawl may end. A tenth lets slip, at worst, a miss of
// e^-1/0.1 documents a site, as expected: rarer ones are fewer, more frequent ones
// are found. After thirty days the twin has to stand the test anew.
func (t *Twin) Audit(now time.Time, left int) int {
	if now.Sub(t.Since) > renewed {
		t.Since, t.Tried, t.Audited, t.Checked, t.Missed = now, 0, 0, 0, 0
	}
	all := left + t.Tried
	fresh := all - t.Audited
	n := min(max(auditedLeast, int(audited*float64(fresh))), fresh, left)
	if n <= 0 {
		return 0
	}
	t.Audited = all
	t.Tried += n
	return n
}

// Doubtful reports whether so many of the checks since the twin was found, and of
// the look-ups by which it was, found another document that at the end of a crawl,
// when nothing else is left to do, what was put off is asked for.
func (t *Twin) Doubtful() bool { return isDoubtful(t.Missed, t.Checked+t.Share.N) }

func isDoubtful(missed, checked int) bool { return float64(missed) > doubtful*float64(checked) }

// Agree reports whether one of two documents may be left out for the other: whether
// the gate took them for copies of one page. Bodies that are near in their SimHashes
// may differ in a number or a sentence, as those of two versions of a manual do; only
// where the gate said nothing of one of them that has to be enough.
func Agree(a, b Document) bool {
	if a.Group != 0 && b.Group != 0 {
		return a.Group == b.Group
	}
	return bits.OnesCount64(a.SimHash^b.SimHash) <= distance
}

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
		for origin, n := range s.canonicals { // of all, as of the sample
			s.canonicals[origin] = n * x.Documents / max(1, len(x.Sample))
		}
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
