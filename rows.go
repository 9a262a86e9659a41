package gatecrawl

import (
	"gatecrawl.example/gatecrawl/page"
)

// A Row is the record of a settled URL with what is kept of its page.
type Row struct {
	Page   page.Record `json:"page"`
	View   []byte      `json:"view,omitempty"`   // its DocView, as page.PackView writes it, perhaps before DocView.Sum; where Body was asked for too, as page.PackViewOn writes it. Nil: none is kept or was asked for
	Body   []byte      `json:"body,omitempty"`   // its bytes; nil: the same
	Degree int         `json:"degree,omitempty"` // distinct other domains with a copy of it
	Copies int         `json:"copies,omitempty"` // URLs with a copy of it

	Inlinks int    `json:"inlinks,omitempty"` // other kept pages that link to its URL
	Links   []Edge `json:"links,omitempty"`   // of a kept page

	Requisite bool `json:"requisite,omitempty"` // it is a file that pages need to be seen: Page has no more than URL, time, status and type

	File   string `json:"file,omitempty"`   // the WARC file in which its bytes are kept: of a job, in its folder archive; "": none, or it was not asked for
	Offset int64  `json:"offset,omitempty"` // of its record in File

	Record []byte `json:"record,omitempty"` // the WARC record in which its bytes are kept, uncompressed; nil: the same
}

// Wanted says which rows are wanted, and which parts of them.
type Wanted struct {
	Verdict page.Verdict // of this verdict alone; "": of all
	URLs    []string     // of these URLs only; nil: of all
	Older   bool         // with the versions that a later one replaced, before it
	Views   bool         // with their DocViews
	Bodies  bool         // with their bytes
	Inlinks bool         // with the number of pages that link there
	Links   bool         // with their links
	Records bool         // with their WARC records
	Places  bool         // with the files and offsets of these

	// Lent says that Body and Record are asked for until the call with their row returns: the
	// memory may be the next row's then.
	Lent bool

	Requisites bool // and behind them files that pages need to be seen, a row each: see Row.Requisite
}
