package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/words"
	"gatecrawl.example/gatecrawl/store/kv"
)

// linksOf returns the links of a page that its readers can follow.
func linksOf(all []queue.Link) []linkgraph.Link {
	links := make([]linkgraph.Link, 0, len(all))
	for i := range all {
		c := all[i].Candidate
		if c.Kind&frontier.PageLink == 0 {
			continue
		}
		links = append(links, linkgraph.Link{
			Target: linkgraph.TargetOf(all[i].Key), Text: c.Anchor,
			NoFollow: c.Kind&frontier.NoFollowLink != 0, Body: c.Kind&frontier.BodyLink != 0,
		})
	}
	return links
}

// maxAnchor is how many bytes of a link's words are kept, as in frontier.Candidate.
const maxAnchor = 80

// linksIn returns the links in a view, whose URLs are absolute.
func linksIn(view *purify.DocView) []linkgraph.Link {
	links := make([]linkgraph.Link, 0, len(view.Links))
	for _, l := range view.Links {
		u, err := weburl.Parse(l.URL)
		if err != nil {
			continue // it leads nowhere
		}
		links = append(links, linkgraph.Link{Target: linkgraph.TargetOf(u.Key()), Text: words.Cut(l.Text, maxAnchor), NoFollow: l.NoFollow, Body: l.Body})
	}
	return links
}

// A graphedJob is a job as linkgraph.Job.
type graphedJob struct{ s *Store }

// Linked is linkgraph.Job's. A page that turned out to be a copy keeps its links.
func (graphedJob) Linked(r kv.Reader, seq uint64) (bool, error) {
	b, err := r.Get(tablePages, seqKey(seq))
	if err != nil || b == nil {
		return false, err
	}
	p, _, err := decodePage(b)
	return err == nil && p.Document() && p.ReplacedBy == 0, nil
}

// Links is linkgraph.Job's.
func (j graphedJob) Links(r kv.Reader, seq uint64) ([]linkgraph.Link, error) {
	view, err := j.s.viewIn(r, seq)
	if err != nil || view == nil {
		return nil, err // a page without text
	}
	return linksIn(view), nil
}

// links checks the link graph.
func (v *verifier) links() error {
	return v.s.links.Check(v.ctx, v.in, graphedJob{v.s}, v.tell)
}

// links makes the link graph whole, from the views of kept pages.
func (r *repair) links() error {
	added, err := r.s.links.Repair(r.ctx, r.s.kv, graphedJob{r.s}, func(in kv.Reader, from uint64, fn func(uint64) (bool, error)) error {
		for e, err := range in.Scan(tableSignatures, seqKey(from), nil) {
			if err != nil {
				return err
			}
			if more, err := fn(seqOf(e.Key)); err != nil || !more {
				return err
			}
		}
		return nil
	})
	if err != nil || added == 0 {
		return err
	}
	return r.tell("the link graph", "the links of %d pages were added again", added)
}

// A targets names targets by their URLs. It is for one goroutine.
type targets struct {
	in   kv.Reader
	urls map[linkgraph.Target]string
}

// maxTargets bounds how many URLs of targets are held in memory.
const maxTargets = 1 << 16

func newTargets(in kv.Reader) *targets {
	return &targets{in: in, urls: make(map[linkgraph.Target]string)}
}

// url returns the URL of a target; "": the job does not know it any more.
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
	}
	if len(t.urls) == maxTargets {
		clear(t.urls)
	}
	t.urls[to] = url
	return url, nil
}

// edge returns a link of the page with this URL; ok is false where nobody knows its target.
func (t *targets) edge(from string, l *linkgraph.Link) (e gatecrawl.Edge, ok bool, err error) {
	to, err := t.url(l.Target)
	return gatecrawl.Edge{From: from, To: to, Text: l.Text, NoFollow: l.NoFollow, Body: l.Body}, to != "", err
}

// linking returns the record of a page whose links count; nil: they do not.
func (in snapshot) linking(seq uint64) (*page.Record, error) {
	p, _, err := in.page(seq)
	if err != nil || p.Verdict != page.VerdictNew || p.ReplacedBy != 0 {
		return nil, err
	}
	return &p, nil
}

// LinksTo is gatecrawl.Inspector's.
func (s *Store) LinksTo(ctx context.Context, urls []string, fn func(gatecrawl.Edge) error) error {
	wanted := make(map[linkgraph.Target]string, len(urls))
	for _, text := range urls {
		u, err := weburl.Parse(text)
		if err != nil {
			return err
		}
		wanted[linkgraph.TargetOf(u.Key())] = u.String()
	}
	return s.look(func(in snapshot) error {
		r := s.links.Reader(in)
		defer r.Close()
		return r.Each(ctx, false, func(seq uint64, links []linkgraph.Link) error {
			if !slices.ContainsFunc(links, func(l linkgraph.Link) bool { _, ok := wanted[l.Target]; return ok }) {
				return nil
			}
			p, err := in.linking(seq)
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

// LinksFrom is gatecrawl.Inspector's.
func (s *Store) LinksFrom(_ context.Context, url string, fn func(gatecrawl.Edge) error) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	return s.look(func(in snapshot) error {
		rec, ok, err := in.url(u.Key())
		if err != nil {
			return err
		}
		if !ok {
			return in.neverMet(u)
		}
		r := s.links.Reader(in)
		defer r.Close()
		edges, err := in.edges(r, newTargets(in), rec.Page, u.String())
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

// edges returns the links of a page; nil: none are kept.
func (in snapshot) edges(r *linkgraph.Reader, t *targets, seq uint64, url string) ([]gatecrawl.Edge, error) {
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

// inlinks are the pages that link to each settled URL: 17 bytes a URL.
type inlinks struct {
	targets []linkgraph.Target // rising
	counts  []uint32
}

// countInlinks counts the links to what has a record.
func (s *Store) countInlinks(ctx context.Context, in snapshot) (*inlinks, error) {
	n := &inlinks{}
	err := each(in, tablePages, func(_, v []byte) error {
		p, _, err := decodePage(v)
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
	r := s.links.Reader(in)
	defer r.Close()
	return n, r.Each(ctx, false, func(seq uint64, links []linkgraph.Link) error {
		p, err := in.linking(seq)
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
