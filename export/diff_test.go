package export_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/page"
)

// versions are the records of a job, without texts.
type versions []page.Record

func (r versions) Pages(_ context.Context, fn func(page.Record) error) error {
	for _, p := range r {
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

func (versions) Rows(context.Context, gatecrawl.Wanted, func(*gatecrawl.Row) error) error { return nil }

// A page has changed if it is another than it was before the time that is asked about.
func TestDiffComparesWithTheLastVersionFromBefore(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	job := versions{
		{Seq: 1, URL: "/changed", Verdict: page.VerdictNew, Fetched: day(1), Title: "One", Digest: "a", ReplacedBy: 7},
		{Seq: 2, URL: "/copy", Verdict: page.VerdictCopy, Fetched: day(1), Digest: "b", ReplacedBy: 8},
		{Seq: 3, URL: "/copy that changed", Verdict: page.VerdictCopy, Fetched: day(1), Digest: "b", ReplacedBy: 9},
		{Seq: 4, URL: "/found late", Verdict: page.VerdictNew, Fetched: day(5), Digest: "c", ReplacedBy: 10},
		{Seq: 5, URL: "/copy found late", Verdict: page.VerdictCopy, Fetched: day(5), Digest: "d", ReplacedBy: 11},
		{Seq: 6, URL: "/same", Verdict: page.VerdictNew, Fetched: day(1), Digest: "e"},
		{Seq: 7, URL: "/changed", Verdict: page.VerdictNew, Fetched: day(5), Title: "Two", Digest: "f", ReplacedBy: 12},
		{Seq: 8, URL: "/copy", Verdict: page.VerdictNew, Fetched: day(6), Digest: "b"},
		{Seq: 9, URL: "/copy that changed", Verdict: page.VerdictNew, Fetched: day(6), Digest: "g"},
		{Seq: 10, URL: "/found late", Verdict: page.VerdictNew, Fetched: day(6), Digest: "h"},
		{Seq: 11, URL: "/copy found late", Verdict: page.VerdictNew, Fetched: day(6), Digest: "d"},
		{Seq: 12, URL: "/changed", Verdict: page.VerdictNew, Fetched: day(6), Title: "Three", Digest: "i"},
	}
	for since, want := range map[time.Time][]string{
		day(3): {"changed /copy that changed", "new /found late", "new /copy found late", "changed /changed, was One"},
		day(6): {"changed /copy that changed", "changed /found late", "changed /changed, was Two"},
		day(7): nil,
	} {
		var got []string
		err := export.Diff(t.Context(), job, since, func(c export.Change) error {
			text := c.What + " " + c.URL
			if c.Was != "" {
				text += ", was " + c.Was
			}
			got = append(got, text)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("since %v: %q, %v, want %q", since, got, err, want)
		}
	}
}
