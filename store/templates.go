package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What is known of the templates of hosts, see templates.
var (
	tableSites     = &kv.Table{Name: "sites", Fill: manyHosts} // by host
	tableTemplates = &kv.Table{Name: "templates"}              // by host
	tableAgain     = &kv.Table{Name: "again"}                  // by againKey
	tableThin      = &kv.Table{Name: "thin"}                   // by againKey: the blocks of a page that has few
	tableRevised   = &kv.Table{Name: "revised"}                // by seq: pages that were signed again
)

const (
	// maxEarly bounds how many of a host's first pages are purified again when
	// its template is known.
	maxEarly = 16

	// maxTemplates bounds how many hosts' templates are held in memory: at most
	// 16 MB of them, mostly 2. The others are read from the disk when a page of
	// their host is.
	maxTemplates = 1024

	siteForm = 1
)

// templates are what a job knows of the templates of its hosts: in the table
// sites what each host's pages repeat so far, in templates what is used of it,
// and in again the pages that were read with an older template than their host
// has. A crawl without templates has none of it.
type templates struct {
	off bool

	mu    sync.Mutex
	cache map[weburl.HostKey]*purify.Template
	ring  []weburl.HostKey // of cache, in the order of arrival
	next  int              // the oldest of a full ring
	age   uint64           // of the cache: commits that changed a template
	again []againKey       // to be lent by Earlier
}

// An againKey is a key of the table again: a host and a page's seq.
type againKey [len(weburl.HostKey{}) + 8]byte

func againKeyOf(h weburl.HostKey, seq uint64) (k againKey) {
	copy(k[:], h[:])
	binary.BigEndian.PutUint64(k[len(h):], seq)
	return k
}

func (k againKey) host() weburl.HostKey { return weburl.HostKey(k[:]) }
func (k againKey) seq() uint64          { return binary.BigEndian.Uint64(k[len(weburl.HostKey{}):]) }

// loadTemplates takes up the pages that the last run did not come to.
func (s *Store) loadTemplates() error {
	s.templates.cache = make(map[weburl.HostKey]*purify.Template)
	if s.readOnly {
		return nil
	}
	return s.look(func(in snapshot) error {
		return each(in, tableAgain, func(k, _ []byte) error {
			s.templates.again = append(s.templates.again, againKey(k))
			return nil
		})
	})
}

// Template is gatecrawl.Store's.
func (s *Store) Template(h weburl.HostKey) (*purify.Template, error) {
	if s.templates.off {
		return nil, nil
	}
	t, ok, age := s.templates.get(h)
	if ok {
		return t, nil
	}
	err := s.look(func(in snapshot) (err error) {
		t, err = in.template(h)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.templates.put(h, t, age)
	return t, nil
}

// template reads a host's template; nil: it has none.
func (in snapshot) template(h weburl.HostKey) (*purify.Template, error) {
	b, err := in.Get(tableTemplates, h[:])
	if err != nil || b == nil {
		return nil, err
	}
	t, err := purify.ParseTemplate(b)
	if err != nil {
		return nil, fmt.Errorf("template of host %x: %w", h, err)
	}
	return t, nil
}

// get looks a template up. What is read because it was not there is put with
// the age that get returned.
func (t *templates) get(h weburl.HostKey) (_ *purify.Template, ok bool, age uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.cache[h]
	return found, ok, t.age
}

// put remembers a template that was read, unless one was written since.
func (t *templates) put(h weburl.HostKey, found *purify.Template, age uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.cache[h]; ok || t.age != age {
		return
	}
	if len(t.ring) < maxTemplates {
		t.ring = append(t.ring, h)
	} else {
		delete(t.cache, t.ring[t.next])
		t.ring[t.next] = h
		t.next = (t.next + 1) % maxTemplates
	}
	t.cache[h] = found
}

// learned is what a batch changes about templates.
type learned struct {
	templates map[weburl.HostKey]*purify.Template
	again     []againKey
}

// committed takes over what is durable now, and reports whether a template changed.
func (t *templates) committed(l *learned) bool {
	if len(l.templates) == 0 && len(l.again) == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.again = append(t.again, l.again...)
	if len(l.templates) > 0 {
		t.age++
	}
	for h, made := range l.templates {
		if _, ok := t.cache[h]; ok {
			t.cache[h] = made
		}
	}
	return len(l.templates) > 0
}

// A siteRecord is what the table sites has of one host.
type siteRecord struct {
	early []uint64 // seqs of its first pages, until there is a template
	site  purify.Site
}

func (r *siteRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64)}
	e.Byte(siteForm)
	e.Uint(uint64(len(r.early)))
	for _, seq := range r.early {
		e.Uint(seq)
	}
	e.Bytes(r.site.Bytes())
	return e.B
}

