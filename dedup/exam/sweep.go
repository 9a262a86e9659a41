package exam

import "slices"

// sweepSteps is the number of thresholds of a sweep.
const sweepSteps = 200

// ulps keeps a score that is a step of the sweep from being taken for the one below.
const ulps = 1e-9

// A sweep counts the pairs by score, and of them the copies.
type sweep struct {
	found, right [sweepSteps + 1]int
}

func (s *sweep) add(score float64, same bool) {
	step := int(score*sweepSteps + ulps)
	s.found[step]++
	if same {
		s.right[step]++
	}
}

// curve returns what each threshold gives that changes something, from the
// highest to the lowest.
func (s *sweep) curve(copies int) []Point {
	var curve []Point
	c := counts{copies: float64(copies)}
	for step, n := range slices.Backward(s.found[:]) {
		if n == 0 {
			continue
		}
		c.found += float64(n)
		c.right += float64(s.right[step])
		curve = append(curve, Point{
			Threshold: float64(step) / sweepSteps,
			Precision: c.precision().Value, Recall: c.recall().Value, F1: c.f1().Value,
		})
	}
	return curve
}
