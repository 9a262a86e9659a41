package query

import (
	"context"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/requisite"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// A Job is what a Reader needs from an open job.
type Job struct {
	Tables     kv.Store
	Archive    *archive.Archive
	Requisites *requisite.Files
	Queue      *queue.Queue
	Links      *linkgraph.Graph
	Robots     *robots.Files
	Priority   priority.Options
	Mirrored   twins.Crawled
	Rates      *revisit.Summary
	IDF        string // version of the table of word weights in its signatures; "": there is none

	// Gate returns the gate, to compare pages as they are read now.
	Gate func() (*dedup.Gate, error)

	// Template returns the template of a URL's host and folders; nil while there is none.
	Template func(url string) (*purify.Template, error)

	// Text returns the title and body of a kept page.
	Text func(of dedup.Ref) (dedup.Text, bool, error)

	// Totals counts what is in the job.
	Totals func() page.Totals

	// Advise adds to an error of the gate's files what to do about it.
	Advise func(error) error

	// Elsewhere returns the URL in another partition whose key has the prefix; "" if there is none.
	Elsewhere func(prefix []byte) (string, error)
}

// A Reader answers questions about a job. It may be used by any number of goroutines.
type Reader struct{ job Job }

// New returns a reader of a job.
func New(j Job) *Reader { return &Reader{j} }

// look calls fn with the job as it is now.
func (q *Reader) look(fn func(in job.Snapshot) error) error {
	return q.job.Tables.View(context.Background(), func(r kv.Reader) error { return fn(job.Snapshot{Reader: r}) })
}
