package requisite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc"
)

var (
	// TableRequisites has a row for each file, by weburl.Key.Requisite.
	TableRequisites = &kv.Table{Name: "requisites"}
	tableNeeds      = &kv.Table{Name: "needs"}    // by the key of a page's URL: its needs
	tablePayloads   = &kv.Table{Name: "payloads"} // by dedup.Digest: where the bytes are
)

// Tables returns the tables of this package.
func Tables() []*kv.Table { return []*kv.Table{TableRequisites, tableNeeds, tablePayloads} }

// Files are the requisites of a job's pages.
type Files struct {
	options Options
	archive *archive.Archive
	now     func() time.Time
}

// New returns the Files of a job with an archive; now is the clock of its queue.
func New(o Options, a *archive.Archive, now func() time.Time) *Files { return &Files{o, a, now} }

// A Tx is a transaction of a job.
type Tx struct {
	kv.Tx
	Queue  *queue.Tx
	Totals *page.Totals
}

// A file is the record of a requisite.
type file struct {
	URL     string    `json:"url"`
	Fetched time.Time `json:"fetched,omitzero"`
	Status  int       `json:"status,omitempty"`
	Type    string    `json:"type,omitempty"`
	Bytes   int64     `json:"bytes,omitempty"`
	Why     string    `json:"why,omitempty"`   // why it was refused, or failed
	Place   []byte    `json:"place,omitempty"` // place of its WARC record

	// For re-crawls; jobs from before they renewed requisites lack these.
	Digest       []byte    `json:"digest,omitempty"`   // dedup.Digest of its body
	ETag         string    `json:"etag,omitempty"`     // as sent
	LastModified string    `json:"modified,omitempty"` // as sent
	Asked        time.Time `json:"asked,omitzero"`     // when it was last fetched again; zero: never
	Same         int       `json:"same,omitempty"`     // consecutive visits without a change

	Earlier [][]byte `json:"earlier,omitempty"` // places of the records of earlier versions: other records may refer to their bytes
}

// lastAsked returns when the file was last fetched.
func (r *file) lastAsked() time.Time {
	if r.Asked.After(r.Fetched) {
		return r.Asked
	}
	return r.Fetched
}

// places returns the places of all its records, the oldest first.
func (r *file) places() [][]byte {
	if r.Place == nil {
		return r.Earlier
	}
	return append(slices.Clip(r.Earlier), r.Place)
}

// needs are the requisites of a page.
type needs struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// A payload is where the bytes of a requisite were stored first.
type payload struct {
	URL string    `json:"url"`
	At  time.Time `json:"at"`
}

// readRow reads a row of these tables; ok is false if there is none.
func readRow(r kv.Reader, t *kv.Table, key []byte, v any) (ok bool, err error) {
	b, err := r.Get(t, key)
	if err != nil || b == nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("%s %x: %w", t.Name, key, err)
	}
	return true, nil
}

func (t Tx) putRow(table *kv.Table, key []byte, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		t.Put(table, key, b)
	}
	return err
}

// Need queues the requisites of a page, up to its limits, and records that they were looked for;
// files is nil if they were not.
func (f *Files) Need(t Tx, of weburl.Key, files []frontier.Candidate) error {
	if files == nil {
		return nil
	}
	var n needs
	sought, err := readRow(t, tableNeeds, of[:], &n)
	if err != nil {
		return err
	}
	had := n.Files
	for i := range files {
		if n.Files >= f.options.Files {
			rec, err := t.Queue.Get(files[i].URL.Key().Requisite())
			if err != nil {
				return err
			}
			if rec == nil {
				t.Totals.MoreRequisites++
			}
			continue
		}
		fresh, err := t.Queue.Require(&files[i])
		if err != nil {
			return err
		}
		if fresh {
			n.Files++
		}
	}
	if sought && n.Files == had {
		return nil
	}
	return t.putRow(tableNeeds, of[:], n)
}

// Settle makes the visit of a file durable: its URL leaves the queue, its record is stored, and its
// own requisites are queued.
func (f *Files) Settle(t Tx, l *queue.Held, v *page.Visit) error {
	entry, err := t.Queue.Take(l)
	if err != nil {
		return err
	}
	if v.Retry > 0 {
		entry.Attempt++
		t.Totals.Retries++
		t.Queue.Wait(l.Key, entry, f.now().Add(v.Retry))
		return nil
	}
	entry.State = queue.Done
	entry.Flags &^= queue.Renewal
	t.Queue.Put(l.Key, entry)
	var was file
	if _, err := readRow(t, TableRequisites, l.Key[:], &was); err != nil {
		return err
	}
	if was.Place != nil {
		return f.renewed(t, l, v, &was)
	}
	return f.first(t, l, v)
}

