package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/document"
)

// Options are the settings of a Batch.
type Options struct {
	Dedup dedup.Options

	// Reader reads the pages. Default: a reader without body selectors.
	Reader purify.Reader

	// Workers is how many pages are read at the same time, at most 10,000. Default: one per processor.
	// Memory holds five pages per worker; verdicts do not depend on Workers.
	Workers int

	// Method judges in place of the gate. Nil means the gate; a methods.Gate means the gate
	// with that distance and resemblance.
	Method methods.Method

	// Words weighs the words in signatures and for the Method. Nil: signatures are
	// unweighted, and a Method learns the weights from the pages.
	Words *dedup.IDF

	// Part and Parted compare by one part of a Method's keys only, number Part (from 1) of
	// Parted. All parts together find the pairs of one full run; a pair may be found by
	// several. 0: by all keys.
	Part, Parted int

	// Bodies keeps the bytes of pages in a temporary file until they are judged, so that a
	// Result has them.
	Bodies bool

	// Groups joins copies into groups, for another 12 bytes per page. A page that is a copy
	// of two kept pages puts both into one group.
	Groups bool

	// Known has the documents of earlier crawls. The gate is not asked about a copy of one of
	// them, and no page is a copy of such a copy. Nil: none. A Method ignores Known.
	Known gatecrawl.Earlier

	// Mirrors compares the sites of the collection, for some 40 bytes per page with a URL.
	Mirrors bool

	// Parts finds new pages that share parts with other new pages. Samples of their texts
	// are kept in a temporary folder.
	Parts bool

	// Apart makes Near return other documents too: those of which half of the text is the same, with the rule of the
	// gate that tells them apart. A Method ignores Apart.
	Apart bool
}

// A Batch puts a collection through the gate. It takes some 400 bytes of memory per new
// page, 16 per copy, and 20 kB per site for the first 20,000 sites.
//
// A page with the bytes of a kept one is a copy whatever it says, so it is not read: its title,
// language, type, links, SimHash and words are reported as those of the kept page. With Groups,
// Known, Signed or a Method all pages are read.
type Batch struct {
	// Fault is called with each line and record that cannot be read; nil ignores them.
	Fault func(error)

	// Judged is called with each page in the order of the collection, from one goroutine.
	Judged func(Result) error

	// Signed is called with each document before Judged, with its signature, its text and
	// its DocView, which is empty if the document has no text. May be nil.
	Signed func(r Result, sig dedup.Signature, text *dedup.Text, view *purify.DocView) error

	// Grouped is called at the end with each group of copies, if Options.Groups is set.
	Grouped func(Group) error

	// Paired is called with each pair of copies before Judged, if a Method judges.
	Paired func(PairLine) error

	// Mirrored is called at the end if Options.Mirrors is set, with the mirrored sites and
	// the number of copies whose kept page is on a mirror of their site.
	Mirrored func(r mirror.Report, copies int64) error

	// InPart is called at the end if Options.Parts is set, in the order of the collection,
	// with each page that shares something with pages that it is not a copy of.
	InPart func(PartsLine) error

	o        Options
	gate     *dedup.Gate
	spool    *spool
	sites    sites
	past     revisits
	repeats  *repeats                      // nil: every page is read
	learned  dedup.DocID                   // the number of the page that was read last
	archived map[dedup.DocID]*page.Earlier // of copies of documents of earlier crawls, those with a payload digest
	joined   unionFind
	survey   *siteSurvey // nil: sites are not compared
	parts    *partFinder // nil: parts are not looked for
	counts   Counts

	found    []foundCopy // by a Method, by the number of the page
	compared Compared
}

// Counts are the totals of a collection.
type Counts struct {
	New, Copies, Redirects, Errors int64 // pages
	Known                          int64 // copies of documents of earlier crawls, among Copies
	Unchanged                      int64 // visits to a page that has not changed: revisit records of its URL
	Revisits                       int64 // revisit records of pages that are not in the collection
	Faults                         int64 // lines and records that could not be read
}

