package mirror

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// A Class says what two sites are to each other.
type Class string

// The classes. Of the first three one site may be asked in place of the other.
const (
	None        Class = ""
	Alias       Class = "alias"        // one site under two names: by redirects, or by names that differ in www or the scheme
	Mirror      Class = "mirror"       // each has nearly all that the other has
	Partial     Class = "partial"      // one has nearly all of the other, or they share folders
	NearVersion Class = "near-version" // the same paths, and much of the content: two versions of a manual
	SameShape   Class = "same-shape"   // the same paths, another content: a translation
)

// Rewrites reports whether one site may be asked in place of the other.
func (c Class) Rewrites() bool { return c == Alias || c == Mirror || c == Partial }

// The thresholds of the classes, as shares of what was looked up.
const (
	mostly    = 0.8  // of one site is on the other: it carries it
	aliased   = 0.95 // the same, where names or redirects say that the two are one
	alike     = 0.9  // of the common paths have one content; less is another version
	current   = 0.93 // the same, where the gate says what is one; a drifted mirror has more
	versioned = 0.95 // the same, where the mapping changes nothing but a version
	related   = 0.3  // of the common paths have one content: a near version
	chance    = 0.5  // must lie below the interval, or too little was looked up
	enough    = 4    // documents that agree, at least
)

// How many bits of two SimHashes differ, at most.
const (
	distance = 3  // of one body: dedup's default
	framed   = 12 // of one body in two frames; two bodies at random differ in 32, and hardly ever in fewer than 20
)

// rarely is the share of documents equal to the bit below which two sites are
// held to differ in what they put around every document: a banner, a footer.
const rarely = 0.2

// A State is what a library says of an address.
type State byte

// The states of an address.
const (
	Unknown State = iota // nothing can be said
	Absent               // no document is there
	Present              // a document is there
)

// A Library knows what is at an address.
type Library interface {
	// Document returns what is at an address. It answers Unknown for one that
	// was not asked yet, and never asks a site itself.
	Document(ctx context.Context, url string) (Document, State, error)
}

// A Prober is a library that can ask the sites themselves. It answers Unknown
// where robots.txt or its own manners forbid that, and then no request is
// counted.
type Prober interface {
	Library
	Probe(ctx context.Context, url string) (d Document, s State, asked bool, err error)
}

// An Example is a pair of addresses that were held against each other.
type Example struct {
	A        string `json:"a"`
	B        string `json:"b"`
	Distance int    `json:"distance"`          // bits in which the SimHashes differ; -1: there is no document at one
	Missing  string `json:"missing,omitempty"` // the address without a document
}

// examples is how many pages of each sort a relation names.
const examples = 5

// A Relation is what two sites are to each other.
type Relation struct {
	A         string    `json:"origin_a"`
	B         string    `json:"origin_b"`
	Class     Class     `json:"class"`
	Maps      []Mapping `json:"map"`          // from A to B, the longest From first
	AB        Interval  `json:"a_on_b"`       // share of A's documents that B has too; where Folders is set, of those in Maps
	BA        Interval  `json:"b_on_a"`       // share of B's documents that A has too
	PathsAB   float64   `json:"paths_a_on_b"` // share of A's paths that exist on B
	PathsBA   float64   `json:"paths_b_on_a"`
	Folders   bool      `json:"folders,omitempty"`   // only what lies under Maps is shared
	Canonical string    `json:"canonical,omitempty"` // the origin to be asked; "" where none is
	Why       string    `json:"why,omitempty"`       // it is the canonical one
	Evidence  string    `json:"evidence,omitempty"`  // other than paths and content: redirects, canonical links, their names, one IP address
	Probes    int       `json:"probes"`              // live requests made
	Same      []Example `json:"same"`                // some documents that agree
	Differ    []Example `json:"differ"`              // and some that do not

	told         bool // the canonical site is told by the sites, or by what they have, and not by their names
	found, apart int  // documents at places that have one on both sites, and those of them that are another
}

// Turned returns the relation with A and B in each other's place.
func (r Relation) Turned() Relation {
	r.A, r.B, r.AB, r.BA, r.PathsAB, r.PathsBA = r.B, r.A, r.BA, r.AB, r.PathsBA, r.PathsAB
	r.Maps = reversed(r.Maps)
	turn := func(es []Example) []Example {
		out := make([]Example, len(es))
		for i, e := range es {
			e.A, e.B = e.B, e.A
			out[i] = e
		}
		return out
	}
	r.Same, r.Differ = turn(r.Same), turn(r.Differ)
	return r
}