// first stores a file that the job does not have.
func (f *Files) first(t Tx, l *queue.Held, v *page.Visit) (err error) {
	p := &v.Page
	r := fileOf(v)
	total := t.Totals
	switch {
	case r.Why != "":
		total.Unmet++
	case p.Location == "":
		total.Requisites++
		total.RequisiteBytes += p.Bytes
	}
	if v.Answer.Header != nil {
		if r.Place, err = f.keep(t, v); err != nil {
			return err
		}
	}
	if err := t.putRow(TableRequisites, l.Key[:], r); err != nil {
		return err
	}
	return f.countBytes(t, v, p.Bytes)
}

// fileOf returns the record of a visit's file.
func fileOf(v *page.Visit) file {
	p := &v.Page
	r := file{URL: p.URL, Status: p.Status, Type: p.Type, Bytes: p.Bytes, Why: p.Reason, ETag: p.ETag, LastModified: p.LastModified}
	if p.Status != 0 {
		r.Fetched = p.Fetched
	}
	if v.Answer.Header != nil {
		digest := dedup.DigestOf(v.Body)
		r.Digest = digest[:]
	}
	return r
}

// countBytes counts bytes for the page of a file, and queues the file's own requisites.
func (f *Files) countBytes(t Tx, v *page.Visit, bytes int64) error {
	of := v.Lease.From
	var n needs
	if _, err := readRow(t, tableNeeds, of[:], &n); err != nil {
		return err
	}
	n.Bytes += bytes
	if err := t.putRow(tableNeeds, of[:], n); err != nil {
		return err
	}
	return f.Need(t, of, v.Needs)
}

// renewed stores the result of a re-crawl for a file that the job has. One that is gone, or can't
// be fetched now, is left as it was.
func (f *Files) renewed(t Tx, l *queue.Held, v *page.Visit, was *file) (err error) {
	r := fileOf(v)
	if r.Why != "" || v.Answer.Header == nil || bytes.Equal(r.Digest, was.Digest) {
		was.Asked = time.Now().UTC()
		was.Same++
		return t.putRow(TableRequisites, l.Key[:], was)
	}
	r.Earlier = was.places()
	if r.Place, err = f.keep(t, v); err != nil {
		return err
	}
	t.Totals.RequisiteBytes += r.Bytes - was.Bytes
	if err := t.putRow(TableRequisites, l.Key[:], r); err != nil {
		return err
	}
	return f.countBytes(t, v, r.Bytes-was.Bytes)
}

// mostSame limits how rarely an unchanged file is fetched: at least in one of 1<<mostSame
// re-crawls.
const mostSame = 4

// Renew queues some requisites that are due, and returns the rest; nil: there is none.
func Renew(t Tx, a job.Renewal) (rest *job.Renewal, asked int, err error) {
	const most = 5_000 // rows that are read in one commit
	var due []weburl.Key
	looked := 0
	for e, err := range t.Scan(TableRequisites, a.From, nil) {
		if err != nil {
			return nil, 0, err
		}
		if looked++; looked > most {
			rest = &job.Renewal{Before: a.Before, Turn: a.Turn, From: bytes.Clone(e.Key)}
			break
		}
		var r file
		if err := json.Unmarshal(e.Value, &r); err != nil {
			return nil, 0, fmt.Errorf("requisite %x: %w", e.Key, err)
		}
		every := uint64(1) << min(r.Same, mostSame)
		k := weburl.Key(e.Key)
		if r.Place != nil && r.lastAsked().Before(a.Before) && (a.Turn+uint64(k[len(k)-1]))%every == 0 {
			due = append(due, k)
		}
	}
	for _, k := range due {
		is, err := t.Queue.Renew(k)
		if err != nil {
			return nil, 0, err
		}
		if is {
			asked++
		}
	}
	return rest, asked, nil
}

// keep appends the record of an answer to the segments: a revisit record if another file has the
// same bytes. It returns the record's place.
func (f *Files) keep(t Tx, v *page.Visit) ([]byte, error) {
	rec := archive.RecordOf(v)
	if len(v.Body) > 0 {
		digest := dedup.DigestOf(v.Body)
		var was payload
		there, err := readRow(t, tablePayloads, digest[:], &was)
		if err != nil {
			return nil, err
		}
		if there {
			rec.Draft.Content = rec.Head
			rec.Draft = warc.RevisitDraft(rec.Draft, warc.DigestOf(v.Body), was.URL, was.At)
			rec.Body = nil
		} else if err := t.putRow(tablePayloads, digest[:], payload{v.Page.URL, rec.Draft.Date}); err != nil {
			return nil, err
		}
	}
	packed, err := f.archive.PackRecord(rec)
	if err != nil {
		return nil, err
	}
	place, err := f.archive.Append(t, packed, v.Page.URL)
	return place.Encode(), err
}
