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
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Bounds on what Alive looks at and returns.
const (
	maxMembers = 20        // of the lost page's group
	maxVoters  = 2_000     // of the group, to find those
	maxNear    = 5         // pages of the same site
	maxTaught  = 5_000     // pages of a domain that are gone, from which rules are learned
	maxDomain  = 2_000_000 // pages of a domain that are compared, 16 bytes each
	nearBits   = 3         // of two bodies of any title
	likelyBits = 20        // of two bodies of one title or name, to be looked at

	relativeBits = 14 // of two bodies, where one is in the folder that the other's folder became
)

// Alive is gatecrawl.Inspector's.
func (s *Store) Alive(ctx context.Context, url string) (linkrot.Lost, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return linkrot.Lost{}, err
	}
	l := &loss{s: s, url: u, lost: linkrot.Lost{URL: u.String(), Candidates: []linkrot.Candidate{}}}
	for _, step := range []func() error{
		l.know, func() error { return l.neighbours(ctx) }, func() error { return l.mapped(ctx) }, l.nearest, l.paged,
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
	url  weburl.URL
	lost linkrot.Lost

	simhash uint64 // of the body; 0: none
	near    []nearPage
	folders []string // that its folder became, by the rules of moves
}

// A nearPage is a page of the same site, and how near it is.
type nearPage struct {
	url      string
	distance int
	how, why string
}

// add adds a candidate, unless it is the lost page or known already.
func (l *loss) add(c linkrot.Candidate) {
	if c.URL == "" || c.URL == l.lost.URL || slices.ContainsFunc(l.lost.Candidates, func(o linkrot.Candidate) bool { return o.URL == c.URL }) {
		return
	}
	l.lost.Candidates = append(l.lost.Candidates, c)
}

// know finds what the job has of the page itself, and of its group.
func (l *loss) know() error {
	return l.s.look(func(in snapshot) error {
		rec, ok, err := in.url(l.url.Key())
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%s: %w", l.url, gatecrawl.ErrUnknown)
		case rec.seq == 0:
			return nil // never fetched: rules may still know where it went
		}
		p, v, err := in.page(rec.seq)
		if err != nil {
			return err
		}
		if p.Rule == "redirect" {
			l.add(linkrot.Candidate{URL: p.Location, How: linkrot.HowRedirect, Why: "its address redirected there"})
		}
		if !p.Document() {
			return nil
		}
		kept := p
		of := rec.seq
		if v.Copy() {
			of = uint64(v.Of)
			if kept, _, err = in.page(of); err != nil {
				return err
			}
		}
		l.lost.Title, l.lost.Digest = cmp.Or(p.Title, kept.Title), p.Digest
		l.simhash, _ = strconv.ParseUint(cmp.Or(p.SimHash, kept.SimHash), 16, 64)
		if l.lost.Sign, err = in.signWhole(of, &kept); err != nil {
			return err
		}
		members, err := membersOf(in, of, maxVoters)
		for _, m := range likeliest(members, &p, of)[:min(len(members), maxMembers)] {
			why := "a copy of it was found there"
			if m.Digest == p.Digest {
				why = "its bytes were found there"
			}
			l.add(linkrot.Candidate{URL: m.URL, How: linkrot.HowGroup, Why: why, Digest: m.Digest})
		}
		return err
	})
}

// likeliest orders the members of a lost page's group: those with its bytes, then those
// that resemble the kept page most. Where one page of a host is gone another one may be
// too, so of each host the first comes before all second ones.
func likeliest(members []page.Record, lost *page.Record, kept uint64) []page.Record {
	alike := func(m *page.Record) float64 {
		switch {
		case m.Digest != "" && m.Digest == lost.Digest:
			return 2
		case m.Seq == kept || m.Level == int(dedup.LevelBytes) || m.Level == int(dedup.LevelBody):
			return 1
		}
		return m.Similarity
	}
	slices.SortStableFunc(members, func(a, b page.Record) int {
		return cmp.Or(cmp.Compare(alike(&b), alike(&a)), cmp.Compare(a.Seq, b.Seq))
	})
	ofHost := make(map[string]int)
	rank := make(map[string]int, len(members))
	for _, m := range members {
		h := hostOf(m.URL)
		rank[m.URL] = ofHost[h]
		ofHost[h]++
	}
	slices.SortStableFunc(members, func(a, b page.Record) int { return cmp.Compare(rank[a.URL], rank[b.URL]) })
	return members
}

