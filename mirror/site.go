package mirror

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"slices"
)

// Options are the limits of a Survey.
type Options struct {
	// Sample is how many documents of a site are stored, and so the most that are
	// looked up on another site. Default 200: with 50 a partial copy is missed in one
	// case of ten.
	Sample int

	// Documents is how many documents all samples have together. Default 1,000,000, some 150 MB;
	// beyond it every site's sample is halved.
	Documents int

	// Tokens is how many words a body needs to count as evidence. Default 40: shorter ones are
	// error pages, logins and frames.
	Tokens int

	// Candidates is how many other sites one site is compared with, the likeliest
	// first. Default 50. Without it, sites that share a text could all be candidates
	// for each other.
	Candidates int

	// Probes is how many live requests one pair may cost, if the Library is a Prober.
	// Default 20.
	Probes int
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{Sample: 200, Documents: 1_000_000, Tokens: 40, Candidates: 50, Probes: 20}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	for _, c := range []struct {
		name       string
		got, least int
	}{
		{"sample", o.Sample, 8}, {"documents", o.Documents, 1000}, {"tokens", o.Tokens, 0},
		{"candidates", o.Candidates, 1}, {"probes", o.Probes, 0},
	} {
		if c.got < c.least {
			faults = append(faults, fmt.Errorf("%s is %d: want at least %d", c.name, c.got, c.least))
		}
	}
	return errors.Join(faults...)
}

// A Document has what distinguishes one page of a site from another.
type Document struct {
	Path     string // with the query
	Group    uint64 // ID of the group of copies that the page belongs to; 0: not known
	SimHash  uint64 // of the body
	Tokens   int    // of the body: words and n-grams
	Bytes    uint64 // digest of the payload, its first 8 bytes; 0: not known
	Title    uint32 // hash of the title, 0: not known; Shape is the same without digits
	Shape    uint32
	Early    bool   // it was read without its site's template, so its text may have the frame
	Text     uint64 // the page whose text it has, word for word, without their sites' templates: the kept page that it was compared with, or itself; 0: not known
	Lines    uint64 // of a near copy: digest of its lines, whatever their order; 0: not known
	Body     uint64 // digest of the body, its first 8 bytes; 0: not known, or no body
	Hostless uint64 // digest of the payload without the name of its host, its first 8 bytes; 0: not known
	Kept     bool   // it is the kept page of the group
}

// Equal reports whether two documents have the same bytes, but for the name of their hosts, or the same body. Only such documents may
// let one site stand for a site of another owner: a forged copy may differ in a single word.
func Equal(a, b Document) bool {
	if a.Bytes != 0 && a.Bytes == b.Bytes || a.Hostless != 0 && a.Hostless == b.Hostless {
		return true
	}
	known := a.Group != 0 && b.Group != 0
	if a.Text != 0 && a.Text == b.Text {
		return true
	}
	if a.Lines != 0 && a.Lines == b.Lines && (known && a.Group == b.Group || a.Title != 0 && a.Title == b.Title) {
		return true
	}
	if a.Body == 0 || a.Body != b.Body {
		return false
	}
	// Of two kept pages with equal short bodies the gate knows better. If one of them is a copy of a third page, such as
	// a tag of a tag with the same post, the gate may never have compared the two.
	return !known || a.Group == b.Group || !(a.Kept && b.Kept) && a.Title != 0 && a.Title == b.Title
}

// Silent reports whether two documents that are not equal say nothing about their sites. So it is if they are under one title and have no
// text or the same few words, such as two forms: then their bytes differ, and the gate keeps both. And so it is if both are copies of a
// third page, and one of them, or both, a near one, such as another release of what they document: nothing is kept of either to compare them by.
func Silent(a, b Document) bool {
	if a.Group != 0 && a.Group == b.Group && !a.Kept && !b.Kept && (a.IsNear() || b.IsNear()) {
		return true
	}
	return max(a.Tokens, b.Tokens) < DefaultOptions().Tokens && a.Body == b.Body && a.SimHash == b.SimHash && a.Title == b.Title
}

