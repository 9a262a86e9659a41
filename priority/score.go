package priority

import (
	"errors"
	"fmt"
	"math"
)

// Bounds that fix the order of scores. With the weights that Validate allows, a URL that is not a
// copy scores at least -840, and one that is a copy at most 900 - copyBelow. So with any setting
// copies come after everything else, including URLs lowered by Postponed.
const (
	maxDepth  = 64   // deeper URLs count as this deep
	copyBelow = 8192 // a power of two leaves float32 steps of 0.001 among copies
)

// Postponed is subtracted from the score of a URL that is to come after all others, except those
// found only on copies.
const Postponed = 2048

// News is added to the score of a URL that is new in a feed or sitemap in a re-crawl: it comes
// before the known URLs, which are ordered by the worth of a visit. So it is to that of a URL that is fetched early to
// compare two sites.
const News = 1024

// MaxSeed is the largest Signals.Seed that counts, either way.
const MaxSeed = 100

// Options are the weights of the signals. Without a topic the unit is one link of depth: with the
// default weight of depth, a term of 1 is worth as much as being one link nearer to a seed.
type Options struct {
	// Focused says that there is a topic. Then a score consists of the relevance of the linking
	// pages, of the link's words and of the other pages that the linking pages link to; depth and
	// cash do not count, and URLs of equal score come in the order in which they were found.
	// Without it a score consists of depth and cash. Default false.
	Focused bool

	// Depth is what each link from the nearest seed costs without a topic. Default 1, 0 to 10.
	// Shallow before deep finds the important pages early (Najork and Wiener 2001). At 0 and
	// without Cash a crawl takes pages in the order in which they were found, host by host; at 10
	// only depth decides.
	Depth float32

	// Cash is what a URL gains, without a topic, over one with 1/e of its cash: see Pay. Default
	// .25, 0 to 5. A page with many links from pages that have many links themselves comes before
	// others of its depth, and with a hundred times the cash one level earlier. At 0 a crawl is
	// breadth first; above 1 it follows the next and previous links of manuals
	// (docs/measurements-focus.md).
	Cash float32

	// Relevance is what the best linking page is worth if it is wholly on the topic. The mean of
	// the linking pages counts twice as much, and so does the relevance of the other pages that
	// they link to. Default 12, 0 to 100. The formula is 2 mean + 1 best + 5 anchor + 2 siblings
	// (docs/measurements-focus.md), less what is in doubt: see Doubt. At 0 only the words of links decide; at 100 one page on the
	// topic leads the crawl deep into whatever it links to.
	Relevance float32

	// Anchor is what a link is worth whose words are wholly on the topic. Default 60, 0 to 100. If
	// it is too high, a menu that names the topic on every page comes first.
	Anchor float32

	// Mirror is what the copies of a page on other domains are worth. A degree of m domains counts
	// as min(1, log2(1+m)/3): one mirror a third, seven or more all of it. Default 1.5, 0 to 10. In
	// a re-crawl it is the binary logarithm of how many times more a visit of a page with many
	// mirrors is worth: see Mirrored. In a crawl the links of such a page get up to as much cash
	// again, or Mirror times as much if Mirror is below 1. Without Cash it is added to the score of
	// the page's links.
	Mirror float32

	// Inlinks is what a URL is worth that many kept pages link to. Default 0, 0 to 10. n links
	// count as min(1, log2(1+n)/10): 1,023 count in full. Pages with many inlinks are important
	// more often than others (Cho, Garcia-Molina and Page 1998). At 0 links are not counted, which
	// saves a look-up for each of them. With a high weight the pages in a site's menu are fetched
	// before those that its texts link to. The order depends on the visits before, so two crawls of
	// a site may differ.
	Inlinks float32
}

// DefaultOptions returns the defaults that Options documents.
func DefaultOptions() Options {
	return Options{Depth: 1, Cash: .25, Relevance: 12, Anchor: 60, Mirror: 1.5}
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
	check("cash", o.Cash, 5)
	check("relevance", o.Relevance, 100)
	check("anchor", o.Anchor, 100)
	check("mirror", o.Mirror, 10)
	check("inlinks", o.Inlinks, 10)
	return errors.Join(faults...)
}

// The terms, in the order in which Score adds them.
const (
	termSeed = iota
	termDepth
	termCash
	termMean
	termBest
	termAnchor
	termSiblings
	termLinks
	termDoubt
	termMirror
	termInlinks
	termCopy
	terms
)

// values returns the terms of a score.
func (o Options) values(s Signals) (v [terms]float32) {
	v[termSeed] = clamp(s.Seed, -MaxSeed, MaxSeed)
	if s.Copy {
		v[termCopy] = -copyBelow
	}
	if o.Focused {
		v[termMean] = 2 * o.Relevance * s.Mean()
		v[termBest] = o.Relevance * clamp(s.Relevance, 0, 1)
		v[termAnchor] = o.Anchor * clamp(s.Anchor, 0, 1)
		v[termSiblings] = 2 * o.Relevance * clamp(s.Siblings, 0, 1)
		v[termLinks] = .05 * o.Relevance * float32(math.Log1p(float64(s.Links)))
		if s.Doubt > 0 {
			v[termDoubt] = -s.doubted() * (v[termMean] + v[termBest] + v[termAnchor] + v[termSiblings] + v[termLinks])
		}
		return v
	}
	if s.Inlinks > 0 {
		v[termInlinks] = o.Inlinks * float32(min(1, math.Log2(1+float64(s.Inlinks))/10))
	}
	v[termDepth] = -o.Depth * float32(min(s.Depth, maxDepth))
	v[termCash] = o.CashTerm(s.Cash)
	if o.Cash == 0 {
		v[termMirror] = o.Mirror * boost(s.Degree)
	}
	return v
}

