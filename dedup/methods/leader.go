package methods

import (
	"fmt"
	"slices"
)

// Leader is clustering in one pass, the baseline that methods of copies are compared with
// for memory and time: a document joins the cluster whose leader, its first document, is
// nearest by the cosine of their keywords, or leads one of its own. All leaders are in
// memory. What is a copy depends on the order, as it does in any such clustering.
type Leader struct {
	Terms int     `option:"terms" range:"1,1000" about:"keywords of a document"`
	Least float64 `option:"threshold" range:"0.01,1" about:"cosine of a document and its leader"`
}

func (Leader) Name() string { return "leader" }
func (m Leader) Source() string {
	return fmt.Sprintf("single-pass clustering, Salton 1971; %d keywords, cosine %g", m.Terms, m.Least)
}
func (Leader) Threshold() float64 { return 1 }
func (Leader) needs() need        { return needTerms }

// Sign returns the cluster of each document.
func (m Leader) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the number of a cluster.
func (m Leader) Scheme(c *Collection) Scheme {
	var leaders [][]uint64
	posts := make(map[uint64][]int) // rare terms to leaders
	rarity := func(t uint64) int { return int(c.frequency(t)) }
	return Scheme{
		Sketch: func(d Document) []uint64 { return LogWeights.vector(c, d, m.Terms) },
		Arrive: func(v []uint64) []uint64 {
			best, most := -1, m.Least
			head := heads(v, m.Least, rarity)
			met := make(map[int]bool)
			for _, t := range head {
				for _, l := range posts[t] {
					if met[l] {
						continue
					}
					met[l] = true
					if s := cosine(leaders[l], v); s >= most && (best < 0 || s > most || l < best) {
						best, most = l, s
					}
				}
			}
			if best < 0 {
				best = len(leaders)
				leaders = append(leaders, slices.Clone(v))
				for _, t := range head {
					posts[t] = append(posts[t], best)
				}
			}
			return []uint64{uint64(best)}
		},
		Keys: func(s []uint64, _ float64, _ func(uint64) int) []uint64 { return s },
		Score: func(a, b []uint64) float64 {
			if a[0] == b[0] {
				return 1
			}
			return 0
		},
		Bytes: words64,
	}
}
