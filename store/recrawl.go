package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"gatecrawl"
	"gatecrawl/frontier"
)

// requeueChunk is how many records one transaction of Requeue looks at.
const requeueChunk = 5_000

// Requeue is gatecrawl.Store's.
func (s *Store) Requeue(ctx context.Context, before time.Time, copies float64) (gatecrawl.Requeued, error) {
	var all gatecrawl.Requeued
	for from := uint64(1); ; {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		looked, n := 0, gatecrawl.Requeued{}
		err := s.write(func(t *txn) error {
			var err error
			looked, n, err = t.requeue(from, before, copies)
			return err
		})
		if err != nil {
			return all, fmt.Errorf("queue pages again: %w", err)
		}
		all.Asked += n.Asked
		all.Spared += n.Spared
		if looked < requeueChunk {
			return all, nil
		}
		from += requeueChunk
	}
}

// requeue looks at some records from the given place on, and puts those back
// into the queue that were last asked for before the given time; of copies, for
// which their kept pages are asked, the share that is given.
func (t *txn) requeue(from uint64, before time.Time, copies float64) (looked int, n gatecrawl.Requeued, err error) {
	// The records first: writing moves what a cursor stands on.
	now := time.Now()
	var due []frontier.Key
	var orphans []uint64
	c := t.pages.Cursor()
	for k, b := c.Seek(seqKey(from)); k != nil && looked < requeueChunk; k, b = c.Next() {
		looked++
		p, v, err := decodePage(b)
		if err != nil {
			return 0, n, fmt.Errorf("page %d: %w", seqOf(k), err)
		}
		if p.ReplacedBy != 0 || !p.Asked().Before(before) && !p.Asked().After(now) { // after: the clock was set back since
			continue
		}
		u, err := frontier.Parse(p.URL)
		if err != nil {
			return 0, n, fmt.Errorf("page %d: %w", seqOf(k), err)
		}
		of := uint64(v.Of)
		switch {
		case !v.Copy() || copies >= 1 || sampled(u.Key(), t.rate(of).visits, copies):
			due = append(due, u.Key())
		case t.isRetired(of):
			orphans = append(orphans, of)
			n.Spared++
		default:
			n.Spared++
		}
	}
	for _, k := range due {
		rec, err := t.url(k)
		if err != nil {
			return 0, n, err
		}
		if rec == nil || rec.state != done {
			continue // it waits already
		}
		rec.attempt = 0
		t.enqueue(k, rec)
		n.Asked++
	}
	for _, of := range orphans {
		if err := t.contest(of); err != nil {
			return 0, n, err
		}
	}
	return looked, n, nil
}

// sampled draws a copy with the given chance. The same copy of a group that was
// visited as often is drawn or not, whenever it is asked; at another visit of the
// group others are drawn.
func sampled(k frontier.Key, visits uint64, share float64) bool {
	h := fnv.New64a()
	h.Write(k[:])
	h.Write(binary.BigEndian.AppendUint64(nil, visits))
	return float64(h.Sum64()>>11)/(1<<53) < share
}

// bucketRates has, by the seq of a kept page that was asked for again, how often
// it was found changed. Jobs without visits of known pages lack it.
var bucketRates = []byte("rates")

const rateForm = 1

// A rateRecord counts the visits of a kept page after the first.
type rateRecord struct {
	visits  uint64
	changes uint64 // visits that found another document
	seconds uint64 // between the first visit and the last
}

func (r rateRecord) encode() []byte {
	e := encoder{make([]byte, 0, 16)}
	e.byte(rateForm)
	e.uint(r.visits)
	e.uint(r.changes)
	e.uint(r.seconds)
	return e.b
}

func decodeRate(b []byte) rateRecord {
	d := decoder{b: b}
	if d.byte() != rateForm {
		return rateRecord{} // an estimate begins anew
	}
	return rateRecord{visits: d.uint(), changes: d.uint(), seconds: d.uint()}
}

// rate returns what is counted of a kept page.
func (t *txn) rate(seq uint64) rateRecord {
	b := t.tx.Bucket(bucketRates)
	if b == nil {
		return rateRecord{}
	}
	v := b.Get(seqKey(seq))
	if v == nil {
		return rateRecord{}
	}
	return decodeRate(v)
}

// putRate keeps a count under a page, and forgets it under the one that had it.
func (t *txn) putRate(from, to uint64, r rateRecord) error {
	b, err := t.tx.CreateBucketIfNotExists(bucketRates)
	if err == nil && from != to {
		err = b.Delete(seqKey(from))
	}
	if err == nil {
		err = b.Put(seqKey(to), r.encode())
	}
	if err != nil {
		return fmt.Errorf("change rate of page %d: %w", to, err)
	}
	return nil
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

// changeRate tells what is counted of a kept page; nil: nothing.
func (in glance) changeRate(seq uint64) *gatecrawl.ChangeRate {
	b := in.Bucket(bucketRates)
	if b == nil {
		return nil
	}
	v := b.Get(seqKey(seq))
	if v == nil {
		return nil
	}
	r := decodeRate(v)
	return &gatecrawl.ChangeRate{Visits: r.visits, Changes: r.changes, Seconds: r.seconds, PerDay: r.perDay()}
}
