package methods

import "math"

// linkFactor is how many times as large as the other the link scores of copies
// may be. Copies of a page are linked to from alike places; the published gain
// is small (93% of verdicts right instead of 90%).
const linkFactor = 2.0

// rankedAlike reports whether two scores are near.
func rankedAlike(a, b float64) bool { return max(a, b) <= linkFactor*min(a, b) }

// linkScores spreads a score over the links between the documents, as PageRank
// does (Page, Brin, Motwani and Winograd 1999), with its damping of 0.85; it
// ends when no score moves by a thousandth of the mean, or after 50 rounds.
func linkScores(docs []Document) []float64 {
	const damping, rounds, still = 0.85, 50, 1e-3
	to := linksWithin(docs)
	scores := make([]float64, len(docs)) // their mean is 1
	for i := range scores {
		scores[i] = 1
	}
	for range rounds {
		next := make([]float64, len(docs))
		lost := 0.0 // of documents that link to none: it goes to all
		for i, targets := range to {
			if len(targets) == 0 {
				lost += scores[i]
			}
			for _, t := range targets {
				next[t] += damping * scores[i] / float64(len(targets))
			}
		}
		moved := 0.0
		for i := range next {
			next[i] += 1 - damping + damping*lost/float64(len(docs))
			moved = max(moved, math.Abs(next[i]-scores[i]))
		}
		scores = next
		if moved < still {
			break
		}
	}
	return scores
}

// linksWithin returns for each document the others that it links to, once each.
func linksWithin(docs []Document) [][]int {
	at := make(map[string]int, len(docs))
	for i, d := range docs {
		if _, ok := at[d.URL]; !ok {
			at[d.URL] = i
		}
	}
	to := make([][]int, len(docs))
	for i, d := range docs {
		met := map[int]bool{i: true}
		for _, l := range d.Links {
			if t, ok := at[l]; ok && !met[t] {
				met[t] = true
				to[i] = append(to[i], t)
			}
		}
	}
	return to
}
