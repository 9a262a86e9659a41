package revisit

import (
	"math"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// tableRates has the Rate of kept pages, and of records without a document, that were visited
// again, by sequence number.
var tableRates = &kv.Table{Name: "rates"}

// Tables returns the tables of this package.
func Tables() []*kv.Table { return []*kv.Table{tableRates, tableHints} }

const rateForm = 1

// A Rate counts the visits of a kept page after the first. The zero value is that of a page that
// was visited once.
type Rate struct {
	Visits  uint64
	Changes uint64 // visits that found another document
	Seconds uint64 // between the first visit and the last
	turn    uint64 // how often its copies were sampled
}

func (r Rate) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 16)}
	e.Byte(rateForm)
	e.Uint(r.Visits)
	e.Uint(r.Changes)
	e.Uint(r.Seconds)
	e.Uint(r.turn)
	return e.B
}

func decodeRate(b []byte) Rate {
	d := row.Decoder{B: b}
	if d.Byte() != rateForm {
		return Rate{} // the estimate starts again
	}
	return Rate{Visits: d.Uint(), Changes: d.Uint(), Seconds: d.Uint(), turn: d.Uint()}
}

// RateOf returns what is counted of a page.
func RateOf(r kv.Reader, seq uint64) (Rate, error) {
	v, err := r.Get(tableRates, page.Key(seq))
	if err != nil || v == nil {
		return Rate{}, err
	}
	return decodeRate(v), nil
}

// Put stores the Rate of a page.
func (r Rate) Put(tx kv.Tx, seq uint64) { tx.Put(tableRates, page.Key(seq), r.encode()) }

// Visited counts one more visit of a page that was last visited at the time since.
func (r Rate) Visited(since, now time.Time, changed bool) Rate {
	r.Visits++
	if changed {
		r.Changes++
	}
	r.Seconds += uint64(max(0, now.Sub(since)/time.Second))
	return r
}

// Count counts a visit of a page with the record old. The Rate moves to the record that the page
// has now, which may be the same.
func Count(tx kv.Tx, old *page.Record, seq uint64, at time.Time, changed bool) error {
	r, err := RateOf(tx, old.Seq)
	if err != nil {
		return err
	}
	move(tx, old.Seq, seq, r.Visited(old.Asked(), at, changed))
	return nil
}

// CountWithoutDocument counts a visit of a URL that has no document; old is its record and now that
// of the visit. It returns how many consecutive visits had the same answer.
func CountWithoutDocument(tx kv.Tx, old, now *page.Record) (visits uint64, err error) {
	r, err := RateOf(tx, old.Seq)
	if err != nil {
		return 0, err
	}
	if now.Status != old.Status || now.Location != old.Location {
		r = Rate{}
	} else {
		r = r.Visited(old.Asked(), now.Fetched, false)
	}
	r.Put(tx, old.Seq)
	return r.Visits, nil
}

// move moves a Rate from one page to another.
func move(tx kv.Tx, from, to uint64, r Rate) {
	if from != to {
		tx.Delete(tableRates, page.Key(from))
	}
	r.Put(tx, to)
}

// HandOn moves the Rate of a kept page to the one that took over its group, since it is the rate of
// the group.
func HandOn(tx kv.Tx, from, to uint64) error {
	r, err := RateOf(tx, from)
	if err != nil {
		return err
	}
	theirs, err := RateOf(tx, to)
	if err == nil && r.Visits+r.turn > 0 && theirs.Visits == 0 {
		move(tx, from, to, r)
	}
	return err
}

// PerDay estimates how often a day the page changes: -ln((n-x+0.5)/(n+0.5)) per
// mean interval, for x changes in n visits (Cho and Garcia-Molina, Estimating
// frequency of change, ACM TOIT 3(3), 2003, section 4.3). The plain x/n is far
// too low where a page changes more often than it is visited.
func (r Rate) PerDay() float64 {
	if r.Visits == 0 || r.Seconds == 0 {
		return 0
	}
	n, x := float64(r.Visits), float64(r.Changes)
	days := float64(r.Seconds) / n / (24 * 60 * 60)
	return max(0, -math.Log((n-x+0.5)/(n+0.5))/days) // never -0
}

