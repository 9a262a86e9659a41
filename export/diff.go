package export

import (
	"context"
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

	// Rows is gatecrawl.Inspector's.
	Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error
}

// Diff calls fn for every page that is new, changed, edited, moved or gone since a time, in crawl
// order of the current versions. Copies are left out. The passages of the first 1,000 changed pages
// are compared, if the older version is still kept.
func Diff(ctx context.Context, h History, since time.Time, fn func(Change) error) error {
	before := make(map[uint64]page.Record) // the previous version, by the place of the next one
	old := make(map[uint64]uint64)         // from the place of the old version to that of the current one, for pages that are compared
	replaced := make(map[uint64]page.Record)
	err := h.Pages(ctx, func(p page.Record) error {
		if p.ReplacedBy != 0 {
			replaced[p.ReplacedBy] = page.Record{Seq: p.Seq, Title: p.Title}
		}
		was, ok := replaced[p.Seq]
		if !ok {
			return nil
		}
		delete(replaced, p.Seq)
		if !p.Fetched.Before(since) {
			before[p.Seq] = was
			if len(old) < maxCompared && p.Verdict == page.VerdictNew {
				old[was.Seq] = p.Seq
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	differs, err := passages(ctx, h, old)
	if err != nil {
		return err
	}
	return h.Pages(ctx, func(p page.Record) error {
		c, ok := changeOf(p, since)
		if !ok {
			return nil
		}
		if was, again := before[p.Seq]; again && c.What == ChangeNew {
			c.What, c.Differs = ChangeChanged, differs[p.Seq]
			if was.Title != p.Title {
				c.Was = was.Title
			}
		}
		return fn(c)
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

// passages compares versions, given the places of the old and the new one.
func passages(ctx context.Context, h History, old map[uint64]uint64) (map[uint64]*dedup.Difference, error) {
	differs := make(map[uint64]*dedup.Difference)
	if len(old) == 0 {
		return differs, nil
	}
	texts := make(map[uint64]string) // of earlier versions, by the place of the new one
	return differs, h.Rows(ctx, gatecrawl.Wanted{Older: true, Views: true}, func(r *gatecrawl.Row) error {
		next, isOld := old[r.Page.Seq]
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
			texts[next] = view.Body
		}
		return nil
	})
}
