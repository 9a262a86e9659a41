package query

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A targets finds the URLs of targets of links. It is for one goroutine.
type targets struct {
	in   kv.Reader
	urls map[linkgraph.Target]string

	elsewhere func(prefix []byte) (string, error)
}

// maxTargets bounds how many URLs of targets are held in memory.
const maxTargets = 1 << 16

func (q *Reader) newTargets(in kv.Reader) *targets {
	return &targets{in: in, urls: make(map[linkgraph.Target]string), elsewhere: q.job.Elsewhere}
}

// url returns the URL of a target; "" if the job does not know it any more.
func (t *targets) url(to linkgraph.Target) (string, error) {
	if url, ok := t.urls[to]; ok {
		return url, nil
	}
	e, ok, err := kv.First(kv.Prefix(t.in, queue.TableURLs, to[:]))
	if err != nil {
		return "", err
	}
	url := ""
	if ok {
		rec, err := queue.Decode(e.Value)
		if err != nil {
			return "", fmt.Errorf("url %x: %w", e.Key, err)
		}
		url = rec.URL
	} else if url, err = t.elsewhere(to[:]); err != nil {
		return "", err
	}
	if len(t.urls) == maxTargets {
		clear(t.urls)
	}
	t.urls[to] = url
	return url, nil
}

// edge returns a link of the page with this URL; ok is false if its target is not known.
func (t *targets) edge(from string, l *linkgraph.Link) (e gatecrawl.Edge, ok bool, err error) {
	to, err := t.url(l.Target)
	return gatecrawl.Edge{From: from, To: to, Text: l.Text, NoFollow: l.NoFollow, Body: l.Body}, to != "", err
}

// linkingPage returns the record of a page whose links count; nil for another page.
func linkingPage(in job.Snapshot, seq uint64) (*page.Record, error) {
	p, _, err := in.Page(seq)
	if err != nil || p.Verdict != page.VerdictNew || p.ReplacedBy != 0 {
		return nil, err
	}
	return &p, nil
}

// LinksTo implements gatecrawl.Inspector.
func (q *Reader) LinksTo(ctx context.Context, urls []string, fn func(gatecrawl.Edge) error) error {
	wanted := make(map[linkgraph.Target]string, len(urls))
	for _, text := range urls {
		u, err := weburl.Parse(text)
		if err != nil {
			return err
		}
		wanted[linkgraph.TargetOf(u.Key())] = u.String()
	}
	return q.look(func(in job.Snapshot) error {
		r := q.job.Links.Reader(in)
		defer r.Close()
		return r.Each(ctx, false, func(seq uint64, links []linkgraph.Link) error {
			if !slices.ContainsFunc(links, func(l linkgraph.Link) bool { _, ok := wanted[l.Target]; return ok }) {
				return nil
			}
			p, err := linkingPage(in, seq)
			if err != nil || p == nil {
				return err
			}
			full, _, err := r.Of(seq) // with their words
			if err != nil {
				return err
			}
			for _, l := range full {
				if to, ok := wanted[l.Target]; ok {
					if err := fn(gatecrawl.Edge{From: p.URL, To: to, Text: l.Text, NoFollow: l.NoFollow, Body: l.Body}); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// LinksFrom implements gatecrawl.Inspector.
func (q *Reader) LinksFrom(_ context.Context, url string, fn func(gatecrawl.Edge) error) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	return q.look(func(in job.Snapshot) error {
		rec, ok, err := in.URL(u.Key())
		if err != nil {
			return err
		}
		if !ok {
			return neverMet(in, u)
		}
		r := q.job.Links.Reader(in)
		defer r.Close()
		edges, err := edgesOf(r, q.newTargets(in), rec.Page, u.String())
		if err != nil {
			return err
		}
		if edges == nil {
			return fmt.Errorf("%s: no links of it are kept: %w", u, gatecrawl.ErrUnknown)
		}
		for _, e := range edges {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// edgesOf returns the links of a page; nil if none are stored.
func edgesOf(r *linkgraph.Reader, t *targets, seq uint64, url string) ([]gatecrawl.Edge, error) {
	links, ok, err := r.Of(seq)
	if err != nil || !ok {
		return nil, err
	}
	edges := make([]gatecrawl.Edge, 0, len(links))
	for i := range links {
		e, ok, err := t.edge(url, &links[i])
		if err != nil {
			return nil, err
		}
		if ok {
			edges = append(edges, e)
		}
	}
	return edges, nil
}

// inlinks says how many pages link to each settled URL. It takes 17 bytes a URL.
type inlinks struct {
	targets []linkgraph.Target // sorted
	counts  []uint32
}

// countInlinks counts the links to URLs that have a record.
func (q *Reader) countInlinks(ctx context.Context, in job.Snapshot) (*inlinks, error) {
	n := &inlinks{}
	err := kv.Each(in, page.TableRecords, func(_, v []byte) error {
		p, _, err := page.DecodeRecord(v)
		if err != nil || p.ReplacedBy != 0 {
			return err
		}
		u, err := weburl.Parse(p.URL)
		if err != nil {
			return err
		}
		n.targets = append(n.targets, linkgraph.TargetOf(u.Key()))
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(n.targets, func(a, b linkgraph.Target) int { return bytes.Compare(a[:], b[:]) })
	n.counts = make([]uint32, len(n.targets))
	r := q.job.Links.Reader(in)
	defer r.Close()
	return n, r.Each(ctx, false, func(seq uint64, links []linkgraph.Link) error {
		p, err := linkingPage(in, seq)
		if err != nil || p == nil {
			return err
		}
		u, err := weburl.Parse(p.URL)
		if err != nil {
			return err
		}
		own := linkgraph.TargetOf(u.Key())
		for i := range links {
			if at, ok := n.find(links[i].Target); ok && links[i].Target != own {
				n.counts[at]++
			}
		}
		return nil
	})
}

func (n *inlinks) find(t linkgraph.Target) (int, bool) {
	return slices.BinarySearchFunc(n.targets, t, func(a, b linkgraph.Target) int { return bytes.Compare(a[:], b[:]) })
}

// of returns how many pages link to a URL.
func (n *inlinks) of(url string) int {
	u, err := weburl.Parse(url)
	if err != nil {
		return 0
	}
	at, ok := n.find(linkgraph.TargetOf(u.Key()))
	if !ok {
		return 0
	}
	return int(n.counts[at])
}
