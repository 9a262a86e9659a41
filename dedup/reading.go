package dedup

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/words"
)

// A Text is the part of a document that is compared word by word. It must not be changed once a
// gate was asked with it: what the gate made of it is stored in it, so that Check and Claim read it
// only once. One goroutine at a time may ask with it.
type Text struct {
	Title   string
	Body    string   // one block a line
	Lang    string   // BCP 47; "": not known
	Head    string   // the longest line of the page that only repeats its title
	Name    string   // the last segment of its URL
	Subject string   // the first line of the page that says half of its title and more, or, if no line says its title, the first one if it is short
	Host    string   // of its URL
	Links   uint32   // hash of the pages that it links to, whatever their host; 0: none
	Lists   []uint32 // of a thin page, the pages that it links to: hashes of paths, sorted
	Bare    bool     // no template of its site was known, so a frame may be in it
	Thin    bool     // the page has so little other text that its links are compared too

	stub *Stub // set if this is the placeholder of Stub.Text; nil: a real text

	made    *reading // nil: not yet
	asked   *asked   // nil: nothing was
	near    *Text    // the kept text nearDoc that it is a near copy of; nil: none
	nearDoc Ref

	blocks   []purify.Block     // none: it came without
	folder   string             // the two folders before Name in the path of its URL
	day      string             // the date that the page states, YYYY-MM-DD; "": none
	leads    *leads             // of a page that is thin or bare; nil: none
	place    uint64             // hash of its URL's path without the versions in it; 0: it has none
	edition  string             // these versions
	ends     []uint32           // hashes that Lists of other pages have of links to it
	site     []*purify.Template // the templates that TextOf was given
	pictures []uint32           // those of purify.DocView that no template has
	shownTo  uint32             // the largest hash up to which pictures is complete
	plain    int                // tokens outside links
	prose    int                // tokens of blocks that are prose
	listed   int                // tokens of links in the body
	named    bool               // a line of the page says words of its title and no others
	whole    bool               // its body has the links of the page's body, whatever Thin says
	paged    bool               // it is one of several pages of a list
	listing  bool               // it is a list: it is paged, or the type of its view says so
	fixed    bool               // Thin was set by the caller and does not depend on plain

	cut        *cuts   // tokens of blocks; nil: none are kept
	joined     []int32 // the blocks that are the lines of joinedBody; nil: the body must be cut again
	joinedBody string
	own        []uint64 // a bit for each of blocks that no template takes out; nil: not known

	sampled     []uint32 // values of sampledBody for Sample, in no order; nil: not made yet
	sampledBody string
}

// A compared is the result of compareTexts for a kept document.
type compared struct {
	doc        DocID
	asked, had outline // outlines of the two
	kept       uint64  // reading.number
	found      judgement
}

// Compared returns the text, as the gate has read it, of the kept document that this text was found
// to be a near copy of; ok is false if there is none.
func (t *Text) Compared(of Ref) (Text, bool) {
	if t.near == nil || t.nearDoc != of {
		return Text{}, false
	}
	return *t.near, true
}

// SetCompared sets what Compared returns, for a gate that has found the text to be a near copy of a
// kept document without reading that.
func (t *Text) SetCompared(of Ref, kept Text) { t.near, t.nearDoc = &kept, of }

// As returns the verdict on a text with another number for the kept document, and makes
// Text.Compared find it under that number too. The text may be nil.
func (v Verdict) As(of Ref, text *Text) Verdict {
	if text != nil && text.near != nil && text.nearDoc == v.Of {
		text.nearDoc = of
	}
	v.Of = of
	return v
}

// reading returns the reading of a text, which is made once.
func (t *Text) reading() *reading {
	if t.made == nil {
		t.made = read(t)
	}
	return t.made
}

// Texts are the texts of kept documents. If a gate's Signatures are Texts too, it reads the texts
// of candidates about which the signatures leave a doubt.
type Texts interface {
	// Text returns the text of a kept document, and false if it is not kept. It is called as
	// Signature is, but also for recent claims.
	Text(doc DocID) (Text, bool, error)
}

