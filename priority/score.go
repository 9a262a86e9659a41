package priority

import (
	"errors"
	"fmt"
	"math"
)

// Bounds that make the order of scores certain. With the weights that Validate
// allows, a URL that is no copy scores at least -740 and one that is a copy at
// most 310 - copyBelow, so a copy is behind everything else at any setting.
const (
	maxDepth  = 64   // deeper is all the same
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
	// Wiener 2001). At 0 a general crawl takes pages in the order of finding
	// them, host by host; at 10 depth decides alone.
	Depth float32

	// Relevance is what a linking page wholly on the topic is worth. Default
	// 12, 0 to 100. The ratio of Relevance to Anchor follows measurements on
	// human-labelled pages, where 2 mean + 1 maximum of the linking pages'
	// relevance + 3 anchor found most (recall .681 at a tenth of the crawl;
	// best parent alone .594); with one linking page mean and maximum are
	// one. The size lets a page half on the topic outrun six links of depth.
	// At 0 only link words steer; at 100 one on-topic page drags the crawl
	// down whatever it links to.
	Relevance float32

	// Anchor is what link words wholly on the topic are worth. Default 12, 0
	// to 100. Too high, and a menu that names the topic on every page wins.
	Anchor float32

	// Mirror is what a linking page is worth that many domains carry a copy
	// of, however many hosts each has. Default 1.5, 0 to 10. The degree m counts as min(1, log2(1+m)/3):
	// one mirror a third, seven or more all of it. At 1.5 few mirrors decide
	// between URLs of one depth and many lift a URL by one level, no more;
	// a high weight lets a spammer with many domains lead the crawl.
	Mirror float32
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
	return errors.Join(faults...)
}

// The summands, in the order in which Score adds them.
const (
	termSeed = iota
	termDepth
	termRelevance
	termAnchor
	termMirror
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
	if s.Copy {
		v[termCopy] = -copyBelow
	}
	return v
}

// Score returns the sum of the terms. It is finite whatever the signals hold:
// what is not a number counts as 0, what is out of range as the nearest value
// in it. o must be valid.
func (o Options) Score(s Signals) float32 {
	var sum float32
	for _, v := range o.values(s) {
		sum += v
	}
	return sum
}

// Terms explains a score: its summands that are not 0, in the order in which
// they add up to exactly Score(s).
func (o Options) Terms(s Signals) []Term {
	links := "links"
	if s.Depth == 1 {
		links = "link"
	}
	why := [terms]string{
		termSeed:      fmt.Sprintf("a seed of priority %v", s.Seed),
		termDepth:     fmt.Sprintf("%d %s from the nearest seed", s.Depth, links),
		termRelevance: fmt.Sprintf("the linking page is %.0f%% on the topic", 100*clamp(s.Relevance, 0, 1)),
		termAnchor:    fmt.Sprintf("the link's words are %.0f%% on the topic", 100*clamp(s.Anchor, 0, 1)),
		termMirror:    fmt.Sprintf("%d domains carry a copy of the linking page", s.Degree),
		termCopy:      "found only on a copy of another page",
	}
	names := [terms]string{"seed", "depth", "relevance", "anchor", "mirror", "copy"}
	var out []Term
	for i, v := range o.values(s) {
		if v != 0 {
			out = append(out, Term{names[i], v, why[i]})
		}
	}
	return out
}

// boost returns what a mirror degree counts: nothing without mirrors, all from
// seven on.
func boost(degree uint16) float32 {
	return float32(min(1, math.Log2(1+float64(degree))/3))
}

// clamp returns v cut to the range, and 0 where v is not a number.
func clamp(v, least, most float32) float32 {
	if v != v {
		return 0
	}
	return min(max(v, least), most)
}
