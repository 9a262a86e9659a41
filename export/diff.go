package export

import (
	"context"
	"maps"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// A Change says how a page has changed since a time.
type Change struct {
	What    string            `json:"what"`              // new, changed, edited, moved or gone
	URL     string            `json:"url"`               //
	Title   string            `json:"title,omitempty"`   // of the current version
	Was     string            `json:"was,omitempty"`     // the title before, if that differs
	At      time.Time         `json:"at"`                // when the crawl first saw the change
	Status  int               `json:"status"`            // HTTP status of that visit
	Reason  string            `json:"reason,omitempty"`  // of a page that moved or is gone: the result of that visit
	Differs *dedup.Difference `json:"differs,omitempty"` // of a changed or edited page: passages that only one of the two versions has
}

// The kinds of a Change.
const (
	ChangeNew     = "new"
	ChangeChanged = "changed"
	ChangeEdited  = "edited" // a little: the gate takes both versions for one page, and the first one stays kept
	ChangeMoved   = "moved"
	ChangeGone    = "gone"
)

// maxCompared bounds the changed pages whose passages Diff compares: their old versions are in
// memory.
const maxCompared = 1000

// A History is a job with all its records.
type History interface {
	// Pages calls fn for every record in crawl order.
	Pages(ctx context.Context, fn func(page.Record) error) error

	// Rows implements gatecrawl.Inspector.
	Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error
}

// Diff calls fn for every page that is new, changed, edited, moved or gone since a time, in crawl
// order of the current versions. A page has changed that is another than its last version from before that
// time; one without such a version is new, however often it has changed since. Copies are left out, and so is
// a copy with the bytes that it had which is kept now, since the page that it was a copy of is gone. The passages
// of the first 1,000 changed pages are compared, if the older version is still kept.
func Diff(ctx context.Context, h History, since time.Time, fn func(Change) error) error {
	before, err := versionsBefore(ctx, h, since)
	if err != nil {
		return err
	}
	differs, err := passages(ctx, h, before)
	if err != nil {
		return err
	}
	return h.Pages(ctx, func(p page.Record) error {
		c, ok := changeOf(p, since)
		if !ok {
			return nil
		}
		if was, again := before[p.Seq]; again && c.What == ChangeNew {
			if was.Digest != "" && was.Digest == p.Digest {
				return nil
			}
			c.What, c.Differs = ChangeChanged, differs[p.Seq]
			if was.Title != p.Title {
				c.Was = was.Title
			}
		}
		return fn(c)
	})
}

// versionsBefore returns the last version from before a time of each page whose current version came later, by
// the place of that. Of the older version only what Diff looks at is kept in memory.
func versionsBefore(ctx context.Context, h History, since time.Time) (map[uint64]page.Record, error) {
	before := make(map[uint64]page.Record)
	passed := make(map[uint64]page.Record) // the same, by the place of the next version, which comes later
	return before, h.Pages(ctx, func(p page.Record) error {
		was, there := passed[p.Seq]
		delete(passed, p.Seq)
		if p.Fetched.Before(since) {
			was, there = page.Record{Seq: p.Seq, Title: p.Title, Digest: p.Digest}, true
		}
		switch {
		case !there:
		case p.ReplacedBy != 0:
			passed[p.ReplacedBy] = was
		case was.Seq != p.Seq && p.Verdict == page.VerdictNew:
			before[p.Seq] = was
		}
		return nil
	})
}

// changeOf returns the change that a record alone shows.
func changeOf(p page.Record, since time.Time) (c Change, ok bool) {
	c = Change{What: ChangeNew, URL: p.URL, Title: p.Title, At: p.Fetched, Status: p.Status}
	switch {
	case p.Verdict != page.VerdictNew || p.ReplacedBy != 0:
		return c, false
	case page.GoneStatus(p.RevisitStatus):
		if p.Gone.Before(since) {
			return c, false // it was gone before
		}
		c.What, c.At, c.Status, c.Reason = ChangeGone, p.Gone, p.RevisitStatus, p.Revisit
		if p.RevisitStatus < 400 {
			c.What = ChangeMoved
		}
		return c, true
	}
	if p.Fetched.Before(since) && !p.Edited.Before(since) {
		c.What, c.At, c.Differs = ChangeEdited, p.Edited, p.Differs
		return c, true
	}
	return c, !p.Fetched.Before(since)
}

// passages compares versions, given the older ones by the places of the newer ones.
func passages(ctx context.Context, h History, before map[uint64]page.Record) (map[uint64]*dedup.Difference, error) {
	differs := make(map[uint64]*dedup.Difference)
	if len(before) == 0 {
		return differs, nil
	}
	next := make(map[uint64]uint64) // place of the newer version, by that of the older one
	for _, seq := range slices.Sorted(maps.Keys(before)) {
		if len(next) < maxCompared {
			next[before[seq].Seq] = seq
		}
	}
	texts := make(map[uint64]string) // of earlier versions, by the place of the new one
	return differs, h.Rows(ctx, gatecrawl.Wanted{Older: true, Views: true}, func(r *gatecrawl.Row) error {
		to, isOld := next[r.Page.Seq]
		was, isNew := texts[r.Page.Seq]
		if !isOld && !isNew || r.View == nil {
			return nil
		}
		view, err := page.UnpackView(r.View)
		if err != nil {
			return err
		}
		if isNew {
			if d := dedup.Differ(dedup.Text{Body: view.Body}, dedup.Text{Body: was}); !d.IsZero() {
				differs[r.Page.Seq] = &d
			}
			delete(texts, r.Page.Seq)
		}
		if isOld {
			texts[to] = view.Body
		}
		return nil
	})
}
