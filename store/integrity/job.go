package integrity

import (
	"context"
	"maps"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/mail"
	"gatecrawl.example/gatecrawl/store/requisite"
)

// A Job is what a check and a repair need from a job.
type Job struct {
	Dir       string
	Tables    kv.Store
	ReadOnly  bool
	Partition bool   // it is one of several partitions: the page numbers that it lacks are those of others
	IDF       string // version of the table of word weights in its signatures; "": there is none

	Archive    *archive.Archive
	Requisites *requisite.Files
	Queue      *queue.Queue
	Groups     *group.Groups
	Templates  *template.Learner
	Links      *linkgraph.Graph
	Linked     linkgraph.Job

	// For Check only.

	Learners []Learner

	// Gate opens the job's gate. Nil: it has no gate of its own, or does not look for copies.
	Gate func() (*dedup.Gate, error)

	// Settled runs a check while nothing is written: a running crawl waits until it ends.
	Settled func(check func(in job.Snapshot) error) error

	// For Repair only.

	State    job.State // before the repair
	Unread   bool      // State could not be read: it is the zero State
	Priority priority.Options
	QueueOf  func(kv.Tx) *queue.Tx // the queue, in a transaction
	Mirrored twins.Job
	Ruled    dust.Job
}

// A Learner checks the rows of what it has learned from visits.
type Learner interface {
	Check(r kv.Reader, breach func(what string, err error) error) error
}

// look calls fn with the job as it is now.
func (j *Job) look(fn func(in job.Snapshot) error) error {
	return j.Tables.View(context.Background(), func(r kv.Reader) error { return fn(job.Snapshot{Reader: r}) })
}

// keyLengths are the lengths of the keys, in bytes, of all tables whose keys have one length.
var keyLengths = joined(template.KeyLengths(), group.KeyLengths(), twins.KeyLengths(), mail.KeyLengths(), linkgraph.KeyLengths(), map[*kv.Table]int{
	queue.TableLater: 24, queue.TableCash: 8, queue.TableOutcomes: 16, page.TableRecords: 8, page.TableSignatures: 8, page.TableViews: 8, page.TableBodies: 8,
	page.TableOutlinks: 8, job.TableLost: 8,
	job.TableRevised: 8, job.TableRemote: 8,
})

func joined(parts ...map[*kv.Table]int) map[*kv.Table]int {
	all := make(map[*kv.Table]int)
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}
