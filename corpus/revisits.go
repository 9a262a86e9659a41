package corpus

import (
	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
)

// revisits finds the pages that revisit records of WARC files stand for. A revisit record with the
// payload digest of an earlier page but another URL is an exact copy of that page; with the same
// URL it says that the page has not changed. The zero value is empty. It takes some 80 bytes for
// each page with a payload digest.
type revisits struct {
	bodies map[uint64]revisited // by the hash of a payload digest
	at     map[uint64]struct{}  // hashes of a payload digest and a URL
}

// A revisited page is one that a revisit record stands for.
type revisited struct {
	doc    dedup.DocID
	digest dedup.Digest
}

// meet adds a page and its number.
func (r *revisits) meet(p *readPage, doc dedup.DocID) {
	if p.Payload == "" || p.digest.IsZero() {
		return
	}
	if r.bodies == nil {
		r.bodies, r.at = make(map[uint64]revisited), make(map[uint64]struct{})
	}
	r.at[xxhash.Sum64String(p.Payload+" "+p.URL)] = struct{}{}
	if body := xxhash.Sum64String(p.Payload); r.bodies[body].doc == 0 {
		r.bodies[body] = revisited{doc, p.digest}
	}
}

// resolve finds the page that a revisit record stands for; known is false if that is not in the
// collection. unchanged is true if an earlier page had the same URL and the same payload.
func (r *revisits) resolve(p *readPage) (known, unchanged bool) {
	of, known := r.bodies[xxhash.Sum64String(p.Payload)]
	if !known {
		return false, false
	}
	at := xxhash.Sum64String(p.Payload + " " + p.URL)
	if _, unchanged := r.at[at]; unchanged {
		return true, true
	}
	r.at[at] = struct{}{}
	p.same, p.digest = of.doc, of.digest
	p.record.Digest = p.digest.String()
	return true, false
}

// copyOf returns the verdict for a page with the same bytes as an earlier one: a copy of that page,
// or of the page that it is a copy of.
func (b *Batch) copyOf(s *signedPage) (dedup.Verdict, error) {
	same, url, err := b.spool.page(s.same)
	if err != nil {
		return dedup.Verdict{}, err
	}
	if e := b.archived[s.same]; e != nil {
		e.Note(&s.record)
		b.counts.Known++
		b.counts.Copies++
		return dedup.Verdict{}, nil
	}
	v := same.verdict()
	if v.Copy() {
		_, url, err = b.spool.page(dedup.DocID(v.Of))
	} else {
		v = dedup.Verdict{Of: dedup.Ref(s.same), Level: dedup.LevelBytes, Class: dedup.FullLayout, Similarity: 1}
	}
	b.note(s, v, url)
	return v, err
}
