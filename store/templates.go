package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/purify"
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

// templates are what a job knows of the templates of its hosts: in the bucket
// sites what each host's pages repeat so far, in templates what is used of it,
// and in again the pages that were read with an older template than their host
// has. A crawl without templates has none of it.
type templates struct {
	off bool

	mu    sync.Mutex
	cache map[frontier.HostKey]*purify.Template
	ring  []frontier.HostKey // of cache, in the order of arrival
	next  int                // the oldest of a full ring
	age   uint64             // of the cache: commits that changed a template
	again []againKey         // to be lent by Earlier
}

// An againKey is a key of the bucket again: a host and a page's seq.
type againKey [len(frontier.HostKey{}) + 8]byte

func againKeyOf(h frontier.HostKey, seq uint64) (k againKey) {
	copy(k[:], h[:])
	binary.BigEndian.PutUint64(k[len(h):], seq)
	return k
}

func (k againKey) host() frontier.HostKey { return frontier.HostKey(k[:]) }
func (k againKey) seq() uint64            { return binary.BigEndian.Uint64(k[len(frontier.HostKey{}):]) }

// loadTemplates makes the buckets of a job that was begun without them, and
// takes up the pages that the last run did not come to.
func (s *Store) loadTemplates() error {
	s.templates.cache = make(map[frontier.HostKey]*purify.Template)
	if s.readOnly {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, b := range [][]byte{bucketSites, bucketTemplates, bucketAgain} {
			if _, err := tx.CreateBucketIfNotExists(b); err != nil {
				return fmt.Errorf("bucket %s: %w", b, err)
			}
		}
		return tx.Bucket(bucketAgain).ForEach(func(k, _ []byte) error {
			s.templates.again = append(s.templates.again, againKey(k))
			return nil
		})
	})
}

