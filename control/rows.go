package control

import (
	"context"
	"strings"

	"gatecrawl.example/gatecrawl"
)

// The parts of a row that a question names.
const (
	partViews  = "views"
	partBodies = "bodies"
	partCounts = "inlinks"
	partLinks  = "links"
	partOlder  = "older"
	partRecord = "records"
	partPlaces = "places"
	partNeeds  = "requisites"
)

// wantedBy is which rows a question asks for.
func wantedBy(q Question) gatecrawl.Wanted {
	parts := strings.Split(q.Parts, ",")
	w := gatecrawl.Wanted{Verdict: q.Verdict}
	if q.URL != "" {
		w.URLs = strings.Split(q.URL, "\n")
	}
	for _, p := range parts {
		w.Views = w.Views || p == partViews
		w.Bodies = w.Bodies || p == partBodies
		w.Inlinks = w.Inlinks || p == partCounts
		w.Links = w.Links || p == partLinks
		w.Older = w.Older || p == partOlder
		w.Places = w.Places || p == partPlaces
		w.Records = w.Records || p == partRecord
		w.Requisites = w.Requisites || p == partNeeds
	}
	return w
}

// Rows calls fn for every row of the job, as gatecrawl.Inspector's Rows does, whether or
// not a crawl works on it. The error is fn's, the job's, or ErrCutOff.
func (c *Client) Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	q := Question{Verb: "rows", Verdict: want.Verdict, URL: strings.Join(want.URLs, "\n")}
	var parts []string
	for _, p := range []struct {
		name   string
		wanted bool
	}{{partViews, want.Views}, {partBodies, want.Bodies}, {partCounts, want.Inlinks}, {partLinks, want.Links}, {partOlder, want.Older}, {partRecord, want.Records}, {partPlaces, want.Places}, {partNeeds, want.Requisites}} {
		if p.wanted {
			parts = append(parts, p.name)
		}
	}
	q.Parts = strings.Join(parts, ",")
	return c.retry(ctx, true, func() error {
		answer, err := c.askRunning(ctx, q)
		if err != nil {
			return err
		}
		defer answer.Close()
		_, err = Each(answer, func(r gatecrawl.Row) error { return fn(&r) })
		return err
	}, func() error {
		job, err := c.Read()
		if err != nil {
			return err
		}
		defer job.Close() // it was opened to be read
		return job.Rows(ctx, want, fn)
	})
}
