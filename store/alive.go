package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
	"gatecrawl/purify"
)

// Bounds on what Alive looks at and returns.
const (
	maxMembers = 20        // of the lost page's group
	maxNear    = 5         // pages of the same site
	maxTaught  = 5_000     // pages of a domain that are gone, from which rules are learned
	maxDomain  = 2_000_000 // pages of a domain that are compared, 16 bytes each
	nearBits   = 3         // of two bodies of any title
	likelyBits = 20        // of two bodies of one title or name, to be looked at
)

// Alive is gatecrawl.Inspector's.
func (s *Store) Alive(ctx context.Context, url string) (gatecrawl.Lost, error) {
	u, err := frontier.Parse(url)
	if err != nil {
		return gatecrawl.Lost{}, err
	}
	l := &loss{s: s, url: u, lost: gatecrawl.Lost{URL: u.String(), Candidates: []gatecrawl.Candidate{}}}
	for _, step := range []func() error{
		l.know, func() error { return l.neighbours(ctx) }, func() error { return l.mapped(ctx) }, l.nearest,
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

// A domain is what lost pages of a registrable domain may be found by. It is kept
// for the next question.
type domain struct {
	name  string
	moves mirror.Moves // by which its pages moved
	pages []bodyOf     // that are there, in crawl order

	taught int
}

// A bodyOf is the SimHash of a page's body.
type bodyOf struct{ seq, simhash uint64 }

// lookups are what questions about lost pages have read of a job, for those to
// come.
type lookups struct {
	mu        sync.Mutex
	domain    *domain
	relations []mirror.Relation // of all sites; nil: not asked for
	asOf      int64             // visits of the job when they were read
	read      time.Time
}

// stale is how long a running crawl's answers may be behind it.
const stale = 30 * time.Second

// refresh forgets what is too old.
func (n *lookups) refresh(t gatecrawl.Totals) {
	if visits := t.Pages + t.Revisits; visits != n.asOf && time.Since(n.read) > stale {
		n.domain, n.relations, n.asOf, n.read = nil, nil, visits, time.Now()
	}
}

// domainOf reads what the job has of the hosts of a registrable domain: its cost is
// that of their pages, whatever the size of the job.
func (s *Store) domainOf(ctx context.Context, name string) (*domain, error) {
	d := &domain{name: name}
	var seqs []uint64
	hs, err := s.hostsOf(name)
	if err != nil {
		return nil, err
	}
	for _, h := range hs {
		for from := urlKey(frontier.Key(append(h[:], make([]byte, 10)...))); from != nil; {
			next, err := s.documentsFrom(h, from, &seqs)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			from = next
		}
	}
	slices.Sort(seqs)
	for batch := range slices.Chunk(seqs, chunk) {
		err := s.look(func(in glance) error {
			for _, seq := range batch {
				if err := d.take(in, seq); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// documentsFrom adds to seqs what the addresses of a host brought, from a key of
// the table on. It returns the key to go on with, nil at the end.
func (s *Store) documentsFrom(h frontier.HostKey, from []byte, seqs *[]uint64) (next []byte, err error) {
	err = s.look(func(in glance) error {
		var fault error
		n := 0
		err := in.table.Range(append([]byte{kindURL}, h[:]...), from, func(k, v []byte) bool {
			if n++; n > 10*chunk {
				next = bytes.Clone(k)
				return false
			}
			var rec urlRecord
			if rec, fault = decodeURL(v); fault == nil && rec.seq != 0 {
				*seqs = append(*seqs, rec.seq)
			}
			return fault == nil
		})
		return errors.Join(err, fault)
	})
	return next, err
}

// take takes a record of the domain: for the rules by which pages moved, and for
// the pages that are there.
func (d *domain) take(in glance, seq uint64) error {
	p, v, err := pageOf(in.Tx, seq)
	switch {
	case err != nil:
		return err
	case p.Rule == "redirect":
		d.moves.Add(p.URL, p.Location)
	case !p.Document() || p.ReplacedBy != 0:
	case !here(&p):
		return d.learn(in, &p, v)
	case p.SimHash != "" && len(d.pages) < maxDomain:
		h, err := strconv.ParseUint(p.SimHash, 16, 64)
		if err != nil {
			return fmt.Errorf("simhash of %s: %w", p.URL, err)
		}
		d.pages = append(d.pages, bodyOf{seq, h})
	}
	return nil
}

// learn takes from a page that is gone where its copies are.
func (d *domain) learn(in glance, p *gatecrawl.Page, v dedup.Verdict) error {
	if to, ok := strings.CutPrefix(p.Revisit, "redirects to "); ok {
		d.moves.Add(p.URL, to)
	}
	if d.taught++; d.taught > maxTaught {
		return nil
	}
	of := p.Seq
	if v.Copy() {
		of = uint64(v.Of)
	}
	members, err := membersOf(in, of, maxMembers)
	for _, m := range members {
		d.moves.Add(p.URL, m.URL)
	}
	return err
}

// neighbours finds the rules by which pages of the domain moved, and its pages that
// are near.
func (l *loss) neighbours(ctx context.Context) error {
	n := &l.s.lookups
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refresh(l.s.Totals())
	name := l.url.Domain()
	if n.domain == nil || n.domain.name != name {
		d, err := l.s.domainOf(ctx, name)
		if err != nil {
			return err
		}
		n.domain = d
	}
	for _, m := range n.domain.moves.Find(l.lost.URL) {
		l.add(gatecrawl.Candidate{URL: m.URL, How: gatecrawl.HowMove, Why: "pages of its folder moved: " + m.Rule})
	}
	if l.simhash == 0 {
		return nil
	}
	return l.s.look(func(in glance) error {
		for _, b := range n.domain.pages {
			if bits.OnesCount64(b.simhash^l.simhash) > likelyBits {
				continue
			}
			p, _, err := pageOf(in.Tx, b.seq)
			if err != nil {
				return err
			}
			l.meet(&p, b.simhash)
		}
		return nil
	})
}

// meet looks at a page of the domain that is likely near.
func (l *loss) meet(p *gatecrawl.Page, simhash uint64) {
	u, err := frontier.Parse(p.URL)
	if err != nil || p.URL == l.lost.URL || !here(p) {
		return
	}
	n := nearPage{url: p.URL, distance: bits.OnesCount64(simhash ^ l.simhash), how: gatecrawl.HowNear}
	switch {
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

// mapped asks the mirrors of the page's site, where nothing else is known. For the
// first such page of a list that takes as long as crawl mirrors does.
func (l *loss) mapped(ctx context.Context) error {
	if len(l.lost.Candidates)+len(l.near) > 0 {
		return nil
	}
	n := &l.s.lookups
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.relations == nil {
		survey, _, err := l.s.survey(ctx)
		if err != nil {
			return err
		}
		rels, err := survey.Relations(ctx, l.s.library(nil))
		if err != nil {
			return err
		}
		n.relations = append([]mirror.Relation{}, rels...)
	}
	for _, rel := range n.relations {
		if !rel.Class.Rewrites() {
			continue
		}
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