// Template is gatecrawl.Store's.
func (s *Store) Template(h frontier.HostKey) (*purify.Template, error) {
	if s.templates.off {
		return nil, nil
	}
	t, ok, age := s.templates.get(h)
	if ok {
		return t, nil
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		var err error
		t, err = templateAt(tx, h)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.templates.put(h, t, age)
	return t, nil
}

// templateAt reads a host's template; nil: it has none.
func templateAt(tx *bbolt.Tx, h frontier.HostKey) (*purify.Template, error) {
	bucket := tx.Bucket(bucketTemplates)
	if bucket == nil {
		return nil, nil
	}
	b := bucket.Get(h[:])
	if b == nil {
		return nil, nil
	}
	t, err := purify.ParseTemplate(b)
	if err != nil {
		return nil, fmt.Errorf("template of host %x: %w", h, err)
	}
	return t, nil
}

// get looks a template up. What is read because it was not there is put with
// the age that get returned.
func (t *templates) get(h frontier.HostKey) (_ *purify.Template, ok bool, age uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.cache[h]
	return found, ok, t.age
}

// put remembers a template that was read, unless one was written since.
func (t *templates) put(h frontier.HostKey, found *purify.Template, age uint64) {
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
	templates map[frontier.HostKey]*purify.Template
	again     []againKey
}

// committed takes over what is durable now.
func (t *templates) committed(l *learned) {
	if len(l.templates) == 0 && len(l.again) == 0 {
		return
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
}

// A siteRecord is what the bucket sites has of one host.
type siteRecord struct {
	early []uint64 // seqs of its first pages, until there is a template
	site  purify.Site
}

func (r *siteRecord) encode() []byte {
	e := encoder{make([]byte, 0, 64)}
	e.byte(siteForm)
	e.uint(uint64(len(r.early)))
	for _, seq := range r.early {
		e.uint(seq)
	}
	e.bytes(r.site.Bytes())
	return e.b
}

func decodeSite(b []byte) (siteRecord, error) {
	d := decoder{b: b}
	if f := d.byte(); f != siteForm {
		return siteRecord{}, fmt.Errorf("site record of form %d; this version reads %d", f, siteForm)
	}
	var r siteRecord
	n := d.uint()
	if n > maxEarly {
		return siteRecord{}, fmt.Errorf("site record: names %d first pages, and %d are the most", n, maxEarly)
	}
	for range n {
		r.early = append(r.early, d.uint())
	}
	if d.err != nil {
		return siteRecord{}, fmt.Errorf("site record: %w", d.err)
	}
	site, err := purify.ParseSite(d.b)
	if err != nil {
		return siteRecord{}, err
	}
	r.site = *site
	return r, nil
}

// learn lets a new page count for its host's template. A page that was read with
// an older template than the host has by now, and the first pages of a host that
// gets its first, are to be purified again.
func (t *txn) learn(h frontier.HostKey, seq uint64, v *gatecrawl.Visit) error {
	if t.s.templates.off || v.Body == nil {
		return nil
	}
	sites := t.tx.Bucket(bucketSites)
	var r siteRecord
	if b := sites.Get(h[:]); b != nil {
		var err error
		if r, err = decodeSite(b); err != nil {
			return err
		}
	}
	if v.Template < r.site.Generation() {
		if err := t.purifyAgain(h, seq); err != nil {
			return err
		}
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
	return sites.Put(h[:], r.encode())
}

// haveTemplate keeps a host's new template.
func (t *txn) haveTemplate(h frontier.HostKey, r *siteRecord, made *purify.Template) error {
	if made.Blocks() > 0 {
		for _, seq := range r.early {
			if err := t.purifyAgain(h, seq); err != nil {
				return err
			}
		}
	}
	r.early = nil
	t.learned.templates[h] = made
	return t.tx.Bucket(bucketTemplates).Put(h[:], made.Bytes())
}

func (t *txn) purifyAgain(h frontier.HostKey, seq uint64) error {
	k := againKeyOf(h, seq)
	t.learned.again = append(t.learned.again, k)
	return t.tx.Bucket(bucketAgain).Put(k[:], present)
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
	err = s.db.View(func(tx *bbolt.Tx) error {
		if tx.Bucket(bucketAgain).Get(k[:]) == nil {
			return nil
		}
		e = &gatecrawl.Earlier{}
		if e.Page, err = pageAt(tx, seqKey(k.seq()), tx.Bucket(bucketPages).Get(seqKey(k.seq()))); err != nil {
			return err
		}
		if e.Body = bytes.Clone(tx.Bucket(bucketBodies).Get(seqKey(k.seq()))); e.Body == nil {
			return errors.New("its bytes are not kept")
		}
		sig, err := decodeSignature(tx.Bucket(bucketSignatures).Get(seqKey(k.seq())))
		if err != nil {
			return err
		}
		e.Digest = sig.Bytes
		e.Template, err = templateAt(tx, k.host())
		return err
	})
	return e, err
}

// Revise is gatecrawl.Store's.
func (s *Store) Revise(_ context.Context, v *gatecrawl.Visit) error {
	if err := s.write(func(t *txn) error { return t.revise(v) }); err != nil {
		return fmt.Errorf("revise %s: %w", v.Page.URL, err)
	}
	return nil
}

// revise replaces what is kept of a page: its view, its signature here and in
// the gate, and what its record says of them.
func (t *txn) revise(v *gatecrawl.Visit) error {
	k := againKeyOf(v.Lease.URL.Key().Host(), v.Page.Seq)
	again := t.tx.Bucket(bucketAgain)
	if again.Get(k[:]) == nil {
		return nil // it was done before
	}
	if err := again.Delete(k[:]); err != nil {
		return err
	}
	now, _, err := t.page(v.Page.Seq)
	if err != nil {
		return err
	}
	if now.Verdict != gatecrawl.VerdictNew || now.Digest != v.Page.Digest {
		return nil // other bytes were settled since
	}
	t.s.texts.put(dedup.DocID(v.Page.Seq), v.View)
	if err := t.s.gate.Revise(dedup.DocID(v.Page.Seq), *v.Sign); err != nil {
		return err
	}
	seq := seqKey(v.Page.Seq)
	if err := t.tx.Bucket(bucketRevised).Put(seq, present); err != nil {
		return err
	}
	if err := t.signatures.Put(seq, encodeSignature(v.Sign)); err != nil {
		return err
	}
	if err := t.views.Put(seq, v.View); err != nil {
		return err
	}
	now.Title, now.Lang, now.PageType, now.Relevance = v.Page.Title, v.Page.Lang, v.Page.PageType, v.Page.Relevance
	now.SimHash, now.BodyTokens = v.Page.SimHash, v.Page.BodyTokens
	return t.pages.Put(seq, encodePage(&now, dedup.Verdict{}))
}

// frameAt returns what was left out of a kept page; nil where its host had no
// template.
func frameAt(tx *bbolt.Tx, seq uint64) (*gatecrawl.Frame, error) {
	b := tx.Bucket(bucketViews).Get(seqKey(seq))
	if b == nil {
		return nil, nil
	}
	v, err := gatecrawl.UnpackView(b)
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
	sites := v.tx.Bucket(bucketSites)
	if sites == nil {
		return nil // a job of a program without templates
	}
	for _, name := range [][]byte{bucketTemplates, bucketAgain} {
		if v.tx.Bucket(name) == nil {
			return v.breach("every bucket is there", "%s is not", name)
		}
	}
	err := sites.ForEach(func(k, b []byte) error {
		r, err := decodeSite(b)
		if err != nil {
			return v.breach("what a host repeats can be read", "%x: %v", k, err)
		}
		return v.siteOf(frontier.HostKey(k), &r)
	})
	if err != nil {
		return err
	}
	err = v.tx.Bucket(bucketTemplates).ForEach(func(k, _ []byte) error {
		if sites.Get(k) == nil {
			return v.breach("every template is of a host that learns", "%x", k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.tx.Bucket(bucketAgain).ForEach(func(k, _ []byte) error {
		if len(k) != len(againKey{}) {
			return v.breach("every page to be purified again is kept", "key %x", k)
		}
		return v.isOf(againKey(k).host(), againKey(k).seq(), "every page to be purified again is kept")
	})
}

// siteOf checks one host's record against its template and its pages.
func (v *verifier) siteOf(h frontier.HostKey, r *siteRecord) error {
	_, known, err := v.in.table.Get(hostKey(h))
	if err != nil {
		return err
	}
	if !known {
		if err := v.breach("every host that learns has a record", "%x", h); err != nil {
			return err
		}
	}
	t, err := templateAt(v.tx, h)
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
func (v *verifier) isOf(h frontier.HostKey, seq uint64, what string) error {
	k := seqKey(seq)
	if v.tx.Bucket(bucketSignatures).Get(k) == nil || v.tx.Bucket(bucketBodies).Get(k) == nil {
		return v.breach(what, "page %d", seq)
	}
	url, err := urlAt(v.tx, seq)
	if err != nil || frontier.HostKeyOf(hostOf(url)) != h {
		return v.breach(what, "page %d: %s", seq, url)
	}
	return nil
}

// sampleViews is how many kept pages there are to one whose view is signed: that
// takes as long as all other checks of a hundred pages.
const sampleViews = 16

// signed checks that a kept page's record, signature and view are of one
// reading of it.
func (v *verifier) signed(p *gatecrawl.Page, sig *dedup.Signature) error {
	const what = "record, signature and view are of one reading"
	if p.SimHash != "" && p.SimHash != fmt.Sprintf("%016x", sig.SimHash) {
		return v.breach(what, "page %d: %s: the record has SimHash %s, the signature %016x", p.Seq, p.URL, p.SimHash, sig.SimHash)
	}
	b := v.tx.Bucket(bucketViews).Get(seqKey(p.Seq))
	if b == nil || p.Seq%sampleViews != 1 {
		return nil
	}
	view, err := gatecrawl.UnpackView(b)
	if err != nil {
		return v.breach("every view can be read", "page %d: %v", p.Seq, err)
	}
	got := dedup.SignView(sig.Bytes, view)
	if v.s.job.IDF != "" {
		got.SimHash = sig.SimHash // its words were weighed by a table that is not at hand
	}
	if got != *sig {
		return v.breach(what, "page %d: %s: the view's body is not what was signed", p.Seq, p.URL)
	}
	return nil
}
