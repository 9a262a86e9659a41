package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
)

// A portal is a generated web of sites that link to each other as popular sites are
// linked to, some of which others carry whole.
type portal struct {
	texts map[string]int   // by URL, the number of its content
	links map[string][]int // by URL, contents that it links to on their own sites
	home  []string         // by content, the URL of the original
	rank  []float64        // by content, its share of PageRank
}

const (
	portalSites  = 60
	portalPages  = 40
	portalCopied = 12 // sites
)

// newPortal makes one. Where popular is set the most popular sites have mirrors,
// the first the most; else sites that are drawn.
func newPortal(seed uint64, popular bool) *portal {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := portalSites * portalPages
	p := &portal{texts: make(map[string]int), links: make(map[string][]int)}
	out := make([][]int, n)
	zipf := rand.NewZipf(rng, 1.3, 4, portalSites-1)
	front := rand.NewZipf(rng, 1.2, 3, portalPages-1)
	for c := range n {
		site := c / portalPages
		p.home = append(p.home, fmt.Sprintf("http://site%d.example%d.org/p%d.html", site, site, c%portalPages))
		for range 6 {
			out[c] = append(out[c], site*portalPages+int(front.Uint64()))
		}
		out[c] = append(out[c], site*portalPages+(c+1)%portalPages)
		for range 3 {
			out[c] = append(out[c], int(zipf.Uint64())*portalPages+int(front.Uint64()))
		}
	}
	p.rank = pageRank(out)
	add := func(prefix string, site int) {
		for c := site * portalPages; c < (site+1)*portalPages; c++ {
			at := fmt.Sprintf("%s/p%d.html", prefix, c%portalPages)
			p.texts[at], p.links[at] = c, out[c]
		}
	}
	for site := range portalSites {
		add(strings.TrimSuffix(p.home[site*portalPages], "/p0.html"), site)
	}
	for i := range portalCopied {
		site := i
		if !popular {
			site = rng.IntN(portalSites)
		}
		for k := range 1 + (portalCopied-i)/2 {
			add(fmt.Sprintf("http://copy%d.mirrors%d.net", site, 10*i+k), site)
		}
	}
	return p
}

// pageRank is that of Brin and Page (1998), damped by .85.
func pageRank(out [][]int) []float64 {
	rank := make([]float64, len(out))
	for i := range rank {
		rank[i] = 1 / float64(len(out))
	}
	for range 50 {
		next := make([]float64, len(out))
		for i := range next {
			next[i] = .15 / float64(len(out))
		}
		for i, to := range out {
			for _, j := range to {
				next[j] += .85 * rank[i] / float64(len(to))
			}
		}
		rank = next
	}
	return rank
}

// visit answers a lease. A copy links within its own site, and elsewhere as the
// original does.
func (p *portal) visit(l frontier.Lease) *page.Visit {
	at := l.URL.String()
	content := p.texts[at]
	text := longText(content)
	sig := dedup.SignText(text)
	sig.Bytes = dedup.DigestOf([]byte(text))
	v := &page.Visit{Lease: l, Finished: time.Now(), Sign: &sig, Body: []byte(text), Page: page.Record{
		URL: at, Status: 200, Digest: sig.Bytes.String(), BodyTokens: int(sig.Tokens), SimHash: fmt.Sprintf("%016x", sig.SimHash), Depth: int(l.Signals.Depth),
	}}
	signals := l.Signals
	signals.Depth, signals.Seed, signals.Degree, signals.Copy = l.Signals.Depth+1, 0, 0, false
	for _, c := range p.links[at] {
		to := p.home[c]
		if c/portalPages == content/portalPages {
			to = fmt.Sprintf("%s/p%d.html", l.URL.Origin(), c%portalPages)
		}
		if u, err := weburl.Parse(to); err == nil {
			v.Links = append(v.Links, frontier.Candidate{URL: u, From: l.URL.Key(), Signals: signals})
		}
	}
	return v
}

// crawl fetches the portal from the front pages of some sites and of all mirrors,
// and returns the share of PageRank that was fetched after each request.
func (p *portal) crawl(t *testing.T, o Options) (mass []float64) {
	t.Helper()
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var cs []frontier.Candidate
	for at, c := range p.texts {
		if c%portalPages != 0 || at == p.home[c] && c/portalPages%6 != 5 {
			continue
		}
		u, err := weburl.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u})
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	seen, sum := make(map[int]bool), 0.0
	for {
		l, err := s.leaseURL(t.Context())
		if errors.Is(err, frontier.ErrEmpty) {
			return mass
		}
		if err != nil {
			t.Fatal(err)
		}
		if to, ok := s.Twin(l.URL); ok && !l.From.IsZero() {
			if deferred, err := s.putOff(l, frontier.Candidate{URL: to, From: l.From, Signals: l.Signals}); err != nil {
				t.Fatal(err)
			} else if deferred {
				continue
			}
		}
		if c := p.texts[l.URL.String()]; !seen[c] {
			seen[c] = true
			sum += p.rank[c]
		}
		mass = append(mass, sum)
		if _, err := s.Settle(t.Context(), p.visit(l)); err != nil {
			t.Fatal(err)
		}
	}
}

// What counts comes early: the table is in docs/measurements-alive.md. It takes a
// minute, so GATECRAWL_LONG asks for it.
func TestCopiesPutOffBringWhatCountsEarlier(t *testing.T) {
	if os.Getenv("GATECRAWL_LONG") == "" {
		t.Skip("takes a minute: GATECRAWL_LONG=1")
	}
	for _, popular := range []bool{true, false} {
		p := newPortal(71, popular)
		got := make(map[string][]float64)
		for _, way := range []struct {
			name    string
			dedup   dedup.Mode
			mirrors mirror.Mode
			weight  float32
		}{
			{"no gate", dedup.ModeOff, mirror.ModeOff, 0},
			{"copies put off", dedup.ModeDiscard, mirror.ModeOff, 0},
			{"and votes", dedup.ModeDiscard, mirror.ModeOff, 1.5},
			{"and mirrors left out", dedup.ModeDiscard, mirror.ModeOn, 1.5},
		} {
			o := testOptions()
			o.PerIP, o.Templates, o.Rules.Learn = 0, false, "off"
			o.Dedup.Mode, o.Mirrors, o.Priority.Mirror = way.dedup, way.mirrors, way.weight
			mass := p.crawl(t, o)
			got[way.name] = mass
			n := len(p.home)
			at := func(share float64) float64 { return mass[min(int(share*float64(n)), len(mass))-1] }
			t.Logf("popular %v, %-22s %d addresses, %d contents, %d requests; PageRank after .1, .2, .4, .8 as many requests as contents: %.3f %.3f %.3f %.3f",
				popular, way.name+":", len(p.texts), n, len(mass), at(.1), at(.2), at(.4), at(.8))
		}
		at := len(p.home) * 2 / 5
		if without, with := got["no gate"][at], got["and votes"][at]; with < without {
			t.Errorf("popular %v: PageRank after %d requests is %.3f with the gate and %.3f without", popular, at, with, without)
		}
	}
}
