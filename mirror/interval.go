package mirror

import "math"

// quantile is the normal quantile of Wilson's interval: the true share is below the
// interval in one case of twenty, and above it in one of twenty.
const quantile = 1.64

// An Interval is a share that was estimated from a sample, with Wilson's bounds
// of 90 % (E. B. Wilson, Probable Inference, 1927).
type Interval struct {
	Share float64 `json:"share"` // 0 to 1
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"` // sampled documents that decided
}

// intervalOf estimates a share from right successes in tries; right may be a fraction.
// Without tries the interval is 0 to 1.
func intervalOf(right float64, tries int) Interval {
	if tries == 0 {
		return Interval{High: 1}
	}
	n := float64(tries)
	p := right / n
	const z2 = quantile * quantile
	middle := (p + z2/(2*n)) / (1 + z2/n)
	half := quantile * math.Sqrt(p*(1-p)/n+z2/(4*n*n)) / (1 + z2/n)
	return Interval{Share: p, Low: max(0, middle-half), High: min(1, middle+half), N: tries}
}
