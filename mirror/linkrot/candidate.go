package linkrot

import "gatecrawl.example/gatecrawl/dedup"

// A Lost is what a job knows of a page that may be gone.
type Lost struct {
	URL        string           `json:"url"`
	Title      string           `json:"title,omitempty"`
	Digest     string           `json:"digest,omitempty"`  // of the bytes as they were fetched last
	Sign       *dedup.Signature `json:"sign,omitempty"`    // of the whole page, the host's template included; nil: no text is kept
	CopyOf     *CopyOf          `json:"copy_of,omitempty"` // what it was a near copy of, and what Sign is of; nil: Sign is of its own text
	Lines      []uint32         `json:"lines,omitempty"`   // hashes of its own lines, sorted, by which an altered copy is known
	Candidates []Candidate      `json:"candidates"`        // where a copy may be, the likeliest first
}

// A CopyOf is the kept page that a lost page was a near copy of. Of a near copy no text is kept, only how much it resembled
// the kept page.
type CopyOf struct {
	URL        string  `json:"url"`
	Digest     string  `json:"digest"`     // of the bytes that it was compared with
	Distance   int     `json:"distance"`   // bits in which the SimHashes differed
	Similarity float64 `json:"similarity"` // of the texts, 0 to 1
}

// How a candidate for a lost page was found.
const (
	HowItself   = "itself"   // the page is there
	HowRedirect = "redirect" // its URL redirects there
	HowGroup    = "group"    // a copy that the gate found
	HowMove     = "move"     // other pages of its folder went there
	HowMirror   = "mirror"   // the place of the page on a mirrored site, or on one with another version
	HowRelative = "relative" // a page of the folder that its folder became, or its neighbour in a list of many pages
	HowName     = "name"     // a page of the same site and name, with a body that is not far
	HowNear     = "near"     // a page of the same site with nearly the same body, or the same title
)

// A Candidate is a URL at which a lost page may be found.
type Candidate struct {
	URL    string `json:"url"`
	How    string `json:"how"`
	Why    string `json:"why"`              // in words
	Digest string `json:"digest,omitempty"` // of the bytes when it was a copy of the lost page
}
