package methods

import "fmt"

// Cosine compares documents as vectors of their keywords (Salton's vector
// space): the smaller the angle, the more alike. It sees the subject and not
// the wording: two texts of one story are near, and so are two that differ
// in a number.
type Cosine struct {
	Terms   int     `option:"terms" range:"1,1000" about:"keywords of a document"`
	Least   float64 `option:"threshold" range:"0.01,1" about:"cosine of copies"`
	Weights Weights `option:"weights" oneof:"log,plain" about:"log: log tf x log idf; plain: tf x 1/df"`
}

func (Cosine) Name() string         { return "cosine" }
func (m Cosine) Source() string     { return fmt.Sprintf("vector space, tf-idf; %d keywords", m.Terms) }
func (m Cosine) Threshold() float64 { return m.Least }
func (Cosine) needs() need          { return needTerms }

// Sign returns the vector of each document, weighted by the collection.
func (m Cosine) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps eight bytes for a term and four for its weight.
func (m Cosine) Scheme(c *Collection) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 { return m.Weights.vector(c, d, m.Terms) },
		Keys:   heads, Score: cosine, Parts: termsIn,
		Bytes: func(v []uint64) int { return 12 * len(v) / 2 },
	}
}
