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
	wanted map[frontier.Key]bool
	copies map[massKey]int // of a kept page, found on one host
}

type massKey struct {
	host frontier.HostKey
	kept dedup.DocID
}

func newWalls() *walls {
	return &walls{known: make(map[frontier.Key]wall), wanted: make(map[frontier.Key]bool), copies: make(map[massKey]int)}
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

// want has an address asked for when a page beside it has its turn.
// It reports false where too many are wanted.
func (w *walls) want(k frontier.Key) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wanted) >= maxWalls {
		return false
	}
	w.wanted[k] = true
	return true
}

func (w *walls) wanting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.wanted)
}

// take reports whether an address is to be asked for, now by the caller.
func (w *walls) take(k frontier.Key) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	is := w.wanted[k]
	delete(w.wanted, k)
	return is
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
	if !c.o.Soft404 || !v.Copy() || !c.walls.mass(l.URL, v.Of) {
		return false
	}
	nowhere, err := mirror.Nowhere(l.URL)
	if err != nil {
		return false
	}
	is, ok := c.walls.get(nowhere.Key())
	return !ok || is.found
}

// soft404 fills in the record of a page that is what its site says of pages that it
// does not have. It looks at pages that would become another document than they
// were, and at hosts with many copies of one page. Where what the site says is not
// known yet the host is asked in a turn of its own. A page that would become another
// document waits for that, and later is true; a copy does not, and those after it
// are held against the answer.
func (c *Crawler) soft404(v *Visit, mass bool) (soft, later bool) {
	changed := v.Lease.Again && !v.Checked.Copy()
	if !c.o.Soft404 || c.o.Mode == dedup.ModeOff || !mass && !changed {
		return false, false
	}
	nowhere, err := mirror.Nowhere(v.Lease.URL)
	if err != nil {
		return false, false // no room for a name beside it
	}
	is, ok := c.walls.get(nowhere.Key())
	if !ok {
		return false, c.walls.want(nowhere.Key()) && changed
	}
	if !is.found || is.body != v.Sign.Body && !is.print.Says(printOf(v.Sign)) {
		return false, false
	}
	p := &v.Page
	p.Verdict, p.Rule = VerdictRefused, "soft-404"
	p.Reason = fmt.Sprintf("soft 404: %s, where nothing is, says the same", nowhere)
	v.Sign, v.Text, v.Checked = nil, nil, dedup.Verdict{} // no document, and no links of one
	v.Links, v.Prints, v.Template = nil, nil, 0
	return true, false
}

// probe asks a host for an address beside a page at which nothing is, if that is
// to be known. It reports whether the host has had its request.
func (c *Crawler) probe(ctx context.Context, l frontier.Lease, s *site) (asked bool, err error) {
	if c.walls.wanting() == 0 {
		return false, nil
	}
	nowhere, err := mirror.Nowhere(l.URL)
	if err != nil || !c.walls.take(nowhere.Key()) {
		return false, nil
	}
	if !s.rules.Check(c.o.Token, nowhere).Allowed {
		c.walls.put(nowhere.Key(), wall{})
		return false, nil
	}
	template, err := c.store.Template(l.URL.Key().Host())
	if err != nil {
		return false, fmt.Errorf("template of %s: %w", l.URL, err)
	}
	var resp *fetch.Response
	c.room.away(l.Probe, func() { resp, err = c.fetch.Fetch(ctx, nowhere) })
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	c.walls.put(nowhere.Key(), c.wallOf(resp, err, template))
	return true, nil
}

// wallOf reads the answer for an address at which nothing is. An error, a redirect
// and a status that says so are what they should be.
func (c *Crawler) wallOf(r *fetch.Response, err error, t *purify.Template) wall {
	if err != nil || r.Location() != "" || r.Status < 200 || r.Status > 299 {
		return wall{}
	}
	defer c.pages.long(r.Body, c.aloof)()
	view, _ := c.read(r, t)
	sig := c.o.IDF.SignView(dedup.DigestOf(r.Body), view)
	return wall{found: sig.Tokens > 0, print: printOf(&sig), body: sig.Body}
}

func printOf(s *dedup.Signature) mirror.Print {
	return mirror.Print{SimHash: s.SimHash, Sketch: s.Sketch, Tokens: int(s.Tokens)}
}
