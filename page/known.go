package page

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/purify"
)

// Known is what a job has for a task.
type Known struct {
	// For a frontier.Robots: what is kept of the origin's file; the zero File: nothing.
	Robots robots.File

	// For the others: what the pages of the URL's host repeat; nil while that is not known.
	Template *purify.Template

	// For a frontier.Page or Requisite that was fetched before: the validators with which the
	// server may answer that it has not changed. Both empty: its bytes are wanted.
	ETag, LastModified string

	// For a frontier.Page that was fetched before: the files that it needs to be seen were looked
	// for, or it is a copy, whose files are not.
	Sought bool

	// For a frontier.Requisite that was not fetched before: its page has as many bytes of files
	// as it may.
	Full bool

	// For a frontier.Reread: the kept page.
	Page   Record
	Digest dedup.Digest // of its bytes
	Body   []byte       // its bytes
}
