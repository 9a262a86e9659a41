package mirror

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Class says how two sites are related.
type Class string

// The classes. For Alias, Mirror and Partial one site may be asked in place of the other.
const (
	None        Class = ""
	Alias       Class = "alias"        // one site under two names: by redirects, or by names that differ in www or the scheme
	Mirror      Class = "mirror"       // each has nearly all that the other has
	Partial     Class = "partial"      // one has nearly all of the other
	NearVersion Class = "near-version" // the same paths, and much of the content: two versions of a manual
	SameShape   Class = "same-shape"   // the same paths, different content: a translation

	// SharedFolders: each has pages of its own, and both have some folders. The sites are
	// not mirrors, but what is in the folders may be asked for on one of them.
	SharedFolders Class = "shared-folders"
)

// Rewrites reports whether one site may be asked in place of the other.
func (c Class) Rewrites() bool { return c == Alias || c == Mirror || c == Partial }

// The thresholds of the classes, as shares of what was looked up.
const (
	carriedShare        = 0.8   // of one site that is on the other: then the other has a copy of it
	aliasShare          = 0.95  // the same if names or redirects say that the two are one site
	sameContent         = 0.9   // of the common paths have the same content; less is another version
	mirrorContent       = 0.93  // the same if the gate says what a copy is; an outdated mirror has more
	mirrorContentOfMany = 0.905 // the same with many common paths, where chance decides less
	manyPaths           = 120   // common paths, both directions together, are many
	versionContent      = 0.95  // the same if the mapping changes nothing but a version
	nearVersionContent  = 0.3   // of the common paths have the same content: a near version
	chanceShare         = 0.5   // must be below the interval, or too little was looked up
	minAgreeing         = 4     // documents that agree, at least
	minSameShape        = 20    // paths that both have, at least, for sites that only look alike: any two blogs have the first pages in common
)

// How many bits of two SimHashes may differ.
const (
	sameBodyBits   = 3  // for one body: dedup's default
	sameFramedBits = 12 // for one body in two frames; two random bodies differ in 32, and hardly ever in fewer than 20
)

// rarelyEqual is the share of documents with equal SimHashes below which two sites are
// taken to differ in the frame of every document: a banner, a footer.
const rarelyEqual = 0.2

// A State is what a library says about a URL.
type State byte

// The states of a URL.
const (
	Unknown State = iota // the library does not know
	Absent               // there is no document
	Present              // there is a document
)

// A Library knows which documents are at URLs.
type Library interface {
	// Document returns the document at a URL. It answers Unknown for a URL that was
	// never requested, and never asks a site itself.
	Document(ctx context.Context, url string) (Document, State, error)
}

// A Prober is a library that can ask the sites themselves. It answers Unknown if
// robots.txt or its own rate limits forbid the request, and then no request is counted.
type Prober interface {
	Library
	Probe(ctx context.Context, url string) (d Document, s State, asked bool, err error)
}

// A Comparer is a library that has the texts of kept pages.
type Comparer interface {
	Library
	// SayTheSame reports whether two pages, each by its Document.Text, say the same as their sites' templates are now:
	// see dedup.SayTheSame. It returns false if the text of one is not kept.
	SayTheSame(ctx context.Context, a, b uint64) (bool, error)
}

// An Example is a pair of URLs whose documents were compared.
type Example struct {
	A        string `json:"a"`
	B        string `json:"b"`
	Distance int    `json:"distance"`          // bits in which the SimHashes differ; -1: one of the URLs has no document
	Missing  string `json:"missing,omitempty"` // the URL without a document
}

// maxExamples is how many pages of each kind a relation names.
const maxExamples = 5

