package fold

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Result is one line of a list.
type Result struct {
	URL     string  `json:"url"`
	Title   string  `json:"title,omitempty"`
	Snippet string  `json:"snippet,omitempty"` // its description in the list
	Score   float64 `json:"score,omitempty"`   // higher is better; without scores the list is sorted, best first
	Of      string  `json:"of,omitempty"`      // the URL of the page that it is known to be a copy of
	Degree  int     `json:"degree,omitempty"`  // number of other sites that are known to carry it
	Place   int     `json:"place"`             // position in the list, from 1; List sets it

	Text *Text `json:"-"` // what a crawl knows of the page's text; nil: nothing
}

// A Text is what a crawl knows of a page's text. Two results that have one are compared by their
// sketches, and by their descriptions only if the list has snippets of both.
type Text struct {
	Sketch   [16]byte // of the body, see dedup.Signature; zero: it is too short to compare
	Abstract string   // used as the snippet when it is compared with a result without a Text; "": not made
}

// A Group is a result with the results that repeat it.
type Group struct {
	Result
	Rank   float64  `json:"rank"`             // the score, weighted by the degree
	Folded []Folded `json:"folded,omitempty"` // best first
}

// A Folded result repeats the one above it.
type Folded struct {
	Result
	How        How     `json:"how"`
	Similarity float64 `json:"similarity"` // of the texts or descriptions, 0 to 1; 1 for ByURL and ByCopy
}

// How says how a repeat was recognized.
type How string

// The ways to recognize a repeat.
const (
	ByURL         How = "url"         // the same URL except for scheme, www and index page
	ByCopy        How = "copy"        // a copy of the same page, as a crawl found
	ByText        How = "text"        // nearly the same text, as the sketches of both estimate
	ByDescription How = "description" // nearly the same words in title and snippet
)

// Options are the settings of a Folder.
type Options struct {
	// Least is the lowest resemblance of two texts, by their sketches, or of two descriptions, by
	// their pairs of words, at which one repeats the other: above 0 to 1. A lower value folds stories
	// about one event; a higher one leaves repeats whose snippets differ by a sentence. Default: 0.6.
	Least float64 `json:"threshold,omitempty"`

	// Weight is how much the degree counts: a group with score s and degree d has the rank s +
	// Weight x |s| x ln (1 + d). In a list without scores s is 1 / (60 + place) (Cormack, Clarke,
	// Büttcher 2009, reciprocal rank fusion). Default: 0, not at all.
	Weight float64 `json:"weight,omitempty"`

	// MaxResults bounds a list. Default: 10,000.
	MaxResults int `json:"-"`
}

// Defaults of Options.
const (
	DefaultLeast      = 0.6
	DefaultMaxResults = 10_000
)

// fill sets the defaults.
func (o *Options) fill() {
	o.Least, o.MaxResults = cmp.Or(o.Least, DefaultLeast), cmp.Or(o.MaxResults, DefaultMaxResults)
}

// Validate says what is wrong with the options.
func (o Options) Validate() error {
	var errs []error
	if !(o.Least >= 0 && o.Least <= 1) {
		errs = append(errs, fmt.Errorf("threshold %g: want above 0 to 1; left out it is %g", o.Least, DefaultLeast))
	}
	if !(o.Weight >= 0 && o.Weight <= 1000) {
		errs = append(errs, fmt.Errorf("weight %g: want 0, which is none, to 1000", o.Weight))
	}
	return errors.Join(errs...)
}

// fewWords is how many pairs of words a description must have to be compared by resemblance. A
// shorter one, such as a title alone, says too little: it must be equal, and so must the path of
// the URL.
const fewWords = 7

// shingles makes the sketch of a description.
var shingles = methods.Jaccard{Words: 2, Least: DefaultLeast}.Scheme(nil)

// List returns a list without its repeats: the best result of each group with the repeats below it.
// Groups are in the order of their ranks; those of equal rank keep the order of the list. The error
// says what is wrong with the options, or which result has no URL.
func List(results []Result, o Options) ([]Group, error) {
	results, err := prepare(results, &o)
	if err != nil {
		return nil, err
	}
	return fold(results, sketchesOf(results, func(i int) []uint64 { return pairsOf(results[i].description()) }), o), nil
}

// prepare checks options and results, fills in the defaults, and returns the results with their places.
func prepare(results []Result, o *Options) ([]Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.fill()
	if len(results) > o.MaxResults {
		return nil, fmt.Errorf("%d results: want at most %d", len(results), o.MaxResults)
	}
	results = slices.Clone(results)
	for i := range results {
		r := &results[i]
		r.Place = i + 1
		if r.URL == "" {
			return nil, fmt.Errorf("result %d has no url", r.Place)
		}
		if err := r.Validate(); err != nil {
			return nil, fmt.Errorf("result %d, %s: %w", r.Place, r.URL, err)
		}
	}
	return results, nil
}