func decodeSite(b []byte) (siteRecord, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != siteForm {
		return siteRecord{}, fmt.Errorf("site record of form %d; this version reads %d", f, siteForm)
	}
	var r siteRecord
	n := d.Uint()
	if n > maxEarly {
		return siteRecord{}, fmt.Errorf("site record: names %d first pages, and %d are the most", n, maxEarly)
	}
	for range n {
		r.early = append(r.early, d.Uint())
	}
	if d.Err != nil {
		return siteRecord{}, fmt.Errorf("site record: %w", d.Err)
	}
	site, err := purify.ParseSite(d.B)
	if err != nil {
		return siteRecord{}, err
	}
	r.site = *site
	return r, nil
}

// learn lets a new page count for its host's template. A page that was read with
// an older template than the host has by now, and the first pages of a host that
// gets its first, are to be purified again.
func (t *txn) learn(h weburl.HostKey, seq uint64, v *page.Visit) error {
	if t.s.templates.off || v.Body == nil {
		return nil
	}
	r, err := t.site(h)
	if err != nil {
		return err
	}
	if v.Behind || v.Template < r.site.Generation() {
		t.purifyAgain(h, seq)
	}
	if v.Own != nil && r.site.Generation() > 0 && r.site.Generation() < lastThin { // before, it is among the early
		t.thin(h, seq, v.Own)
	}
	early := r.site.Generation() == 0 && len(r.early) < maxEarly
	if early {
		r.early = append(r.early, seq)
	}
	wanted := r.site.Wants(v.Prints) && !v.Lease.Again // another version of a page is no other page
	if !early && !wanted {
		return nil
	}
	if wanted {
		if made := r.site.Learn(v.Prints); made != nil {
			if err := t.haveTemplate(h, &r, made); err != nil {
				return err
			}
		}
	}
	t.tx.Put(tableSites, h[:], r.encode())
	return nil
}

// learnFromCopy lets a copy in another layout, or of another host's page, count for the
// template of its host: all pages of a mirror are such, and of a manual's other version.
func (t *txn) learnFromCopy(h weburl.HostKey, v *page.Visit) error {
	if t.s.templates.off || len(v.Prints) == 0 || v.Lease.Again {
		return nil
	}
	r, err := t.site(h)
	if err != nil || !r.site.Wants(v.Prints) {
		return err
	}
	if made := r.site.Learn(v.Prints); made != nil {
		if err := t.haveTemplate(h, &r, made); err != nil {
			return err
		}
	}
	t.tx.Put(tableSites, h[:], r.encode())
	return nil
}

// site reads what is known of a host's template.
func (t *txn) site(h weburl.HostKey) (siteRecord, error) {
	b, err := t.tx.Get(tableSites, h[:])
	if err != nil || b == nil {
		return siteRecord{}, err
	}
	return decodeSite(b)
}

// lastThin is the generation of a host's template from which on its thin pages are
// not followed: 256 pages have made it, and the next ones change little.
const lastThin = 12

// maxThin bounds how many blocks of a thin page are kept. It is read again when its
// host's template has one in leastThin of them.
const (
	maxThin   = 128
	leastThin = 8
)

