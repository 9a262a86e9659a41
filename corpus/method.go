package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/dedup/methods/search"
	"gatecrawl.example/gatecrawl/page"
)

// A PairLine is two pages that a method has judged copies.
type PairLine struct {
	A     string  `json:"a"` // the earlier one's URL
	ASeq  uint64  `json:"a_seq"`
	B     string  `json:"b"`
	BSeq  uint64  `json:"b_seq"`
	Score float64 `json:"score"`
	Equal bool    `json:"equal,omitempty"` // their sketches are equal, and A is the first page with this sketch
}

// Compared says what a method compared.
type Compared struct {
	Pairs   int64 // found
	Equal   int64 // of these, pairs with equal sketches, which need no comparison
	Scored  int64 // pairs that were compared
	LeftOut int64 // pairs that share only keys that too many pages have, and were not compared
}

// scalable returns the method of a batch; nil if the gate judges.
func (o *Options) scalable() methods.Scalable {
	m, _ := o.Method.(methods.Scalable)
	return m
}

// A foundCopy is a method's result for a page.
type foundCopy struct {
	of    dedup.DocID // 0: it is new
	score float32
}

// compare judges the pages with a method. It takes some 40 bytes of memory a page, and what package
// search and methods.Collection need.
func (b *Batch) compare(pending *pendingFile, m methods.Scalable) (err error) {
	c := methods.NewCollection(m, b.o.Words)
	links := methods.NeedsLinks(m)
	if err := b.trainMethod(pending, c, links, nil); err != nil {
		return err
	}
	scheme := m.Scheme(c)
	finder, err := b.finder(scheme, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finder.Close()) }()
	err = b.signed(pending, scheme, links, func(_ readPage, s sketchedPage) error {
		if err := b.spool.add(s.url, s.site, "", dedup.Signature{}, nil, dedup.Verdict{}); err != nil {
			return err
		}
		return finder.Add(s.sketch)
	})
	if err != nil {
		return err
	}
	if err := b.pair(finder); err != nil {
		return err
	}
	return b.tell(pending.all)
}

// trainMethod passes all pages to a method, and more if it is not nil, as often as the method
// wants.
func (b *Batch) trainMethod(pending *pendingFile, c *methods.Collection, links bool, more *readPage) error {
	for pass := range c.Passes() {
		err := InOrder(pending.all, b.o.Workers, func(p readPage) methods.Lesson {
			return c.Lesson(pass, b.document(&p, links))
		}, func(l methods.Lesson) error { c.Learn(pass, l); return nil })
		if err != nil {
			return err
		}
		if more != nil {
			c.Learn(pass, c.Lesson(pass, b.document(more, links)))
		}
	}
	return nil
}

// A sketchedPage is a page that a method has signed.
type sketchedPage struct {
	url, site string
	sketch    []uint64
}

// signed signs every page, and calls visit with them in order.
func (b *Batch) signed(pending *pendingFile, scheme methods.Scheme, links bool, visit func(readPage, sketchedPage) error) error {
	type signed struct {
		page readPage
		sketchedPage
	}
	return InOrder(pending.all, b.o.Workers, func(p readPage) signed {
		s := signed{p, sketchedPage{url: p.URL, site: p.site()}}
		if p.view != nil {
			s.sketch = scheme.Sketch(b.document(&p, links))
		}
		return s
	}, func(s signed) error { return visit(s.page, s.sketchedPage) })
}

// pair finds the pairs, and for each page the kept page before it that it is most like.
func (b *Batch) pair(finder *search.Finder) error {
	b.found = make([]foundCopy, len(b.spool.places)+1)
	err := finder.Pairs(func(p search.Pair) error {
		b.compared.Pairs++
		if p.Equal {
			b.compared.Equal++
		}
		first, doc := dedup.DocID(p.A+1), dedup.DocID(p.B+1)
		if b.o.Groups {
			b.joined.join(first, doc)
		}
		switch before, mine := b.found[first], &b.found[doc]; {
		case before.of == 0 && float32(p.Score) > mine.score:
			*mine = foundCopy{first, float32(p.Score)}
		case before.of != 0 && p.Equal:
			*mine = before
		}
		if b.Paired == nil {
			return nil
		}
		line := PairLine{ASeq: uint64(first), BSeq: uint64(doc), Score: p.Score, Equal: p.Equal}
		var err error
		if _, line.A, err = b.spool.page(first); err != nil {
			return err
		}
		if _, line.B, err = b.spool.page(doc); err != nil {
			return err
		}
		return b.Paired(line)
	})
	b.compared.Scored, b.compared.LeftOut = finder.Scored, finder.LeftOut
	return err
}

