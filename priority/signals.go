package priority

// Signals are the facts about an unvisited URL from which its score is computed.
type Signals struct {
	Seed      float32 // a seed's own priority, or what a link hook added; otherwise 0
	Depth     uint16  // links followed from the nearest seed
	Links     uint16  // pages on which a link was rated, in a focused crawl; 0 where none was
	Sum       float32 // of their relevance
	Relevance float32 // topic relevance of the best of them, 0 to 1
	Anchor    float32 // topic relevance of the link's and URL's words, 0 to 1: the best of them
	Siblings  float32 // mean over the linking pages of how relevant the pages were that their other links led to, 0 to 1
	Cash      float32 // what the kept pages that link here have paid: see Pay; 0: nothing is known
	Degree    uint16  // mirror degree of the kept page that links here: distinct registrable domains with a copy
	Copy      bool    // found only on a page that is a copy: postponed
	Inlinks   uint16  // kept pages that link here without nofollow, as far as they are counted: see Options.Inlinks
}

// mostLinks is the highest number of linking pages that is counted.
const mostLinks = 1<<16 - 1

// And returns the signals of a URL of which s was known when one more page, or more, links to
// it: the better of what one page says alone, and the sums and means of what they say together.
// Of cash it takes the sum, so that each payment is to be handed in once.
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
		Cash:      s.Cash + link.Cash,
		Degree:    max(s.Degree, link.Degree),
		Copy:      s.Copy && link.Copy,
		Inlinks:   uint16(min(uint32(s.Inlinks)+uint32(link.Inlinks), mostLinks)),
	}
}

// betterSeed takes the larger priority of those that a user gave: 0 is none.
func betterSeed(a, b float32) float32 {
	if a == 0 || b == 0 {
		return a + b
	}
	return max(a, b)
}

// A Term is one summand of a score.
type Term struct {
	Name  string  `json:"name"`
	Value float32 `json:"value"`
	Why   string  `json:"why"` // the fact behind it, in words
}
