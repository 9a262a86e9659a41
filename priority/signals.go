package priority

// Signals are the facts about an unvisited URL from which its score is computed.
type Signals struct {
	Seed      float32 // a seed's own priority, or what a link hook added; otherwise 0
	Depth     uint16  // links followed from the nearest seed
	Relevance float32 // topic relevance of the linking page, 0 to 1
	Anchor    float32 // topic relevance of the anchor's and URL's words, 0 to 1
	Degree    uint16  // mirror degree of the kept page that links here: distinct registrable domains with a copy
	Copy      bool    // found only on a page that is a copy: postponed
	Inlinks   uint16  // kept pages that link here without nofollow, as far as they are counted: see Options.Inlinks
}

// A Term is one summand of a score.
type Term struct {
	Name  string  `json:"name"`
	Value float32 `json:"value"`
	Why   string  `json:"why"` // the fact behind it, in words
}
