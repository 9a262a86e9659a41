package store

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
	"gatecrawl.example/gatecrawl/store/kv"
)

// SetDelay changes Options.Delay while the job is crawled. Rests that have begun are kept.
func (s *Store) SetDelay(d time.Duration) { s.queue.SetDelay(d) }

// Park leaves a host alone until a time, also where the job is opened again before that; the
// zero time lets it be asked again, also where it was parked since it does not answer. The
// error is gatecrawl.ErrUnknown for a host that the job never met.
func (s *Store) Park(_ context.Context, host string, till time.Time) error {
	u, err := weburl.Parse("http://" + host + "/")
	if err != nil {
		return fmt.Errorf("park: %q is not the name of a host", weburl.Shorten(host))
	}
	if !s.queue.Park(u.Key().Host(), till) {
		return fmt.Errorf("park %s: %w", u.Host(), gatecrawl.ErrUnknown)
	}
	err = s.write(func(t *txn) error {
		t.queue.TouchHost(u)
		return nil
	})
	if err != nil {
		return fmt.Errorf("park %s: %w", u.Host(), err)
	}
	return nil
}

// Hosts is gatecrawl.HostLister's.
func (s *Store) Hosts(_ context.Context, q gatecrawl.HostQuery) (out []gatecrawl.HostState, err error) {
	names := q.Names
	if names == nil {
		err := s.kv.View(context.Background(), func(r kv.Reader) (err error) {
			names, err = s.queue.Top(r, q.By, q.Limit)
			return err
		}, queue.TableHosts)
		if err != nil {
			return nil, fmt.Errorf("hosts: %w", err)
		}
	}
	for _, name := range names {
		if st := s.hostState(name); st != nil {
			t := s.queue.Turn(name)
			st.InHand, st.Since, st.Due = t.InHand, asked(t.Since), asked(t.Due)
			out = append(out, *st)
		}
	}
	return out, nil
}

// asked returns a time as it is shown; nil: there is none.
func asked(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.Round(0).UTC()
	return &t
}

// spans is in how many places a queue is looked at that is longer than a sample.
const spans = 64

// Waiting is gatecrawl.HostLister's.
func (s *Store) Waiting(_ context.Context, sample int) (gatecrawl.Waiting, error) {
	w := gatecrawl.Waiting{Queued: s.Totals().Queued, Depths: []gatecrawl.DepthRow{}, Scores: []gatecrawl.ScoreRow{}}
	depths, scores := make(map[int]int64), make(map[int]int64)
	err := s.kv.View(context.Background(), func(r kv.Reader) error {
		in := snapshot{r}
		n := spans
		if w.Queued <= int64(sample) {
			n = 1
		}
		var next []byte
		for i := range n {
			if from := []byte{byte(i * 256 / n)}; bytes.Compare(from, next) > 0 { // the first byte of a key is as good as random
				next = from
			}
			var err error
			if next, err = in.span(next, max(1, sample/n), depths, scores, &w.Looked); err != nil || next == nil {
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
	return w, nil
}

// span counts entries of the queue from a key on, at most so many. It returns the key of the
// next one, nil if there is none.
func (in snapshot) span(from []byte, most int, depths, scores map[int]int64, looked *int64) ([]byte, error) {
	n := 0
	for e, err := range in.Scan(queue.TableEntries, from, nil) {
		if err != nil {
			return nil, err
		}
		if n == most {
			return bytes.Clone(e.Key), nil
		}
		n++
		rec, ok, err := in.url(queue.KeyOf(e.Key, e.Value))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		*looked++
		depths[int(rec.Signals.Depth)]++
		scores[int(math.Floor(float64(rec.Score)))]++
	}
	return nil, nil
}

// Head returns the n waiting URLs with the highest scores, the best first. It reads the whole
// queue.
func (s *Store) Head(ctx context.Context, n int) (urls []string, err error) {
	err = s.look(func(in snapshot) error {
		heads, err := queue.Heads(ctx, in, n)
		if err != nil {
			return err
		}
		for _, k := range heads {
			rec, ok, err := in.url(k)
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
