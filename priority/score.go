package priority

import (
	"errors"
	"fmt"
	"math"
)

// Bounds that make the order of scores certain. With the weights that Validate
// allows, a URL that is not a copy scores at least -740 and one that is a copy at
// most 320 - copyBelow, so with any setting copies come after everything else.
const (
	maxDepth  = 64   // deeper URLs count like this
	copyBelow = 2048 // a power of two leaves float32 steps of 0.0003 among copies
)

// MaxSeed is the largest Signals.Seed that counts, either way.
const MaxSeed = 100

// Options are the weights of the signals. The unit is one link of depth: with
// the default weight of depth, a term of 1 is worth as much as being one link
// nearer to a seed.
type Options struct {
	// Depth is what each link from the nearest seed costs. Default 1, 0 to
	// 10. Shallow before deep finds the important pages early (Najork and
	// Wiener 2001). At 0 a general crawl takes pages in the order in which they were
	// found, host by host; at 10 only depth decides.
	Depth float32

	// Relevance is what a linking page wholly on the topic is worth. Default
	// 12, 0 to 100. The ratio of Relevance to Anchor follows measurements on
	// human-labelled pages, where 2 mean + 1 maximum of the linking pages'
	// relevance + 3 anchor found most (recall .681 at a tenth of the crawl;
	// best parent alone .594); with one linking page mean and maximum are
	// one. With the default a page half on the topic outweighs six links of depth.
	// At 0 only anchor texts decide; at 100 one page on the topic leads the crawl
	// deep into whatever it links to.
	Relevance float32

	// Anchor is what an anchor text wholly on the topic is worth. Default 12, 0 to 100.
	// If it is too high, a menu that names the topic on every page wins.
	Anchor float32

	// Mirror is what a linking page is worth if many domains have a copy of it,
	// however many hosts each has. Default 1.5, 0 to 10. The degree m counts as min(1, log2(1+m)/3):
	// one mirror a third, seven or more all of it. At 1.5 few mirrors decide
	// between URLs of one depth and many lift a URL by one level, no more;
	// a high weight lets a spammer with many domains lead the crawl. In a
	// re-crawl such a page itself comes earlier: see Mirrored.
	Mirror float32

	// Inlinks is what a URL is worth to which many kept pages link. Default 0, 0 to 10.
	// So many links n count as min(1, log2(1+n)/10): 1,023 all of it. Pages that many
	// pages link to are important more often than others (Cho, Garcia-Molina and Page
	// 1998). At 0 links are not counted, which costs a look-up for each of them. A high
	// weight fetches what a site's menu links to before what its pages say. The order
	// hangs on what was settled before, so two crawls of a site may differ.
	Inlinks float32
}

// DefaultOptions returns the defaults that Options documents.
func DefaultOptions() Options {
	return Options{Depth: 1, Relevance: 12, Anchor: 12, Mirror: 1.5}
}

// Validate reports every weight out of its range at once.
func (o Options) Validate() error {
	var faults []error
	check := func(name string, v, most float32) {
		if !(v >= 0 && v <= most) {
			faults = append(faults, fmt.Errorf("priority weight %s is %v, not between 0 and %v", name, v, most))
		}
	}
	check("depth", o.Depth, 10)
	check("relevance", o.Relevance, 100)
	check("anchor", o.Anchor, 100)
	check("mirror", o.Mirror, 10)
	check("inlinks", o.Inlinks, 10)
	return errors.Join(faults...)
}

// The summands, in the order in which Score adds them.
const (
	termSeed = iota
	termDepth
	termRelevance
	termAnchor
	termMirror
	termInlinks
	termCopy
	terms
)

// values returns the summands of a score.
func (o Options) values(s Signals) (v [terms]float32) {
	v[termSeed] = clamp(s.Seed, -MaxSeed, MaxSeed)
	v[termDepth] = -o.Depth * float32(min(s.Depth, maxDepth))
	v[termRelevance] = o.Relevance * clamp(s.Relevance, 0, 1)
	v[termAnchor] = o.Anchor * clamp(s.Anchor, 0, 1)
	v[termMirror] = o.Mirror * boost(s.Degree)
	v[termInlinks] = o.Inlinks * float32(min(1, math.Log2(1+float64(s.Inlinks))/10))
	if s.Copy {
		v[termCopy] = -copyBelow
	}
	return v
}

// Score returns the sum of the terms. It is finite for all signals: a value that is not a
// number counts as 0, and a value out of range as the nearest one in it. o must be valid.
func (o Options) Score(s Signals) float32 {
	var sum float32
	for _, v := range o.values(s) {
		sum += v
	}
	return sum
}

// Mirrored returns how much more a revisit of a page is worth if degree other domains have
// a copy of it, as the binary logarithm of its weight: more readers want such a page fresh.
// It is Mirror times what a link on such a page counts.
func (o Options) Mirrored(degree int) float32 {
	return o.Mirror * boost(uint16(min(max(degree, 0), math.MaxUint16)))
}

// Terms explains a score: its summands that are not 0, in the order in which
// they add up to exactly Score(s).
func (o Options) Terms(s Signals) []Term {
	links := "links"
	if s.Depth == 1 {
		links = "link"
	}
	linking := "pages link"
	if s.Inlinks == 1 {
		linking = "page links"
	}
	domains := "domains carry"
	if s.Degree == 1 {
		domains = "domain carries"
	}
	given := fmt.Sprintf("a seed of priority %v", s.Seed)
	if s.Depth > 0 {
		given = fmt.Sprintf("a link hook raised it by %v", s.Seed)
	}
	why := [terms]string{
		termSeed:      given,
		termDepth:     fmt.Sprintf("%d %s from the nearest seed", s.Depth, links),
		termRelevance: fmt.Sprintf("the linking page is %.0f%% on the topic", 100*clamp(s.Relevance, 0, 1)),
		termAnchor:    fmt.Sprintf("the link's words are %.0f%% on the topic", 100*clamp(s.Anchor, 0, 1)),
		termMirror:    fmt.Sprintf("%d %s a copy of the linking page", s.Degree, domains),
		termInlinks:   fmt.Sprintf("%d kept %s here", s.Inlinks, linking),
		termCopy:      "found only on a copy of another page",
	}
	names := [terms]string{"seed", "depth", "relevance", "anchor", "mirror", "inlinks", "copy"}
	var out []Term
	for i, v := range o.values(s) {
		if v != 0 {
			out = append(out, Term{names[i], v, why[i]})
		}
	}
	return out
}

// boost returns what a mirror degree counts: 0 without mirrors, 1 from seven on.
func boost(degree uint16) float32 {
	return float32(min(1, math.Log2(1+float64(degree))/3))
}

// clamp returns v limited to the range, and 0 if v is not a number.
func clamp(v, least, most float32) float32 {
	if v != v {
		return 0
	}
	return min(max(v, least), most)
}
