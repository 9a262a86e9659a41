package priority

import "math"

const (
	// damping is the share of a page's cash that goes to its links, as in PageRank (Brin and Page
	// 1998).
	damping = .85

	// usualCash is what a link gets from a page that has no cash itself and some 27 links: a URL
	// with this much scores as a URL without known cash.
	usualCash = 1. / 32
)

// Pay returns how much of the cash of a kept page each of its n distinct links gets. The cash of a
// page is 1 plus what the pages that link to it have paid: its importance by the links known so far
// (online page importance computation, Abiteboul, Preda and Cobena 2003). Each page pays once.
func Pay(cash float32, n int) float32 {
	if n <= 0 {
		return 0
	}
	return damping * (1 + positive(cash)) / float32(n)
}

// Bonus returns the share of its payments, 0 to 1, that a kept page pays once more when this number
// of other registrable domains have a copy of it: see Options.Mirror. It grows with the degree.
func (o Options) Bonus(degree int) float32 {
	return min(o.Mirror, 1) * boost(uint16(min(max(degree, 0), math.MaxUint16)))
}

// Moves reports whether a waiting URL whose signals have changed has to move in the queue: it was
// placed by a score, and that score has changed. Signals that each link changes a little must have
// changed by a step: cash must have doubled, so that a URL with a thousand links moves ten times,
// or relevance must have changed by a twentieth.
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

// Doubled reports whether cash has doubled since it was first. If first is 0 (not known), it
// reports whether cash is at most half or at least twice what a usual link pays.
func Doubled(first, now float32) bool {
	if first = positive(first); first == 0 {
		return now >= 2*usualCash || now <= usualCash/2
	}
	return now >= 2*first
}

// positive returns v, or 0 if v is negative, infinite or not a number.
func positive(v float32) float32 {
	if v > 0 && !math.IsInf(float64(v), 0) {
		return v
	}
	return 0
}

// lnCash returns the logarithm of cash in units of usualCash, within bounds; 0 if no cash is known.
func lnCash(cash float32) float32 {
	const most = 20
	if cash = positive(cash); cash == 0 {
		return 0
	}
	return float32(min(max(math.Log(float64(cash)/usualCash), -most), most))
}