// thin remembers the blocks by which a page is compared that has few.
func (t *txn) thin(h weburl.HostKey, seq uint64, own []purify.Print) {
	k := againKeyOf(h, seq)
	b := make([]byte, 0, 8*min(len(own), maxThin))
	for _, p := range own[:min(len(own), maxThin)] {
		b = binary.BigEndian.AppendUint64(b, uint64(p))
	}
	t.tx.Put(tableThin, k[:], b)
}

// thinAgain has the thin pages of a host read again of which its new template has a
// block: what is left of them may be half of what was signed.
func (t *txn) thinAgain(h weburl.HostKey, made *purify.Template) error {
	for e, err := range kv.Prefix(t.tx, tableThin, h[:]) {
		if err != nil {
			return err
		}
		v := e.Value
		lost, all := 0, len(v)/8
		for ; len(v) >= 8; v = v[8:] {
			if made.Has(&purify.Block{Print: purify.Print(binary.BigEndian.Uint64(v))}) {
				lost++
			}
		}
		changed := lost*leastThin >= all && lost > 0
		if changed || made.Generation() >= lastThin {
			t.tx.Delete(tableThin, e.Key) // one that is read again is remembered again then
		}
		if changed {
			t.purifyAgain(h, againKey(e.Key).seq())
		}
	}
	return nil
}

// haveTemplate keeps a host's new template.
func (t *txn) haveTemplate(h weburl.HostKey, r *siteRecord, made *purify.Template) error {
	if made.Blocks() > 0 {
		for _, seq := range r.early {
			t.purifyAgain(h, seq)
		}
		if err := t.thinAgain(h, made); err != nil {
			return err
		}
	}
	r.early = nil
	t.learned.templates[h] = made
	t.tx.Put(tableTemplates, h[:], made.Bytes())
	return nil
}

func (t *txn) purifyAgain(h weburl.HostKey, seq uint64) {
	k := againKeyOf(h, seq)
	t.learned.again = append(t.learned.again, k)
	t.tx.Put(tableAgain, k[:], present)
}

// Earlier is gatecrawl.Store's.
func (s *Store) Earlier() (*gatecrawl.Earlier, error) {
	for {
		k, ok := s.templates.pop()
		if !ok {
			return nil, nil
		}
		e, err := s.earlier(k)
		if err != nil {
			return nil, fmt.Errorf("page %d, to be purified again: %w", k.seq(), err)
		}
		if e != nil {
			return e, nil
		}
	}
}

func (t *templates) pop() (againKey, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.again) == 0 {
		return againKey{}, false
	}
	k := t.again[0]
	if t.again = t.again[1:]; len(t.again) == 0 {
		t.again = nil
	}
	return k, true
}

// earlier reads what purifying a page again takes; nil: it was done.
func (s *Store) earlier(k againKey) (e *gatecrawl.Earlier, err error) {
	err = s.look(func(in snapshot) error {
		if wanted, err := kv.Has(in, tableAgain, k[:]); err != nil || !wanted {
			return err
		}
		var err error
		e = &gatecrawl.Earlier{}
		if e.Page, err = in.fullPage(k.seq()); err != nil {
			return err
		}
		if e.Body, err = in.get(tableBodies, seqKey(k.seq())); err != nil {
			return err
		}
		if e.Body == nil {
			return errors.New("its bytes are not kept")
		}
		sig, err := in.signature(k.seq())
		if err != nil {
			return err
		}
		e.Digest = sig.Bytes
		e.Template, err = in.template(k.host())
		return err
	})
	return e, err
}

// Revise is gatecrawl.Store's.
func (s *Store) Revise(_ context.Context, v *page.Visit) error {
	if err := s.write(func(t *txn) error { return t.revise(v) }); err != nil {
		return fmt.Errorf("revise %s: %w", v.Page.URL, err)
	}
	return nil
}

