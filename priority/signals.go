package priority

// Signals are the facts about an unvisited URL from which its score is computed.
type Signals struct {
	Seed      float32 // a seed's own priority, or what a link hook added; otherwise 0
	Depth     uint16  // links followed from the nearest seed
	Links     uint16  // linking pages that were rated, in a focused crawl; otherwise 0
	Sum       float32 // sum of the linking pages' relevance
	Relevance float32 // relevance of the best linking page, 0 to 1
	Anchor    float32 // relevance of the link's and URL's words, 0 to 1: the best of all links
	Siblings  float32 // mean relevance of the pages that the linking pages' other links led to, 0 to 1
	Doubt     uint8   // how far other links of the page on which it was found first have disappointed, in 255ths: see Doubt
	Cash      float32 // what the kept pages that link here have paid: see Pay; 0: not known
	Degree    uint16  // mirror degree of the kept page that links here: distinct registrable domains with a copy
	Copy      bool    // found only on a page that is a copy: postponed
	Inlinks   uint16  // kept pages that link here without nofollow, if links are counted: see Options.Inlinks
}

// mostLinks is the highest number of linking pages that is counted.
const mostLinks = 1<<16 - 1

// And merges the signals s of a URL with those of one or more further links to it. It takes the
// better value of what one page alone can give, and the sum or mean of the rest. Cash is summed,
// so each payment must be passed once. Doubt stays: it is about the first of the linking pages.
func (s Signals) And(link Signals) Signals {
	n, more := float32(s.Links), float32(link.Links)
	siblings := s.Siblings
	if more > 0 {
		siblings = (s.Siblings*n + link.Siblings*more) / (n + more)
	}
	return Signals{
		Seed:      betterSeed(s.Seed, link.Seed),
		Depth:     min(s.Depth, link.Depth),
		Links:     uint16(min(uint32(s.Links)+uint32(link.Links), mostLinks)),
		Sum:       s.Sum + link.Sum,
		Relevance: max(s.Relevance, link.Relevance),
		Anchor:    max(s.Anchor, link.Anchor),
		Siblings:  siblings,
		Doubt:     s.Doubt,
		Cash:      s.Cash + link.Cash,
		Degree:    max(s.Degree, link.Degree),
		Copy:      s.Copy && link.Copy,
		Inlinks:   uint16(min(uint32(s.Inlinks)+uint32(link.Inlinks), mostLinks)),
	}
}

// betterSeed returns the larger of two priorities that a user gave; 0 is none.
func betterSeed(a, b float32) float32 {
	if a == 0 || b == 0 {
		return a + b
	}
	return max(a, b)
}

// A Term is one term of a score.
type Term struct {
	Name  string  `json:"name"`
	Value float32 `json:"value"`
	Why   string  `json:"why"` // the fact behind it, as text
}
