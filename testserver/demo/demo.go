// Package demo scores a crawl of the test web: the gate's verdicts, the mirrors that were found,
// and the effect of votes on the order. Command crawl demo prints it.
package demo

import (
	"context"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/score"
)

// A Result is the result of a crawl of the test web. Read leaves Seconds and Status to its caller.
type Result struct {
	Seconds float64          `json:"seconds"`
	Status  gatecrawl.Status `json:"status"`
	Score   score.Report     `json:"score"`

	ExactPrecision float64 `json:"exact_precision"`
	ExactRecall    float64 `json:"exact_recall"`
	NearPrecision  float64 `json:"near_precision"`
	NearRecall     float64 `json:"near_recall"`

	Pairs        []mirror.Pair `json:"pairs"`         // host pairs with shared copies
	Mirrors      int           `json:"mirrors"`       // mirrors that the web has
	MirrorsFound int           `json:"mirrors_found"` // of these, among the pairs
	First        []page.Record `json:"first"`         // the first pages in crawl order
	Raised       int           `json:"raised"`        // pages whose score votes for the linking page had raised
	RaisedPlace  float64       `json:"raised_place"`  // their mean place among the pages of their host and depth, 0 to 1; 0.5 is no effect
}

// A Job has the records of a crawl, and the pairs of sites that it found to share pages.
type Job interface {
	Pages(ctx context.Context, from uint64, fn func(page.Record) error) error
	Pairs(ctx context.Context) ([]mirror.Pair, error)
}

// Read compares what a job says with the truth about its web. perLink is the weight of the depth in
// a page's score; a page with a higher score was raised by votes.
func Read(ctx context.Context, in Job, web *testserver.Web, perLink float32) (*Result, error) {
	d := new(Result)
	return d, d.read(ctx, in, web, perLink)
}

func (d *Result) read(ctx context.Context, in Job, web *testserver.Web, perLink float32) error {
	var records []score.Record
	var order ranks
	err := in.Pages(ctx, 1, func(p page.Record) error {
		if p.Depth > 0 && len(d.First) < 10 {
			d.First = append(d.First, p)
		}
		order.add(p, perLink)
		if p.Status > 0 {
			records = append(records, score.Record{
				URL: p.URL, Copy: p.Verdict == page.VerdictCopy, Of: p.Of,
				Level: p.Level, Class: score.Class(p.Class),
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.Score = web.Score(records)
	d.ExactPrecision, d.ExactRecall = d.Score.Exact.Precision(), d.Score.Exact.Recall()
	d.NearPrecision, d.NearRecall = d.Score.Near.Precision(), d.Score.Near.Recall()
	if d.Pairs, err = in.Pairs(ctx); err != nil {
		return err
	}
	d.countMirrors(web)
	d.Raised, d.RaisedPlace = order.raised()
	return nil
}

// countMirrors counts the web's mirrors that are among the pairs.
func (d *Result) countMirrors(web *testserver.Web) {
	hosts := make(map[string]string) // by the site's name
	for _, s := range web.Sites() {
		if u, err := weburl.Parse(s.URL); err == nil {
			hosts[s.Name] = u.Host()
		}
	}
	for _, m := range web.Truth().Mirrors {
		d.Mirrors++
		of, by := hosts[m.Of], hosts[m.By]
		if slices.ContainsFunc(d.Pairs, func(p mirror.Pair) bool {
			return p.A == of && p.B == by || p.A == by && p.B == of
		}) {
			d.MirrorsFound++
		}
	}
}

// ranks compare the places of pages that only votes can have ordered: pages of one host and depth.
type ranks struct {
	groups map[rankGroup][]bool // in crawl order: was the page raised?
}

type rankGroup struct {
	host  string
	depth int
}

// add adds the next page of the crawl order. If its score is above that of its depth, votes have
// raised it, since the demo has no topic and no cash.
func (r *ranks) add(p page.Record, perLink float32) {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return
	}
	if r.groups == nil {
		r.groups = make(map[rankGroup][]bool)
	}
	g := rankGroup{u.Host(), p.Depth}
	r.groups[g] = append(r.groups[g], p.Score > -perLink*float32(p.Depth))
}

// raised returns how many pages were raised, and their mean place, from 0 (first) to 1 (last),
// among the pages that they can be compared with.
func (r *ranks) raised() (pages int, place float64) {
	compared := 0
	for _, group := range r.groups {
		for i, raised := range group {
			if !raised {
				continue
			}
			pages++
			if len(group) > 1 {
				compared++
				place += float64(i) / float64(len(group)-1)
			}
		}
	}
	return pages, place / float64(max(compared, 1))
}
