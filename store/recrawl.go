package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// requeueChunk is how many records one transaction of Requeue looks at, and after
// how many that it queued it takes no more.
const requeueChunk = 5_000

// A requeueing is a Requeue on its way. It is part of the job's state, so that one
// that a crash cut short is brought to its end.
type requeueing struct {
	Before time.Time `json:"before"`          // pages last visited before then
	Began  time.Time `json:"began"`           // for how long ago that was
	Copies float64   `json:"copies"`          // share of the copies
	Rate   float64   `json:"rate"`            // changes a day of a page of which nothing is known
	From   uint64    `json:"from"`            // the record that is looked at next
	Turn   uint64    `json:"turn,omitempty"`  // how many re-crawls there were before
	Least  *int      `json:"least,omitempty"` // the least step of worth that is asked for; nil: all are
	Room   int       `json:"room,omitempty"`  // pages of that step that may be asked for

	rested int // what each passed over, since it is not its turn
}

// Requeue puts settled URLs back into the queue, those first of which a visit is worth most:
// that are likely to have changed, and to stay as they are then. Copies are answered for by
// their kept pages. Of redirects and URLs without a page one in eight is asked for, and of
// those that were as before one in sixteen, then one in 32, others each time. Records stay:
// when such a URL is settled again and its page is what it was, the record stays and says
// so; when it changed, it gets a record of its own, the old one names it, and the vote of an
// old copy is taken back. When a kept page with copies changed or is gone, its copies are
// queued one by one until one shows what became of the group: one that stayed becomes the
// kept page of the others. Asking again for the same time queues nothing twice. A Requeue
// that was cut short is brought to its end by the next one, whatever that asks for.
func (s *Store) Requeue(ctx context.Context, a gatecrawl.Again) (gatecrawl.Requeued, error) {
	all, err := s.goOn(ctx)
	if err == nil && !a.Before.IsZero() && ctx.Err() == nil {
		if err = s.beginAgain(ctx, a, &all); err == nil {
			var more gatecrawl.Requeued
			more, err = s.goOn(ctx)
			all.Add(more)
		}
	}
	if err != nil {
		return all, fmt.Errorf("queue pages again: %w", err)
	}
	return all, ctx.Err()
}

// Finished reports whether the last run ended because nothing was left, and nothing came
// since.
func (s *Store) Finished() bool {
	s.stateMu.Lock()
	ended := s.state.Stopped == string(gatecrawl.Done)
	s.stateMu.Unlock()
	t := s.Totals()
	return ended && t.Queued+t.Later+t.Leased == 0
}

// beginAgain decides what is asked for.
func (s *Store) beginAgain(ctx context.Context, a gatecrawl.Again, all *gatecrawl.Requeued) error {
	q := &requeueing{Before: a.Before, Began: time.Now().UTC(), Copies: a.Copies, From: 1}
	s.stateMu.Lock()
	q.Turn = s.state.Recrawls
	s.stateMu.Unlock()
	err := s.look(func(in snapshot) error {
		mean, err := in.meanRate()
		q.Rate = max(leastRate, mean.PerDay)
		return err
	})
	if err == nil && a.Pages > 0 {
		all.Put, err = s.choose(ctx, q, a.Pages)
	}
	if err != nil {
		return err
	}
	return s.write(func(t *txn) error {
		t.state.Again, t.state.Stopped, t.state.Recrawled = q, "", q.Began
		t.state.Recrawls++
		if err := s.twins.Recrawl(t.tx, q.Copies); err != nil {
			return err
		}
		return s.rules.Recrawl(t.tx, q.Copies)
	})
}

// choose sets the least worth with which no more than the given number of pages
// are asked for. It returns how many are not.
func (s *Store) choose(ctx context.Context, q *requeueing, most int) (put int, err error) {
	steps := make(map[int]int) // pages, by their worth: some hundred steps
	n := 0
	for from := uint64(1); from > 0 && err == nil && ctx.Err() == nil; {
		err = s.look(func(in snapshot) (err error) {
			from, err = q.each(in, s.priority, from, func(_ uint64, p *page.Record, worth float32) (int, error) {
				if p.ReplacedBy == 0 {
					steps[step(worth)]++
					n++
				}
				return 0, nil
			})
			return err
		})
	}
	if err != nil || n <= most {
		return 0, err
	}
	least := step(mostWorth)
	for left := most; ; least-- {
		if steps[least] > left {
			q.Least, q.Room = &least, left
			return n - most, nil
		}
		left -= steps[least]
	}
}

