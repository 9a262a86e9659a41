package job

import (
	"encoding/json"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// A Snapshot reads a job at one moment.
type Snapshot struct{ kv.Reader }

// Page, FullPage, URLOf and Signature are package page's Get, Full, URLOf and Signature.
func (in Snapshot) Page(seq uint64) (page.Record, dedup.Verdict, error) { return page.Get(in, seq) }
func (in Snapshot) FullPage(seq uint64) (page.Record, error)            { return page.Full(in, seq) }
func (in Snapshot) URLOf(seq uint64) (string, error)                    { return page.URLOf(in, seq) }
func (in Snapshot) Signature(seq uint64) (dedup.Signature, error)       { return page.Signature(in, seq) }

// URL reads the record of a URL; ok is false if the URL is not known.
func (in Snapshot) URL(k weburl.Key) (rec queue.Record, ok bool, err error) {
	return queue.Get(in.Reader, k)
}

// Record reads the record of the job in a folder. Tables without one belong to another program.
func (in Snapshot) Record(dir string) (j Record, err error) {
	b, err := in.Get(TableMeta, KeyRecord)
	if err == nil && b == nil {
		err = Foreign(dir)
	}
	if err != nil {
		return j, err
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return Record{}, fmt.Errorf("job record: %w", err)
	}
	return j, nil
}

// State reads the state of the job.
func (in Snapshot) State() (j State, err error) {
	b, err := in.Get(TableMeta, KeyState)
	if err != nil {
		return j, err
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return State{}, fmt.Errorf("job state: %w", err)
	}
	return j, nil
}

// Init writes the first rows of a new job.
func Init(tx kv.Tx, r Record) error {
	for k, v := range map[string]any{string(KeyRecord): r, string(KeyState): State{Segments: segment.End{File: 1}}} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		tx.Put(TableMeta, []byte(k), b)
	}
	return nil
}
