package page

import (
	"errors"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// ErrNoBytes says that a kept page cannot be read again.
var ErrNoBytes = errors.New("its bytes are not kept")

// Known is what a job has stored for a task.
type Known struct {
	// For a frontier.Robots: the stored file of the origin; the zero File: none.
	Robots robots.File

	// For all others: the template for the page; nil while there is none.
	Template *purify.Template

	// For a frontier.Page that was fetched before and brought a document: the number of its record.
	Seq uint64

	// For a frontier.Page of a site that mirrors another one: the URL there; the zero URL: there is none.
	Twin weburl.URL

	// The number of the record of that URL, and that of the page whose bytes it has; 0: not fetched.
	TwinSeq, TwinBytes uint64

	// For a frontier.Page or Requisite that was fetched before: the validators for a conditional
	// request. If both are empty, the bytes are needed.
	ETag, LastModified string

	// For a frontier.Page that was fetched before: its requisites were looked for, or it is a copy,
	// whose requisites are not needed.
	Sought bool

	// For a frontier.Requisite that was not fetched before: its page has reached the limit of bytes
	// for its files.
	Full bool

	// For a frontier.Reread: the kept page.
	Page   Record
	Digest dedup.Digest // of its bytes
	Body   []byte       // its bytes
}
