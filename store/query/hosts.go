package query

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// hostState returns what is known of a host; nil if it is not known.
func (q *Reader) hostState(name string) *gatecrawl.HostState {
	r, held := q.job.Queue.Host(name)
	if r == nil {
		return nil
	}
	st := &gatecrawl.HostState{Name: name, Queued: r.Queued, Fetched: r.Fetched, Address: r.Address, Rest: r.Owed.Seconds(), Held: held, Rated: r.Rated}
	if r.Rated > 0 {
		st.Harvest = float64(r.Sum) / float64(r.Rated)
	}
	if t := r.Failures; t != nil {
		st.Failures, st.Failure = t.Count, t.Why
		if !t.Parked.IsZero() {
			till := t.Parked.Round(0).UTC()
			st.Parked = &till
		}
	}
	if !r.Aside.IsZero() {
		till := r.Aside
		if t := r.Failures; t != nil && t.Parked.After(till) {
			till = t.Parked
		}
		st.Parked, st.ByHand = asked(till), true
	}
	return st
}

// Hosts implements gatecrawl.HostLister.
func (q *Reader) Hosts(_ context.Context, want gatecrawl.HostQuery) (out []gatecrawl.HostState, err error) {
	names := want.Names
	var later map[weburl.HostKey]queue.Retries
	err = q.job.Tables.View(context.Background(), func(r kv.Reader) (err error) {
		if later, err = queue.RetriesOf(r); err != nil || names != nil {
			return err
		}
		most := want.Limit
		if most > 0 {
			most += want.Skip
		}
		names, err = q.job.Queue.Top(r, want.By, most)
		names = names[min(want.Skip, len(names)):]
		return err
	}, queue.TableHosts, queue.TableLater)
	if err != nil {
		return nil, fmt.Errorf("hosts: %w", err)
	}
	for _, name := range names {
		if st := q.hostState(name); st != nil {
			t := q.job.Queue.Turn(name)
			st.InHand, st.Since, st.Due = t.InHand, asked(t.Since), asked(t.Due)
			n := later[weburl.HostKeyOf(name)]
			st.Later, st.Again = n.URLs, asked(n.At)
			out = append(out, *st)
		}
	}
	return out, nil
}

// asked returns a time for display; nil: there is none.
func asked(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.Round(0).UTC()
	return &t
}

// spans is at how many places a queue is read that is longer than a sample.
const spans = 64

// Waiting implements gatecrawl.HostLister.
func (q *Reader) Waiting(_ context.Context, want gatecrawl.WaitingQuery) (gatecrawl.Waiting, error) {
	w := gatecrawl.Waiting{Queued: q.job.Totals().Queued, Depths: []gatecrawl.DepthRow{}, Scores: []gatecrawl.ScoreRow{}}
	depths, scores := make(map[int]int64), make(map[int]int64)
	err := q.job.Tables.View(context.Background(), func(r kv.Reader) error {
		in := job.Snapshot{Reader: r}
		n := min(spans, max(1, want.Sample))
		if w.Queued <= int64(want.Sample) {
			n = 1
		}
		var next []byte
		for i := range n {
			if from := []byte{byte(i * 256 / n)}; bytes.Compare(from, next) > 0 { // the first byte of a key is as good as a random one
				next = from
			}
			var err error
			if next, err = eachOfSpan(in, next, max(1, want.Sample/n), func(rec *queue.Record) {
				w.Looked++
				depths[int(rec.Signals.Depth)]++
				scores[int(math.Floor(float64(rec.Score)))]++
				if want.List {
					w.URLs = append(w.URLs, gatecrawl.WaitingURL{URL: rec.URL, Depth: int(rec.Signals.Depth), Score: rec.Score})
				}
			}); err != nil || next == nil {
				return err
			}
		}
		return nil
	}, queue.TableEntries, queue.TableURLs)
	if err != nil {
		return w, fmt.Errorf("queue: %w", err)
	}
	for d, n := range depths {
		w.Depths = append(w.Depths, gatecrawl.DepthRow{Depth: d, URLs: n})
	}
	for f, n := range scores {
		w.Scores = append(w.Scores, gatecrawl.ScoreRow{From: f, URLs: n})
	}
	slices.SortFunc(w.Depths, func(a, b gatecrawl.DepthRow) int { return a.Depth - b.Depth })
	slices.SortFunc(w.Scores, func(a, b gatecrawl.ScoreRow) int { return b.From - a.From })
	gatecrawl.SortWaiting(w.URLs)
	return w, nil
}

// eachOfSpan calls fn for at most `most` entries of the queue, from a key on. It returns the key of
// the next entry, nil at the end.
func eachOfSpan(in job.Snapshot, from []byte, most int, fn func(*queue.Record)) ([]byte, error) {
	n := 0
	for e, err := range in.Scan(queue.TableEntries, from, nil) {
		if err != nil {
			return nil, err
		}
		if n == most {
			return bytes.Clone(e.Key), nil
		}
		n++
		rec, ok, err := in.URL(queue.KeyOf(e.Key, e.Value))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		fn(&rec)
	}
	return nil, nil
}

// Head returns the n waiting URLs with the highest scores, the best first. It reads the whole
// queue.
func (q *Reader) Head(ctx context.Context, n int) (urls []string, err error) {
	err = q.look(func(in job.Snapshot) error {
		heads, err := queue.Heads(ctx, in, n)
		if err != nil {
			return err
		}
		for _, k := range heads {
			rec, ok, err := in.URL(k)
			if err != nil {
				return err
			}
			if ok {
				urls = append(urls, rec.URL)
			}
		}
		return nil
	})
	return urls, err
}
