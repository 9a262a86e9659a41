package mirror

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// MinConfidence is the smallest lower bound of a site's share on another with which the
// other is asked in its place: with 90 % confidence fewer than 1 of 10 of its documents
// are missing there. 25 look-ups without a miss reach it, or 43 with one miss. A missing
// document is fetched from the site itself when the other answers without one. A
// different document is lost, so no more than 1 of 100 may be different (see Audit).
const MinConfidence = 0.9

// MinAliasConfidence is the same for two names of one site: it is likely from the start that
// www. and https change nothing. 11 look-ups or redirects without a miss reach it, or 21
// with one miss.
const MinAliasConfidence = 0.8

// MaxMissed is how many of the last Recent checks of a Twin may fail before it
// is given up.
const (
	MaxMissed = 2
	Recent    = 10
)

// A Twin says that the documents of a host are requested from another site.
type Twin struct {
	Origin string    `json:"origin"` // of the host's site
	To     string    `json:"to"`     // the origin that is asked
	Maps   []Mapping `json:"map"`    // from the host's paths to those of To, the longest From first
	Class  Class     `json:"class"`
	Share  Interval  `json:"share"`        // of the host's documents that are on To
	Why    string    `json:"why"`          // why To is asked and not the host
	By     string    `json:"by,omitempty"` // byRedirects or byEqual; "": by equal and nearly equal documents

	Checks  uint16 `json:"checks"`            // the last Recent, newest lowest: 1 is a miss
	Checked int    `json:"checked"`           // pages that were fetched from both
	Missed  int    `json:"missed"`            // of these, with different documents
	Near    int    `json:"near,omitempty"`    // pages with near copies, see RecordNear: they are not among Checked
	Differs string `json:"differs,omitempty"` // the URL of the host that was the last of Missed and Near
	There   int    `json:"there"`             // URLs requested from To that have a document
	Lost    int    `json:"lost"`              // documents of the host that To does not have
	GivenUp bool   `json:"given_up"`          // too many were missed or lost; the two sites will not be compared again

	Since time.Time `json:"since,omitzero"`  // when it was found, or a new audit started
	Tried int       `json:"tried,omitempty"` // URLs that audits have had requested from the host since then

	RetryShare float64 `json:"again,omitempty"` // share of postponed URLs that is tried when the current re-crawl ends

	Audited  int `json:"audited,omitempty"`  // URLs that were postponed or tried at the last audit
	Reviewed int `json:"reviewed,omitempty"` // pages of the host that were fetched before any URL was tried, and are equal to those on To
}

// TwinOf returns the twin of that site of a relation that is not the canonical one, if the relation
// is certain enough.
func TwinOf(r *Relation) (Twin, bool) {
	share := r.AB
	if r.Other() == r.B {
		share = r.BA
	}
	need, by := MinConfidence, ""
	if r.Class == Alias {
		need = MinAliasConfidence
	}
	doubtful := isDoubtful(r.apart, r.found)
	switch {
	case r.redirects:
		by = byRedirects
	case r.Strangers():
		// Whoever copies another owner's pages with one word changed in each must not
		// replace them.
		if share = r.equal[0]; r.Other() == r.B {
			share = r.equal[1]
		}
		by, doubtful = byEqual, r.Unequal > 0
	}
	if !(r.Class.Rewrites() || r.Class == SharedFolders) || r.Canonical == "" || share.Low < need || doubtful {
		return Twin{}, false
	}
	return Twin{Origin: r.Other(), To: r.Canonical, Maps: r.Mapped(), Class: r.Class, Share: share, Why: r.Why, By: by}, true
}

// Through returns the twin of t's site where t.To is itself left out now, for the site of next: rel is what t's site is to that one. It
// returns false if the two differ, or if the comparison is not certain and t and next are not based on equal documents.
func (t *Twin) Through(next *Twin, rel *Relation) (Twin, bool) {
	to := *t
	to.To, to.Why = next.To, fmt.Sprintf("it is canonical for %s, of the same group: %s", next.Origin, next.Why)
	if direct, ok := TwinOf(rel); ok && direct.Origin == t.Origin && direct.By == t.By {
		to.Maps, to.Class, to.Share, to.Why = direct.Maps, direct.Class, direct.Share, direct.Why
		return to, true
	}
	if rel.Unequal > 0 || rel.Canonical == t.Origin || t.By != byEqual || next.By != byEqual || !t.isWhole() || !next.isWhole() {
		return Twin{}, false
	}
	return to, true
}

