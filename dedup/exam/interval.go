package exam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// An Interval is a share and its 95% confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Text is a share of n, with its interval in brackets, or - if n is 0.
func (i Interval) Text(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f (%.3f-%.3f)", i.Value, i.Low, i.High)
}

// normal95 is the quantile of the normal distribution that leaves 2.5% above.
const normal95 = 1.959963984540054

// Wilson returns the share of hits among n and its score interval (Wilson 1927). For n = 0 it
// is 0, and anything from 0 to 1.
func Wilson(hits, n float64) Interval {
	if n == 0 {
		return Interval{0, 0, 1}
	}
	p := hits / n
	z2 := normal95 * normal95
	middle := (p + z2/(2*n)) / (1 + z2/n)
	half := normal95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return Interval{p, min(p, max(0, middle-half)), max(p, min(1, middle+half))}
}

// widened returns i with the bounds of a bootstrap if those are wider. Wilson's interval
// assumes independent pairs, which pairs of one page are not; a bootstrap accounts for that,
// and has no width if no pair was wrong.
func (i Interval) widened(drawn []float64) Interval {
	if len(drawn) < 2 {
		return i
	}
	slices.Sort(drawn)
	at := func(q float64) float64 { return drawn[int(q*float64(len(drawn)-1)+0.5)] }
	return Interval{i.Value, min(i.Low, at(0.025)), max(i.High, at(0.975))}
}

// counts are pairs, or weights of pairs.
type counts struct {
	copies, found, right float64
}

func (c *counts) add(j judged, weight float64) {
	if j.same {
		c.copies += weight
	}
	if j.found {
		c.found += weight
	}
	if j.same && j.found {
		c.right += weight
	}
}

// precision, recall and f1 are Wilson's. F1 is the right pairs over the mean of
// the found pairs and the copies.
func (c counts) precision() Interval { return Wilson(c.right, c.found) }
func (c counts) recall() Interval    { return Wilson(c.right, c.copies) }
func (c counts) f1() Interval        { return Wilson(c.right, (c.found+c.copies)/2) }

// A judged pair is one that is found, or a copy, or both. Its units are resampled in a
// bootstrap: the two documents of a collection, or the pair itself if pairs were asked about
// one by one, and then the second is -1.
type judged struct {
	units       [2]int
	same, found bool
	splits      uint8 // bits in the order of splitNames
}

// bootstrapRounds is how often a collection is resampled: enough for the second digit of a 95%
// interval.
const bootstrapRounds = 200

// scoresOf returns the scores of each split from its judged pairs; units is the
// number of documents, or of pairs asked about.
func scoresOf(pairs []judged, units int) []Score {
	all := make([]counts, len(splitNames))
	tallySplits(pairs, all, func(judged) float64 { return 1 })

	drawn := make([][3][]float64, len(splitNames))
	random := rand.New(rand.NewPCG(1, 1))
	weights := make([]float64, units)
	for range bootstrapRounds {
		clear(weights)
		for range units {
			weights[random.IntN(units)]++
		}
		round := make([]counts, len(splitNames))
		tallySplits(pairs, round, func(j judged) float64 {
			w := weights[j.units[0]]
			if j.units[1] >= 0 {
				w *= weights[j.units[1]]
			}
			return w
		})
		for s, c := range round {
			if c.found > 0 && c.copies > 0 {
				for i, v := range []Interval{c.precision(), c.recall(), c.f1()} {
					drawn[s][i] = append(drawn[s][i], v.Value)
				}
			}
		}
	}

	scores := make([]Score, len(splitNames))
	for s, c := range all {
		scores[s] = Score{
			Split: splitNames[s], Copies: int(c.copies), Found: int(c.found), Right: int(c.right),
			Precision: c.precision().widened(drawn[s][0]),
			Recall:    c.recall().widened(drawn[s][1]),
			F1:        c.f1().widened(drawn[s][2]),
		}
	}
	return scores
}

// tallySplits adds up the weights of pairs by split.
func tallySplits(pairs []judged, to []counts, weight func(judged) float64) {
	for _, j := range pairs {
		w := weight(j)
		if w == 0 {
			continue
		}
		for s := range to {
			if j.splits>>s&1 == 1 {
				to[s].add(j, w)
			}
		}
	}
}
