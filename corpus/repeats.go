package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/scratch"
)

// repeats spares a batch the reading of a page that has the bytes of an earlier one. If a kept page
// has these bytes, the gate needs nothing else, as in a crawl. Whether it is kept is known only
// after all pages are read, so the bytes are in a temporary file, once however many pages have
// them, and are read after all if the earlier page is itself a copy of another page.
//
// A repeat is one by its place in the collection, not by whether a worker could be spared: what is
// reported of it does not depend on their number. A nil *repeats has none.
type repeats struct {
	mu    sync.RWMutex
	met   map[contents]struct{}  // of the pages so far; nil when all were read
	again map[contents]bytesAt   // of the pages that have repeats
	kept  map[contents]*repeated // of the kept ones of these

	f    *os.File // nil: nothing is stored
	w    *bufio.Writer
	size int64
}

// contents are the bytes of a page and the type that they are read as.
type contents struct {
	digest dedup.Digest
	kind   uint64 // hash of the type; 0: the page is read in any case
}

// A bytesAt is a place in the temporary file.
type bytesAt struct {
	from int64
	size int // 0: they are not there
}

// A repeated is a kept page, with what is said of the pages that have its bytes.
type repeated struct {
	doc                                    dedup.DocID
	title, lang, kind, charset, fault, sim string
	tokens, links                          int
	canonical                              string
}

func newRepeats() *repeats {
	return &repeats{
		met: make(map[contents]struct{}), again: make(map[contents]bytesAt), kept: make(map[contents]*repeated),
	}
}

// repeatable reports whether the batch asks nothing of a page with known bytes but its verdict.
// Groups and earlier crawls compare its text, and Signed gets it.
func (b *Batch) repeatable() bool {
	return b.o.scalable() == nil && b.o.Known == nil && !b.o.Groups && b.Signed == nil && b.o.Dedup.Mode != dedup.ModeOff
}

// contentsOf returns what a page is known by. A page whose text or title is given with its bytes
// is not known by them.
func (r *repeats) contentsOf(p *Page, digest dedup.Digest, kind string) contents {
	if r == nil || p.View != nil || p.Title != "" || !p.Digest.IsZero() || len(p.Body) == 0 {
		return contents{digest: digest}
	}
	return contents{digest, max(1, xxhash.Sum64String(kind))}
}

// has reports whether a page with the contents has been met.
func (r *repeats) has(c contents) bool {
	if r == nil || c.kind == 0 {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.met[c]
	return ok
}

// meet adds a page, and stores its bytes if it repeats an earlier one and was not read.
func (r *repeats) meet(p *readPage) error {
	c := p.contents()
	if r == nil || c.kind == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, p.repeat = r.met[c]; !p.repeat {
		r.met[c] = struct{}{}
		return nil
	}
	at := r.again[c]
	if p.view == nil && at.size == 0 {
		var err error
		if at, err = r.store(p.unread); err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
	}
	p.unread = nil
	r.again[c] = at
	return nil
}

func (r *repeats) store(body []byte) (at bytesAt, err error) {
	if r.f == nil {
		if r.f, err = scratch.Create("", "crawl-dedup-*"); err != nil {
			return at, err
		}
		r.w = bufio.NewWriterSize(r.f, 1<<16)
	}
	at = bytesAt{r.size, len(body)}
	r.size += int64(len(body))
	_, err = r.w.Write(body)
	return at, err
}

// complete is called when all pages have been met.
func (r *repeats) complete() error {
	if r == nil {
		return nil
	}
	r.met = nil
	if r.f == nil {
		return nil
	}
	if err := r.w.Flush(); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	return nil
}

// bytes returns the bytes that were stored.
func (r *repeats) bytes(c contents) ([]byte, error) {
	at := r.again[c] // it does not change any more
	if at.size == 0 {
		return nil, errors.New("the bytes of a page are not in the temporary file")
	}
	body := make([]byte, at.size)
	if _, err := r.f.ReadAt(body, at.from); err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return body, nil
}

// keep notes a kept page if other pages repeat it.
func (r *repeats) keep(doc dedup.DocID, s *signedPage) {
	if r == nil {
		return
	}
	if _, ok := r.again[s.contents]; !ok {
		return
	}
	rec := &s.record
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[s.contents] = &repeated{
		doc, rec.Title, rec.Lang, rec.PageType, rec.Charset, rec.TextError, rec.SimHash, rec.BodyTokens, rec.Links, s.canonical,
	}
}

// of returns the kept page that a page repeats; nil if there is none.
func (r *repeats) of(repeat bool, c contents) *repeated {
	if r == nil || !repeat {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.kept[c]
}

// copied makes a page a copy of the kept page that it repeats.
func (k *repeated) copied(s *signedPage) dedup.Verdict {
	rec := &s.record
	rec.Title, rec.Lang, rec.PageType, rec.Charset, rec.TextError = k.title, k.lang, k.kind, k.charset, k.fault
	rec.SimHash, rec.BodyTokens, rec.Links = k.sim, k.tokens, k.links
	s.sign, s.canonical = dedup.Signature{Bytes: s.contents.digest}, k.canonical
	return dedup.Verdict{Of: dedup.Ref(k.doc), Level: dedup.LevelBytes, Class: s.classOf(dedup.FullLayout), Similarity: 1}
}

func (r *repeats) close() error {
	if r == nil || r.f == nil {
		return nil
	}
	return scratch.Close(r.f)
}

// readAfterAll reads a page that repeats one which is not kept, or not yet.
func (b *Batch) readAfterAll(p *readPage) error {
	whole := p.Page
	var err error
	if whole.Body, err = b.repeats.bytes(p.contents()); err != nil {
		return err
	}
	r := b.readWith(nil, whole)
	p.record, p.packed = r.record, page.PackView(r.view)
	p.view, err = page.UnpackView(p.packed) // as the pages that were read before
	return err
}

// contents returns what the page is known by.
func (p *readPage) contents() contents { return contents{p.digest, p.kind} }
