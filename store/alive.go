package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
	"gatecrawl/purify"
)

// Bounds on what Alive looks at and returns.
const (
	maxMembers = 20    // of the lost page's group
	maxNear    = 5     // pages of the same site
	maxTaught  = 5_000 // pages that are gone, from which rules are learned
	nearBits   = 3     // of two bodies of any title
	likelyBits = 20    // of two bodies of one title or name, to be looked at
)

// Alive is gatecrawl.Inspector's.
func (s *Store) Alive(ctx context.Context, url string) (gatecrawl.Lost, error) {
	u, err := frontier.Parse(url)
	if err != nil {
		return gatecrawl.Lost{}, err
	}
	l := &loss{s: s, url: u, lost: gatecrawl.Lost{URL: u.String(), Candidates: []gatecrawl.Candidate{}}}
	for _, step := range []func() error{
		l.know, func() error { return l.scan(ctx) }, func() error { return l.mapped(ctx) }, l.nearest,
	} {
		if err := step(); err != nil {
			return l.lost, fmt.Errorf("alive: %w", err)
		}
	}
	return l.lost, nil
}

// A loss is the search for copies of one page.
type loss struct {
	s    *Store
	url  frontier.URL
	lost gatecrawl.Lost

	simhash uint64 // of the body; 0: none
	moves   mirror.Moves
	taught  int
	near    []nearPage
}

// A nearPage is a page of the same site, and how near it is.
type nearPage struct {
	url      string
	distance int
	how, why string
}

// add adds a candidate, unless it is the lost page or known already.
func (l *loss) add(c gatecrawl.Candidate) {
	if c.URL == "" || c.URL == l.lost.URL || slices.ContainsFunc(l.lost.Candidates, func(o gatecrawl.Candidate) bool { return o.URL == c.URL }) {
		return
	}
	l.lost.Candidates = append(l.lost.Candidates, c)
}

// know finds what the job has of the page itself, and of its group.
func (l *loss) know() error {
	return l.s.look(func(in glance) error {
		rec, ok, err := in.url(l.url.Key())
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%s: %w", l.url, gatecrawl.ErrUnknown)
		case rec.seq == 0:
			return nil // never fetched: rules may still know where it went
		}
		p, v, err := pageOf(in.Tx, rec.seq)
		if err != nil {
			return err
		}
		if p.Rule == "redirect" {
			l.add(gatecrawl.Candidate{URL: p.Location, How: gatecrawl.HowRedirect, Why: "its address redirected there"})
		}
		if !p.Document() {
			return nil
		}
		kept := p
		of := rec.seq
		if v.Copy() {
			of = uint64(v.Of)
			if kept, _, err = pageOf(in.Tx, of); err != nil {
				return err
			}
		}
		l.lost.Title, l.lost.Digest = cmp.Or(p.Title, kept.Title), p.Digest
		l.simhash, _ = strconv.ParseUint(cmp.Or(p.SimHash, kept.SimHash), 16, 64)
		if l.lost.Sign, err = signWhole(in.Tx, of, &kept); err != nil {
			return err
		}
		members, err := membersOf(in, of, maxMembers)
		for _, m := range members {
			l.add(gatecrawl.Candidate{URL: m.URL, How: gatecrawl.HowGroup, Why: "a copy of it was found there", Digest: m.Digest})
		}
		return err
	})
}

// pageOf reads a record.
func pageOf(tx *bbolt.Tx, seq uint64) (gatecrawl.Page, dedup.Verdict, error) {
	p, v, err := decodePage(tx.Bucket(bucketPages).Get(seqKey(seq)))
	if err != nil {
		return p, v, fmt.Errorf("page %d: %w", seq, err)
	}
	p.Seq = seq
	return p, v, nil
}

// signWhole signs a kept page with all that surrounds its text: who fetches a page
// without the job does not know the template of its host. nil: no text is kept.
func signWhole(tx *bbolt.Tx, seq uint64, p *gatecrawl.Page) (*dedup.Signature, error) {
	packed := tx.Bucket(bucketBodies).Get(seqKey(seq))
	if packed == nil {
		return nil, nil
	}
	body, err := gatecrawl.UnpackBody(packed)
	if err != nil {
		return nil, err
	}
	kind := p.Type
	if p.Charset != "" {
		kind += "; charset=" + p.Charset
	}
	sig := dedup.Sign(body, purify.PurifyAt(p.URL, body, kind))
	return &sig, nil
}

// here reports whether a record says that its document is still at its address.
func here(p *gatecrawl.Page) bool {
	return p.Document() && p.ReplacedBy == 0 && p.RevisitStatus != http.StatusNotFound && p.RevisitStatus != http.StatusGone &&
		!strings.HasPrefix(p.Revisit, "redirects to ") && !strings.HasPrefix(p.Revisit, "soft 404")
}

// mostHeirs bounds how many pages one after the other took over a group.
const mostHeirs = 100

