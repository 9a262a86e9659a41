package twins

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// documentOf returns what is at a URL whose page has the given sequence number, 0: no page.
func documentOf(r kv.Reader, u weburl.URL, seq uint64) (d mirror.Document, state mirror.State, err error) {
	d, _, state, err = recordOf(r, u, seq)
	return d, state, err
}

// recordOf is documentOf, and also returns the record of the page.
func recordOf(r kv.Reader, u weburl.URL, seq uint64) (d mirror.Document, p page.Record, state mirror.State, err error) {
	if seq == 0 {
		return d, p, mirror.Unknown, nil
	}
	p, verdict, err := page.Get(r, seq)
	switch {
	case err != nil:
		return d, p, mirror.Unknown, err
	case p.Document():
		d, err = documentIn(r, u, seq, &p, verdict)
		return d, p, mirror.Present, err
	case p.Rule == "redirect" || p.Status == 404 || p.Status == 410:
		return d, p, mirror.Absent, nil
	}
	return d, p, mirror.Unknown, nil // a failure or a refusal by robots.txt may be temporary
}

// documentIn makes a document of a page's record. What a copy lacks because it was recognised by
// its bytes is taken from the kept page.
func documentIn(r kv.Reader, u weburl.URL, seq uint64, p *page.Record, verdict dedup.Verdict) (d mirror.Document, err error) {
	d = mirror.Document{Path: u.RequestURI(), Tokens: p.BodyTokens, Group: seq}
	if verdict.Copy() {
		d.Group = uint64(verdict.Of)
	}
	d.Kept = !verdict.Copy()
	d.MarkTitle(p.Title)
	d.Early = p.Early
	if d.Text, err = textOf(r, seq, p, verdict); err != nil {
		return d, err
	}
	d.Bytes, d.Body, d.Lines, d.Hostless = firstOf(p.Digest), p.Body, p.Lines, p.Hostless
	if d.Body == 0 {
		if d.Body, err = page.BodyDigest(r, seq, verdict); err != nil {
			return d, err
		}
	}
	if p.SimHash == "" && verdict.Copy() {
		kept, _, err := page.Get(r, uint64(verdict.Of))
		if err != nil {
			return d, err
		}
		p = &kept
		d.Tokens = p.BodyTokens
	}
	if p.SimHash != "" {
		if d.SimHash, err = strconv.ParseUint(p.SimHash, 16, 64); err != nil {
			return d, fmt.Errorf("simhash of %s: %w", p.URL, err)
		}
	}
	return d, nil
}

// textOf returns the number of the page whose text a page has, word for word: of a kept page, or of one that was kept and says something
// else than its kept page.
func textOf(r kv.Reader, seq uint64, p *page.Record, v dedup.Verdict) (uint64, error) {
	for range maxKept {
		if !v.Copy() || v.Similarity < 1 && !p.Says {
			break
		}
		if seq = cmp.Or(p.Compared, uint64(v.Of)); seq == uint64(v.Of) {
			break
		}
		if there, err := kv.Has(r, page.TableRecords, page.Key(seq)); err != nil || !there {
			return seq, err // the record was lost to damage
		}
		former, of, err := page.Get(r, seq)
		if err != nil {
			return 0, err
		}
		p, v = &former, of
	}
	return seq, nil
}

// maxKept is through how many former kept pages of a group a text is traced.
const maxKept = 4

// firstOf returns the first 8 bytes of a digest in hexadecimal, 0 if there is none.
func firstOf(digest string) uint64 {
	n, err := strconv.ParseUint(digest[:min(len(digest), 16)], 16, 64)
	if err != nil {
		return 0
	}
	return n
}