// CashTerm returns what cash adds to a score without a topic.
func (o Options) CashTerm(cash float32) float32 { return o.Cash * lnCash(cash) }

// SeedRelevance is the relevance that a seed of a focused crawl has before any page links to it.
const SeedRelevance = .5

// Mean returns the mean relevance of the linking pages, 0 to 1, as if two more pages with a
// relevance of .05 linked here: one good page is weaker evidence than several.
func (s Signals) Mean() float32 {
	if s.Links == 0 {
		return clamp(s.Relevance, 0, 1) // a job that stored the best relevance only
	}
	return clamp((s.Sum+.1)/(float32(s.Links)+2), 0, 1)
}

// Score returns the sum of the terms. It is finite for all signals: a value that is not a number
// counts as 0, and a value out of range as the nearest one in it. o must be valid.
func (o Options) Score(s Signals) float32 {
	var sum float32
	for _, v := range o.values(s) {
		sum += v
	}
	return sum
}

// HostScore returns what the best waiting URL of a host, with a score of at least 0, counts when the next host is chosen in a
// focused crawl: so many of the host's answers were rated, and relevance is the sum. A URL without a word of the topic on pages
// without it scores up to 4 points by how many pages link to it, which says less than what the host has had so far. So
// below that only its host's mean relevance counts, as if three more answers had been rated .05: hosts that
// have had nothing take turns, and a new one comes before them. With a mean of a quarter the host counts those 4 points: if it were
// more, a host that had its share of the topic would keep the crawl from hints elsewhere.
func (o Options) HostScore(score float32, answers uint32, relevance float32) float32 {
	most := o.Relevance / 3
	if !o.Focused || score >= most {
		return score
	}
	return most * min(1, 4*(relevance+3*.05)/(float32(answers)+3))
}

// Mirrored returns how much more a revisit of a page is worth if degree other domains have a copy
// of it, as the binary logarithm of its weight: more readers want such a page fresh. It is Mirror
// times what the degree counts.
func (o Options) Mirrored(degree int) float32 {
	return o.Mirror * boost(uint16(min(max(degree, 0), math.MaxUint16)))
}

// Terms explains a score: its terms that are not 0, in the order in which they add up to exactly
// Score(s).
func (o Options) Terms(s Signals) []Term {
	links := "links"
	if s.Depth == 1 {
		links = "link"
	}
	domains := "domains carry"
	if s.Degree == 1 {
		domains = "domain carries"
	}
	given := fmt.Sprintf("a seed of priority %v", s.Seed)
	if s.Depth > 0 {
		given = fmt.Sprintf("a link hook raised it by %v", s.Seed)
	}
	mean := fmt.Sprintf("%d pages link here, which are %.0f%% on the topic all together", s.Links, 100*s.Mean())
	inlinks := "pages link"
	if s.Inlinks == 1 {
		inlinks = "page links"
	}
	linking := fmt.Sprintf("%d pages link here", s.Links)
	if s.Links == 1 {
		linking = "1 page links here"
	}
	switch {
	case s.Links == 0 && s.Depth == 0:
		mean = fmt.Sprintf("a seed counts as if a page linked to it that is %.0f%% on the topic", 100*s.Mean())
	case s.Links < 2:
		mean = fmt.Sprintf("1 page links here, which counts as %.0f%% on the topic, since it is the only one", 100*s.Mean())
	}
	why := [terms]string{
		termSeed:     given,
		termDepth:    fmt.Sprintf("%d %s from the nearest seed", s.Depth, links),
		termCash:     fmt.Sprintf("the pages that link here have paid %.3g times what a usual link gets", s.Cash/usualCash),
		termMean:     mean,
		termBest:     fmt.Sprintf("the best linking page is %.0f%% on the topic", 100*clamp(s.Relevance, 0, 1)),
		termAnchor:   fmt.Sprintf("the link's words are %.0f%% on the topic", 100*clamp(s.Anchor, 0, 1)),
		termSiblings: fmt.Sprintf("what the linking pages' other links led to was %.0f%% on the topic", 100*clamp(s.Siblings, 0, 1)),
		termLinks:    linking,
		termDoubt:    fmt.Sprintf("other links of the page that it was found on led to less than they promised, which takes %.0f%% off", 100*s.doubted()),
		termMirror:   fmt.Sprintf("%d %s a copy of the linking page", s.Degree, domains),
		termInlinks:  fmt.Sprintf("%d kept %s here", s.Inlinks, inlinks),
		termCopy:     "found only on a copy of another page",
	}
	names := [terms]string{"seed", "depth", "cash", "mean", "best", "anchor", "siblings", "links", "doubt", "mirror", "inlinks", "copy"}
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
