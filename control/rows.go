package control

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// The parts of rows that a question may ask for.
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

// partURLs asks for the URLs of the queue.
const partURLs = "urls"

// PartApart asks near for pages that resemble the page but are not copies of it.
const PartApart = "apart"

// wantedBy returns which rows a question asks for.
func wantedBy(q Question) (w gatecrawl.Wanted, err error) {
	kind := page.Kind{Verdict: q.Verdict}
	if err := kind.Validate(); err != nil {
		return w, err
	}
	w.Verdict = q.Verdict
	if q.URL != "" {
		w.URLs = strings.Split(q.URL, "\n")
	}
	wants := map[string]*bool{
		partViews: &w.Views, partBodies: &w.Bodies, partCounts: &w.Inlinks, partLinks: &w.Links,
		partOlder: &w.Older, partPlaces: &w.Places, partRecord: &w.Records, partNeeds: &w.Requisites,
	}
	for part := range strings.SplitSeq(q.Parts, ",") {
		switch part = strings.TrimSpace(part); {
		case wants[part] != nil:
			*wants[part] = true
		case part != "":
			return w, fmt.Errorf("parts: there is no part %q: want some of %s", part, strings.Join(slices.Sorted(maps.Keys(wants)), ", "))
		}
	}
	return w, nil
}

// Rows calls fn with every row of the job, like gatecrawl.Inspector's Rows, whether or not a crawl
// works on it. The error is that of fn, that of the job, or ErrCutOff.
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
	return c.retry(ctx, toAsk, func() error {
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
		defer job.Close() // it was opened only for reading
		return job.Rows(ctx, want, fn)
	})
}
