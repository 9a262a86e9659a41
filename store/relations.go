package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Probe asks a site itself for a document. asked is false where that is not
// allowed; then nothing was sent.
type Probe func(ctx context.Context, url weburl.URL) (d mirror.Document, s mirror.State, asked bool, err error)

// Pairs is gatecrawl.Inspector's.
func (s *Store) Pairs(ctx context.Context) ([]mirror.Pair, error) { return s.PairsBy(ctx, nil) }

// PairsBy is Pairs; what the job does not know is asked of the sites with probe,
// unless that is nil.
func (s *Store) PairsBy(ctx context.Context, probe Probe) ([]mirror.Pair, error) {
	survey, shared, err := s.survey(ctx)
	if err != nil {
		return nil, err
	}
	rels, err := survey.Relations(ctx, s.library(probe))
	if err != nil {
		return nil, fmt.Errorf("mirrors: %w", err)
	}
	err = s.Groups(ctx, func(g gatecrawl.Group) error {
		hosts := []string{weburl.HostOf(g.URL)}
		for _, m := range g.Copies {
			hosts = append(hosts, weburl.HostOf(m.URL))
		}
		shared.Group(hosts)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.withDeferred(shared.Relate(shared.Pairs(), rels, weburl.HostOf))
}

// withDeferred says of each pair how many URLs of one of its hosts are not
// asked for, since the other has them.
func (s *Store) withDeferred(ps []mirror.Pair) ([]mirror.Pair, error) {
	err := s.look(func(in snapshot) error {
		for i := range ps {
			ways := [][2]string{{ps[i].A, ps[i].B}, {ps[i].B, ps[i].A}}
			if ps[i].A == ps[i].B {
				ways = ways[:1] // one host over http and https
			}
			for _, way := range ways {
				h := weburl.HostKeyOf(way[0])
				r, err := in.mirror(h)
				if err != nil {
					return err
				}
				if r == nil {
					continue
				}
				n, err := in.deferredFor(h, r, way[1])
				if err != nil {
					return err
				}
				ps[i].Deferred += n
			}
		}
		return nil
	})
	return ps, err
}

// deferredFor counts the URLs of a host that are not asked for since another has
// them.
func (in snapshot) deferredFor(h weburl.HostKey, r *mirrorRecord, other string) (n int, err error) {
	if len(r.Twins) == 1 && weburl.HostOf(r.Twins[0].To) == other {
		return int(r.deferred), nil
	}
	if len(r.Twins) < 2 || r.deferred == 0 {
		return 0, nil
	}
	to := weburl.HostKeyOf(other)
	for e, err := range kv.Prefix(in, tableDeferred, h[:]) {
		if err != nil {
			return n, err
		}
		if weburl.HostKey(e.Value) == to {
			n++
		}
	}
	return n, nil
}

// Pair is gatecrawl.Inspector's.
func (s *Store) Pair(ctx context.Context, a, b string) (mirror.Pair, error) {
	survey, shared, err := s.survey(ctx)
	if err != nil {
		return mirror.Pair{}, err
	}
	var origins [2]string
	for i, name := range []string{a, b} {
		if origins[i], err = originOf(survey, name); err != nil {
			return mirror.Pair{}, err
		}
	}
	rel, err := survey.Compare(ctx, s.library(nil), origins[0], origins[1])
	if err != nil {
		return mirror.Pair{}, fmt.Errorf("mirrors: %w", err)
	}
	hosts := []string{weburl.HostOf(origins[0]), weburl.HostOf(origins[1])}
	err = s.Groups(ctx, func(g gatecrawl.Group) error {
		var in []string
		for _, h := range append([]string{weburl.HostOf(g.URL)}, hostsOf(g.Copies)...) {
			if slices.Contains(hosts, h) {
				in = append(in, h)
			}
		}
		shared.Group(in)
		return nil
	})
	if err != nil {
		return mirror.Pair{}, err
	}
	ps, err := s.withDeferred(shared.Relate(shared.Pairs(), []mirror.Relation{rel}, weburl.HostOf))
	if err != nil {
		return mirror.Pair{}, err
	}
	return ps[0], nil
}

func hostsOf(ms []gatecrawl.Member) []string {
	hosts := make([]string, len(ms))
	for i, m := range ms {
		hosts[i] = weburl.HostOf(m.URL)
	}
	return hosts
}

// originOf finds the site that a user means: an origin, or a host.
func originOf(survey *mirror.Survey, name string) (string, error) {
	names := []string{"https://" + name, "http://" + name}
	if strings.Contains(name, "://") {
		names = []string{name}
	}
	for _, n := range names {
		u, err := weburl.Parse(n)
		if err != nil {
			return "", err
		}
		if survey.Known(u.Origin()) {
			return u.Origin(), nil
		}
	}
	return "", fmt.Errorf("site %s: %w", name, gatecrawl.ErrUnknown)
}

// survey reads all records: of each site a sample, and of each host how many
// documents were crawled.
func (s *Store) survey(ctx context.Context) (*mirror.Survey, *mirror.Shared, error) {
	survey, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		return nil, nil, err
	}
	shared := &mirror.Shared{}
	grouped := s.Totals().Copies > 0
	for from := uint64(1); ; {
		n := 0
		err := s.look(func(in snapshot) error {
			for e, err := range in.Scan(tablePages, seqKey(from), nil) {
				if err != nil {
					return err
				}
				n++
				from = seqOf(e.Key) + 1
				if err := in.take(survey, shared, grouped, seqOf(e.Key), e.Value); err != nil {
					return fmt.Errorf("page %d: %w", seqOf(e.Key), err)
				}
				if n == chunk {
					break
				}
			}
			return nil
		})
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && n < chunk {
			survey.SetIPs(s.addressOf)
			err = s.look(func(in snapshot) error { return survey.EachSite(in.place) })
		}
		if err != nil || n < chunk {
			return survey, shared, err
		}
	}
}

// place fills in what the crawl knows of the host of an origin: when it was named
// and met, and what it asks in its place.
func (in snapshot) place(s *mirror.Site) error {
	m, err := in.mirror(weburl.HostKeyOf(weburl.HostOf(s.Origin)))
	if err != nil || m == nil {
		return err
	}
	s.Named, s.Met = m.named, m.met
	if tw := m.believed(s.Origin); tw != nil {
		s.SetTwin(tw)
	}
	return nil
}

// addressOf returns the IP address at which a host answered last, "" if it is not
// known.
func (s *Store) addressOf(origin string) string {
	if h, _ := s.queue.Host(weburl.HostOf(origin)); h != nil {
		return h.Address
	}
	return ""
}

// take hands one record to the survey. Where nobody looked for copies, equal
// bodies are known by their hashes alone.
func (in snapshot) take(survey *mirror.Survey, shared *mirror.Shared, grouped bool, seq uint64, b []byte) error {
	p, _, err := decodePage(b)
	if err != nil || p.ReplacedBy != 0 {
		return err
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return err
	}
	site := survey.Site(u.Origin())
	switch {
	case p.Rule == "redirect":
		if to, err := weburl.Parse(p.Location); err == nil && to.Origin() != u.Origin() {
			site.Redirect(u.RequestURI(), to.Origin(), to.RequestURI())
		}
	case p.Document():
		d, err := in.documentAt(u, seq, b)
		if err != nil {
			return err
		}
		if !grouped {
			d.Group = 0
		}
		shared.Page(u.Host())
		survey.Add(site, d)
		if to, err := weburl.Parse(p.Canonical); err == nil && p.Canonical != "" {
			site.Canonical(to.Origin())
		}
	}
	return nil
}

// documentAt makes a mirror's document of a page record. What is not known of a
// copy, since its bytes were known, is taken from the kept page.
func (in snapshot) documentAt(u weburl.URL, seq uint64, b []byte) (mirror.Document, error) {
	p, verdict, err := decodePage(b)
	if err != nil {
		return mirror.Document{}, err
	}
	d := mirror.Document{Path: u.RequestURI(), Tokens: p.BodyTokens, Group: seq}
	if verdict.Copy() {
		d.Group = uint64(verdict.Of)
	}
	d.MarkTitle(p.Title)
	d.Early = p.Early
	d.Exact = !verdict.Copy() || verdict.Similarity == 1 && p.Compared == 0
	d.Bytes, d.Body = firstOf(p.Digest), p.Body
	if d.Body == 0 {
		if d.Body, err = page.BodyDigest(in, seq, verdict); err != nil {
			return d, err
		}
	}
	if p.SimHash == "" && verdict.Copy() {
		if p, _, err = in.page(uint64(verdict.Of)); err != nil {
			return d, err
		}
		d.Tokens = p.BodyTokens
	}
	if p.SimHash != "" {
		if d.SimHash, err = strconv.ParseUint(p.SimHash, 16, 64); err != nil {
			return d, fmt.Errorf("simhash of %s: %w", p.URL, err)
		}
	}
	return d, nil
}

// firstOf returns the first 8 bytes of a digest in hexadecimal, 0 where there is none.
func firstOf(digest string) uint64 {
	n, err := strconv.ParseUint(digest[:min(len(digest), 16)], 16, 64)
	if err != nil {
		return 0
	}
	return n
}

// library returns what the job knows of URLs.
func (s *Store) library(probe Probe) mirror.Library {
	if probe == nil {
		return library{s}
	}
	return probing{library{s}, probe}
}

// A library is a job as mirror.Library.
type library struct{ s *Store }

// Document is mirror.Library's.
func (l library) Document(_ context.Context, url string) (d mirror.Document, state mirror.State, err error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return d, mirror.Unknown, nil // a mapping may make what is no URL
	}
	err = l.s.look(func(in snapshot) error {
		rec, ok, err := in.url(u.Key())
		if err != nil {
			return err
		}
		if !ok {
			state = l.s.unmet(u.Key().Host())
			return nil
		}
		d, state, err = in.standing(u, &rec)
		return err
	})
	return d, state, err
}

