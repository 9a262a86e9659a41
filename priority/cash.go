package priority

import "math"

const (
	// damping is the share of a page's cash that its links get, as in PageRank (Brin and
	// Page 1998).
	damping = .85

	// usualCash is what a link gets of a page that has no cash itself and some 27 links: a
	// URL with that much scores as one of which nothing is known.
	usualCash = 1. / 32
)

// Pay returns what each of n distinct links of a kept page gets of its cash, when the page is
// kept. The cash of a page is what those that link to it have paid, and 1 of its own: the
// importance that it has by the links known so far (online page importance computation,
// Abiteboul, Preda and Cobena 2003), each page paying once.
func Pay(cash float32, n int) float32 {
	if n <= 0 {
		return 0
	}
	return damping * (1 + positive(cash)) / float32(n)
}

// Bonus returns what share of its payments a kept page pays once more when so many other
// registrable domains have a copy of it, 0 to 1: see Options.Mirror. It grows with the degree.
func (o Options) Bonus(degree int) float32 {
	return min(o.Mirror, 1) * boost(uint16(min(max(degree, 0), math.MaxUint16)))
}

// Moves reports whether a waiting URL whose signals changed is to be given another place in
// the queue: it was placed by a score, and has another one now. What many links change a
// little each has to have changed by a step: cash has doubled, so that a URL with a thousand
// links moves ten times, or relevance has by a twentieth.
func (o Options) Moves(was, now Signals, placed, score float32) bool {
	if score == placed {
		return false
	}
	if was.Seed != now.Seed || was.Copy != now.Copy || o.Inlinks != 0 && was.Inlinks != now.Inlinks || !o.Focused && (was.Depth != now.Depth || was.Degree != now.Degree || o.Cash == 0) {
		return true
	}
	step := o.Cash * math.Ln2 * .999
	if o.Focused {
		step = o.Relevance / 24
	}
	return score-placed >= step || placed-score >= step
}

// Doubled reports whether cash has doubled since it was as at first: where none was known, whether
// it is half or twice what a usual link pays.
func Doubled(first, now float32) bool {
	if first = positive(first); first == 0 {
		return now >= 2*usualCash || now <= usualCash/2
	}
	return now >= 2*first
}

// positive returns v, and 0 if it is below or not a number.
func positive(v float32) float32 {
	if v > 0 && !math.IsInf(float64(v), 0) {
		return v
	}
	return 0
}

// lnCash returns the logarithm of cash in usual links, within bounds; 0 where none is known.
func lnCash(cash float32) float32 {
	const most = 20
	if cash = positive(cash); cash == 0 {
		return 0
	}
	return float32(min(max(math.Log(float64(cash)/usualCash), -most), most))
}
