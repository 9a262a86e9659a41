package corpus

import (
	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// Rows puts a collection through the gate and calls fn with the row that a job would have for each
// page, in the order of the collection. The row of a new page has its DocView and its bytes.
// Redirects and errors have rows too.
func (b *Batch) Rows(from *Source, fn func(*gatecrawl.Row, Page) error) (Counts, error) {
	b.o.Bodies = true
	var view []byte // of the page that will be judged next
	b.Signed = func(_ Result, _ dedup.Signature, _ *dedup.Text, v *purify.DocView) error {
		view = nil
		if v != nil {
			view = page.PackView(v)
		}
		return nil
	}
	b.Judged = func(r Result) error {
		row := &gatecrawl.Row{Page: r.Record}
		if r.Record.Verdict == page.VerdictNew {
			row.View, row.Body = view, r.Body
		}
		return fn(row, r.Page)
	}
	return b.Run(from)
}
