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

// A Text is what of a document is compared word by word. It stays as it is from
// the first question on that has it: what a gate made of it then goes with it, so
// that Check and Claim read it once. One goroutine at a time may ask with it.
type Text struct {
	Title   string
	Body    string   // one block a line
	Lang    string   // BCP 47; "": not known
	Head    string   // the longest line of the page that only repeats its title
	Name    string   // the last segment of its URL
	Subject string   // the first line of the page that says half of its title and more, or, if no line says its title, the first one if it is short
	Host    string   // of its URL
	Links   uint32   // hash of where the page links to, whatever the host; 0: nowhere
	Lists   []uint32 // of a thin page, what it links to: hashes of paths, sorted
	Bare    bool     // no template of its site was known, so that a frame may be in it
	Thin    bool     // the page has so little else that its links are in it

	stub *Stub // what represents a text that is not here; nil: it is

	made     *reading // nil: not yet
	compared []compared
	near     *Text // of nearDoc, which it is a near copy of; nil: of none
	nearDoc  Ref

	blocks   []purify.Block     // none: it came without
	folder   string             // the two before Name in the path of its URL
	day      string             // that the page gives as its date, YYYY-MM-DD; "": none
	ends     []uint32           // what Lists has of links to it, from other folders and from its own
	site     []*purify.Template // that TextOf was given
	pictures []uint32           // purify.DocView's, but for those that the templates have
	shownTo  uint32             // up to which hash these are all
	plain    int                // tokens outside links
	prose    int                // tokens of blocks that are prose
	listed   int                // tokens of links in the body
	named    bool               // a line of the page says words of its title and no others
	whole    bool               // the links in the body are in it whatever Thin says
	paged    bool               // it is one of several pages of a list
	listing  bool               // it lists things, by that or by the type of its view
	fixed    bool               // Thin is as it is, whatever plain says

	cut        *cuts   // of blocks; nil: none are kept
	joined     []int32 // the blocks that are the lines of joinedBody; nil: it must be cut again
	joinedBody string

	sampled     []uint32 // what Sample draws of sampledBody, in no order; nil: not yet
	sampledBody string
}

// A compared is the answer of confirmAnyway for a kept document.
type compared struct {
	doc        DocID
	asked, had outline // of the two
	kept       uint64  // reading.number
	found      judgement
}

// Compared returns the text of the kept document that a gate has found this one to be a near
// copy of, as the gate has read it; ok is false if it has found none.
func (t *Text) Compared(of Ref) (Text, bool) {
	if t.near == nil || t.nearDoc != of {
		return Text{}, false
	}
	return *t.near, true
}

// SetCompared has Compared return the text of a kept document, where a gate has told without
// reading it that this one is a near copy of it.
func (t *Text) SetCompared(of Ref, kept Text) { t.near, t.nearDoc = &kept, of }

// As returns the verdict on a text with another name for the kept document, under which
// Text.Compared finds it too. The text may be nil.
func (v Verdict) As(of Ref, text *Text) Verdict {
	if text != nil && text.near != nil && text.nearDoc == v.Of {
		text.nearDoc = of
	}
	v.Of = of
	return v
}

func (t *Text) reading() *reading {
	if t.made == nil {
		t.made = read(t)
	}
	return t.made
}

// Texts are the texts of kept documents. Signatures that are Texts too let the
// gate read a candidate where the signatures leave a doubt.
type Texts interface {
	// Text returns the text of a kept document, and false if it is not kept. It is called like
	// Signature, for recent claims too.
	Text(doc DocID) (Text, bool, error)
}