// HasText reports whether the text of the document is kept: it is a kept page, or a copy of one in the same words.
func (d *Document) HasText() bool { return d.Text != 0 && (d.Kept || d.Text == d.Group) }

// IsNear reports whether the document is a near copy of a page that says something else.
func (d *Document) IsNear() bool { return !d.Kept && d.Text != 0 && d.Text != d.Group }

// fingerprint is equal for documents of one group.
func (d *Document) fingerprint() uint64 {
	if d.Group != 0 {
		return d.Group
	}
	return d.SimHash
}

// A Site is what was learned of one origin.
type Site struct {
	Origin    string
	Documents int // URLs that answered with one

	// Named is the position, among all URLs of the job, of the site's first URL that a
	// user gave as a seed or that a redirect from a seed led to; 0: none. Met is the
	// position of its first URL that answered; 0: not known. Jobs keep positions from
	// crawl to crawl, so a site of an earlier crawl has the lower one.
	Named, Met uint64

	twin    string // the origin that the crawl asks in place of this one; "": none
	twinWhy string

	ip         string // IP address that answered; "": not known
	redirects  tally  // redirects to the same path of another site, by its origin
	canonicals tally  // documents whose rel=canonical is on another site, by its origin
	sample     sample
}

// Redirect counts a redirect to another site. One to another path says nothing about
// mirrors.
func (s *Site) Redirect(path, origin, to string) {
	if path == to {
		s.redirects.add(origin)
	}
}

// Canonical counts a document whose rel=canonical is on another site.
func (s *Site) Canonical(origin string) { s.canonicals.add(origin) }

// SetTwin records that the crawl asks another site in place of this one.
func (s *Site) SetTwin(t *Twin) {
	if t.IsTrusted() {
		s.twin, s.twinWhy = t.To, t.Why
	}
}

// A tally counts by name, for the first 16 names only.
type tally map[string]int

const maxNames = 16

func (t *tally) add(name string) {
	if *t == nil {
		*t = make(tally)
	}
	if _, ok := (*t)[name]; ok || len(*t) < maxNames {
		(*t)[name]++
	}
}

// A sample has the documents whose tails have the smallest hashes (bottom-k sampling,
// Cohen and Kaplan 2007). It draws the same documents from two mirrors, which independent
// samples would share only by chance. It is a heap with the largest hash first.
type sample []sampledDocument

type sampledDocument struct {
	order uint64
	Document
}

func (s sample) Len() int           { return len(s) }
func (s sample) Less(i, j int) bool { return s[i].order > s[j].order }
func (s sample) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sample) Push(x any)        { *s = append(*s, x.(sampledDocument)) }
func (s *sample) Pop() any {
	n := len(*s) - 1
	d := (*s)[n]
	*s = (*s)[:n]
	return d
}

// add puts a document into a sample of at most most documents, if its hash is small
// enough. It returns by how many the sample grew.
func (s *sample) add(d Document, most int) int {
	order, _ := tail(d.Path)
	switch {
	case len(*s) < most:
		heap.Push(s, sampledDocument{order, d})
		return 1
	case order < (*s)[0].order:
		(*s)[0] = sampledDocument{order, d}
		heap.Fix(s, 0)
	}
	return 0
}

// cut shortens the sample to most documents, and returns how many it removed.
func (s *sample) cut(most int) int {
	n := 0
	for ; len(*s) > most; n++ {
		heap.Pop(s)
	}
	return n
}

// documents returns the sample in the order of hashes, without documents that the site
// serves again and again: an error page or a login form at many URLs would look like many
// copies.
func (s sample) documents() []Document {
	ds := slices.Clone(s)
	slices.SortFunc(ds, func(a, b sampledDocument) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Path, b.Path))
	})
	count := make(map[uint64]int, len(ds))
	for i := range ds {
		count[ds[i].fingerprint()]++
	}
	out := make([]Document, 0, len(ds))
	for _, d := range ds {
		if n := count[d.fingerprint()]; n <= 3 || n*20 <= len(ds) {
			out = append(out, d.Document)
		}
	}
	return out
}