// Validate says what is wrong with a result that was read.
func (r *Result) Validate() error {
	switch {
	case r.URL == "":
		return errors.New("a result without a url")
	case math.IsNaN(r.Score) || math.IsInf(r.Score, 0):
		return errors.New("the score is not a number")
	case r.Degree < 0:
		return fmt.Errorf("degree %d: want 0 or more", r.Degree)
	}
	return nil
}

// sketchesOf calls sketch for each result, on all processors, if any description can decide, and returns when
// all are made.
func sketchesOf(results []Result, sketch func(i int) []uint64) [][]uint64 {
	sketches := make([][]uint64, len(results))
	if !slices.ContainsFunc(results, mayBeDescribed) {
		return sketches
	}
	var all sync.WaitGroup
	for from := 0; from < len(results); from += atOnce {
		all.Go(func() {
			for i := from; i < min(from+atOnce, len(results)); i++ {
				sketches[i] = sketch(i)
			}
		})
	}
	all.Wait()
	return sketches
}

// atOnce is how many results one goroutine sketches: it takes some half of a millisecond.
const atOnce = 128

// fold folds results that have sketches.
func fold(results []Result, sketches [][]uint64, o Options) []Group {
	l := &list{
		results: results, sketches: sketches, least: o.Least, held: count(sketches), farthest: farthest(o.Least),
		first: make([]int32, buckets), names: make(map[string]named, 2*len(results)),
		groups: make([]Group, 0, len(results)), bodies: make([]body, 0, len(results)),
		reps: make([]rep, 0, len(results)),
	}
	order := make([]int, len(results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(results[b].Score, results[a].Score) })
	for _, i := range order {
		l.add(i)
	}
	scored := slices.ContainsFunc(results, func(r Result) bool { return r.Score != 0 })
	for i := range l.groups {
		g := &l.groups[i]
		score := g.Score
		if !scored {
			score = 1 / float64(fusion+g.Place)
		}
		l.rank(g, score, o.Weight)
	}
	slices.SortStableFunc(l.groups, func(a, b Group) int { return cmp.Compare(b.Rank, a.Rank) })
	return l.groups
}

// fusion is how much places count: the first of 60 is worth about twice the 60th.
const fusion = 60

// A list is being folded, starting with its best result.
type list struct {
	results  []Result
	sketches [][]uint64
	least    float64
	held     counts
	farthest int // bits in which the sketches of two texts of the least resemblance differ

	groups []Group
	reps   []rep            // the results that others are compared with
	bodies []body           // of reps that have a sketch of their text
	first  []int32          // by bucket of a key: its last post, from 1
	posts  []post           // keys of the descriptions of reps
	names  map[string]named // groups by the names of their results: see namesOf

	shared []counted // buffer of keys
	found  []uint64
}

// A rep represents a group: its first result, or one that is surely the same page, though the list
// may describe it in other words. Results that only resemble the first are none, lest a group
// drift from page to page.
type rep struct {
	result int
	group  int
	asked  int // the last result that was compared with it, from 1
}

// A body is that of a rep.
type body struct {
	bits [2]uint64 // of its sketch
	rep  int
}

func bitsOf(sketch [16]byte) [2]uint64 {
	return [2]uint64{binary.LittleEndian.Uint64(sketch[:]), binary.LittleEndian.Uint64(sketch[8:])}
}

// A post says that a rep has a key.
type post struct {
	key  uint64
	rep  int32
	next int32 // next post of its bucket, from 1; 0: none
}

const buckets = 1 << 14

func bucketOf(part uint64) uint64 { return part * 0x9E3779B97F4A7C15 >> 50 }

// counts has the number of sketches with each part, up to 255. Some parts share a counter: a count may be
// too high, but not too low.
type counts struct {
	held []uint8
	mask uint64
}

func count(sketches [][]uint64) counts {
	parts := 0
	for _, s := range sketches {
		parts += len(s)
	}
	size := min(1<<bits.Len(uint(4*parts)), 1<<21) // one part in four or fewer shares a counter
	c := counts{make([]uint8, size), uint64(size - 1)}
	for _, s := range sketches {
		for _, part := range s {
			if n := &c.held[part&c.mask]; *n < math.MaxUint8 {
				*n++
			}
		}
	}
	return c
}

