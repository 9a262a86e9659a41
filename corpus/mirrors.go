package corpus

import (
	"context"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
)

// A siteSurvey compares the sites of a collection as a crawl compares those of a job. A page that
// is not in the collection counts as missing on its site. It is used from one goroutine; a nil
// *siteSurvey does nothing.
type siteSurvey struct {
	spool  *spool
	survey *mirror.Survey
	place  map[uint64]dedup.DocID // by the hash of a URL
	copies map[[2]string]int64    // by the origins of a copy and of its kept page, where they differ
}

func newSiteSurvey(s *spool) *siteSurvey {
	survey, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		panic(err) // the defaults are valid
	}
	return &siteSurvey{spool: s, survey: survey, place: make(map[uint64]dedup.DocID), copies: make(map[[2]string]int64)}
}

// add adds a page that the spool has. A page without a URL is on no site. If several pages have one
// URL, the first counts.
func (v *siteSurvey) add(doc dedup.DocID, s *signedPage, verdict dedup.Verdict) error {
	if v == nil {
		return nil
	}
	u, err := weburl.Parse(s.URL)
	if err != nil {
		return nil
	}
	key := xxhash.Sum64String(u.String())
	if _, again := v.place[key]; again {
		return nil
	}
	v.place[key] = doc
	site := v.survey.Site(u.Origin())
	if s.redirect() {
		if to, err := u.Parse(s.Location); err == nil && to.Origin() != u.Origin() {
			site.Redirect(u.RequestURI(), to.Origin(), to.RequestURI())
		}
		return nil
	}
	if !s.record.Document() {
		return nil
	}
	d, _, err := v.document(doc, u)
	if err != nil {
		return err
	}
	v.survey.Add(site, d)
	if s.canonical != "" {
		if to, err := u.Parse(s.canonical); err == nil && to.Origin() != u.Origin() {
			site.Canonical(to.Origin())
		}
	}
	return v.count(u, verdict)
}

// count counts a copy whose kept page is on another site.
func (v *siteSurvey) count(u weburl.URL, verdict dedup.Verdict) error {
	if !verdict.Copy() {
		return nil
	}
	_, of, err := v.spool.page(dedup.DocID(verdict.Of))
	if err != nil {
		return err
	}
	if kept, err := weburl.Parse(of); err == nil && kept.Origin() != u.Origin() {
		v.copies[[2]string{u.Origin(), kept.Origin()}]++
	}
	return nil
}

// document returns a page of the spool for package mirror; false for an error or a redirect.
func (v *siteSurvey) document(doc dedup.DocID, u weburl.URL) (mirror.Document, bool, error) {
	p, _, err := v.spool.page(doc)
	if err != nil || p.Sign.Bytes.IsZero() {
		return mirror.Document{}, false, err
	}
	first := func(d dedup.Digest) uint64 { return binary.BigEndian.Uint64(d[:]) }
	d := mirror.Document{
		Path: u.RequestURI(), Group: uint64(doc), SimHash: p.Sign.SimHash, Tokens: int(p.Sign.Tokens),
		Bytes: first(p.Sign.Bytes), Body: first(p.Sign.Body), Title: p.Title[0], Shape: p.Title[1],
		Text: uint64(doc), Kept: p.Of == 0,
	}
	if p.Of != 0 {
		d.Group = uint64(p.Of)
	}
	if p.Similarity == 1 {
		d.Text = d.Group
	}
	if p.Of != 0 && d.Tokens == 0 { // a revisit record has no text
		kept, _, err := v.spool.page(p.Of)
		if err != nil {
			return d, false, err
		}
		d.SimHash, d.Tokens, d.Body = kept.Sign.SimHash, int(kept.Sign.Tokens), first(kept.Sign.Body)
	}
	return d, true, nil
}

// Document implements mirror.Library.
func (v *siteSurvey) Document(_ context.Context, url string) (mirror.Document, mirror.State, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, nil // a mapping may produce what is not a URL
	}
	doc, ok := v.place[xxhash.Sum64String(u.String())]
	if !ok {
		return mirror.Document{}, mirror.Absent, nil
	}
	d, ok, err := v.document(doc, u)
	if err != nil || !ok {
		return d, mirror.Absent, err
	}
	return d, mirror.Present, nil
}

// report returns the groups of mirrored sites and the other pairs, and the number of copies whose
// kept page is on another site of the same group.
func (v *siteSurvey) report() (mirror.Report, int64, error) {
	relations, err := v.survey.Relations(context.Background(), v)
	if err != nil {
		return mirror.Report{}, 0, err
	}
	r := mirror.Gather(v.survey.Hosts().Relate(nil, relations, weburl.HostOf))
	group := make(map[string]int)
	for i, g := range r.Groups {
		group[g.Canonical] = i + 1
		for _, m := range g.Members {
			group[m.Relation.A], group[m.Relation.B] = i+1, i+1
		}
	}
	copies := int64(0)
	for sites, n := range v.copies {
		if a := group[sites[0]]; a != 0 && a == group[sites[1]] {
			copies += n
		}
	}
	return r, copies, nil
}

var _ mirror.Library = (*siteSurvey)(nil)
