package gatecrawl

import (
	"context"
	"fmt"
	"sync"

	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
	"gatecrawl/purify"
)

const (
	// maxWalls bounds how many folders are held in memory for which it is known
	// what their site says of pages that it does not have, about 200 bytes each.
	maxWalls = 20_000

	// massCopies is the copy of one page on one host that raises suspicion.
	massCopies = 3
)

// A wall is what a site says of pages that it does not have, if that is not a
// proper error: "not found" with status 200, a login, a consent, a parked name.
type wall struct {
	found bool
	print mirror.Print
	body  dedup.Digest
}

// walls are known by the address that was asked for. They are not kept on disk: a
// crawl that goes on asks again when it needs to know.
type walls struct {
	mu     sync.Mutex
	known  map[frontier.Key]wall
	copies map[massKey]int // of a kept page, found on one host
}

type massKey struct {
	host frontier.HostKey
	kept dedup.DocID
}

func newWalls() *walls {
	return &walls{known: make(map[frontier.Key]wall), copies: make(map[massKey]int)}
}

func (w *walls) get(k frontier.Key) (wall, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	is, ok := w.known[k]
	return is, ok
}

// put remembers a wall, in place of any other where there are too many.
func (w *walls) put(k frontier.Key, is wall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known) >= maxWalls {
		for old := range w.known {
			delete(w.known, old)
			break
		}
	}
	w.known[k] = is
}

// mass counts a copy, and reports whether its host has so many of the kept page
// that they may be no documents.
func (w *walls) mass(u frontier.URL, kept dedup.DocID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := massKey{u.Key().Host(), kept}
	if len(w.copies) >= maxWalls {
		clear(w.copies) // the count of a host begins anew
	}
	w.copies[k]++
	return w.copies[k] >= massCopies
}

// suspect reports whether a copy has to be held against what its site says of
// pages that it does not have.
func (c *Crawler) suspect(l frontier.Lease, v dedup.Verdict) bool {
	return c.o.Soft404 && v.Copy() && c.walls.mass(l.URL, v.Of)
}

// soft404 fills in the record of a page that is what its site says of pages that it
// does not have. It looks at pages that would become another document than they
// were, and at hosts with many copies of one page. Where the site has to be asked
// first asked is true: the host has had its request, and the page has to wait for
// its turn.
func (c *Crawler) soft404(ctx context.Context, v *Visit, s *site, mass bool, t *purify.Template) (soft, asked bool, err error) {
	changed := v.Lease.Again && !v.Checked.Copy()
	if !c.o.Soft404 || c.o.Mode == dedup.ModeOff || !mass && !changed {
		return false, false, nil
	}
	nowhere, err := mirror.Nowhere(v.Lease.URL)
	if err != nil {
		return false, false, nil // no room for a name beside it
	}
	is, ok := c.walls.get(nowhere.Key())
	if !ok {
		if !s.rules.Check(c.o.Token, nowhere).Allowed {
			return false, false, nil
		}
		var resp *fetch.Response
		c.room.away(v.Lease.Probe, func() { resp, err = c.fetch.Fetch(ctx, nowhere) })
		if ctx.Err() != nil {
			return false, true, ctx.Err()
		}
		c.walls.put(nowhere.Key(), c.wallOf(resp, err, t))
		return false, true, nil
	}
	if !is.found || is.body != v.Sign.Body && !is.print.Says(printOf(v.Sign)) {
		return false, false, nil
	}
	p := &v.Page
	p.Verdict, p.Rule = VerdictRefused, "soft-404"
	p.Reason = fmt.Sprintf("soft 404: %s, where nothing is, says the same", nowhere)
	v.Sign, v.Text, v.Checked = nil, nil, dedup.Verdict{} // no document, and no links of one
	v.Links, v.Prints, v.Template = nil, nil, 0
	return true, false, nil
}

// wallOf reads the answer for an address at which nothing is. An error, a redirect
// and a status that says so are what they should be.
func (c *Crawler) wallOf(r *fetch.Response, err error, t *purify.Template) wall {
	if err != nil || r.Location() != "" || r.Status < 200 || r.Status > 299 {
		return wall{}
	}
	view, _ := read(r, t)
	sig := c.o.IDF.SignView(dedup.DigestOf(r.Body), view)
	return wall{found: sig.Tokens > 0, print: printOf(&sig), body: sig.Body}
}

func printOf(s *dedup.Signature) mirror.Print {
	return mirror.Print{SimHash: s.SimHash, Sketch: s.Sketch, Tokens: int(s.Tokens)}
}