// isWhole reports whether all of the host's paths are the same on To.
func (t *Twin) isWhole() bool { return t.Class.Rewrites() && slices.Equal(t.Maps, []Mapping{identity}) }

// What a Twin may be based on, other than equal and nearly equal documents.
const (
	byRedirects = "redirects" // of the host itself
	byEqual     = "equal"     // documents with the same bytes or bodies
)

// ByEqual reports whether the twin is based on documents with the same bytes or bodies.
func (t *Twin) ByEqual() bool { return t.By == byEqual }

// IsTrusted reports whether the host's documents are requested from To. If the two have
// different registrable domains, nearly equal documents are not enough: a twin that an
// earlier version of the program based on them is not trusted any more.
func (t *Twin) IsTrusted() bool { return !t.GivenUp && (t.By != "" || !t.strangers()) }

func (t *Twin) strangers() bool { return weburl.DomainOf(t.Origin) != weburl.DomainOf(t.To) }

// Agrees reports whether a document of the host and the one at its URL on To confirm the
// twin.
func (t *Twin) Agrees(mine, theirs Document) bool {
	if t.strangers() {
		return Equal(mine, theirs)
	}
	return Agree(mine, theirs)
}

// URL returns the URL on To of the document at a path of the host, and false for a path
// that the twin does not cover.
func (t *Twin) URL(path string) (string, bool) {
	to, ok := apply(t.Maps, path)
	return t.To + to, ok
}

// Copy returns the URL of the host whose document is at a path of To, and false for a path that the twin does not cover.
func (t *Twin) Copy(path string) (string, bool) {
	from, ok := apply(reversed(t.Maps), path)
	return t.Origin + from, ok
}

// RecordCheck counts a page that was fetched from both sites, by its URL on the host. It reports whether
// the twin must be given up: between different owners at the first page that differs.
func (t *Twin) RecordCheck(url string, same bool) bool {
	t.Checked++
	t.Checks <<= 1
	if !same {
		t.Checks |= 1
		t.Missed++
		t.Differs = url
	}
	t.Checks &= 1<<Recent - 1
	return bits.OnesCount16(t.Checks) > MaxMissed || !same && t.By == byEqual
}

// RecordNear counts a page of the host that is a near copy of the one on To, of another owner, and not an equal one. Before the first
// audit that may be a frame which the template of one of the sites does not know yet, so that one such page is not enough: the audit
// looks at others. It reports whether there are so many that the twin must be given up.
func (t *Twin) RecordNear(url string) bool {
	t.Checks = (t.Checks<<1 | 1) & (1<<Recent - 1)
	t.Near++
	t.Differs = url
	return bits.OnesCount16(t.Checks) > MaxMissed
}

// CountLost counts a document of the host that To does not have. It reports whether there
// are so many that the twin must be given up: each costs a useless request.
func (t *Twin) CountLost() bool {
	t.Lost++
	return t.Lost >= Recent && float64(t.Lost) > (1-carriedShare)*float64(t.Lost+t.There)
}

// Redirected returns the twin of a site whose sampled URLs redirect to their own path on
// another site, and whose other URLs do not.
func Redirected(from, to string, same, other int) (Twin, bool) {
	share := intervalOf(float64(same), same+other)
	if share.Low < MinAliasConfidence {
		return Twin{}, false
	}
	return Twin{
		Origin: from, To: to, Maps: []Mapping{identity}, Class: Alias, Share: share, By: byRedirects,
		Why: fmt.Sprintf("redirects lead to it (%d URLs)", same),
	}, true
}

// How many of the URLs that were postponed for a twin are tried at the end of a crawl.
const (
	auditShare            = 0.1                 // of the URLs that were postponed since the last audit
	minAudit              = 30                  // and at least so many in all
	auditShareOfStrangers = 0.2                 // the same if the other site has another owner,
	enoughOfStrangers     = 230                 // see enough
	doubtfulShare         = 0.01                // of the checks found a different document: from there on all URLs are requested
	minRetry              = 10                  // URLs are tried at a re-crawl, at least
	auditInterval         = 30 * 24 * time.Hour // after which a twin is audited again
)

