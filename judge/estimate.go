package judge

import (
	"math"

	"gatecrawl.example/gatecrawl/dedup/exam"
)

// A Tally counts the answers about a stratum.
type Tally struct {
	Stratum
	Same   int           `json:"same"`
	Not    int           `json:"not"`
	Unsure int           `json:"unsure"`
	Share  exam.Interval `json:"share"` // share of pages that are the same as the other side, with bounds
}

// Sure returns the number of answers other than unsure.
func (t *Tally) Sure() int { return t.Same + t.Not }

// An Estimate extrapolates the answers to all pages of the job.
type Estimate struct {
	Strata    []Tally       `json:"strata"`
	Answered  int           `json:"answered"`
	Unsure    int           `json:"unsure"`
	Copies    int           `json:"copies"` // pages that the gate called copies
	Kept      int           `json:"kept"`   // kept pages that have something in common with another
	Others    int           `json:"others"` // kept pages that have nothing in common with another: they count as not copies
	Precision exam.Interval `json:"precision"`
	Recall    exam.Interval `json:"recall"`
	Lost      exam.Interval `json:"lost"`   // share of all pages that the gate wrongly calls copies
	Missed    exam.Interval `json:"missed"` // share that it wrongly keeps
}

// share returns the share of a stratum that is the same, with Wilson bounds for a finite
// population: unsure answers count as "not" in the lower bound and as "same" in the upper one.
// Without answers the bounds are 0 and 1.
func (t *Tally) share() exam.Interval {
	all := t.Sure() + t.Unsure
	if all == 0 {
		return exam.Interval{Value: .5, Low: 0, High: 1}
	}
	value := .5
	if t.Sure() > 0 {
		value = float64(t.Same) / float64(t.Sure())
	}
	if all >= t.Pages { // all pages were judged: there is no sampling error
		n := float64(all)
		return exam.Interval{Value: value, Low: float64(t.Same) / n, High: float64(t.Same+t.Unsure) / n}
	}
	low := exam.Wilson(float64(t.Same), float64(all)).Low
	high := exam.Wilson(float64(t.Same+t.Unsure), float64(all)).High
	return exam.Interval{Value: value, Low: min(low, value), High: max(high, value)}
}

// total adds up the shares of strata as numbers of pages. The bounds are those of a sum of
// independent estimates with bounds of their own (Zou and Donner 2008, MOVER). Strata without an
// answer are assumed to be like the others; in the bounds none or all of their pages are the same.
func total(list []Tally, take func(Tally) bool) (sum exam.Interval, pages int) {
	var same, asked, below, above float64
	for _, t := range list {
		if !take(t) {
			continue
		}
		n := float64(t.Pages)
		pages += t.Pages
		if t.Sure()+t.Unsure == 0 {
			continue
		}
		asked += n
		same += n * t.Share.Value
		below += math.Pow(n*(t.Share.Value-t.Share.Low), 2)
		above += math.Pow(n*(t.Share.High-t.Share.Value), 2)
	}
	all := float64(pages)
	if asked == 0 {
		return exam.Interval{Value: all / 2, Low: 0, High: all}, pages
	}
	return exam.Interval{
		Value: same * all / asked,
		Low:   max(0, same-math.Sqrt(below)),
		High:  min(all, same+math.Sqrt(above)+all-asked),
	}, pages
}

// Estimated makes an estimate from tallies, and from the number of kept pages that are in no stratum,
// since they have nothing in common with another page. Precision is the share of copies that are the same as
// the page that they were taken for a copy of. Recall is the number of these, divided by itself
// plus the number of kept pages that are the same as an earlier one. The bounds of recall combine
// its worst and its best case, and so are somewhat too wide.
func Estimated(list []Tally, others int) Estimate {
	e := Estimate{Strata: list, Others: others}
	for i := range list {
		list[i].Share = list[i].share()
		e.Answered += list[i].Sure() + list[i].Unsure
		e.Unsure += list[i].Unsure
	}
	right, copies := total(list, func(t Tally) bool { return t.Copy })
	missed, kept := total(list, func(t Tally) bool { return !t.Copy })
	e.Copies, e.Kept = copies, kept
	part := func(x, of float64) float64 {
		if of <= 0 {
			return 0
		}
		return x / of
	}
	over := func(i exam.Interval, of float64) exam.Interval {
		return exam.Interval{Value: part(i.Value, of), Low: part(i.Low, of), High: part(i.High, of)}
	}
	e.Precision = over(right, float64(copies))
	e.Recall = exam.Interval{
		Value: part(right.Value, right.Value+missed.Value),
		Low:   part(right.Low, right.Low+missed.High),
		High:  part(right.High, right.High+missed.Low),
	}
	pages := float64(copies + kept + others)
	wrong := exam.Interval{Value: float64(copies) - right.Value, Low: float64(copies) - right.High, High: float64(copies) - right.Low}
	e.Lost, e.Missed = over(wrong, pages), over(missed, pages)
	return e
}
