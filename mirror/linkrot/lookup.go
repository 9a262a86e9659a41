package linkrot

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Bounds on what Lookups read and return.
const (
	maxMembers = 20        // of the lost page's group
	maxFirst   = 6         // of these, before where the page may be by rules and on mirrors: of what is asked for some must be left
	maxVoters  = 2_000     // of the group, to find those
	maxNear    = 5         // pages of the same site
	maxTaught  = 5_000     // pages of a domain that are gone, from which rules are learned
	maxDomain  = 2_000_000 // pages of a domain that are compared, 16 bytes each
	nearBits   = 3         // of two bodies of any title
	likelyBits = 20        // of two bodies of one title or name, to be looked at

	relativeBits = 14 // of two bodies, where one is in the folder that the other's folder became

	// URLs of a host, and pages, that are read in one snapshot.
	urlsAtOnce, pagesAtOnce = 10_000, 1_000
)

// A Job is what Lookups need of a crawl's state besides its tables.
type Job interface {
	// Page returns the number of the page at a URL, 0 if it was not fetched; ok is false if the
	// URL is not known.
	Page(r kv.Reader, k weburl.Key) (seq uint64, ok bool, err error)

	// Hosts returns the hosts of a registrable domain.
	Hosts(domain string) ([]weburl.HostKey, error)

	// URLs yields the URLs of a host, from one on, in the order of their keys.
	URLs(r kv.Reader, h weburl.HostKey, from weburl.Key) iter.Seq2[PageAt, error]

	// Body returns the bytes of a kept page, nil where none are kept.
	Body(r kv.Reader, seq uint64) ([]byte, error)

	// Text returns the text of a kept page without the template of its site, false where none is kept.
	Text(of dedup.Ref) (dedup.Text, bool, error)

	// Copies yields the URLs of a kept page's copies.
	Copies(r kv.Reader, kept uint64) iter.Seq2[weburl.Key, error]

	// Successor returns the number of the page that came in the place of a kept page, 0 where
	// none did.
	Successor(r kv.Reader, kept uint64) (uint64, error)

	// Relations returns what the sites of the job are to each other.
	Relations(ctx context.Context) ([]mirror.Relation, error)

	// Visits returns how many visits were settled.
	Visits() int64
}

// A PageAt is a URL and the number of its page, 0 if it was not fetched.
type PageAt struct {
	URL  weburl.Key
	Page uint64
}

// Lookups find candidates for lost pages in a job. They keep what they have read of it for
// the questions to come. Find may be called from many goroutines.
type Lookups struct {
	tables kv.Store
	job    Job

	mu        sync.Mutex
	domain    *domain
	relations []mirror.Relation // of all sites; nil: not computed yet
	asOf      int64             // visits of the job when they were read
	read      time.Time
}

// NewLookups returns those in a job with these tables.
func NewLookups(tables kv.Store, job Job) *Lookups { return &Lookups{tables: tables, job: job} }

// stale is how long a running crawl's answers may be behind it.
const stale = 30 * time.Second

// refresh forgets what is too old.
func (n *Lookups) refresh() {
	if visits := n.job.Visits(); visits != n.asOf && time.Since(n.read) > stale {
		n.domain, n.relations, n.asOf, n.read = nil, nil, visits, time.Now()
	}
}

// Find returns where copies of a lost page may be, without sending a request; ok is false if
// the job has never met its URL.
func (n *Lookups) Find(ctx context.Context, u weburl.URL) (_ Lost, ok bool, err error) {
	l := &loss{n: n, url: u, lost: Lost{URL: u.String(), Candidates: []Candidate{}}}
	if ok, err = l.recall(ctx); err != nil || !ok {
		return l.lost, ok, err
	}
	for _, step := range []func(context.Context) error{l.neighbours, l.mapped, l.rest, l.nearest, l.paged, l.own} {
		if err := step(ctx); err != nil {
			return l.lost, true, err
		}
	}
	return l.lost, true, nil
}