// revise replaces what is kept of a page: its view, its signature here and in
// the gate, and what its record says of them.
func (t *txn) revise(v *page.Visit) error {
	k := againKeyOf(v.Lease.URL.Key().Host(), v.Page.Seq)
	if wanted, err := kv.Has(t.tx, tableAgain, k[:]); err != nil || !wanted {
		return err // it was done before
	}
	t.tx.Delete(tableAgain, k[:])
	if v.Own != nil && v.Template < lastThin {
		t.thin(k.host(), k.seq(), v.Own)
	}
	now, _, err := t.page(v.Page.Seq)
	if err != nil {
		return err
	}
	if now.Verdict != page.VerdictNew || now.Digest != v.Page.Digest {
		return nil // other bytes were settled since
	}
	t.s.texts.put(dedup.DocID(v.Page.Seq), v.View)
	if err := t.s.gate.Revise(dedup.DocID(v.Page.Seq), *v.Sign); err != nil {
		return err
	}
	seq := seqKey(v.Page.Seq)
	t.tx.Put(tableRevised, seq, present)
	t.tx.Put(tableSignatures, seq, page.EncodeSignature(v.Sign))
	t.tx.Put(tableViews, seq, v.View)
	now.Title, now.Lang, now.PageType, now.Relevance = v.Page.Title, v.Page.Lang, v.Page.PageType, v.Page.Relevance
	now.SimHash, now.BodyTokens = v.Page.SimHash, v.Page.BodyTokens
	t.putPage(v.Page.Seq, &now, dedup.Verdict{})
	return t.meetsEqual(v)
}

// meetsEqual looks for a kept page that a revised one is near now: while a frame was
// in one of them they were two. The younger becomes a copy of the older. If it has
// copies itself it does only where the two are equal: then its copies are those of the
// older too. Its bytes and view stay where they are.
func (t *txn) meetsEqual(v *page.Visit) error {
	found, err := t.s.gate.Neighbours(*v.Sign, v.Text, 2) // one may be itself
	if err != nil {
		return err
	}
	for _, verdict := range found {
		kept, seq := uint64(verdict.Of), v.Page.Seq
		if kept == seq {
			continue
		}
		if there, err := kv.Has(t.tx, tablePages, seqKey(kept)); err != nil {
			return err
		} else if !there {
			continue // of this batch, and it came after
		}
		if kept > seq {
			kept, seq, verdict.Of = seq, kept, dedup.DocID(seq)
		}
		return t.join(seq, kept, verdict)
	}
	return nil
}

// join makes a kept page a copy of an older one.
func (t *txn) join(seq, kept uint64, verdict dedup.Verdict) error {
	for _, one := range []uint64{seq, kept} {
		if retired, err := t.in().isRetired(one); err != nil || retired {
			return err
		}
	}
	g, _, err := t.in().group(seq)
	if err != nil {
		return err
	}
	if g.copies > 0 && verdict.Similarity < 1 || g.copies > maxHandedOn {
		return nil
	}
	rec, _, err := t.page(seq)
	if err != nil || rec.Verdict != page.VerdictNew {
		return err
	}
	of, _, err := t.page(kept)
	if err != nil || of.Verdict != page.VerdictNew {
		return err
	}
	u, err := weburl.Parse(rec.URL)
	if err != nil {
		return fmt.Errorf("page %d: %w", seq, err)
	}
	rec.Verdict, rec.Of, rec.Reason = page.VerdictCopy, of.URL, verdict.Reason()
	rec.Level, rec.Class = int(verdict.Level), verdict.Class.String()
	rec.Distance, rec.Similarity = verdict.Distance, verdict.Similarity
	if err := t.vote(kept, of.URL, u.Key()); err != nil {
		return err
	}
	n := &t.state.Totals
	n.New--
	n.Copies++
	n.Levels[strconv.Itoa(rec.Level)]++
	n.Classes[rec.Class]++
	t.putPage(seq, &rec, verdict)
	t.retire(seq, kept)
	if g.copies == 0 {
		return nil
	}
	return t.handOn(seq, kept)
}

// frame returns what was left out of a kept page; nil where its host had no
// template.
func (in snapshot) frame(seq uint64) (*gatecrawl.Frame, error) {
	b, err := in.Get(tableViews, seqKey(seq))
	if err != nil || b == nil {
		return nil, err
	}
	v, err := page.UnpackView(b)
	if err != nil {
		return nil, fmt.Errorf("view of page %d: %w", seq, err)
	}
	if v.Template == 0 {
		return nil, nil
	}
	return &gatecrawl.Frame{Template: v.Template, Blocks: v.Dropped}, nil
}

