package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatecrawl"
	"gatecrawl/store"
)

// refetch queues again what has grown old: of a job that is finished all of it, or
// what is older than the settings say. Of one that is not, what they say or the
// user asks for.
func (j *job) refetch(ctx context.Context, c *gatecrawl.Crawler, st *store.Store) error {
	age := time.Duration(j.settings.RefetchAfter)
	before := time.Time{}
	switch {
	case j.recrawl:
		before = time.Now()
	case age > 0 || st.Finished():
		before = time.Now().Add(-age)
	}
	n, err := c.Refetch(ctx, before)
	if ctx.Err() != nil {
		return nil // the next run queues the rest
	}
	if err != nil {
		return err
	}
	j.tellRequeued(n)
	return st.Stopped("") // by nothing yet
}

// tellRequeued says what a re-crawl asks for.
func (j *job) tellRequeued(n gatecrawl.Requeued) {
	if n.Asked+n.Spared+n.Put == 0 {
		return
	}
	fmt.Fprintf(j.screen, "asking again for %s", many(n.Asked, "page", "pages"))
	if n.Spared > 0 {
		fmt.Fprintf(j.screen, "; for %s more their kept pages are asked", many(n.Spared, "copy", "copies"))
	}
	if n.Put > 0 {
		fmt.Fprintf(j.screen, "; %s more can wait (recrawl-pages)", many(n.Put, "page", "pages"))
	}
	fmt.Fprintln(j.screen)
}

// whyChanges says how often a page changes.
func whyChanges(b *strings.Builder, r *gatecrawl.ChangeRate) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "again: %s; with %s it has changed since\n", changes(r), percent(r.Stale))
}

// changes says how often what was found changed.
func changes(r *gatecrawl.ChangeRate) string {
	said := fmt.Sprintf("visited %s more, changed %s", many(int(r.Visits), "time", "times"), many(int(r.Changes), "time", "times"))
	if r.Changes > 0 && r.PerDay > 0 {
		said += fmt.Sprintf(", about %.2g changes a day", r.PerDay)
	}
	return said
}