// step is the worth of a page in steps of an eighth.
func step(worth float32) int { return int(math.Floor(float64(worth) * 8)) }

// goOn queues what a requeueing has left.
func (s *Store) goOn(ctx context.Context) (all gatecrawl.Requeued, err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		err = s.write(func(t *txn) error {
			more = t.state.Again != nil
			if !more {
				return nil
			}
			n, err := t.requeue()
			all.Add(n)
			return err
		})
	}
	return all, err
}

// requeue puts some records back into the queue. It looks at those of kept pages
// and of what is no document; copies are found by them.
func (t *txn) requeue() (n gatecrawl.Requeued, err error) {
	type wanted struct {
		seq   uint64
		page  page.Record
		worth float32
	}
	q := *t.state.Again
	q.rested = 0
	var due []wanted
	q.From, err = q.each(t.in(), t.s.priority, q.From, func(seq uint64, p *page.Record, worth float32) (int, error) {
		if p.ReplacedBy == 0 && !q.takes(worth) {
			return 0, nil
		}
		due = append(due, wanted{seq, *p, worth})
		g, _, err := t.in().group(seq)
		return int(math.Ceil(q.Copies * float64(g.copies))), err
	})
	if err != nil {
		return n, err
	}
	n.Rested = q.rested
	for _, w := range due {
		if w.page.ReplacedBy == 0 {
			asked, err := t.askAgain(w.page.URL, &w.worth)
			if err != nil {
				return n, err
			}
			n.Asked += asked
		}
		asked, spared, err := t.askCopies(w.seq, &q)
		if err != nil {
			return n, err
		}
		n.Asked += asked
		n.Spared += spared
	}
	t.state.Again = &q
	if q.From == 0 {
		t.state.Again = nil
	}
	return n, nil
}

// takes reports whether a page of this worth is asked for, and counts it.
func (q *requeueing) takes(worth float32) bool {
	switch {
	case q.Least == nil || step(worth) > *q.Least:
		return true
	case step(worth) < *q.Least || q.Room == 0:
		return false
	}
	q.Room--
	return true
}

// each hands to fn what is no copy and was last visited before q.Before, from a
// record on, with the worth of a visit; and kept pages of the past that have
// copies. fn returns how many more records it has to do with; after requeueChunk
// of all each returns the next record, 0 at the end.
func (q *requeueing) each(in snapshot, o priority.Options, from uint64, fn func(seq uint64, p *page.Record, worth float32) (int, error)) (next uint64, err error) {
	looked, now := 0, time.Now()
	for e, err := range in.Scan(tablePages, seqKey(from), nil) {
		if err != nil {
			return 0, err
		}
		seq := seqOf(e.Key)
		if looked >= requeueChunk {
			return seq, nil
		}
		looked++
		p, v, err := decodePage(e.Value)
		if err != nil {
			return 0, fmt.Errorf("page %d: %w", seq, err)
		}
		waits := !p.Asked().Before(q.Before) && !p.Asked().After(now) // after: the clock was set back since
		if v.Copy() || waits {
			continue
		}
		if p.ReplacedBy != 0 {
			_, ok, err := in.group(seq)
			if err != nil {
				return 0, err
			}
			if !ok {
				continue
			}
		}
		rate, err := in.rate(seq)
		if err != nil {
			return 0, err
		}
		if q.rests(&p, rate) {
			q.rested++
			continue
		}
		w, err := in.worthAgain(o, seq, q.Rate, q.Began.Sub(p.Asked()))
		if err != nil {
			return 0, err
		}
		n, err := fn(seq, &p, w)
		if err != nil {
			return 0, err
		}
		looked += n
	}
	return 0, nil
}

// worthAgain is the score with which a re-crawl queues a page that was last visited
// some time ago, where a page of which nothing is known changes at the given rate: what
// a visit brings, weighed by how many domains carry the page.
func (in snapshot) worthAgain(o priority.Options, seq uint64, rate float64, since time.Duration) (float32, error) {
	r, err := in.rate(seq)
	if err != nil {
		return 0, err
	}
	w := worth(r.shrunk(rate), since.Hours()/24)
	g, ok, err := in.group(seq)
	if ok {
		w += o.Mirrored(int(min(g.degree, math.MaxUint16)))
	}
	return min(w, mostWorth), err
}