// templates checks what is known of the hosts' templates, and that what is kept
// of a page belongs together: of one page in sampleViews the view's own body is
// signed again.
func (v *verifier) templates() error {
	err := each(v.in, tableSites, func(k, b []byte) error {
		r, err := decodeSite(b)
		if err != nil {
			return v.breach("what a host repeats can be read", "%x: %v", k, err)
		}
		return v.siteOf(weburl.HostKey(k), &r)
	})
	if err != nil {
		return err
	}
	err = each(v.in, tableTemplates, func(k, _ []byte) error {
		learns, err := kv.Has(v.in, tableSites, k)
		if err == nil && !learns {
			err = v.breach("every template is of a host that learns", "%x", k)
		}
		return err
	})
	if err != nil {
		return err
	}
	return each(v.in, tableAgain, func(k, _ []byte) error {
		if len(k) != len(againKey{}) {
			return v.breach("every page to be purified again is kept", "key %x", k)
		}
		return v.isOf(againKey(k).host(), againKey(k).seq(), "every page to be purified again is kept")
	})
}

// siteOf checks one host's record against its template and its pages.
func (v *verifier) siteOf(h weburl.HostKey, r *siteRecord) error {
	known, err := kv.Has(v.in, queue.TableHosts, h[:])
	if err != nil {
		return err
	}
	if !known {
		if err := v.breach("every host that learns has a record", "%x", h); err != nil {
			return err
		}
	}
	t, err := v.in.template(h)
	switch {
	case err != nil:
		return v.breach("every template can be read", "%v", err)
	case t.Generation() != r.site.Generation():
		return v.breach("a host's template is its last", "%x: template %d of %d", h, t.Generation(), r.site.Generation())
	}
	for _, seq := range r.early {
		if err := v.isOf(h, seq, "a host's first pages are its own, and kept"); err != nil {
			return err
		}
	}
	return nil
}

// isOf checks that a page is kept with its bytes, and is of a host.
func (v *verifier) isOf(h weburl.HostKey, seq uint64, what string) error {
	k := seqKey(seq)
	for _, t := range []*kv.Table{tableSignatures, tableBodies} {
		if kept, err := kv.Has(v.in, t, k); err != nil {
			return err
		} else if !kept {
			return v.breach(what, "page %d", seq)
		}
	}
	url, err := v.in.urlOf(seq)
	if err != nil || weburl.HostKeyOf(weburl.HostOf(url)) != h {
		return v.breach(what, "page %d: %s", seq, url)
	}
	return nil
}

// sampleViews is how many kept pages there are to one whose view is signed: that
// takes as long as all other checks of a hundred pages.
const sampleViews = 16

// signed checks that a kept page's record, signature and view are of one
// reading of it.
func (v *verifier) signed(p *page.Record, sig *dedup.Signature) error {
	const what = "record, signature and view are of one reading"
	if p.SimHash != "" && p.SimHash != fmt.Sprintf("%016x", sig.SimHash) {
		return v.breach(what, "page %d: %s: the record has SimHash %s, the signature %016x", p.Seq, p.URL, p.SimHash, sig.SimHash)
	}
	if p.Seq%sampleViews != 1 {
		return nil
	}
	b, err := v.in.Get(tableViews, seqKey(p.Seq))
	if err != nil || b == nil {
		return err
	}
	view, err := page.UnpackView(b)
	if err != nil {
		return v.breach("every view can be read", "page %d: %v", p.Seq, err)
	}
	got := dedup.SignView(sig.Bytes, view)
	got.Bands[0] = sig.Bands[0] // which only leads to candidates; long pages had no title there once
	if v.s.job.IDF != "" {
		got.SimHash = sig.SimHash // its words were weighed by a table that is not at hand
	}
	if got != *sig {
		return v.breach(what, "page %d: %s: the view's body is not what was signed", p.Seq, p.URL)
	}
	return nil
}