// A Relation says how two sites are related.
type Relation struct {
	A         string    `json:"origin_a"`
	B         string    `json:"origin_b"`
	Class     Class     `json:"class"`
	Maps      []Mapping `json:"map"`          // from A to B, the longest From first
	AB        Interval  `json:"a_on_b"`       // share of A's documents that B has; if Folders is set, of those in Maps
	BA        Interval  `json:"b_on_a"`       // share of B's documents that A has
	PathsAB   float64   `json:"paths_a_on_b"` // share of A's paths that exist on B
	PathsBA   float64   `json:"paths_b_on_a"`
	Folders   bool      `json:"folders,omitempty"`    // only what is below Maps is shared
	Canonical string    `json:"canonical,omitempty"`  // the origin to crawl; "" if neither is
	Why       string    `json:"why,omitempty"`        // why it is the canonical one
	Evidence  string    `json:"evidence,omitempty"`   // in addition to paths and content: redirects, canonical links, their names, one IP address
	Probes    int       `json:"probes"`               // live requests made
	Same      []Example `json:"same"`                 // some documents that agree
	Differ    []Example `json:"differ"`               // some that do not
	Unequal   int       `json:"unequal,omitempty"`    // looked-up documents on both that are not equal, without front pages: see TwinOf
	UnequalAt string    `json:"unequal_at,omitempty"` // the URL of one of them

	bySites      bool               // the canonical site follows from what the sites say or have, and not from which came first
	leftOut      bool               // the crawl fetches the canonical site in place of the other
	unequal      []string           // URLs on either site, see Unequal
	found, apart int                // paths with a document on both sites, and those of them whose documents differ
	says         map[[2]uint64]bool // pages, the lower number first, and whether their texts say the same
	contradicts  bool               // those of a pair do not

	redirects bool        // one redirects to the other
	equal     [2]Interval // AB and BA, counting only equal documents
}

// Strangers reports whether the two sites have different registrable domains.
func (r *Relation) Strangers() bool { return weburl.DomainOf(r.A) != weburl.DomainOf(r.B) }

// Mapping returns the mappings of paths in one cell of a table; "" for a nil relation.
func (r *Relation) Mapping() string {
	if r == nil {
		return ""
	}
	texts := make([]string, len(r.Maps))
	for i, m := range r.Maps {
		texts[i] = m.String()
	}
	return strings.Join(texts, ", ")
}