func (c counts) of(part uint64) uint8 { return c.held[part&c.mask] }

// add puts a result below the group that it repeats, or starts a new one.
func (l *list) add(i int) {
	r := l.results[i]
	names := namesOf(r)
	for n, name := range names {
		if known, ok := l.names[name]; ok {
			how := ByCopy // perhaps the page that an earlier result is a copy of
			if n == 0 && known.own {
				how = ByURL
			}
			l.below(known.group, Folded{Result: r, How: how, Similarity: 1}, names)
			l.represent(i, known.group, l.keys(l.sketches[i]))
			return
		}
	}
	best, most := l.sameText(&r)
	if best >= 0 {
		l.below(best, Folded{Result: r, How: ByText, Similarity: most}, names)
		return
	}
	keys := l.keys(l.sketches[i])
	for _, k := range keys {
		for at := l.first[bucketOf(k)]; at > 0; at = l.posts[at-1].next {
			p := l.posts[at-1]
			of := &l.reps[p.rep]
			if p.key != k || of.asked == i+1 {
				continue
			}
			of.asked = i + 1
			if s := l.alike(i, of.result); s > most || s == most && of.group < best {
				best, most = of.group, s
			}
		}
	}
	if best >= 0 && most >= l.least {
		l.below(best, Folded{Result: r, How: ByDescription, Similarity: most}, names)
		return
	}
	g := len(l.groups)
	l.groups = append(l.groups, Group{Result: r})
	l.name(g, names)
	l.represent(i, g, keys)
}

// represent lets later results be compared with one of a group, of whose sketch these are the keys.
func (l *list) represent(i, group int, keys []uint64) {
	n := len(l.reps)
	l.reps = append(l.reps, rep{result: i, group: group})
	if r := &l.results[i]; r.sketched() {
		l.bodies = append(l.bodies, body{bitsOf(r.Text.Sketch), n})
	}
	for _, k := range keys {
		b := bucketOf(k)
		l.posts = append(l.posts, post{k, int32(n), l.first[b]})
		l.first[b] = int32(len(l.posts))
	}
}

// sameText returns the group with the text that a result's resembles most, -1 if there is none that
// it repeats. A list has too few texts for an index to be faster than asking each.
func (l *list) sameText(r *Result) (best int, most float64) {
	best = -1
	if !r.sketched() {
		return best, 0
	}
	mine, nearest, of := bitsOf(r.Text.Sketch), l.farthest+1, -1
	for i := range l.bodies {
		b := &l.bodies[i]
		differ := bits.OnesCount64(mine[0] ^ b.bits[0])
		if differ >= nearest { // most texts are told apart by half of their sketches
			continue
		}
		if differ += bits.OnesCount64(mine[1] ^ b.bits[1]); differ < nearest {
			of, nearest = b.rep, differ
		}
	}
	if of < 0 {
		return best, 0
	}
	return l.reps[of].group, dedup.SketchResemblance(r.Text.Sketch, l.results[l.reps[of].result].Text.Sketch)
}

// farthest returns the most bits in which the sketches of two texts may differ if they are to resemble
// each other by least or more.
func farthest(least float64) int {
	var a, b [16]byte
	for n := range 8 * len(b) {
		b[n/8] |= 1 << (n % 8)
		if dedup.SketchResemblance(a, b) < least {
			return n
		}
	}
	return 8 * len(b)
}

func (r *Result) sketched() bool { return r.Text != nil && r.Text.Sketch != [16]byte{} }

// described reports whether the descriptions of two results can decide: a crawl knows better where
// it has the texts of both, unless a list shows the same passages of them.
func described(a, b *Result) bool {
	return a.Text == nil || b.Text == nil || a.Snippet != "" && b.Snippet != ""
}

// mayBeDescribed reports whether the description of a result can decide. If those of no result in a
// list can, no description is read.
func mayBeDescribed(r Result) bool { return r.Text == nil && r.Title != "" || r.Snippet != "" }

// description returns the texts that describe a result.
func (r *Result) description() (title, snippet string) {
	if r.Snippet == "" && r.Text != nil {
		return r.Title, r.Text.Abstract
	}
	return r.Title, r.Snippet
}

// below folds a result. Its names lead to its group from now on.
func (l *list) below(g int, f Folded, names []string) {
	l.groups[g].Folded = append(l.groups[g].Folded, f)
	l.name(g, names)
}

// A named group has a result with a name.
type named struct {
	group int
	own   bool // it is the URL of one of its results, and not only what one is a copy of
}

