package store

import (
	"context"
	"fmt"
	"iter"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Alive implements gatecrawl.Inspector.
func (s *Store) Alive(ctx context.Context, url string) (linkrot.Lost, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return linkrot.Lost{}, err
	}
	lost, ok, err := s.lookups.Find(ctx, u)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
	}
	if err != nil {
		return lost, fmt.Errorf("alive: %w", err)
	}
	return lost, nil
}

// A lostJob implements linkrot.Job for a job.
type lostJob struct{ s *Store }

// Page implements linkrot.Job.
func (j lostJob) Page(r kv.Reader, k weburl.Key) (uint64, bool, error) {
	rec, ok, err := snapshot{Reader: r}.URL(k)
	return rec.Page, ok, err
}

// Hosts implements linkrot.Job.
func (j lostJob) Hosts(domain string) (hosts []weburl.HostKey, err error) {
	err = j.s.kv.View(context.Background(), func(r kv.Reader) (err error) {
		hosts, err = queue.HostsOf(r, domain)
		return err
	}, queue.TableHosts)
	return hosts, err
}

// URLs implements linkrot.Job.
func (j lostJob) URLs(r kv.Reader, h weburl.HostKey, from weburl.Key) iter.Seq2[linkrot.PageAt, error] {
	return func(yield func(linkrot.PageAt, error) bool) {
		for e, err := range kv.PrefixFrom(r, queue.TableURLs, h[:], from[:]) {
			var at linkrot.PageAt
			if err == nil {
				var rec queue.Record
				rec, err = queue.Decode(e.Value)
				at = linkrot.PageAt{URL: weburl.Key(e.Key), Page: rec.Page}
			}
			if !yield(at, err) || err != nil {
				return
			}
		}
	}
}

// Body implements linkrot.Job.
func (j lostJob) Body(r kv.Reader, seq uint64) ([]byte, error) { return j.s.archive.Body(r, seq) }

// Text implements linkrot.Job.
func (j lostJob) Text(of dedup.Ref) (dedup.Text, bool, error) { return j.s.Text(of) }

// Copies implements linkrot.Job.
func (j lostJob) Copies(r kv.Reader, kept uint64) iter.Seq2[weburl.Key, error] {
	return group.Voters(r, kept)
}

// Successor implements linkrot.Job.
func (j lostJob) Successor(r kv.Reader, kept uint64) (uint64, error) { return group.Successor(r, kept) }

// Relations implements linkrot.Job.
func (j lostJob) Relations(ctx context.Context) ([]mirror.Relation, error) {
	return j.s.reader.Relations(ctx)
}

// Visits implements linkrot.Job.
func (j lostJob) Visits() int64 {
	t := j.s.Totals()
	return t.Pages + t.Revisits
}