// Text is mirror.Reader's.
func (l library) Text(_ context.Context, url string) (string, bool, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return "", false, nil
	}
	of := uint64(0)
	err = l.s.look(func(in snapshot) error {
		rec, ok, err := in.url(u.Key())
		if err != nil || !ok || rec.Page == 0 {
			return err
		}
		p, v, err := in.page(rec.Page)
		if err != nil || !p.Document() {
			return err
		}
		if of = rec.Page; v.Copy() {
			of = uint64(v.Of)
		}
		return nil
	})
	if err != nil || of == 0 {
		return "", false, err
	}
	text, ok, err := l.s.Text(dedup.DocID(of))
	return text.Body, ok, err
}

// unmet says what it means that a URL of a host was never met: that there
// is no such page, where nothing of the host waits any more.
func (s *Store) unmet(h weburl.HostKey) mirror.State {
	if s.queue.Fetched(h) {
		return mirror.Absent
	}
	return mirror.Unknown
}

// standing says what is at a URL that was met.
func (in snapshot) standing(u weburl.URL, rec *queue.Record) (d mirror.Document, state mirror.State, err error) {
	if rec.Page == 0 {
		return d, mirror.Unknown, nil
	}
	b, err := in.record(rec.Page)
	if err != nil {
		return d, mirror.Unknown, err
	}
	p, _, err := decodePage(b)
	switch {
	case err != nil:
		return d, mirror.Unknown, fmt.Errorf("page %d: %w", rec.Page, err)
	case p.Document():
		d, err = in.documentAt(u, rec.Page, b)
		return d, mirror.Present, err
	case p.Rule == "redirect" || p.Status == 404 || p.Status == 410:
		return d, mirror.Absent, nil
	}
	return d, mirror.Unknown, nil // it failed, or is forbidden: that may be for a time
}

// A probing asks the sites for what the job does not know.
type probing struct {
	library
	probe Probe
}

// Probe is mirror.Prober's.
func (p probing) Probe(ctx context.Context, url string) (mirror.Document, mirror.State, bool, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, false, nil
	}
	return p.probe(ctx, u)
}