// The first and the longest interval, in re-crawls, in which a redirect or a URL
// without a page is asked for. It doubles each time that it is as before. So what comes
// to life is met within 32 re-crawls, and sooner by a link to where it moved.
const firstRest, longestRest = 8, 32

// rests reports whether a record is of what hardly ever changes, a redirect or an
// URL without a page, and it is not its turn. What a user named is asked for.
func (q *requeueing) rests(p *page.Record, r rateRecord) bool {
	lasting := p.Rule == "redirect" || p.Rule == "soft-404" || p.Status == http.StatusNotFound || p.Status == http.StatusGone
	if p.Document() || !lasting || p.Depth == 0 || p.ReplacedBy != 0 {
		return false
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return false
	}
	turns := min(firstRest<<min(r.visits, 8), longestRest)
	return !sampled(u.Key(), q.Turn, max(1/float64(turns), q.Copies))
}

// askAgain queues a settled URL. A worth gives it its place in the queue; without
// one it has that of its signals. It returns 0 where the URL waits already.
func (t *txn) askAgain(url string, worth *float32) (int, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return 0, err
	}
	k := u.Key()
	rec, err := t.url(k)
	if err != nil || rec == nil || rec.state != done {
		return 0, err
	}
	rec.attempt = 0
	if worth != nil {
		rec.score = *worth
	}
	t.enqueue(k, rec)
	return 1, nil
}

// askCopies queues the copies of a page whose turn it is. Where it speaks for them
// no longer, one of them is asked what became of the group.
func (t *txn) askCopies(of uint64, q *requeueing) (asked, spared int, err error) {
	if _, ok, err := t.in().group(of); err != nil || !ok {
		return 0, 0, err
	}
	r, err := t.in().rate(of)
	if err != nil {
		return 0, 0, err
	}
	var urls []string
	for key, err := range t.in().voters(of) {
		if err != nil {
			return 0, 0, err
		}
		spared++
		if !sampled(key, r.turn, q.Copies) {
			continue
		}
		p, err := t.voterPage(of, key)
		if err != nil {
			return 0, 0, err
		}
		if p.Asked().Before(q.Before) {
			urls = append(urls, p.URL)
		}
	}
	for _, u := range urls {
		n, err := t.askAgain(u, nil)
		if err != nil {
			return 0, 0, err
		}
		asked += n
	}
	r.turn++
	t.putRate(of, of, r)
	retired, err := t.in().isRetired(of)
	if retired {
		err = t.contest(of)
	}
	return asked, spared - asked, err
}

// voterPage reads the record of a copy.
func (t *txn) voterPage(of uint64, k weburl.Key) (page.Record, error) {
	rec, err := t.url(k)
	if err == nil && rec == nil {
		err = fmt.Errorf("group of page %d: voter %s is no url", of, k)
	}
	if err != nil {
		return page.Record{}, err
	}
	p, _, err := t.page(rec.seq)
	return p, err
}

// sampled reports whether it is a copy's turn: each comes once in 1/share turns.
func sampled(k weburl.Key, turn uint64, share float64) bool {
	h := fnv.New64a()
	h.Write(k[:])
	at := float64(scatterBits(h.Sum64())>>11) / (1 << 53)
	_, place := math.Modf(at + float64(turn)*share)
	return share >= 1 || place < share
}

// scatterBits spreads what FNV leaves alike: the last step of SplitMix64.
func scatterBits(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// isGone reports whether a document was gone when it was last asked for.
func isGone(p *page.Record) bool {
	return gatecrawl.GoneStatus(p.RevisitStatus)
}

// tableRates has, by the seq of a kept page, or of what is no document, that was
// asked for again, how often it was found changed.
var tableRates = &kv.Table{Name: "rates"}

const rateForm = 1

// A rateRecord counts the visits of a kept page after the first.
type rateRecord struct {
	visits  uint64
	changes uint64 // visits that found another document
	seconds uint64 // between the first visit and the last
	turn    uint64 // times that its copies were sampled
}

func (r rateRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 16)}
	e.Byte(rateForm)
	e.Uint(r.visits)
	e.Uint(r.changes)
	e.Uint(r.seconds)
	e.Uint(r.turn)
	return e.B
}

func decodeRate(b []byte) rateRecord {
	d := row.Decoder{B: b}
	if d.Byte() != rateForm {
		return rateRecord{} // an estimate begins anew
	}
	r := rateRecord{visits: d.Uint(), changes: d.Uint(), seconds: d.Uint()}
	if len(d.B) > 0 {
		r.turn = d.Uint()
	}
	return r
}