// A reading is a text prepared for comparison. All its slices are sorted sets.
type reading struct {
	shingles     []uint64      // three-word runs of the body
	words        []uint64      // features of the body, without lines that only repeat the title
	numbers      []uint64      // numbers of the body, without versions
	title        []uint64      // features of the title
	titleNumbers []uint64      // numbers of the title, without versions
	series       naming.Series // version or date in the title
	file         naming.Series // version or date at the end of the URL
	count        naming.Series // number in the title that the end of the URL has too
	segment      []uint64      // features of the end of the URL
	subject      []uint64      // features of Text.Subject
	silent       bool          // it is short, and has less than half of the title's longer words
	lang         string        // without region and script
	text         *Text
	number       uint64 // its number in readings, from 1; 0: it is not in there

	body      atomic.Pointer[Text]     // result of chosen; nil: not made yet
	withLinks atomic.Pointer[reading]  // result of linked, if that is another reading; nil: not made yet
	all       atomic.Pointer[reading]  // result of entire; nil: not made yet
	head      atomic.Pointer[[]uint64] // the words that headSays looks for, sorted; nil: not made yet
}

// chosen returns Text.chosen, which is made once. It may be called from many goroutines.
func (r *reading) chosen() *Text {
	if t := r.body.Load(); t != nil {
		return t
	}
	t := r.text.chosen()
	if t != nil {
		t.reading()
		r.body.Store(t)
	}
	return t
}

// linked returns the reading of the text with its links, which is made once. It may be called from
// many goroutines.
func (r *reading) linked() *reading {
	if r.text.Thin || len(r.text.blocks) == 0 {
		return r
	}
	return madeOnce(&r.withLinks, r.text.other)
}

// madeOnce returns the reading that is kept in a place, and makes it of a text if there is none. It may be called from many
// goroutines.
func madeOnce(kept *atomic.Pointer[reading], text func() *Text) *reading {
	if r := kept.Load(); r != nil {
		return r
	}
	r := text().reading()
	kept.Store(r)
	return r
}

// has reports whether a page has a word in its body, its title or its heading.
func (r *reading) has(word uint64) bool {
	return hashset.Has(r.words, word) || hashset.Has(r.title, word) || hashset.Has(r.subject, word)
}

// entire returns the reading of the page's whole body, see Text.entire, which is made once. It may be called from
// many goroutines.
func (r *reading) entire() *reading {
	if len(r.text.blocks) == 0 {
		return r
	}
	return madeOnce(&r.all, r.text.entire)
}

// headSays reports whether a line of links before the first sentences of the page has a word: what
// a class extends, after its name. It may be called from many goroutines.
func (r *reading) headSays(word uint64) bool {
	if words := r.head.Load(); words != nil {
		return hashset.Has(*words, word)
	}
	w := signers.Get().(*signer)
	defer w.release()
	words := []uint64{}
	for i := range r.text.blocks {
		b := &r.text.blocks[i]
		if r.text.isExcluded(i) {
			continue
		}
		if b.Prose {
			break
		}
		if b.Linked {
			w.tokens.Read(b.Text)
			words = token.Features(words, &w.tokens, 0, len(w.tokens.Hashes))
		}
	}
	words = hashset.Of(words)
	r.head.Store(&words)
	return hashset.Has(words, word)
}

// writtenIn returns the language of the page's lines, the frame included, or "" if it can't be
// told. The declared language is not reliable: a program that writes manuals declares the language
// of its user, over English text.
func (r *reading) writtenIn() string {
	var lines strings.Builder
	size := 0
	for i := range r.text.blocks {
		size += len(r.text.blocks[i].Text) + 1
	}
	lines.Grow(size)
	for i := range r.text.blocks {
		lines.WriteString(r.text.blocks[i].Text)
		lines.WriteByte('\n')
	}
	return words.Language("", lines.String())
}

func read(t *Text) *reading {
	w := signers.Get().(*signer)
	defer w.release()
	r := new(reading)
	r.lang, r.text = t.language(), t
	r.file = naming.SeriesOf(t.Name)
	r.series = naming.SeriesOf(t.Head)
	r.subject = hashset.Of(w.tokens.FeaturesOf(t.Subject))
	r.name(&w.tokens)
	composed := t.readBody(&w.tokens)
	r.shingles = hashset.Of(token.Shingles(make([]uint64, 0, len(w.tokens.Hashes)), &w.tokens))
	r.numbers = w.tokens.Numbers()
	r.words = make([]uint64, 0, len(w.tokens.Hashes))
	if composed {
		from := 0
		for _, to := range append(w.tokens.Lines, len(w.tokens.Hashes)) {
			r.addLine(&w.tokens, from, to)
			from = to
		}
	} else {
		for line := range strings.Lines(t.Body) { // a composed line stays as it is
			w.tokens.Read(line)
			r.addLine(&w.tokens, 0, len(w.tokens.Hashes))
		}
	}
	r.words = hashset.Of(r.words)
	r.silent = t.mayBeSilent() && r.omits(&w.tokens, t.Title)
	return r
}