// Other returns the origin that is not the canonical one.
func (r *Relation) Other() string {
	if r.Canonical == r.A {
		return r.B
	}
	return r.A
}

// Mapped returns the mappings from the other site to the canonical one.
func (r *Relation) Mapped() []Mapping {
	if r.Canonical == r.B {
		return r.Maps
	}
	return reversed(r.Maps)
}

func reversed(ms []Mapping) []Mapping {
	out := make([]Mapping, len(ms))
	for i, m := range ms {
		out[i] = m.Reverse()
	}
	sortMaps(out)
	return out
}

// An outcome is what became of one document that was looked up.
type outcome struct {
	path  string // on A
	there string // on B
	back  bool   // it is B's, and was looked up on A
	found bool   // the other site has a document there
	same  bool   // with the same body
	bits  int    // in which their SimHashes differ
}

// A trial holds one site's documents against another site.
type trial struct {
	outcomes []outcome // of those that decided
	inside   int       // documents in the mappings, decided or not
	outside  int       // documents outside the mappings
	same     int
	found    int
	close    int // same, or one body in two frames
	apart    int // found, and another body or frame
}

// share is of the whole site: what lies outside the mappings is missing.
func (t *trial) share() Interval {
	return intervalOf(float64(t.same)*t.within(), len(t.outcomes))
}

// within is the share of the documents that the mappings are about.
func (t *trial) within() float64 {
	if t.inside+t.outside == 0 {
		return 0
	}
	return float64(t.inside) / float64(t.inside+t.outside)
}

func (t *trial) paths() float64 {
	if len(t.outcomes) == 0 {
		return 0
	}
	return float64(t.found) / float64(len(t.outcomes)) * t.within()
}

// compare holds site i against site j, i before j, both ways.
func (r *survey) compare(ctx context.Context, lib Library, i, j int) (Relation, error) {
	rel := Relation{
		A: r.order[i].Origin, B: r.order[j].Origin, Evidence: r.prior[[2]int{i, j}],
		Maps: []Mapping{}, Same: []Example{}, Differ: []Example{},
	}
	if r.redirected(&rel, i, j) {
		return rel, nil
	}
	rel.Maps = r.vote(i, j)
	if len(rel.Maps) == 0 {
		if rel.Evidence == "" || rel.Evidence == oneAddress {
			return rel, nil
		}
		rel.Maps = []Mapping{identity}
	}
	ab, err := r.try(ctx, lib, &rel, i, j, rel.Maps)
	if err != nil {
		return rel, err
	}
	ba, err := r.try(ctx, lib, &rel, j, i, reversed(rel.Maps))
	if err != nil {
		return rel, err
	}
	unframe(ab, ba)
	rel.show(ab, ba)
	r.classify(&rel, ab, ba)
	if rel.Class.Rewrites() {
		r.choose(&rel, i, j)
	}
	return rel, nil
}

// redirected settles sites of which one does little but send to the other.
func (r *survey) redirected(rel *Relation, i, j int) bool {
	for _, way := range [][2]int{{i, j}, {j, i}} {
		from, to := r.order[way[0]], r.order[way[1]]
		n := from.redirects[to.Origin]
		if n < enough || float64(n) < mostly*float64(n+from.Documents) {
			continue
		}
		rel.Class, rel.Maps, rel.Canonical = Alias, []Mapping{identity}, to.Origin
		rel.Why = fmt.Sprintf("%s redirects to it (%d addresses)", from.Origin, n)
		share := intervalOf(float64(n), n+from.Documents)
		if rel.AB = share; way[0] != i {
			rel.AB, rel.BA = Interval{High: 1}, share
		} else {
			rel.BA = Interval{High: 1}
		}
		return true
	}
	return false
}

// try looks up the documents of one site on the other.
func (r *survey) try(ctx context.Context, lib Library, rel *Relation, from, to int, ms []Mapping) (*trial, error) {
	t := &trial{}
	home, there := r.order[from].Origin, r.order[to].Origin
	known := make(map[string]*Document, len(r.docs[to]))
	for k := range r.docs[to] {
		known[r.docs[to][k].Path] = &r.docs[to][k]
	}
	probes := rel.Probes + r.o.Probes/2 // half for each way
	for k := range r.docs[from] {
		d := &r.docs[from][k]
		path, ok := apply(ms, d.Path)
		if !ok {
			t.outside++
			continue
		}
		t.inside++
		other, state := Document{}, Present
		if o := known[path]; o != nil {
			other = *o
		} else {
			var err error
			if other, state, err = r.look(ctx, lib, rel, there+path, probes, t); err != nil {
				return nil, err
			}
		}
		if state == Unknown {
			continue
		}
		o := outcome{path: d.Path, there: path}
		if state == Present {
			o.found, o.same, o.bits = true, Agree(*d, other), bits.OnesCount64(d.SimHash^other.SimHash)
			t.found++
		}
		switch {
		case o.same:
			t.same++
		case o.found:
			t.apart++
		}
		if o.same || o.found && o.bits <= framed {
			t.close++
		}
		if home != rel.A {
			o.path, o.there, o.back = path, d.Path, true
		}
		t.outcomes = append(t.outcomes, o)
	}
	return t, nil
}