// leastRate is the rate assumed for a page whose rate is not known, unless the known pages of the
// job change more often: once a year.
const leastRate = 1. / 365

// shrunk is PerDay with the job's mean as one more visit, so that a page that never changed is
// visited less and less often, but never not at all.
func (r Rate) shrunk(mean float64) float64 {
	n := float64(r.Visits)
	if r.Seconds == 0 {
		n = 0
	}
	return (n*r.PerDay() + mean) / (n + 1)
}

// Stale returns the probability that a page has changed since its last visit, 0 to 1, given the
// job's mean rate in changes a day.
func (r Rate) Stale(mean float64, last time.Time) float64 {
	days := max(0, time.Since(last).Hours()/24) // the clock may have been set back since
	return -math.Expm1(-days * r.shrunk(mean))
}

// mostWorth and leastWorth limit what a visit is worth.
const mostWorth, leastWorth = 32, -64

// listWorth is what a visit of a feed or sitemap is worth: it comes first, since it shows which
// pages are new.
const listWorth = mostWorth + 1

// worth returns what a visit is worth to a page that changes at a rate, a day, and was last visited
// some days ago: the binary logarithm of
//
//	(1 - (1+x) e^-x) / rate days, with x = rate * days,
//
// which is how much the time for which our version is up to date grows with the frequency of
// visits. Visits have the best effect if this is the same for all pages (Cho and Garcia-Molina,
// Effective page refresh policies for web crawlers, ACM TODS 28(4), 2003, section 4): a page that
// changes all the time is worth less than one that has changed by now and will stay so.
func worth(rate, days float64) float32 {
	x := rate * max(0, days)
	gain := 1.
	switch {
	case x < 1e-3:
		gain = x * x * (1./2 - x/3) // the difference below would be all rounding error
	case x < 100:
		gain = 1 - (1+x)*math.Exp(-x)
	}
	return float32(max(leastWorth, min(mostWorth, math.Log2(gain/rate))))
}

// A Mean has the counts of all pages together.
type Mean struct {
	Rate
	Pages  int     // pages that were visited again
	PerDay float64 // mean changes a day of a page
}

// All returns the counts of all pages.
func All(r kv.Reader) (all Mean, err error) {
	sum := 0.
	err = kv.Each(r, tableRates, func(_, v []byte) error {
		r := decodeRate(v)
		if r.Visits == 0 {
			return nil
		}
		all.Pages++
		sum += r.PerDay()
		all.Visits += r.Visits
		all.Changes += r.Changes
		all.Seconds += r.Seconds
		return nil
	})
	all.PerDay = sum / float64(max(all.Pages, 1))
	return all, err
}

// Assumed is the rate assumed for a page whose rate is not known.
func (m Mean) Assumed() float64 { return max(leastRate, m.PerDay) }

// A Summary caches All for frequent callers. All reads a row of each page that was visited again,
// at some .1 us each. If there are many, a result is used again for some three hundred times as
// long as that takes. It may be used from many goroutines.
type Summary struct {
	mu   sync.Mutex
	last Mean
	till time.Time // last is used until then
}

const (
	fewRates   = 10_000 // up to this many are read each time
	goodPerRow = 30 * time.Microsecond
)

// All returns the counts of all pages, which may be a little old.
func (s *Summary) All(r kv.Reader) (Mean, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.till) {
		return s.last, nil
	}
	m, err := All(r)
	if err == nil && m.Pages > fewRates {
		s.last, s.till = m, time.Now().Add(time.Duration(m.Pages)*goodPerRow)
	}
	return m, err
}

// Worth returns the score with which a re-crawl queues a page whose last visit was some time ago,
// given the job's mean rate in changes a day: what a visit is worth, weighted by how many domains
// have the page.
func Worth(r kv.Reader, o priority.Options, seq uint64, mean float64, since time.Duration) (float32, error) {
	rate, err := RateOf(r, seq)
	if err != nil {
		return 0, err
	}
	w := worth(rate.shrunk(mean), since.Hours()/24)
	size, ok, err := group.WholeSizeOf(r, seq)
	if ok {
		w += o.Mirrored(int(min(size.Degree, math.MaxUint16)))
	}
	return min(w, mostWorth), err
}