// A reading is a text made ready for comparison. All are sets, sorted.
type reading struct {
	shingles     []uint64      // of the body
	words        []uint64      // features of the body, without the lines that repeat the title
	numbers      []uint64      // those of the body but versions
	title        []uint64      // features of the title
	titleNumbers []uint64      // those of the title but versions
	series       naming.Series // of what the title names
	file         naming.Series // of what the URL names
	count        naming.Series // of what the title names by a number that the URL has too
	segment      []uint64      // features of what the URL names
	subject      []uint64      // features of Text.Subject
	silent       bool          // a short text that has less than half of the title's longer words
	lang         string        // without region and script
	text         *Text
	number       uint64 // in readings, from 1; 0: it is not there

	body      atomic.Pointer[Text]     // what chosen returns, read; nil: not yet
	withLinks atomic.Pointer[reading]  // what linked returns, if it is another reading; nil: not yet
	head      atomic.Pointer[[]uint64] // the words that headSays looks for, sorted; nil: not yet
}

// chosen returns Text.chosen, which is made once. It can be called from many goroutines.
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

// linked returns the reading of the text with its links, which is made once. It can be called from
// many goroutines.
func (r *reading) linked() *reading {
	if r.text.Thin || len(r.text.blocks) == 0 {
		return r
	}
	if other := r.withLinks.Load(); other != nil {
		return other
	}
	other := r.text.other().reading()
	r.withLinks.Store(other)
	return other
}

// headSays reports whether a line of links before the first sentences of the page has a word: what a class
// extends, behind its name. It can be called from many goroutines.
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

// writtenIn returns the language of the page's lines, those of its frame too, "" if they do not tell. A
// program that writes manuals declares the language of whoever runs it, over English.
func (r *reading) writtenIn() string {
	var lines strings.Builder
	for i := range r.text.blocks {
		lines.WriteString(r.text.blocks[i].Text + "\n")
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
	w.tokens.Read(t.Subject)
	r.subject = hashset.Of(token.Features(nil, &w.tokens, 0, len(w.tokens.Hashes)))
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
		for line := range strings.Lines(t.Body) { // one that is composed stays as it is
			w.tokens.Read(line)
			r.addLine(&w.tokens, 0, len(w.tokens.Hashes))
		}
	}
	r.words = hashset.Of(r.words)
	r.silent = t.mayBeSilent() && r.omits(&w.tokens, t.Title)
	return r
}

// name reads the end of a page's URL and its title.
func (r *reading) name(t *token.List) {
	x := r.text
	r.segment, r.count = naming.SegmentWords(t, x.Name), naming.CountOf(x.Name, x.Title)
	t.Read(x.Title)
	r.title, r.titleNumbers = hashset.Of(token.Features(nil, t, 0, len(t.Hashes))), t.Numbers()
	if spelled := naming.SpelledWords(t, x.Name, x.Title, x.Subject); len(spelled) > 0 {
		r.segment = hashset.Of(append(r.segment, spelled...))
	}
}

// mayBeSilent reports whether a text is short enough to be silent: of a longer one that is known
// without reading it.
func (t *Text) mayBeSilent() bool { return t.prose >= ownText && t.plain < mostNamed }

// omits reports whether a text has less than half of the words of a title that are no short ones, such
// as "the".
func (r *reading) omits(t *token.List, title string) bool {
	t.Read(strings.Join(slices.DeleteFunc(strings.Fields(title), isShortWord), " "))
	long := hashset.Of(token.Features(nil, t, 0, len(t.Hashes)))
	return len(long) >= leastTitle && 2*hashset.Common(long, r.words) < len(long)
}

func isShortWord(s string) bool { return len(s) < 4 }

// addLine takes a line of the body into words, unless it repeats the title.
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

// readings holds the readings of the kept documents that were asked for last:
// the pages of one template ask for each other.
type readings struct {
	mu    sync.Mutex
	of    map[DocID]*reading
	order []cached // oldest first
	held  int      // weight of all
	made  uint64   // numbers that are given
}

// A cached is an entry of readings, which is no longer in it if the document has another number or none.
type cached struct {
	doc    DocID
	number uint64
}

// maxHeld bounds the cache by the shingles in it. With the text and what it was cut into each takes some
// 50 bytes: 25 MB at the most.
const maxHeld = 1 << 19

// leastWeight is what a reading counts for in the cache at least.
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
	if len(c.order) > 2*maxHeld/leastWeight { // most were forgotten
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

// forgetHosts drops those of hosts by whose templates pages are compared otherwise now.
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