// A Crawled is what Records need of a job in addition to its tables.
type Crawled interface {
	// URL implements Job.
	URL(r kv.Reader, k weburl.Key) (u URL, ok bool, err error)

	// Drained reports whether URLs of u's host were fetched, none waits, and no rule leaves them out
	// because the site has them under another name: then a URL that was never seen does not exist there.
	Drained(u weburl.URL) bool

	// Address returns the IP address that an origin last answered from, "" if it is not known.
	Address(origin string) string

	// SayTheSame implements Job.
	SayTheSame(a, b uint64) (bool, error)

	// Text returns the title and body of a kept page.
	Text(of dedup.Ref) (dedup.Text, bool, error)
}

// Records implement mirror.Library and mirror.Reader for a job.
type Records struct {
	Tables kv.Store
	Job    Crawled
}

// Document implements Library.
func (l Records) Document(ctx context.Context, url string) (d mirror.Document, state mirror.State, err error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return d, mirror.Unknown, nil // a mapping may make an invalid URL
	}
	err = l.Tables.View(ctx, func(r kv.Reader) error {
		rec, ok, err := l.Job.URL(r, u.Key())
		switch {
		case err != nil:
			return err
		case ok:
			d, state, err = documentOf(r, u, rec.Page)
		case l.Job.Drained(u):
			var h *hostRecord
			h, err = hostAt(r, u.Key().Host())
			if h == nil || h.deferred == 0 { // what is deferred may lead to URLs that were never seen
				state = mirror.Absent
			}
		}
		return err
	})
	return d, state, err
}

// Text implements Reader.
func (l Records) Text(ctx context.Context, url string) (string, bool, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return "", false, nil
	}
	kept := uint64(0)
	err = l.Tables.View(ctx, func(r kv.Reader) error {
		rec, ok, err := l.Job.URL(r, u.Key())
		if err != nil || !ok || rec.Page == 0 {
			return err
		}
		p, v, err := page.Get(r, rec.Page)
		if err != nil || !p.Document() {
			return err
		}
		if kept = rec.Page; v.Copy() {
			kept = uint64(v.Of)
		}
		return nil
	})
	if err != nil || kept == 0 {
		return "", false, err
	}
	text, ok, err := l.Job.Text(dedup.Ref(kept))
	return text.Body, ok, err
}

// SayTheSame implements mirror.Comparer.
func (l Records) SayTheSame(_ context.Context, a, b uint64) (bool, error) {
	return l.Job.SayTheSame(a, b)
}

// A Probe requests a document from a site. asked is false if that is not allowed; then no request
// was sent.
type Probe func(ctx context.Context, url weburl.URL) (d mirror.Document, s mirror.State, asked bool, err error)

// Asking are Records that use a Probe for what the job does not know.
type Asking struct {
	Records
	Ask Probe
}

// Probe implements Prober.
func (a Asking) Probe(ctx context.Context, url string) (mirror.Document, mirror.State, bool, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, false, nil
	}
	return a.Ask(ctx, u)
}

// recordsAtOnce is how many records Survey reads in one snapshot.
const recordsAtOnce = 1000

// Survey reads all records: a sample of each site, and how many documents were crawled of each
// host. If the job has no copies because the gate was off (grouped is false), equal bodies are
// recognised by their hashes alone.
func (l Records) Survey(ctx context.Context, grouped bool) (*mirror.Survey, error) {
	survey, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err == nil {
		err = l.survey(ctx, grouped, survey)
	}
	if err != nil {
		return nil, err
	}
	survey.SetIPs(l.Job.Address)
	return survey, l.Tables.View(ctx, func(r kv.Reader) error {
		return survey.EachSite(func(s *mirror.Site) error { return place(r, s) })
	})
}