// speakerOf returns the kept page that has a group by now: where one is gone, who
// took over from it.
func speakerOf(in glance, of uint64) (uint64, error) {
	b := in.Bucket(bucketRetired)
	if b == nil {
		return of, nil
	}
	for range mostHeirs {
		by := retiredBy(b, of)
		if by == 0 || in.Bucket(bucketPages).Get(seqKey(by)) == nil {
			break
		}
		old, err := urlAt(in.Tx, of)
		if err != nil {
			return of, err
		}
		heir, v, err := pageOf(in.Tx, by)
		if err != nil || heir.URL == old {
			return of, err // it changed: its copies are those of what it was
		}
		if of = by; v.Copy() {
			of = uint64(v.Of)
		}
	}
	return of, nil
}

// membersOf returns pages of a group that were there when they were asked last:
// the kept page, or who came in its place, then the others.
func membersOf(in glance, of uint64, limit int) ([]gatecrawl.Page, error) {
	of, err := speakerOf(in, of)
	if err != nil {
		return nil, err
	}
	var members []gatecrawl.Page
	kept, _, err := pageOf(in.Tx, of)
	if err != nil {
		return nil, err
	}
	if here(&kept) {
		members = append(members, kept)
	}
	prefix := seqKey(of)
	c := in.Bucket(bucketVotes).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(members) < limit; k, _ = c.Next() {
		rec, ok, err := in.url(frontier.Key(k[len(prefix):]))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		p, _, err := pageOf(in.Tx, rec.seq)
		if err != nil {
			return nil, err
		}
		if here(&p) {
			members = append(members, p)
		}
	}
	return members, nil
}

// scan reads all records once: for the rules by which pages moved, and for pages
// of the same site that are near.
func (l *loss) scan(ctx context.Context) error {
	domain := l.url.Domain()
	err := l.s.Pages(ctx, 1, func(p gatecrawl.Page) error {
		switch {
		case p.Rule == "redirect":
			l.moves.Add(p.URL, p.Location)
		case !p.Document() || p.ReplacedBy != 0:
		case !here(&p):
			return l.learn(&p)
		default:
			l.meet(&p, domain)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range l.moves.Find(l.lost.URL) {
		l.add(gatecrawl.Candidate{URL: m.URL, How: gatecrawl.HowMove, Why: "pages of its folder moved: " + m.Rule})
	}
	return nil
}

// learn takes from a page that is gone where its copies are.
func (l *loss) learn(p *gatecrawl.Page) error {
	if strings.HasPrefix(p.Revisit, "redirects to ") {
		l.moves.Add(p.URL, strings.TrimPrefix(p.Revisit, "redirects to "))
	}
	if l.taught++; l.taught > maxTaught {
		return nil
	}
	return l.s.look(func(in glance) error {
		_, v, err := pageOf(in.Tx, p.Seq)
		if err != nil {
			return err
		}
		of := p.Seq
		if v.Copy() {
			of = uint64(v.Of)
		}
		members, err := membersOf(in, of, maxMembers)
		for _, m := range members {
			l.moves.Add(p.URL, m.URL)
		}
		return err
	})
}

// meet looks at a page that is there.
func (l *loss) meet(p *gatecrawl.Page, domain string) {
	if l.simhash == 0 || p.SimHash == "" || p.URL == l.lost.URL {
		return
	}
	h, err := strconv.ParseUint(p.SimHash, 16, 64)
	if err != nil {
		return
	}
	n := nearPage{url: p.URL, distance: bits.OnesCount64(h ^ l.simhash), how: gatecrawl.HowNear}
	if n.distance > likelyBits {
		return
	}
	u, err := frontier.Parse(p.URL)
	switch {
	case err != nil || u.Domain() != domain:
		return
	case p.Title != "" && p.Title == l.lost.Title:
		n.why = ", with its title"
	case mirror.SameName(u, l.url):
		n.how, n.why = gatecrawl.HowName, ", with its name"
	case n.distance > nearBits:
		return
	}
	l.near = append(l.near, n)
	slices.SortStableFunc(l.near, func(a, b nearPage) int { return cmp.Compare(a.distance, b.distance) })
	l.near = l.near[:min(len(l.near), maxNear)]
}

// mapped asks the mirrors of the page's site, where nothing else is known: that
// takes as long as crawl mirrors does.
func (l *loss) mapped(ctx context.Context) error {
	if len(l.lost.Candidates)+len(l.near) > 0 {
		return nil
	}
	pairs, err := l.s.Pairs(ctx)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if p.Relation == nil || !p.Class.Rewrites() {
			continue
		}
		rel := *p.Relation
		if rel.B == l.url.Origin() {
			rel = rel.Turned()
		}
		if rel.A != l.url.Origin() {
			continue
		}
		for _, m := range rel.Maps {
			if path, ok := m.Apply(l.url.RequestURI()); ok {
				l.add(gatecrawl.Candidate{URL: rel.B + path, How: gatecrawl.HowMirror,
					Why: fmt.Sprintf("%s of its site: %s", rel.Class, m)})
				break
			}
		}
	}
	return nil
}

// nearest adds the pages of the same site.
func (l *loss) nearest() error {
	for _, n := range l.near {
		l.add(gatecrawl.Candidate{URL: n.url, How: n.how,
			Why: fmt.Sprintf("a page of its site, %d of 64 bits away%s", n.distance, n.why)})
	}
	return nil
}