// unframe takes two sites that hardly have a document equal to the bit, while
// nearly all are close, for the same in two frames. Two versions are otherwise:
// most documents are equal, and some far apart.
func unframe(ts ...*trial) {
	equal, near, found := 0, 0, 0
	for _, t := range ts {
		found += t.found
		near += t.close
		for _, o := range t.outcomes {
			if o.found && o.bits == 0 {
				equal++
			}
		}
	}
	if float64(equal) >= rarely*float64(found) || float64(near) < alike*float64(found) {
		return
	}
	for _, t := range ts {
		t.same = t.close
		for k := range t.outcomes {
			o := &t.outcomes[k]
			o.same = o.same || o.found && o.bits <= framed
		}
	}
}

// look asks the library, and the site itself where the library does not know
// and that may still decide something.
func (r *survey) look(ctx context.Context, lib Library, rel *Relation, url string, probes int, t *trial) (Document, State, error) {
	d, state, err := lib.Document(ctx, url)
	if err != nil || state != Unknown {
		return d, state, err
	}
	p, ok := lib.(Prober)
	if !ok || rel.Probes >= probes || t.settled() {
		return d, state, nil
	}
	d, state, asked, err := p.Probe(ctx, url)
	if asked {
		rel.Probes++
	}
	return d, state, err
}

// settled reports whether more requests would change nothing: none of five
// agrees, or the interval of eight and more keeps clear of chance.
func (t *trial) settled() bool {
	n := len(t.outcomes)
	if n >= 5 && t.close == 0 {
		return true
	}
	if n < 8 {
		return false
	}
	in := intervalOf(float64(t.close), n)
	return in.Low > chance || in.High < chance
}

// show names some documents that agree and some that do not.
func (rel *Relation) show(ts ...*trial) {
	for _, t := range ts {
		for _, o := range t.outcomes {
			e := Example{A: rel.A + o.path, B: rel.B + o.there, Distance: o.bits}
			if !o.found {
				e.Distance, e.Missing = -1, e.B
				if o.back {
					e.Missing = e.A
				}
			}
			to := &rel.Differ
			if o.same {
				to = &rel.Same
			}
			if len(*to) < examples && !slices.Contains(*to, e) { // which both ways may show
				*to = append(*to, e)
			}
		}
	}
}

// classify names what the two trials say.
func (r *survey) classify(rel *Relation, ab, ba *trial) {
	rel.AB, rel.BA = ab.share(), ba.share()
	rel.PathsAB, rel.PathsBA = ab.paths(), ba.paths()
	found := ab.found + ba.found
	rel.found, rel.apart = found, ab.apart+ba.apart
	content := 0.0
	if found > 0 {
		content = float64(ab.same+ba.same) / float64(found)
	}
	need := current
	if onlyVersions(rel.Maps) {
		need = versioned
	}
	carries := func(t *trial, share float64) bool {
		in := t.share()
		return t.same >= enough && in.Share >= share && in.Low > chance && content >= need
	}
	isOne := rel.Evidence != "" && rel.Evidence != oneAddress && len(rel.Maps) == 1 && rel.Maps[0] == identity
	switch {
	case isOne && carries(ab, aliased) && carries(ba, aliased):
		rel.Class = Alias
	case carries(ab, mostly) && carries(ba, mostly):
		rel.Class = Mirror
	case carries(ab, mostly) || carries(ba, mostly):
		rel.Class = Partial
	case max(rel.PathsAB, rel.PathsBA) >= mostly && content >= related && found >= enough:
		rel.Class = NearVersion // before its folders: some always agree by chance
	case folders(rel, ab, ba, need):
		rel.Class, rel.Folders = Partial, true
	case max(rel.PathsAB, rel.PathsBA) >= mostly && found >= enough:
		rel.Class = SameShape
	}
}