// survey adds all records to a survey.
func (l Records) survey(ctx context.Context, grouped bool, survey *mirror.Survey) error {
	for from, more := page.Key(1), true; more; {
		n := 0
		more = false
		err := l.Tables.View(ctx, func(r kv.Reader) error {
			for e, err := range r.Scan(page.TableRecords, from, nil) {
				if err != nil {
					return err
				}
				seq := page.Seq(e.Key)
				if err := take(survey, r, grouped, seq, e.Value); err != nil {
					return fmt.Errorf("page %d: %w", seq, err)
				}
				from = page.Key(seq + 1)
				if n++; n == recordsAtOnce {
					more = true
					break
				}
			}
			return nil
		})
		if err == nil {
			err = limit.Rest(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place fills in what the crawl knows of the host of a site: when it was named and met, and its
// twin.
func place(r kv.Reader, s *mirror.Site) error {
	host, err := hostAt(r, weburl.HostKeyOf(weburl.HostOf(s.Origin)))
	if err != nil || host == nil {
		return err
	}
	s.Named, s.Met = host.named, host.met
	if tw := host.trusted(s.Origin); tw != nil {
		s.SetTwin(tw)
	}
	return nil
}

// take adds one record to a survey.
func take(v *mirror.Survey, r kv.Reader, grouped bool, seq uint64, record []byte) error {
	p, verdict, err := page.DecodeRecord(record)
	if err != nil || p.ReplacedBy != 0 {
		return err
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return err
	}
	site := v.Site(u.Origin())
	switch {
	case p.Rule == "redirect":
		if to, err := weburl.Parse(p.Location); err == nil && to.Origin() != u.Origin() {
			site.Redirect(u.RequestURI(), to.Origin(), to.RequestURI())
		}
	case p.Document():
		d, err := documentIn(r, u, seq, &p, verdict)
		if err != nil {
			return err
		}
		if !grouped {
			d.Group = 0
		}
		v.Add(site, d)
		if to, err := weburl.Parse(p.Canonical); err == nil && p.Canonical != "" {
			site.Canonical(to.Origin())
		}
	}
	return nil
}

// AddTwins adds to each pair the twins of its hosts, and how many URLs of one host are deferred because
// the other host has them.
func AddTwins(r kv.Reader, ps []mirror.Pair) error {
	for i := range ps {
		ways := [][2]string{{ps[i].A, ps[i].B}, {ps[i].B, ps[i].A}}
		if ps[i].A == ps[i].B {
			ways = ways[:1] // one host, over http and https
		}
		for _, way := range ways {
			h := weburl.HostKeyOf(way[0])
			host, err := hostAt(r, h)
			if err != nil {
				return err
			}
			if host == nil {
				continue
			}
			n, err := host.deferredFor(r, h, way[1])
			if err != nil {
				return err
			}
			ps[i].Deferred += n
			for _, t := range host.Twins {
				if weburl.HostOf(t.To) == way[1] {
					ps[i].Twins = append(ps[i].Twins, t)
				}
			}
		}
	}
	return nil
}

// deferredFor counts the URLs of a host that are deferred because another one has them.
func (host *hostRecord) deferredFor(r kv.Reader, h weburl.HostKey, other string) (n int, err error) {
	if host.deferred == 0 {
		return 0, nil
	}
	var trusted []*mirror.Twin
	for _, t := range host.Twins {
		if t.IsTrusted() {
			trusted = append(trusted, t)
		}
	}
	if len(trusted) == 1 { // and what was deferred for another one before is taken over by this one
		leads, err := leadsTo(r, trusted[0], other)
		if leads {
			n = int(host.deferred)
		}
		return n, err
	}
	to := weburl.HostKeyOf(other)
	for e, err := range kv.Prefix(r, tableDeferred, h[:]) {
		if err != nil {
			return n, err
		}
		if weburl.HostKey(e.Value) == to {
			n++
		}
	}
	return n, nil
}

// leadsTo reports whether a host is asked in place of the site of a twin, or in place of a site that is itself asked in place of that one.
func leadsTo(r kv.Reader, tw *mirror.Twin, other string) (bool, error) {
	for range mostTwins {
		at := weburl.HostOf(tw.To)
		if at == other {
			return true, nil
		}
		host, err := hostAt(r, weburl.HostKeyOf(at))
		if err != nil || host == nil {
			return false, err
		}
		if tw = host.trusted(tw.To); tw == nil {
			return false, nil
		}
	}
	return false, nil
}