// enough returns how many of a number of pages of a stranger's copy are compared. If one in a hundred is altered, one of so many is among them
// with 9 chances in 10: ln 10 / .01 = 230 of a large site, and of a small one as large a share as finds it as surely. But at least half of the
// copy is left out, so that of a site with fewer than 330 pages less is certain.
func enough(pages int) int {
	return int(min(float64(pages)/2, math.Ceil(float64(pages)*(1-math.Exp(-enoughOfStrangers/float64(pages))))))
}

// Audit returns how many of the postponed URLs left must still be requested before the crawl
// may end. With a tenth, the expected number of different documents that go unnoticed is at
// most e^-1/0.1 a site: rarer differences are fewer documents, and more frequent ones are
// found. After thirty days the audit starts again. Pages of a stranger's copy that were compared already, late of them after the host was
// first left out for another site, count as if they were requested now.
func (t *Twin) Audit(now time.Time, left, late int) int {
	if now.Sub(t.Since) > auditInterval {
		t.Since, t.Tried, t.Audited, t.Checked, t.Missed = now, 0, 0, 0, 0
	}
	all := left + t.Tried
	fresh := all - t.Audited
	share, least := auditShare, minAudit
	if t.By == byEqual {
		share, least = auditShareOfStrangers, enough(t.Reviewed+all)-t.Reviewed
	} else {
		late = 0
	}
	n := min(max(least-t.Tried, int(share*float64(fresh))-late), fresh, left)
	if n <= 0 {
		return 0
	}
	t.Audited = all
	t.Tried += n
	return n
}

// Doubtful reports whether so many look-ups and checks found a different document that
// all postponed URLs are requested at the end of a crawl, when the queue is empty.
func (t *Twin) Doubtful() bool { return isDoubtful(t.Missed, t.Checked+t.Share.N) }

// Retry returns how many of the left postponed URLs are tried at the end of a re-crawl: a
// share of them, and at least ten.
func (t *Twin) Retry(left int) int {
	if t.RetryShare == 0 {
		return 0
	}
	n := min(max(minRetry, int(math.Ceil(t.RetryShare*float64(left)))), left)
	t.RetryShare = 0
	t.Tried += n
	return n
}

func isDoubtful(missed, checked int) bool { return float64(missed) > doubtfulShare*float64(checked) }

// Agree reports whether one of two documents may be left out for the other: whether the
// gate took them for copies of one page. Bodies with close SimHashes may differ in a
// number or a sentence, as in two versions of a manual; they count only if the gate does
// not know one of the documents.
func Agree(a, b Document) bool {
	if Equal(a, b) {
		return true
	}
	if a.Group != 0 && b.Group != 0 {
		return a.Group == b.Group
	}
	return bits.OnesCount64(a.SimHash^b.SimHash) <= sameBodyBits
}

// SampleOrder returns the order in which documents are sampled: the smallest first.
func SampleOrder(path string) uint64 {
	h, _ := tail(path)
	return h
}

// Compare compares two sites that a crawl has sampled.
func Compare(ctx context.Context, o Options, lib Library, a, b *Sampled) (Relation, error) {
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
		s.Documents, s.Named, s.Met = x.Documents, x.Named, x.Met
		for origin, n := range s.canonicals { // of all, as of the sample
			s.canonicals[origin] = n * x.Documents / max(1, len(x.Sample))
		}
	}
	return v.Compare(ctx, lib, a.Origin, b.Origin)
}

// A Sampled is a site as a crawl stores it.
type Sampled struct {
	Origin     string
	Documents  int    // all, not only those in the sample
	Named, Met uint64 // as in Site
	Sample     []Document
	Canonicals []string // the origin that each document with a foreign rel=canonical names
}

// URLOf returns the URL that corresponds to one of the twin's host.
func (t *Twin) URLOf(u weburl.URL) (weburl.URL, bool) {
	address, ok := t.URL(u.RequestURI())
	if !ok {
		return weburl.URL{}, false
	}
	to, err := weburl.Parse(address)
	return to, err == nil && to != u
}