// rate returns what is counted of a kept page.
func (in snapshot) rate(seq uint64) (rateRecord, error) {
	v, err := in.Get(tableRates, seqKey(seq))
	if err != nil || v == nil {
		return rateRecord{}, err
	}
	return decodeRate(v), nil
}

// putRate keeps a count under a page, and forgets it under the one that had it.
func (t *txn) putRate(from, to uint64, r rateRecord) {
	if from != to {
		t.tx.Delete(tableRates, seqKey(from))
	}
	t.tx.Put(tableRates, seqKey(to), r.encode())
}

// visited counts one more visit of a kept page.
func (r rateRecord) visited(since time.Time, now time.Time, changed bool) rateRecord {
	r.visits++
	if changed {
		r.changes++
	}
	r.seconds += uint64(max(0, now.Sub(since)/time.Second))
	return r
}

// perDay estimates how often a day the page changes: -ln((n-x+0.5)/(n+0.5)) per
// mean interval, for x changes in n visits (Cho and Garcia-Molina, Estimating
// frequency of change, ACM TOIT 3(3), 2003, section 4.3). The plain x/n is far
// too low where a page changes more often than it is visited.
func (r rateRecord) perDay() float64 {
	if r.visits == 0 || r.seconds == 0 {
		return 0
	}
	n, x := float64(r.visits), float64(r.changes)
	days := float64(r.seconds) / n / (24 * 60 * 60)
	return max(0, -math.Log((n-x+0.5)/(n+0.5))/days) // and never -0
}

// leastRate is how often a day a page is taken to change of which nothing is
// known, where other pages of the job are known to change less often: once a year.
const leastRate = 1. / 365

// shrunk is perDay with the job's mean as one visit more: what never changed is
// asked for ever less often, and still.
func (r rateRecord) shrunk(mean float64) float64 {
	n := float64(r.visits)
	if r.seconds == 0 {
		n = 0
	}
	return (n*r.perDay() + mean) / (n + 1)
}

// mostWorth and leastWorth bound what a visit is worth.
const mostWorth, leastWorth = 32, -64

// worth is what a visit brings of a page that changes at a rate, a day, and was
// visited some days ago: the binary logarithm of
//
//	(1 - (1+x) e^-x) / rate days, with x = rate * days,
//
// by which the time that our version of it is the page's own grows with the
// frequency of visits. Visits bring most where this is the same for all pages
// (Cho and Garcia-Molina, Effective page refresh policies for web crawlers, ACM
// TODS 28(4), 2003, section 4): a page that changes all the time is worth less
// than one that changed by now and will stay so.
func worth(rate, days float64) float32 {
	x := rate * max(0, days)
	gain := 1.
	switch {
	case x < 1e-3:
		gain = x * x * (1./2 - x/3) // where the difference below is all rounding
	case x < 100:
		gain = 1 - (1+x)*math.Exp(-x)
	}
	return float32(max(leastWorth, min(mostWorth, math.Log2(gain/rate))))
}

// meanRate tells what is counted of all, and their mean rate.
func (in snapshot) meanRate() (all gatecrawl.ChangeRate, err error) {
	pages, sum := 0, 0.
	err = each(in, tableRates, func(_, v []byte) error {
		r := decodeRate(v)
		if r.visits == 0 {
			return nil
		}
		pages++
		sum += r.perDay()
		all.Visits += r.visits
		all.Changes += r.changes
		all.Seconds += r.seconds
		return nil
	})
	all.PerDay = sum / float64(max(pages, 1))
	return all, err
}

// changeRate tells what is counted of a kept page that was last visited at the
// given time; nil: nothing.
func (in snapshot) changeRate(seq uint64, last time.Time) (*gatecrawl.ChangeRate, error) {
	r, err := in.rate(seq)
	if err != nil || r.visits == 0 {
		return nil, err
	}
	mean, err := in.meanRate()
	if err != nil {
		return nil, err
	}
	days := max(0, time.Since(last).Hours()/24) // the clock may have been set back since
	stale := -math.Expm1(-days * r.shrunk(max(leastRate, mean.PerDay)))
	return &gatecrawl.ChangeRate{Visits: r.visits, Changes: r.changes, Seconds: r.seconds, PerDay: r.perDay(), Stale: stale}, nil
}