// name lets the names of a result lead to its group, those that lead to none.
func (l *list) name(g int, names []string) {
	for n, name := range names {
		switch known, ok := l.names[name]; {
		case !ok:
			l.names[name] = named{g, n == 0}
		case n == 0 && known.group == g && !known.own:
			l.names[name] = named{g, true}
		}
	}
}

// keys returns the parts of a sketch by which its group is looked up. Two sketches with the least
// resemblance have one in common: two sets of n parts must share k of them, so if all parts are
// ordered by how rare they are, one of the first n-k+1 is in both (Chaudhuri, Ganti and Kaushik
// 2006). Of these, the parts that no other sketch has come first, and are left out. Scheme.Keys is
// the same rule for any number of documents; with it a new list took a third more CPU
// (BenchmarkList1000/new).
func (l *list) keys(sketch []uint64) []uint64 {
	l.shared = l.shared[:0]
	for _, part := range sketch {
		if n := l.held.of(part); n > 1 {
			l.shared = append(l.shared, counted{part, n})
		}
	}
	must := int(math.Ceil(l.least*float64(len(sketch)) - ulps))
	n := len(l.shared) - must + 1
	if n <= 0 {
		return nil
	}
	if n < len(l.shared) {
		slices.SortFunc(l.shared, func(a, b counted) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.part, b.part)) })
	}
	l.found = l.found[:0]
	for _, c := range l.shared[:min(n, len(l.shared))] {
		l.found = append(l.found, c.part)
	}
	return l.found
}

// A counted part occurs in n sketches.
type counted struct {
	part uint64
	n    uint8
}

// ulps makes up for rounding where a bound is met exactly.
const ulps = 1e-9

// alike returns the resemblance of two descriptions; 0 if they are too short to compare, or do not
// decide.
func (l *list) alike(a, b int) float64 {
	if !described(&l.results[a], &l.results[b]) {
		return 0
	}
	s := shingles.Score(l.sketches[a], l.sketches[b])
	if min(len(l.sketches[a]), len(l.sketches[b])) >= fewWords {
		return s
	}
	if s == 1 && pathOf(l.results[a].URL) == pathOf(l.results[b].URL) {
		return 1
	}
	return 0
}

// rank returns the score of a group weighted by its degree: the known one, or the number of other
// sites in the list that repeat it if that is higher.
func (l *list) rank(g *Group, score, weight float64) {
	if len(g.Folded) > 0 {
		sites := map[string]bool{weburl.DomainOf(g.URL): true}
		for _, f := range g.Folded {
			sites[weburl.DomainOf(f.URL)] = true
			g.Degree = max(g.Degree, f.Degree)
		}
		g.Degree = max(g.Degree, len(sites)-1)
	}
	g.Rank = score + weight*math.Abs(score)*math.Log1p(float64(g.Degree))
}

// namesOf returns the names by which results repeat each other: the URL without scheme, www and
// index page, and the page that the result is a copy of.
func namesOf(r Result) []string {
	names := []string{plain(r.URL)}
	if r.Of != "" {
		names = append(names, plain(r.Of))
	}
	return names
}

// plain returns a URL without scheme, its scheme's port, www, index page and fragment.
func plain(address string) string {
	host, p, query, ok := cut(address)
	if !ok {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return address
		}
		host, p, query = u.Host, u.EscapedPath(), u.RawQuery
	}
	port := ":80"
	if scheme, _, _ := strings.Cut(address, ":"); strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	name := strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(host), port), "www.") + indexless(p)
	if query != "" {
		name += "?" + query
	}
	return name
}

// cut is url.Parse for http and https URLs of nothing but ordinary characters, at a fraction of
// its cost. It reports whether the URL is such a one.
func cut(address string) (host, path, query string, ok bool) {
	rest, ok := strings.CutPrefix(address, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(address, "https://")
	}
	if !ok || strings.ContainsFunc(rest, func(r rune) bool { return !ordinary[r&127] || r > 127 }) {
		return "", "", "", false
	}
	rest, query, _ = strings.Cut(rest, "?")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest, path = rest[:i], rest[i:]
	}
	_, port, _ := strings.Cut(rest, ":")
	return rest, path, query, rest != "" && strings.Trim(port, "0123456789") == ""
}

// ordinary are the characters that stand for themselves in a host with a port, a path and a query.
var ordinary = func() (in [128]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/?=&:" {
		in[c] = true
	}
	return in
}()

// indexless returns a path without the name of an index page and without its last slash.
func indexless(p string) string { return strings.TrimRight(weburl.WithoutIndex(p), "/") }

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return indexless(u.EscapedPath())
}