// tell reports every page with its result.
func (b *Batch) tell(pages iter.Seq2[readPage, error]) error {
	doc := dedup.DocID(0)
	for p, err := range pages {
		if err != nil {
			return err
		}
		doc++
		rec := &p.record
		rec.Seq = uint64(doc)
		v := dedup.Verdict{}
		switch rec.Reason = p.notDocument(); {
		case p.redirect():
			b.counts.Redirects++
			rec.Verdict, rec.Rule, rec.Location = page.VerdictRefused, "redirect", p.Location
		case rec.Reason != "":
			b.counts.Errors++
			rec.Verdict, rec.Failure = page.VerdictFailed, rec.Reason
		case b.found[doc].of == 0:
			b.counts.New++
			rec.Verdict = page.VerdictNew
		default:
			b.counts.Copies++
			v = dedup.Verdict{Of: dedup.Ref(b.found[doc].of), Similarity: float64(b.found[doc].score)}
			rec.Verdict, rec.Similarity = page.VerdictCopy, v.Similarity
			rec.Reason = fmt.Sprintf("copy by %s: score %.3g, from %.3g on", b.o.Method.Name(), v.Similarity, b.o.Method.Threshold())
			if _, rec.Of, err = b.spool.page(dedup.DocID(v.Of)); err != nil {
				return err
			}
		}
		if err := b.Judged(Result{Page: p.Page, Method: b.o.Method.Name(), Record: *rec, Verdict: v}); err != nil {
			return err
		}
	}
	return nil
}

// document returns a page as a method gets it: without what its site repeats.
func (b *Batch) document(p *readPage, links bool) methods.Document {
	if p.view == nil {
		return methods.Document{URL: p.URL}
	}
	d := methods.Document{URL: p.URL, Site: p.site()}
	if links {
		base, _ := url.Parse(p.URL) // nil: links stay as they are written
		if at, err := url.Parse(p.view.Base); err == nil && base != nil && p.view.Base != "" {
			base = base.ResolveReference(at)
		}
		for _, l := range p.view.Links {
			d.Links = append(d.Links, absolute(base, l.URL))
		}
	}
	text := b.sites.text(p.site(), p.URL, p.view)
	d.Title, d.Body = text.Title, text.Body
	return d
}

// absolute returns a link of a page as an absolute URL.
func absolute(base *url.URL, link string) string {
	to, err := url.Parse(link)
	if err != nil || base == nil {
		return link
	}
	to = base.ResolveReference(to)
	to.Fragment = ""
	return to.String()
}

// A NearLine is a page that is near the page of the question.
type NearLine struct {
	URL   string  `json:"url"`
	Seq   uint64  `json:"seq"`   // its place in the collection
	Score float64 `json:"score"` // of the method; for the gate, the estimated resemblance of the bodies

	Class    string `json:"class,omitempty"` // of the gate, as the next two
	Level    int    `json:"level,omitempty"`
	Distance int    `json:"distance,omitempty"` // bits in which the SimHashes differ

	Apart dedup.Rule `json:"apart,omitempty"` // the rule by which the gate takes it for another document; "": it is a copy
}

