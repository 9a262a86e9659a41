package corpus

import (
	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
)

// revisits find the pages that revisit records of WARC files stand for: a record with the
// payload digest of a page before it, at another URL, is of an exact copy of that page. Of
// the URL of that page it says that the page is unchanged. The zero value has seen nothing;
// it takes some 80 bytes for each page with a payload digest.
type revisits struct {
	bodies map[uint64]revisited // by the hash of a payload digest
	at     map[uint64]struct{}  // hashes of a payload digest and a URL
}

// revisited is the page that a revisit record stands for.
type revisited struct {
	doc    dedup.DocID
	digest dedup.Digest
}

// meet notes a page and its number.
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

// resolve names the page that a revisit stands for; not known, if that is not in the collection. Of an
// unchanged page the URL has been there with the same payload.
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

// copyOf makes a page a copy as the page is that has the same bytes: of that, or of what that
// is a copy of.
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
