package page

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

// Known is what a job has of the URL of a lease.
type Known struct {
	Template *purify.Template // what the pages of its host repeat; nil while that is not known

	// Of a frontier.Page that was fetched before: the version by which the server may
	// answer that it is as it was. Both empty: its bytes are wanted.
	ETag, LastModified string

	// Of a frontier.Reread: the kept page.
	Page   Record
	Digest dedup.Digest // of its bytes
	Body   []byte       // packed
}
