package priority

import "math"

const (
	// fewLinks is how many links of a page must have been fetched before they say something of its
	// others.
	fewLinks = 4

	// kept is added to what was promised and to what was found, as if two or three more links had kept what
	// they promised. Links that promise next to nothing, such as a portal's, do not disappoint, and of a list of which a
	// third is on the topic the first four are often not.
	kept = 1.25

	// enough is which share of what a page's links promised is enough. Of the manuals' pages
	// those whose links brought less had hardly any others on the topic
	// (docs/measurements-focus.md).
	enough = .75
)

// Expected returns the relevance that the page behind a link is expected to have: its score as a share of the highest.
func (o Options) Expected(s Signals) float32 {
	v := o.values(s)
	most := 5*o.Relevance + o.Anchor
	if most == 0 {
		return 0
	}
	return clamp((v[termMean]+v[termBest]+v[termAnchor]+v[termSiblings])/most, 0, 1)
}

// Doubt returns Signals.Doubt of the links of a page. So many of them were fetched; promised and
// found are the sums of the relevance that their pages were expected to have, and had. The share that was found of
// what is enough is raised to the fourth: a page whose links brought half of what they promised is believed a fifth, and one whose
// links brought a third a twenty-fifth.
func Doubt(links uint64, promised, found float32) uint8 {
	if links < fewLinks || !(promised > 0) {
		return 0
	}
	share := float64((found + kept) / (promised + kept) / enough)
	return uint8(math.Round(255 * max(0, 1-math.Pow(share, 4))))
}

// doubted returns which share of a URL's score is in doubt. Other pages that link to it speak for it as far as they are
// on the topic; the page on which it was found first counts as the best of all.
func (s Signals) doubted() float32 {
	others := float32(0)
	if s.Links > 1 {
		others = clamp((s.Sum-s.Relevance)/float32(s.Links), 0, 1)
	}
	return float32(s.Doubt) / 255 * (1 - others)
}
