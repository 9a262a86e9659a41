package methods

// Jaccard is the exact resemblance of two documents, the number of shingles in
// both over the number in either: the yardstick that other methods estimate.
type Jaccard struct {
	Words int     `option:"words" range:"1,32" about:"tokens of a shingle"`
	Least float64 `option:"threshold" range:"0.01,1" about:"resemblance of copies"`
}

func (Jaccard) Name() string         { return "jaccard" }
func (Jaccard) Source() string       { return "exact resemblance, Broder 1997" }
func (m Jaccard) Threshold() float64 { return m.Least }
func (Jaccard) needs() need          { return needNothing }

// Sign returns the set of shingles of each document.
func (m Jaccard) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the set of shingles.
func (m Jaccard) Scheme(*Collection) Scheme {
	return jaccardScheme(func(d Document) []uint64 { return set(shinglesOf(tokensOf(d.Body), m.Words)) })
}