// signWhole signs a kept page with all that surrounds its text: who fetches a page
// without the job does not know the template of its host. nil: no text is kept.
func (in snapshot) signWhole(seq uint64, p *page.Record) (*dedup.Signature, error) {
	packed, err := in.Get(tableBodies, seqKey(seq))
	if err != nil || packed == nil {
		return nil, err
	}
	body, err := page.UnpackBody(packed)
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

// here reports whether a record says that its document is still at its URL.
func here(p *page.Record) bool {
	return p.Document() && p.ReplacedBy == 0 && p.RevisitStatus != http.StatusNotFound && p.RevisitStatus != http.StatusGone &&
		!strings.HasPrefix(p.Revisit, "redirects to ") && !strings.HasPrefix(p.Revisit, "soft 404")
}

// mostHeirs bounds how many pages one after the other took over a group.
const mostHeirs = 100

// speakerOf returns the kept page that has a group by now: where one is gone, who
// took over from it.
func speakerOf(in snapshot, of uint64) (uint64, error) {
	for range mostHeirs {
		by, err := group.Successor(in, of)
		if err != nil || by == 0 {
			return of, err
		}
		if there, err := kv.Has(in, tablePages, seqKey(by)); err != nil || !there {
			return of, err
		}
		old, err := in.urlOf(of)
		if err != nil {
			return of, err
		}
		heir, v, err := in.page(by)
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
func membersOf(in snapshot, of uint64, limit int) ([]page.Record, error) {
	of, err := speakerOf(in, of)
	if err != nil {
		return nil, err
	}
	var members []page.Record
	kept, _, err := in.page(of)
	if err != nil {
		return nil, err
	}
	if here(&kept) {
		members = append(members, kept)
	}
	for k, err := range group.Voters(in, of) {
		if err != nil {
			return nil, err
		}
		if len(members) >= limit {
			break
		}
		rec, ok, err := in.url(k)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		p, _, err := in.page(rec.seq)
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
	moves linkrot.Moves // by which its pages moved
	pages []bodyOf      // that are there, in crawl order

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
func (n *lookups) refresh(t page.Totals) {
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
		for from := append(h[:], make([]byte, 10)...); from != nil; {
			next, err := s.documentsFrom(h, from, &seqs)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			from = next
		}
	}
	slices.Sort(seqs)
	for batch := range slices.Chunk(seqs, chunk) {
		err := s.look(func(in snapshot) error {
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

// documentsFrom adds to seqs what the URLs of a host brought, from a key of
// the table on. It returns the key to go on with, nil at the end.
func (s *Store) documentsFrom(h weburl.HostKey, from []byte, seqs *[]uint64) (next []byte, err error) {
	err = s.look(func(in snapshot) error {
		n := 0
		for e, err := range kv.PrefixFrom(in, tableURLs, h[:], from) {
			if err != nil {
				return err
			}
			if n++; n > 10*chunk {
				next = bytes.Clone(e.Key)
				return nil
			}
			rec, err := decodeURL(e.Value)
			if err != nil {
				return err
			}
			if rec.seq != 0 {
				*seqs = append(*seqs, rec.seq)
			}
		}
		return nil
	})
	return next, err
}

// take takes a record of the domain: for the rules by which pages moved, and for
// the pages that are there.
func (d *domain) take(in snapshot, seq uint64) error {
	p, v, err := in.page(seq)
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
func (d *domain) learn(in snapshot, p *page.Record, v dedup.Verdict) error {
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
		if i := strings.LastIndexByte(strings.TrimSuffix(m.URL, "/"), '/'); i > len("https://") {
			l.folders = append(l.folders, m.URL[:i+1])
		}
		l.add(linkrot.Candidate{URL: m.URL, How: linkrot.HowMove, Why: "pages of its folder moved: " + m.Rule})
	}
	if l.simhash == 0 {
		return nil
	}
	return l.s.look(func(in snapshot) error {
		for _, b := range n.domain.pages {
			if bits.OnesCount64(b.simhash^l.simhash) > likelyBits {
				continue
			}
			p, _, err := in.page(b.seq)
			if err != nil {
				return err
			}
			l.meet(&p, b.simhash)
		}
		return nil
	})
}

// meet looks at a page of the domain that is likely near.
func (l *loss) meet(p *page.Record, simhash uint64) {
	u, err := weburl.Parse(p.URL)
	if err != nil || p.URL == l.lost.URL || !here(p) {
		return
	}
	n := nearPage{url: p.URL, distance: bits.OnesCount64(simhash ^ l.simhash), how: linkrot.HowNear}
	switch {
	case p.Title != "" && p.Title == l.lost.Title:
		n.why = ", with its title"
	case linkrot.SameName(u, l.url):
		n.how, n.why = linkrot.HowName, ", with its name"
	case l.movedTo(p.URL) && n.distance <= relativeBits:
		n.how, n.why = linkrot.HowRelative, ", in the folder that its folder became"
	case n.distance > nearBits:
		return
	}
	l.near = append(l.near, n)
	slices.SortStableFunc(l.near, func(a, b nearPage) int { return cmp.Compare(a.distance, b.distance) })
	l.near = l.near[:min(len(l.near), maxNear)]
}

// movedTo reports whether a URL is in a folder that the lost page's folder became.
func (l *loss) movedTo(address string) bool {
	return slices.ContainsFunc(l.folders, func(dir string) bool { return strings.HasPrefix(address, dir) })
}

// mapped adds the page's place on mirrors of its site and on sites with another version
// of it, where its bytes are known nowhere else. For the first such page of a list that
// takes as long as crawl mirrors does.
func (l *loss) mapped(ctx context.Context) error {
	if slices.ContainsFunc(l.lost.Candidates, func(c linkrot.Candidate) bool {
		return c.How == linkrot.HowGroup && c.Digest == l.lost.Digest
	}) {
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
		// A version of a page is not the page: those come last.
		slices.SortStableFunc(n.relations, func(a, b mirror.Relation) int {
			return cmp.Compare(versionLast(a.Class), versionLast(b.Class))
		})
	}
	for _, c := range placesOn(n.relations, l.url.Origin(), l.url.RequestURI()) {
		l.add(c)
	}
	return nil
}

func versionLast(c mirror.Class) int {
	if c == mirror.NearVersion {
		return 1
	}
	return 0
}

// placesOn returns where a path of a site is on other sites: on those that it is related
// to, and, if it is a mirror, on the other members of its group.
func placesOn(rels []mirror.Relation, origin, path string) (cs []linkrot.Candidate) {
	follow := func(origin, path string, through func(mirror.Relation) bool) {
		for _, rel := range rels {
			if rel.B == origin {
				rel = rel.Reversed()
			}
			if rel.A != origin || rel.Class == mirror.None || rel.Class == mirror.SameShape || !through(rel) {
				continue
			}
			for _, m := range rel.Maps {
				if to, ok := m.Apply(path); ok {
					cs = append(cs, linkrot.Candidate{URL: rel.B + to, How: linkrot.HowMirror,
						Why: fmt.Sprintf("%s of its site: %s", rel.Class, m)})
					break
				}
			}
		}
	}
	follow(origin, path, func(mirror.Relation) bool { return true })
	for _, c := range slices.Clone(cs) { // a member's canonical site has the other members
		u, err := weburl.Parse(c.URL)
		if err == nil {
			follow(u.Origin(), u.RequestURI(), func(r mirror.Relation) bool {
				return r.Class.Rewrites() && r.Canonical == u.Origin() && r.B != origin
			})
		}
	}
	return cs
}

// paged adds the neighbours of a page of a long list, at its place and where its folder
// went: as a list grows what was on page 2 is on page 3.
func (l *loss) paged() error {
	places := []string{l.lost.URL}
	for _, c := range l.lost.Candidates {
		if c.How == linkrot.HowMove || c.How == linkrot.HowMirror {
			places = append(places, c.URL)
		}
	}
	for i := len(places) - 1; i >= 0; i-- { // where the folder went first
		for _, next := range linkrot.Paged(places[i]) {
			l.add(linkrot.Candidate{URL: next, How: linkrot.HowRelative, Why: "its neighbour in a list of many pages"})
		}
	}
	return nil
}

// nearest adds the pages of the same site.
func (l *loss) nearest() error {
	for _, n := range l.near {
		l.add(linkrot.Candidate{URL: n.url, How: n.how,
			Why: fmt.Sprintf("a page of its site, %d of 64 bits away%s", n.distance, n.why)})
	}
	return nil
}
