package store

import (
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/words"
	"gatecrawl.example/gatecrawl/store/kv"
)

// linksOf returns those links of a page that a reader can follow.
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

// maxAnchor is how many bytes of a link's text are kept, as in frontier.Candidate.
const maxAnchor = 80

// linksIn returns the links of a view, whose URLs are absolute.
func linksIn(view *purify.DocView) []linkgraph.Link {
	links := make([]linkgraph.Link, 0, len(view.Links))
	for _, l := range view.Links {
		u, err := weburl.Parse(l.URL)
		if err != nil {
			continue // not a URL
		}
		links = append(links, linkgraph.Link{Target: linkgraph.TargetOf(u.Key()), Text: words.Cut(l.Text, maxAnchor), NoFollow: l.NoFollow, Body: l.Body})
	}
	return links
}

// A graphedJob implements linkgraph.Job for a job.
type graphedJob struct{ s *Store }

// Linked implements linkgraph.Job. A page that turned out to be a copy keeps its links.
func (graphedJob) Linked(r kv.Reader, seq uint64) (bool, error) {
	b, err := r.Get(tablePages, seqKey(seq))
	if err != nil || b == nil {
		return false, err
	}
	p, _, err := decodePage(b)
	return err == nil && p.Document() && p.ReplacedBy == 0, nil
}

// Links implements linkgraph.Job.
func (j graphedJob) Links(r kv.Reader, seq uint64) ([]linkgraph.Link, error) {
	view, err := j.s.archive.View(r, seq)
	if err != nil || view == nil {
		return nil, err // a page without text
	}
	return linksIn(view), nil
}
