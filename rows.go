package gatecrawl

import (
	"gatecrawl.example/gatecrawl/page"
)

// A Row is the record of a settled URL with the parts of its page that were asked for.
type Row struct {
	Page   page.Record `json:"page"`
	View   []byte      `json:"view,omitempty"`   // its DocView, as page.PackView writes it, perhaps before DocView.Sum; where Body was asked for too, as page.PackViewOn writes it. Nil: none is kept or was asked for
	Body   []byte      `json:"body,omitempty"`   // its bytes; nil: none are kept or they were not asked for
	Degree int         `json:"degree,omitempty"` // distinct other domains with a copy of it
	Copies int         `json:"copies,omitempty"` // URLs with a copy of it

	Inlinks int    `json:"inlinks,omitempty"` // other kept pages that link to its URL
	Links   []Edge `json:"links,omitempty"`   // of a kept page

	Requisite bool `json:"requisite,omitempty"` // it is a file that is needed to show a page: Page has only URL, time, status and type

	File   string `json:"file,omitempty"`   // name of the WARC file with its bytes, in the job's folder archive; "": there is none, or it was not asked for
	Offset int64  `json:"offset,omitempty"` // of its record in File

	Record []byte `json:"record,omitempty"` // the WARC record with its bytes, uncompressed; nil: there is none, or it was not asked for
}

// Wanted says which rows to return, and with which parts.
type Wanted struct {
	Verdict page.Verdict // only with this verdict; "": all
	URLs    []string     // only of these URLs; nil: all
	Older   bool         // with versions that a later one has replaced, each before the later one
	Views   bool         // with their DocViews
	Bodies  bool         // with their bytes
	Inlinks bool         // with the number of pages that link to each
	Links   bool         // with their links
	Records bool         // with their WARC records
	Places  bool         // with the files and offsets of these records

	// Lent allows Rows to use the memory of Body and Record again for the next row: they are valid
	// only until fn returns.
	Lent bool

	Requisites bool // followed by the requisites of pages, a row each: see Row.Requisite
}
