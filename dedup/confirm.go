package dedup

import "math"

// The sketch estimates the resemblance of two bodies with an error. Three
// deviations below the threshold its refusal is sure, which of a thousand pairs
// on the very threshold is wrong for one; of the rest the texts decide.
const sureDeviations = 3

// shortBody is the number of tokens below which one changed word takes more than
// a tenth from the resemblance of two bodies. Without their texts such ones
// must agree in twice as much of what may differ: on the tuning data's manual
// three in four of the pairs that a sketch alone confirmed wrongly were shorter.
const shortBody = 80

// expected is how many sketch values of two bodies agree, on average, that just
// resemble each other enough, and deviation is that number's.
func (o Options) expected() (mean, deviation float64) {
	p := (1 + o.Resemblance) / 2
	return sketchValues * p, math.Sqrt(sketchValues * p * (1 - p))
}

// doubtFrom is the least number of equal values with which two bodies may be one.
func (o Options) doubtFrom() int {
	mean, deviation := o.expected()
	return int(math.Ceil(mean - sureDeviations*deviation))
}

// least is the number of equal values that must do where there is no text.
func (o Options) least(short bool) int {
	mean, _ := o.expected()
	n := int(math.Round(mean))
	if short {
		return sketchValues - (sketchValues-n)/2
	}
	return n
}

// confirm decides by the texts, and returns how much they resemble each other.
// Brief ones must be of one subject besides.
//
// Pages of one template can resemble each other by Resemblance and more. Where
// their titles name two things they must do so by Siblings, and where their
// numbers differ too they are two in any case: two products with their prices,
// two jobs with their dates.
func (o Options) confirm(x, y outline, a, b *reading) (j float64, same bool) {
	j = a.resemblance(b)
	switch {
	case j < o.Resemblance, !x.around(y) && !sameSubject(a, b):
		return j, false
	case !namedApart(a, b):
		return j, true
	}
	return j, j >= o.Siblings && !countedApart(a, b)
}

// confirmBySketch is confirm without the texts.
func (o Options) confirmBySketch(a, b outline, equal int) bool {
	return equal >= o.least(min(a.tokens, b.tokens) < shortBody) && a.around(b) && !a.facts.apart(b.facts)
}