// Pages is how many pages there were.
func (c Counts) Pages() int64 { return c.New + c.Copies + c.Redirects + c.Errors }

// A Result is the outcome of one page.
type Result struct {
	Page           // without its body, unless Options.Bodies asks for it
	Method  string // that judged; "": the gate
	Record  page.Record
	Verdict dedup.Verdict // Of is the number of the kept page in the collection
}

// NewBatch returns a Batch with settings o. The caller sets its functions.
func NewBatch(o Options) (*Batch, error) {
	if o.Workers < 0 || o.Workers > 10_000 {
		return nil, fmt.Errorf("%d workers: want 1 to 10000, or 0 for one a processor", o.Workers)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if g, ok := o.Method.(methods.Gate); ok {
		o.Dedup.Distance, o.Dedup.Resemblance = g.Distance, g.Least
	}
	return &Batch{o: o, Fault: func(error) {}}, nil
}

// recentClaims is how many claims the gate of a batch holds whole: the spool has a page before the
// next one is claimed.
const recentClaims = 1 << 13

// Run reads all pages of a collection and then judges each. It returns the counts so far
// even if an error of Judged, Grouped or a temporary file ends it early.
func (b *Batch) Run(from *Source) (came Counts, err error) {
	if b.spool, err = newSpool(&b.sites); err != nil {
		return came, err
	}
	defer func() { err = errors.Join(err, b.spool.close()) }()
	o := b.o.Dedup
	o.Recent = min(o.Recent, recentClaims)
	if b.gate, err = dedup.NewGate(o, b.spool); err != nil {
		return came, err
	}
	pending, err := newPendingFile()
	if err != nil {
		return came, err
	}
	defer func() { err = errors.Join(err, pending.close()) }()
	if err := b.start(); err != nil {
		return came, err
	}
	if b.Signed == nil {
		b.o.Reader.Unsummed = true // nobody asks for keywords
	}
	defer func() { err = errors.Join(err, b.parts.close()) }()
	if b.repeatable() {
		b.repeats = newRepeats()
	}
	defer func() { err = errors.Join(err, b.repeats.close()) }()
	err = b.learnAll(from, pending, func(readPage) {})
	if m := b.o.scalable(); err == nil && m != nil {
		err = b.compare(pending, m)
	} else if err == nil {
		err = InOrder(pending.all, b.o.Workers, b.sign, b.settle)
	}
	if err == nil {
		err = b.finish()
	}
	return b.counts, err
}

// start prepares what finish reports. A Method reports none of it.
func (b *Batch) start() (err error) {
	if b.o.scalable() != nil {
		return nil
	}
	if b.o.Mirrors {
		b.survey = newSiteSurvey(b.spool)
	}
	if b.o.Parts {
		b.parts, err = newPartFinder(b.spool)
	}
	return err
}

// finish reports groups, mirrors and parts.
func (b *Batch) finish() error {
	if b.o.Groups {
		err := b.joined.groups(func(pages []dedup.DocID) error {
			g, err := b.group(pages)
			if err != nil {
				return err
			}
			return b.Grouped(g)
		})
		if err != nil {
			return err
		}
	}
	b.gate = nil // its memory is for what follows
	if b.survey != nil {
		report, copies, err := b.survey.report()
		if err == nil {
			err = b.Mirrored(report, copies)
		}
		b.survey = nil
		if err != nil {
			return err
		}
	}
	return b.parts.tell(b.InPart)
}

// Compared says what a Method did, after Run.
func (b *Batch) Compared() Compared { return b.compared }

// A readPage is a page that was read, before its site's template is known.
type readPage struct {
	Page
	record page.Record
	digest dedup.Digest
	view   *purify.DocView // nil: it has no text
	prints []purify.Print
	packed []byte        // view, packed
	known  *page.Earlier // a document with the same bytes; nil: none is known
	same   dedup.DocID   // of a revisit: the page with the same bytes
	kind   uint64        // of its contents
	repeat bool          // an earlier page has the same contents
	unread []byte        // its bytes, if it has no view because it is a repeat
	err    error
}

// read reads a page. It changes nothing, and runs on many goroutines.
func (b *Batch) read(p Page) readPage { return b.readWith(b.repeats, p) }

// readWith reads a page, unless its contents are those of an earlier page.
func (b *Batch) readWith(known *repeats, p Page) readPage {
	r := readPage{Page: p, record: page.Record{
		URL: p.URL, Status: p.Status, Fetched: p.Fetched, Bytes: int64(len(p.Body)), Truncated: p.Truncated,
	}}
	if p.View != nil {
		r.record.Bytes = p.Size
	}
	if !b.o.Bodies {
		r.Body = nil // from here on only its text is needed
	}
	if p.Revisit {
		return r // what it stands for was read before
	}
	kind, text := p.mediaType()
	r.record.Type, _, _ = strings.Cut(strings.ToLower(kind), ";")
	if p.Fault != nil || p.notDocument() != "" {
		return r
	}
	if r.digest = p.Digest; r.digest.IsZero() {
		r.digest = dedup.DigestOf(p.Body)
	}
	c := known.contentsOf(&p, r.digest, kind)
	r.kind, r.record.Digest = c.kind, r.digest.String()
	if known.has(c) {
		r.unread = p.Body
		return r
	}
	r.view = new(purify.DocView)
	switch {
	case p.View != nil:
		r.view = p.View
	case text, document.KindOf(kind) != document.None:
		r.view, r.prints = b.o.Reader.PurifyOn(nil, p.URL, p.Body, kind)
		r.view.Title = cmp.Or(p.Title, r.view.Title)
	}
	r.view.URL = p.URL
	if b.o.Known != nil {
		e, ok, err := b.o.Known.CheckBytes(p.Body, r.digest)
		if r.err = err; ok {
			r.known = &e
		}
	}
	rec := &r.record
	rec.TextError = r.view.TextError
	rec.Title, rec.Lang, rec.PageType, rec.Charset = r.view.Title, r.view.Lang, r.view.Type, r.view.Charset
	rec.Links = len(r.view.Links)
	return r
}

// learn counts a page for its site, and keeps it until all are read.
func (b *Batch) learn(to *pendingFile, p readPage) error {
	if p.Fault != nil {
		b.counts.Faults++
		b.Fault(p.Fault)
		return nil
	}
	if p.err != nil {
		return fmt.Errorf("documents of earlier crawls: %w", p.err)
	}
	if p.Revisit {
		switch known, unchanged := b.past.resolve(&p); {
		case !known:
			b.counts.Revisits++
			return nil
		case unchanged:
			b.counts.Unchanged++
			return nil
		}
		b.learned++
		return to.add(&p)
	}
	b.learned++
	b.past.meet(&p, b.learned)
	if err := b.repeats.meet(&p); err != nil {
		return err
	}
	if err := b.sites.add(p.site(), p.URL, p.record.Title, p.digest, p.prints); err != nil {
		return err
	}
	return to.add(&p)
}

// learnAll learns from all pages, and calls see with each. What a site repeats is known only
// when all of its pages are read.
func (b *Batch) learnAll(from *Source, to *pendingFile, see func(readPage)) error {
	err := InOrder(from.Pages, b.o.Workers, b.read, func(p readPage) error {
		see(p)
		return b.learn(to, p)
	})
	if err != nil {
		return errors.Join(err, b.sites.close())
	}
	return errors.Join(b.repeats.complete(), b.sites.learn())
}

// A signedPage is a page with its signature.
type signedPage struct {
	Page
	record page.Record
	sign   dedup.Signature
	text   dedup.Text
	packed []byte // the view; nil: it has no text
	view   *purify.DocView
	known  *page.Earlier
	same   dedup.DocID

	contents  contents
	repeat    bool
	canonical string // that it names
	err       error
}

// sign signs a page whose site is known. It changes nothing, and runs on many goroutines.
func (b *Batch) sign(p readPage) signedPage {
	s := signedPage{Page: p.Page, record: p.record, packed: p.packed, known: p.known, same: p.same}
	s.sign.Bytes = p.digest
	s.contents, s.repeat = p.contents(), p.repeat
	if p.repeat && p.view == nil && b.repeats.of(true, s.contents) == nil {
		s.err = b.readAfterAll(&p)
		s.record, s.packed = p.record, p.packed
	}
	if s.err != nil || p.view == nil {
		return s
	}
	s.text = b.sites.text(p.site(), p.URL, p.view)
	s.record.Title, s.canonical = p.view.Title, p.view.Canonical
	s.sign, s.view = b.o.Words.SignPage(p.digest, p.view, &s.text), p.view
	if s.sign.Tokens > 0 {
		s.record.SimHash, s.record.BodyTokens = fmt.Sprintf("%016x", s.sign.SimHash), int(s.sign.Tokens)
	}
	return s
}

// settle asks the gate, in the order of the collection, and reports the answer.
func (b *Batch) settle(s signedPage) error {
	if s.err != nil {
		return s.err
	}
	doc, rec := b.spool.next(), &s.record
	rec.Seq = uint64(doc)
	var v dedup.Verdict
	switch rec.Reason = s.notDocument(); {
	case s.redirect():
		b.counts.Redirects++
		rec.Verdict, rec.Rule, rec.Location = page.VerdictRefused, "redirect", s.Location
	case rec.Reason != "":
		b.counts.Errors++
		rec.Verdict, rec.Failure = page.VerdictFailed, rec.Reason
	default:
		var err error
		if v, err = b.judge(doc, &s); err != nil {
			return err
		}
		if b.Signed != nil {
			if err := b.Signed(Result{Page: s.Page, Record: s.record, Verdict: v}, s.sign, &s.text, s.view); err != nil {
				return err
			}
		}
	}
	if err := b.spool.add(s.URL, s.site(), rec.Title, s.sign, s.packed, v); err != nil {
		return err
	}
	if err := b.survey.add(doc, &s, v); err != nil {
		return err
	}
	if rec.Verdict == page.VerdictNew {
		if err := b.parts.add(doc, &s.text); err != nil {
			return err
		}
	}
	return b.Judged(Result{Page: s.Page, Record: s.record, Verdict: v})
}

// judge says whether a document is new. It looks for a page with the same bytes, then in
// earlier crawls, then asks the gate.
func (b *Batch) judge(doc dedup.DocID, s *signedPage) (dedup.Verdict, error) {
	if s.same != 0 {
		return b.copyOf(s)
	}
	known, err := b.knows(s)
	if err != nil || known {
		if known && s.Payload != "" {
			if b.archived == nil {
				b.archived = make(map[dedup.DocID]*page.Earlier)
			}
			b.archived[doc] = s.known
		}
		return dedup.Verdict{}, err
	}
	return b.claim(doc, s)
}

// knows reports whether the page is a copy of a document of an earlier crawl, and notes which.
func (b *Batch) knows(s *signedPage) (bool, error) {
	if b.o.Known == nil {
		return false, nil
	}
	if s.known == nil {
		body := ""
		if s.view != nil {
			body = s.view.Body
		}
		e, ok, err := b.o.Known.Check(s.record.URL, body, s.sign, &s.text)
		if err != nil {
			return false, fmt.Errorf("documents of earlier crawls: %w", err)
		}
		if !ok {
			return false, nil
		}
		s.known = &e
	}
	s.known.Class = s.classOf(s.known.Class)
	s.known.Note(&s.record)
	s.packed = nil // no page is compared with it
	b.counts.Copies++
	b.counts.Known++
	return true, nil
}

// claim makes the page a kept page or names the kept page that it is a copy of.
func (b *Batch) claim(doc dedup.DocID, s *signedPage) (dedup.Verdict, error) {
	if k := b.repeats.of(s.repeat, s.contents); k != nil {
		v := k.copied(s)
		_, url, err := b.spool.page(k.doc)
		b.note(s, v, url)
		return v, err
	}
	if b.o.Groups {
		near, err := b.gate.Neighbours(s.sign, &s.text, maxJoined)
		if err != nil {
			return dedup.Verdict{}, err
		}
		for _, v := range near {
			b.joined.join(dedup.DocID(v.Of), doc)
		}
	}
	v, err := b.gate.Claim(doc, s.sign, &s.text)
	if err != nil {
		return v, err
	}
	v.Class = s.classOf(v.Class)
	if !v.Copy() {
		b.counts.New++
		s.record.Verdict = page.VerdictNew
		b.repeats.keep(doc, s)
		return v, nil
	}
	_, url, err := b.spool.page(dedup.DocID(v.Of))
	b.note(s, v, url)
	return v, err
}

// classOf returns the class of a copy that the page is, if any. A text that a line of JSON gives has no layout to have in
// common with another page.
func (p *signedPage) classOf(c dedup.Class) dedup.Class {
	if c != dedup.ClassNone && p.TextLine() {
		return c.Through(dedup.FullContent)
	}
	return c
}

// note writes into a record that the page is a copy.
func (b *Batch) note(s *signedPage, v dedup.Verdict, of string) {
	b.counts.Copies++
	rec := &s.record
	rec.Verdict, rec.Reason, rec.Of = page.VerdictCopy, v.Reason(), of
	rec.Class, rec.Level, rec.Distance, rec.Similarity = v.Class.String(), int(v.Level), v.Distance, v.Similarity
}

// A JudgedLine is a Result as crawl dedup writes it in JSON: fields of a page record, and the
// page's place in the collection.
type JudgedLine struct {
	Seq        uint64       `json:"seq"`
	URL        string       `json:"url"`
	Status     int          `json:"status"`
	Verdict    page.Verdict `json:"verdict"`
	Of         string       `json:"of"`
	OfSeq      dedup.DocID  `json:"of_seq"`            // 0: another collection has it
	Archive    string       `json:"archive,omitempty"` // that has it
	Method     string       `json:"method,omitempty"`  // "": the gate
	Class      string       `json:"class"`
	Level      int          `json:"level"`
	Distance   int          `json:"distance"`
	Similarity float64      `json:"similarity"`
	Reason     string       `json:"reason"`
	Rule       string       `json:"rule,omitempty"`
	Location   string       `json:"location,omitempty"`
	Fetched    *time.Time   `json:"fetched,omitempty"`
	Type       string       `json:"content_type"`
	Charset    string       `json:"charset,omitempty"`
	Bytes      int64        `json:"bytes"`
	Truncated  bool         `json:"truncated,omitempty"`
	TextError  string       `json:"text_error,omitempty"`
	Title      string       `json:"title,omitempty"`
	Lang       string       `json:"lang,omitempty"`
	PageType   string       `json:"page_type,omitempty"`
	Digest     string       `json:"digest,omitempty"`
	SimHash    string       `json:"simhash,omitempty"`
	BodyTokens int          `json:"body_tokens,omitempty"`
	Links      int          `json:"links"`
	File       string       `json:"file"`
	Line       int          `json:"line,omitempty"`
	Offset     *int64       `json:"offset,omitempty"` // of a WARC record
	Inside     int64        `json:"inside,omitempty"`
}

// JudgedLine returns the result as it is written in JSON.
func (r Result) JudgedLine() JudgedLine {
	p := r.Record
	l := JudgedLine{
		Seq: p.Seq, URL: p.URL, Status: p.Status, Verdict: p.Verdict, Of: p.Of, OfSeq: dedup.DocID(r.Verdict.Of), Archive: p.Archive, Method: r.Method,
		Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity,
		Reason: p.Reason, Rule: p.Rule, Location: p.Location, Type: p.Type, Charset: p.Charset,
		Bytes: p.Bytes, Truncated: p.Truncated, TextError: p.TextError, Title: p.Title, Lang: p.Lang, PageType: p.PageType,
		Digest: p.Digest, SimHash: p.SimHash, BodyTokens: p.BodyTokens, Links: p.Links,
		File: r.File, Line: r.Line,
	}
	if r.Place != nil {
		l.Offset, l.Inside = &r.Place.Offset, r.Place.Inside
	}
	if !p.Fetched.IsZero() {
		l.Fetched = &p.Fetched
	}
	return l
}
