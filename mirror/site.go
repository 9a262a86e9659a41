package mirror

import (
	"cmp"
	"container/heap"
	"slices"

	"errors"
	"fmt"
)

// Options are the bounds of a Survey.
type Options struct {
	// Sample is how many documents of a site are kept, and so the most that are
	// looked up on another. Default 200: with 50 a partial copy is missed in one
	// case of ten.
	Sample int

	// Documents bounds the documents of all samples together. Default 1,000,000,
	// some 150 MB; beyond it every site's sample is halved.
	Documents int

	// Tokens is how many words a body needs to be evidence. Default 40: shorter
	// ones are error pages, logins and frames.
	Tokens int

	// Candidates is how many other sites one is held against, the likeliest
	// first. Default 50. Sites of one text family could be candidates all of
	// each other.
	Candidates int

	// Probes is how many live requests one pair may cost, where a Library asks
	// the sites themselves. Default 20.
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

// A Document is what tells one page of a site from another.
type Document struct {
	Path    string // with the query
	Group   uint64 // names the group of copies that the page belongs to; 0: not known
	SimHash uint64 // of the body
	Tokens  int    // of the body: words and n-grams
}

// fingerprint is equal for documents of one group.
func (d *Document) fingerprint() uint64 {
	if d.Group != 0 {
		return d.Group
	}
	return d.SimHash
}

// A Site is what one origin answered.
type Site struct {
	Origin    string
	Documents int // answered with one

	address    string // IP address that answered; "": not known
	redirects  tally  // to the same path of another site
	canonicals tally  // documents that name another site's as the one to be kept
	sample     sample
}

// Redirect takes a redirect to another site. One that leads to another path says
// nothing of a mirror.
func (s *Site) Redirect(path, origin, to string) {
	if path == to {
		s.redirects.add(origin)
	}
}

// Canonical takes a document whose rel=canonical is on another site.
func (s *Site) Canonical(origin string) { s.canonicals.add(origin) }

// A tally counts by name, for the first of many names only.
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

// A sample keeps the documents whose tails have the least hashes (bottom-k
// sampling, Cohen and Kaplan 2007). Of two mirrors it draws the same documents,
// which samples that are drawn apart would only share by chance. It is a heap
// with the largest hash first.
type sample []drawn

type drawn struct {
	order uint64
	Document
}

func (s sample) Len() int           { return len(s) }
func (s sample) Less(i, j int) bool { return s[i].order > s[j].order }
func (s sample) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sample) Push(x any)        { *s = append(*s, x.(drawn)) }
func (s *sample) Pop() any {
	n := len(*s) - 1
	d := (*s)[n]
	*s = (*s)[:n]
	return d
}

// add draws a document into a sample of at most so many. It returns by how many
// the sample grew.
func (s *sample) add(d Document, most int) int {
	order, _ := tail(d.Path)
	switch {
	case len(*s) < most:
		heap.Push(s, drawn{order, d})
		return 1
	case order < (*s)[0].order:
		(*s)[0] = drawn{order, d}
		heap.Fix(s, 0)
	}
	return 0
}

// cut shortens the sample, and returns by how many.
func (s *sample) cut(most int) int {
	n := 0
	for ; len(*s) > most; n++ {
		heap.Pop(s)
	}
	return n
}

// documents returns the sample in its own order, without what the site says
// again and again: an error page or a login that answers for many addresses
// looks like a mass of copies.
func (s sample) documents() []Document {
	ds := slices.Clone(s)
	slices.SortFunc(ds, func(a, b drawn) int {
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