// name reads the names of a page: the end of its URL and its title.
func (r *reading) name(t *token.List) {
	x := r.text
	r.segment, r.count = naming.SegmentWords(t, x.Name), naming.CountOf(x.Name, x.Title)
	r.title = hashset.Of(t.FeaturesOf(x.Title))
	r.titleNumbers = t.Numbers() // of the title, which was read last
	if spelled := naming.SpelledWords(t, x.Name, x.Title, x.Subject); len(spelled) > 0 {
		r.segment = hashset.Of(append(r.segment, spelled...))
	}
}

// mayBeSilent reports whether a text has the right length to be silent, which is known without
// reading it.
func (t *Text) mayBeSilent() bool { return t.prose >= ownText && t.plain < mostNamed }

// omits reports whether a text has less than half of a title's words, not counting short ones such
// as "the".
func (r *reading) omits(t *token.List, title string) bool {
	long := hashset.Of(t.FeaturesOf(strings.Join(slices.DeleteFunc(strings.Fields(title), isShortWord), " ")))
	return len(long) >= leastTitle && 2*hashset.Common(long, r.words) < len(long)
}

func isShortWord(s string) bool { return len(s) < 4 }

// addLine adds a line of the body to words, unless it only repeats the title.
func (r *reading) addLine(t *token.List, from, to int) {
	before := len(r.words)
	r.words = token.Features(r.words, t, from, to)
	if !slices.ContainsFunc(r.words[before:], func(f uint64) bool { return !hashset.Has(r.title, f) }) {
		r.words = r.words[:before]
	}
}

// resemblance is the Jaccard coefficient of the shingles of two bodies, exactly.
func (r *reading) resemblance(other *reading) float64 {
	return hashset.Jaccard(r.shingles, other.shingles)
}

// readings is a cache of the readings of kept documents: pages of one template are compared with
// the same documents again and again.
type readings struct {
	mu    sync.Mutex
	of    map[DocID]*reading
	order []cached // oldest first
	held  int      // sum of the weights
	made  uint64   // the last number that was given
}

// A cached is an entry of readings.order. It is stale if the document has another number now, or is
// not cached.
type cached struct {
	doc    DocID
	number uint64
}

// maxHeld is the capacity of the cache in shingles. With its text and tokens each shingle takes
// some 50 bytes: at most 25 MB.
const maxHeld = 1 << 19

// leastWeight is the least that a reading counts in the cache.
const leastWeight = 1 << 9

func (r *reading) weight() int { return max(leastWeight, len(r.shingles)) }

func (c *readings) get(doc DocID) *reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[doc]
}

func (c *readings) put(doc DocID, r *reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.of[doc]; ok || r.weight() > maxHeld/maxReads {
		return
	}
	if c.of == nil {
		c.of = make(map[DocID]*reading)
	}
	c.made++
	r.number = c.made
	c.of[doc], c.order, c.held = r, append(c.order, cached{doc, r.number}), c.held+r.weight()
	for c.held > maxHeld {
		if old := c.order[0]; c.holds(old) {
			c.drop(old.doc)
		}
		c.order = c.order[1:]
	}
	if len(c.order) > 2*maxHeld/leastWeight { // most entries are stale
		c.order = slices.DeleteFunc(c.order, func(e cached) bool { return !c.holds(e) })
	}
}

func (c *readings) holds(e cached) bool {
	r := c.of[e.doc]
	return r != nil && r.number == e.number
}

func (c *readings) drop(doc DocID) {
	if r := c.of[doc]; r != nil {
		c.held -= r.weight()
		delete(c.of, doc)
	}
}

// forgetHosts drops the readings of hosts whose template has changed.
func (c *readings) forgetHosts(of func(host string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for doc, r := range c.of {
		if of(r.text.Host) {
			c.drop(doc)
		}
	}
}

// forget drops a document whose text has changed.
func (c *readings) forget(doc DocID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(doc)
}