// A loss is the search for copies of one page.
type loss struct {
	n    *Lookups
	url  weburl.URL
	lost Lost

	kept    uint64      // the page whose text is compared; 0: none
	simhash uint64      // of the body; 0: none
	group   []Candidate // members of its group that are not added yet
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
func (l *loss) add(c Candidate) {
	if c.URL == "" || c.URL == l.lost.URL || slices.ContainsFunc(l.lost.Candidates, func(o Candidate) bool { return o.URL == c.URL }) {
		return
	}
	l.lost.Candidates = append(l.lost.Candidates, c)
}

// recall finds what the job has of the page itself, and of its group. It returns false if it
// has never met the URL.
func (l *loss) recall(ctx context.Context) (ok bool, err error) {
	err = l.n.tables.View(ctx, func(r kv.Reader) error {
		seq, met, err := l.n.job.Page(r, l.url.Key())
		if ok = met; err != nil || seq == 0 {
			return err // never fetched: rules may still know where it went
		}
		p, v, err := page.Get(r, seq)
		if err != nil {
			return err
		}
		if p.Rule == "redirect" {
			l.add(Candidate{URL: p.Location, How: HowRedirect, Why: "its URL redirected there"})
		}
		if !p.Document() || p.Earlier() {
			return nil
		}
		kept := p
		of := seq
		if v.Copy() {
			of = uint64(v.Of)
			if kept, _, err = page.Get(r, of); err != nil {
				return err
			}
			if v.Level == dedup.LevelNear {
				l.lost.CopyOf = &CopyOf{kept.URL, kept.Digest, p.Distance, p.Similarity}
			}
		}
		l.kept = of
		l.lost.Title, l.lost.Digest = cmp.Or(p.Title, kept.Title), p.Digest
		l.simhash, _ = strconv.ParseUint(cmp.Or(p.SimHash, kept.SimHash), 16, 64)
		if l.lost.Sign, err = l.n.signWhole(r, of, &kept); err != nil {
			return err
		}
		members, err := l.n.members(r, of, maxVoters)
		for _, m := range likeliest(members, &p, of)[:min(len(members), maxMembers)] {
			why := "a copy of it was found there"
			if m.Digest == p.Digest {
				why = "its bytes were found there"
			}
			l.group = append(l.group, Candidate{URL: m.URL, How: HowGroup, Why: why, Digest: m.Digest})
		}
		l.group = slices.DeleteFunc(l.group, func(c Candidate) bool { return c.URL == l.lost.URL })
		l.addGroup(maxFirst)
		return err
	})
	return ok, err
}

// addGroup adds the next n members of the group.
func (l *loss) addGroup(n int) {
	n = min(n, len(l.group))
	for _, c := range l.group[:n] {
		l.add(c)
	}
	l.group = l.group[n:]
}

// rest adds the members of the group that are left.
func (l *loss) rest(context.Context) error {
	l.addGroup(maxMembers)
	return nil
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
		h := weburl.HostOf(m.URL)
		rank[m.URL] = ofHost[h]
		ofHost[h]++
	}
	slices.SortStableFunc(members, func(a, b page.Record) int { return cmp.Compare(rank[a.URL], rank[b.URL]) })
	return members
}

// signWhole signs a kept page with all that surrounds its text: a reader that fetches a page
// without the job does not know the template of its host. nil: no text is kept.
func (n *Lookups) signWhole(r kv.Reader, seq uint64, p *page.Record) (*dedup.Signature, error) {
	body, err := n.job.Body(r, seq)
	if err != nil || body == nil {
		return nil, err
	}
	kind := p.Type
	if p.Charset != "" {
		kind += "; charset=" + p.Charset
	}
	sig := dedup.Sign(body, purify.PurifyAt(p.URL, body, kind))
	return &sig, nil
}

// isThere reports whether a record says that its document is still at its URL.
func isThere(p *page.Record) bool {
	return p.Document() && p.ReplacedBy == 0 && p.RevisitStatus != http.StatusNotFound && p.RevisitStatus != http.StatusGone &&
		p.RevisitRule != "redirect" && p.RevisitRule != "soft-404"
}

// maxSuccessors bounds how many pages have taken over a group, one after the other.
const maxSuccessors = 100