// Reversed returns the relation with A and B exchanged.
func (r Relation) Reversed() Relation {
	r.A, r.B, r.AB, r.BA, r.PathsAB, r.PathsBA = r.B, r.A, r.BA, r.AB, r.PathsBA, r.PathsAB
	r.equal[0], r.equal[1] = r.equal[1], r.equal[0]
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

// enoughCompared is how many documents of two copies are looked up before they are certain: MinConfidence takes 25 that are all equal, and
// some say nothing.
const enoughCompared = 30

// Wanting returns how many more documents that both sites have are needed to be certain that the two are copies; 0 if they are not, by
// what was looked up, or enough of them were.
func (r *Relation) Wanting() int {
	if r.redirects || r.found < 2*minAgreeing || float64(r.apart) > (1-sameContent)*float64(r.found) {
		return 0
	}
	return max(0, enoughCompared-min(r.equal[0].N, r.equal[1].N))
}

// Differing returns the URLs of some pages of a site that are not equal to the other's.
func (r *Relation) Differing(origin string) (urls []string) {
	for _, url := range r.unequal {
		home := r.A
		if !strings.HasPrefix(url, home+"/") {
			home = r.B
		}
		path := url[len(home):]
		if there, ok := r.Counterpart(home, path); ok && home != origin {
			path = there
		} else if home != origin {
			continue
		}
		if url = origin + path; !slices.Contains(urls, url) && len(urls) < maxExamples {
			urls = append(urls, url)
		}
	}
	return urls
}

// Counterpart returns the path on the other site of the document at a path of one of the two.
func (r *Relation) Counterpart(origin, path string) (string, bool) {
	if origin == r.A {
		return apply(r.Maps, path)
	}
	return apply(reversed(r.Maps), path)
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

// An outcome is the result of looking up one document.
type outcome struct {
	path  string // on A
	there string // on B
	back  bool   // the document is B's, and was looked up on A
	found bool   // the other site has a document there
	same  bool   // with the same body, or nearly the same
	equal bool   // with the same bytes or the same body
	bits  int    // in which the SimHashes differ
}

// lookups are one site's documents, looked up on another site.
type lookups struct {
	outcomes []outcome // without those of unknown state
	inside   int       // documents that the mappings cover, of unknown state or not
	outside  int       // documents that no mapping covers
	same     int
	found    int
	close    int      // same, or one body in two frames
	apart    int      // found, with another body or frame
	versions int      // found, with a title that differs in numbers alone
	equal    int      // found, with the same bytes or the same body
	silent   int      // found, not equal, and no evidence of anything: the front page, or a page that was read without its site's template
	unequal  []string // paths of those found, not equal, and not the front page: any site may greet its visitors
}

// share is the share of the whole site: documents that no mapping covers count as missing.
func (t *lookups) share() Interval {
	return intervalOf(float64(t.same)*t.within(), len(t.outcomes))
}

// equals is like share, but counts only equal documents, without those that say nothing.
func (t *lookups) equals() Interval {
	return intervalOf(float64(t.equal)*t.within(), len(t.outcomes)-t.silent)
}

// within is the share of the documents that the mappings cover.
func (t *lookups) within() float64 {
	if t.inside+t.outside == 0 {
		return 0
	}
	return float64(t.inside) / float64(t.inside+t.outside)
}

func (t *lookups) paths() float64 {
	if len(t.outcomes) == 0 {
		return 0
	}
	return float64(t.found) / float64(len(t.outcomes)) * t.within()
}

// compare compares site i with site j, i before j, in both directions.
func (r *analysis) compare(ctx context.Context, lib Library, i, j int) (Relation, error) {
	rel := Relation{
		A: r.order[i].Origin, B: r.order[j].Origin, Evidence: r.prior[[2]int{i, j}],
		Maps: []Mapping{}, Same: []Example{}, Differ: []Example{},
	}
	if r.redirected(&rel, i, j) {
		return rel, nil
	}
	rel.Maps = r.vote(i, j)
	if len(rel.Maps) == 0 {
		if rel.Evidence == "" || rel.Evidence == oneIP {
			return rel, nil
		}
		rel.Maps = []Mapping{identity}
	}
	by := rel
	if err := r.compareBy(ctx, lib, &by, i, j); err != nil {
		return rel, err
	}
	_, asks := lib.(Prober)
	if by.Class == Alias || by.Class == Mirror || asks || len(rel.Maps) == 1 && rel.Maps[0] == identity {
		return by, nil
	}
	// The samples may have other versions of the same pages, which then vote for a mapping between these versions. Or both
	// sites have each page at two URLs, of which the crawl has fetched one here and another there.
	rel.Maps = []Mapping{identity}
	err := r.compareBy(ctx, lib, &rel, i, j)
	if err != nil || rel.Class.Rewrites() && (by.Class != Partial || rel.fits() > by.fits()) {
		return rel, err
	}
	return by, nil
}

// fits is the share of both sites together that is on the other one.
func (r *Relation) fits() float64 { return r.AB.Share + r.BA.Share }

// compareBy compares two sites by the mappings of their relation.
func (r *analysis) compareBy(ctx context.Context, lib Library, rel *Relation, i, j int) error {
	ab, err := r.lookUp(ctx, lib, rel, i, j, rel.Maps)
	if err != nil {
		return err
	}
	ba, err := r.lookUp(ctx, lib, rel, j, i, reversed(rel.Maps))
	if err != nil {
		return err
	}
	if !versionTitles(ab, ba) {
		if err := r.acceptOtherLayouts(ctx, lib, rel, ab, ba); err != nil {
			return err
		}
		acceptFrames(ab, ba)
	}
	rel.addExamples(ab, ba)
	r.classify(rel, ab, ba)
	if rel.Class.Rewrites() || rel.Folders {
		r.choose(rel, i, j)
	}
	return nil
}

// redirected reports whether one site does little but redirect to the other, and then
// fills in the relation.
func (r *analysis) redirected(rel *Relation, i, j int) bool {
	for _, way := range [][2]int{{i, j}, {j, i}} {
		from, to := r.order[way[0]], r.order[way[1]]
		n := from.redirects[to.Origin]
		if n < minAgreeing || float64(n) < carriedShare*float64(n+from.Documents) {
			continue
		}
		rel.Class, rel.Maps, rel.Canonical, rel.redirects = Alias, []Mapping{identity}, to.Origin, true
		rel.Why = fmt.Sprintf("%s redirects to it (%d URLs)", from.Origin, n)
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

// lookUp looks up the documents of one site on the other.
func (r *analysis) lookUp(ctx context.Context, lib Library, rel *Relation, from, to int, ms []Mapping) (*lookups, error) {
	t := &lookups{}
	home, there := r.order[from].Origin, r.order[to].Origin
	known := make(map[string]*Document, len(r.docs[to]))
	for k := range r.docs[to] {
		known[r.docs[to][k].Path] = &r.docs[to][k]
	}
	probes := rel.Probes + r.o.Probes/2 // half for each direction
	for k := range r.docs[from] {
		d := &r.docs[from][k]
		path, ok := apply(ms, d.Path)
		if !ok {
			t.outside++
			continue
		}
		t.inside++
		other, state := Document{}, Present
		var err error
		if o := known[path]; o != nil {
			other = *o
		} else {
			if other, state, err = r.document(ctx, lib, rel, there+path, probes, t); err != nil {
				return nil, err
			}
		}
		if state == Unknown {
			continue
		}
		o := outcome{path: d.Path, there: path}
		if state == Present {
			o.found, o.same, o.bits = true, Agree(*d, other), bits.OnesCount64(d.SimHash^other.SimHash)
			o.equal = Equal(*d, other)
			if !o.equal && d.Path != "/" && path != "/" {
				if o.equal, err = rel.sayTheSame(ctx, lib, d, &other); err != nil {
					return nil, err
				}
				o.same = o.same || o.equal
			}
			t.found++
		}
		if o.found && renumbered(d, &other) {
			t.versions++
		}
		switch {
		case o.equal:
			t.equal++
		case o.found && (d.Path == "/" || path == "/" || o.same && (d.Early || other.Early || Silent(*d, other))):
			t.silent++
		case o.found:
			t.unequal = append(t.unequal, d.Path)
		}
		switch {
		case o.same:
			t.same++
		case o.found:
			t.apart++
		}
		if o.same || o.found && o.bits <= sameFramedBits {
			t.close++
		}
		if home != rel.A {
			o.path, o.there, o.back = path, d.Path, true
		}
		t.outcomes = append(t.outcomes, o)
	}
	return t, nil
}

// maxCompared is how many pairs of kept pages have their texts compared, some .5 ms each.
const maxCompared = 100

// sayTheSame reports whether two pages of strangers say the same, of which the gate has kept both, or the pages that they are copies of in the same
// words: on a brief page what is next to the text may be most of it. After the first pair that does not no more are read, since that one decides.
func (rel *Relation) sayTheSame(ctx context.Context, lib Library, mine, theirs *Document) (bool, error) {
	c, ok := lib.(Comparer)
	if !ok || !mine.HasText() || !theirs.HasText() || !rel.Strangers() {
		return false, nil
	}
	pair := [2]uint64{min(mine.Text, theirs.Text), max(mine.Text, theirs.Text)}
	same, known := rel.says[pair]
	if known || rel.contradicts || len(rel.says) == maxCompared {
		return same, nil
	}
	if rel.says == nil {
		rel.says = make(map[[2]uint64]bool)
	}
	same, err := c.SayTheSame(ctx, mine.Text, theirs.Text)
	rel.says[pair], rel.contradicts = same, !same
	return same, err
}

// versionTitles reports whether the titles at most common paths differ in numbers alone:
// then the two are versions of one manual, however much of it is the same.
func versionTitles(ts ...*lookups) bool {
	versions, found := 0, 0
	for _, t := range ts {
		versions, found = versions+t.versions, found+t.found
	}
	return found >= minAgreeing && 2*versions > found
}

// acceptFrames marks close documents as the same if hardly any SimHashes are equal while
// nearly all are close: that is one site in two frames. Two versions of a site differ:
// most of their documents are equal, and some are far apart.
func acceptFrames(ts ...*lookups) {
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
	if float64(equal) >= rarelyEqual*float64(found) || float64(near) < sameContent*float64(found) {
		return
	}
	for _, t := range ts {
		t.same = max(t.same, t.close)
		for k := range t.outcomes {
			o := &t.outcomes[k]
			o.same = o.same || o.found && o.bits <= sameFramedBits
		}
	}
}

// document asks the library, and the site itself if the library does not know and the
// answer may still change the result.
func (r *analysis) document(ctx context.Context, lib Library, rel *Relation, url string, probes int, t *lookups) (Document, State, error) {
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

// settled reports whether more requests would change nothing: none of five documents
// agrees, or the interval of eight or more excludes chance.
func (t *lookups) settled() bool {
	n := len(t.outcomes)
	if n >= 5 && t.close == 0 {
		return true
	}
	if n < 8 {
		return false
	}
	in := intervalOf(float64(t.close), n)
	return in.Low > chanceShare || in.High < chanceShare
}

// addExamples adds some documents that agree and some that do not.
func (rel *Relation) addExamples(ts ...*lookups) {
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
			if len(*to) < maxExamples && !slices.Contains(*to, e) { // which both directions may give
				*to = append(*to, e)
			}
		}
	}
}

// classify sets the class by the lookups of both directions.
func (r *analysis) classify(rel *Relation, ab, ba *lookups) {
	rel.AB, rel.BA = ab.share(), ba.share()
	rel.PathsAB, rel.PathsBA = ab.paths(), ba.paths()
	found := ab.found + ba.found
	rel.found, rel.apart = found, ab.apart+ba.apart
	rel.equal, rel.Unequal = [2]Interval{ab.equals(), ba.equals()}, len(ab.unequal)+len(ba.unequal)
	for _, path := range ab.unequal {
		rel.unequal = append(rel.unequal, rel.A+path)
	}
	for _, path := range ba.unequal {
		rel.unequal = append(rel.unequal, rel.B+path)
	}
	if len(rel.unequal) > 0 {
		rel.UnequalAt = rel.unequal[0]
	}
	content := 0.0
	if found > 0 {
		content = float64(ab.same+ba.same) / float64(found)
	}
	need := mirrorContent
	switch {
	case onlyVersions(rel.Maps) || versionTitles(ab, ba):
		need = versionContent
	case found >= manyPaths:
		need = mirrorContentOfMany
	}
	carries := func(t *lookups, share float64) bool {
		in := t.share()
		return t.same >= minAgreeing && in.Share >= share && in.Low > chanceShare && content >= need
	}
	isOne := rel.Evidence != "" && rel.Evidence != oneIP && len(rel.Maps) == 1 && rel.Maps[0] == identity
	switch {
	case isOne && carries(ab, aliasShare) && carries(ba, aliasShare):
		rel.Class = Alias
	case carries(ab, carriedShare) && carries(ba, carriedShare):
		rel.Class = Mirror
	case carries(ab, carriedShare) || carries(ba, carriedShare):
		rel.Class = Partial
	case max(rel.PathsAB, rel.PathsBA) >= carriedShare && content >= nearVersionContent && found >= 2*minAgreeing:
		rel.Class = NearVersion // before folders are compared: some always agree by chance
	case folders(rel, ab, ba, need):
		rel.Class, rel.Folders = SharedFolders, true
	case max(rel.PathsAB, rel.PathsBA) >= carriedShare && found >= minSameShape:
		rel.Class = SameShape
	}
}