// Near compares every page of a collection with one page, by the method of the options or by the
// gate, and returns the copies of that page, best first, and those with equal scores in the order
// of the collection. A method learns from the collection. Memory does not grow with the collection,
// except for what a method learns and for the result. A page without View and Body is the page at
// its URL in the collection; if there is none the error is gatecrawl.ErrUnknown. Any other page is
// read as one of the site of its URL or, without a URL, of the site whose template has most of its
// blocks.
func (b *Batch) Near(from *Source, asked Page) ([]NearLine, error) {
	m := b.o.scalable()
	q, known := b.read(asked), asked.View != nil || asked.Body != nil
	pending, err := newPendingFile()
	if err != nil {
		return nil, err
	}
	defer pending.close()
	err = b.learnAll(from, pending, func(p readPage) {
		if !known && p.URL == asked.URL && p.view != nil {
			q, known = p, true
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, gatecrawl.ErrUnknown
	}
	if q.view != nil && hostOf(q.URL) == "" {
		q.Argument = b.sites.like(q.view)
	}
	if m == nil {
		return b.nearGate(pending, q)
	}
	links := methods.NeedsLinks(m)
	c := methods.NewCollection(m, b.o.Words)
	more := &q
	if asked.View == nil && asked.Body == nil {
		more = nil // the page is in the collection
	}
	if err := b.trainMethod(pending, c, links, more); err != nil {
		return nil, err
	}
	return b.nearest(pending, m.Scheme(c), b.document(&q, links), links)
}

// nearest returns the pages that are copies of one.
func (b *Batch) nearest(pending *pendingFile, scheme methods.Scheme, asked methods.Document, links bool) ([]NearLine, error) {
	sketch := scheme.Sketch(asked)
	if sketch == nil {
		return nil, fmt.Errorf("%s: %s has no signature for a text of so few words", asked.URL, b.o.Method.Name())
	}
	if scheme.Arrive != nil {
		sketch = scheme.Arrive(sketch)
	}
	var near []NearLine
	seq := uint64(0)
	err := InOrder(pending.all, b.o.Workers, func(p readPage) sketchedPage {
		s := sketchedPage{url: p.URL}
		if p.view != nil {
			s.sketch = scheme.Sketch(b.document(&p, links))
		}
		return s
	}, func(s sketchedPage) error {
		seq++
		if s.sketch == nil || s.url == asked.URL {
			return nil
		}
		if scheme.Arrive != nil {
			s.sketch = scheme.Arrive(s.sketch)
		}
		if score := scheme.Score(sketch, s.sketch); score >= b.o.Method.Threshold() {
			near = append(near, NearLine{URL: s.url, Seq: seq, Score: score})
		}
		return nil
	})
	slices.SortStableFunc(near, func(a, b NearLine) int { return cmp.Compare(b.Score, a.Score) })
	return near, err
}

// nearGate returns the pages that a gate which has only the given page takes for copies of it and, with
// Options.Apart, then those that resemble it and are other documents for the gate.
func (b *Batch) nearGate(pending *pendingFile, q readPage) ([]NearLine, error) {
	one := b.sign(q)
	gate, err := dedup.NewGate(b.o.Dedup, onePage{one})
	if err != nil {
		return nil, err
	}
	gate.Load(1, one.sign)
	type judged struct {
		NearLine
		err error
	}
	var near []NearLine
	seq := uint64(0)
	err = InOrder(pending.all, b.o.Workers, func(p readPage) judged {
		if p.view == nil || p.URL == q.URL {
			return judged{}
		}
		s := b.sign(p)
		v, err := gate.Check(s.sign, &s.text)
		if err == nil && v.Copy() {
			return judged{NearLine: NearLine{URL: p.URL, Score: v.Similarity, Class: s.classOf(v.Class).String(), Level: int(v.Level), Distance: v.Distance}}
		}
		if err != nil || !b.o.Apart {
			return judged{err: err}
		}
		found, err := gate.Resembling(s.sign, &s.text, 1)
		if err != nil || len(found) == 0 || found[0].Apart == "" {
			return judged{err: err}
		}
		n := found[0]
		return judged{NearLine: NearLine{URL: p.URL, Score: n.Similarity, Distance: n.Distance, Apart: n.Apart}}
	}, func(j judged) error {
		if seq++; j.URL != "" {
			j.Seq = seq
			near = append(near, j.NearLine)
		}
		return j.err
	})
	slices.SortStableFunc(near, func(a, b NearLine) int {
		if apart := a.Apart != ""; apart != (b.Apart != "") {
			if apart {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Distance, b.Distance))
	})
	return near, err
}

// A onePage is the store of a gate that has one kept page.
type onePage struct{ signedPage }

func (o onePage) Signature(dedup.DocID) (dedup.Signature, error) { return o.sign, nil }

func (o onePage) Text(dedup.DocID) (dedup.Text, bool, error) { return o.text, true, nil }