// keptNow returns the kept page that has a group now: if one is gone, the page that took over
// from it.
func (n *Lookups) keptNow(r kv.Reader, of uint64) (uint64, error) {
	for range maxSuccessors {
		by, err := n.job.Successor(r, of)
		if err != nil || by == 0 {
			return of, err
		}
		if there, err := kv.Has(r, page.TableRecords, page.Key(by)); err != nil || !there {
			return of, err
		}
		old, err := page.URLOf(r, of)
		if err != nil {
			return of, err
		}
		successor, v, err := page.Get(r, by)
		if err != nil || successor.URL == old {
			return of, err // it changed: its copies are those of what it was
		}
		if of = by; v.Copy() {
			of = uint64(v.Of)
		}
	}
	return of, nil
}

// members returns pages of a group that were there when they were asked last: the kept
// page, or the one that came in its place, then the others.
func (n *Lookups) members(r kv.Reader, of uint64, limit int) ([]page.Record, error) {
	of, err := n.keptNow(r, of)
	if err != nil {
		return nil, err
	}
	var members []page.Record
	kept, _, err := page.Get(r, of)
	if err != nil {
		return nil, err
	}
	if isThere(&kept) {
		members = append(members, kept)
	}
	for k, err := range n.job.Copies(r, of) {
		if err != nil {
			return nil, err
		}
		if len(members) >= limit {
			break
		}
		seq, ok, err := n.job.Page(r, k)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		p, _, err := page.Get(r, seq)
		if err != nil {
			return nil, err
		}
		if isThere(&p) {
			members = append(members, p)
		}
	}
	return members, nil
}

// neighbours finds the rules by which pages of the domain moved, and its pages that are near.
func (l *loss) neighbours(ctx context.Context) error {
	n := l.n
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refresh()
	name := l.url.Domain()
	if n.domain == nil || n.domain.name != name {
		d, err := n.readDomain(ctx, name)
		if err != nil {
			return err
		}
		n.domain = d
	}
	for _, m := range n.domain.moves.Find(l.lost.URL) {
		if i := strings.LastIndexByte(strings.TrimSuffix(m.URL, "/"), '/'); i > len("https://") {
			l.folders = append(l.folders, m.URL[:i+1])
		}
		l.add(Candidate{URL: m.URL, How: HowMove, Why: "pages of its folder moved: " + m.Rule})
	}
	if l.simhash == 0 {
		return nil
	}
	return n.tables.View(ctx, func(r kv.Reader) error {
		for _, b := range n.domain.pages {
			if bits.OnesCount64(b.simhash^l.simhash) > likelyBits {
				continue
			}
			p, _, err := page.Get(r, b.seq)
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
	if err != nil || p.URL == l.lost.URL || !isThere(p) {
		return
	}
	n := nearPage{url: p.URL, distance: bits.OnesCount64(simhash ^ l.simhash), how: HowNear}
	switch {
	case p.Title != "" && p.Title == l.lost.Title:
		n.why = ", with its title"
	case sameName(u, l.url):
		n.how, n.why = HowName, ", with its name"
	case l.movedTo(p.URL) && n.distance <= relativeBits:
		n.how, n.why = HowRelative, ", in the folder that its folder became"
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
// of it, also where its bytes are known: the sites that have them may be gone too. For the
// first page of a list that takes as long as crawl mirrors does.
func (l *loss) mapped(ctx context.Context) error {
	n := l.n
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.relations == nil {
		rels, err := n.job.Relations(ctx)
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
func placesOn(rels []mirror.Relation, origin, path string) (cs []Candidate) {
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
					cs = append(cs, Candidate{URL: rel.B + to, How: HowMirror,
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

// paged adds the neighbours of a page of a long list, at its place and where its folder went:
// as a list grows, what was on page 2 moves to page 3.
func (l *loss) paged(context.Context) error {
	places := []string{l.lost.URL}
	for _, c := range l.lost.Candidates {
		if c.How == HowMove || c.How == HowMirror {
			places = append(places, c.URL)
		}
	}
	for i := len(places) - 1; i >= 0; i-- { // where the folder went first
		for _, next := range Paged(places[i]) {
			l.add(Candidate{URL: next, How: HowRelative, Why: "its neighbour in a list of many pages"})
		}
	}
	return nil
}

// nearest adds the pages of the same site.
func (l *loss) nearest(context.Context) error {
	for _, n := range l.near {
		l.add(Candidate{URL: n.url, How: n.how,
			Why: fmt.Sprintf("a page of its site, %d of 64 bits away%s", n.distance, n.why)})
	}
	return nil
}
