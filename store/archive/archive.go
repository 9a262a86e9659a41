package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"time"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// Dir is the folder of the segments in a job's folder.
const Dir = "archive"

// An Archive has the bytes of a job's pages. Only one goroutine may write at a time, as there is
// one transaction at a time; any number may read meanwhile.
type Archive struct {
	job      string // the job's folder
	readOnly bool
	options  segment.Options

	// Advise adds to the error of a damaged record what the user can do.
	Advise func(error) error

	segments *segment.Segments // nil: not opened yet
}

// New returns the archive of the job in dir, which is not open yet.
func New(dir string, o segment.Options, readOnly bool) *Archive {
	return &Archive{job: dir, readOnly: readOnly, options: o, Advise: func(err error) error { return job.AdviseRepair(dir, err) }}
}

// Open opens the segments up to the end that the last commit has recorded.
func (a *Archive) Open(r kv.Reader, end segment.End) (err error) {
	dicts := make(map[uint32][]byte)
	for e, err := range kv.Prefix(r, job.TableMeta, keyDict) {
		if err != nil {
			return err
		}
		if id, dict, ok := dictIn(e); ok { // otherwise the segments have it
			dicts[id] = bytes.Clone(dict) // it outlives the snapshot
		}
	}
	dir := filepath.Join(a.job, Dir)
	if a.readOnly {
		a.segments, err = segment.OpenReadOnly(dir, dicts)
	} else {
		a.segments, err = segment.Open(dir, end, dicts, a.options)
	}
	return err
}

// Cut returns an error if the last segment ends before the end that the last commit has recorded, or is not there: the
// pages in it are lost.
func (a *Archive) Cut(end segment.End) error {
	var found error
	if err := a.segments.Check(end, nil, func(d *segment.DamageError) error { found = a.Advise(d); return nil }); err != nil {
		return err
	}
	return found
}

// Close closes the segments, if they are open.
func (a *Archive) Close() error {
	if a.segments == nil {
		return nil
	}
	return a.segments.Close()
}

// Sync makes durable what was appended, and returns where it ends; end if the archive is not open.
// Call it before the commit of the rows that refer to it.
func (a *Archive) Sync(end segment.End) (segment.End, error) {
	if a.segments == nil {
		return end, nil
	}
	if err := a.segments.Sync(); err != nil {
		return end, err
	}
	return a.segments.End(), nil
}

// Restore rewrites the dictionary of a segment.
func (a *Archive) Restore(file, dict uint32) error { return a.segments.Restore(file, dict) }

// keyDict is the prefix of the keys of the dictionaries of segments, followed by the id. The
// values start with the checksum of the dictionary.
var keyDict = []byte("dictionary ")

// dictIn returns the dictionary in a row; ok is false if it is damaged.
func dictIn(e kv.Entry) (id uint32, dict []byte, ok bool) {
	k, v := e.Key[len(keyDict):], e.Value
	if len(k) != 4 || len(v) < 4 || binary.BigEndian.Uint32(v) != durable.Sum(v[4:]) {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(k), v[4:], true
}

// BadDict reports whether a row of job.TableMeta is a damaged dictionary of a segment, and returns
// its id.
func BadDict(k, v []byte) (id []byte, bad bool) {
	if !bytes.HasPrefix(k, keyDict) {
		return nil, false
	}
	_, _, ok := dictIn(kv.Entry{Key: k, Value: v})
	return k[len(keyDict):], !ok
}

// Pack packs the bytes of a visit in the goroutine of its caller, so that others can pack while the
// writer waits for the disk.
func (a *Archive) Pack(v *page.Visit) (*segment.Packed, error) {
	return a.segments.Pack(RecordOf(v))
}

// RecordOf returns the WARC record of a page that is kept: the server's answer, or what the page's
// scripts made of it.
func RecordOf(v *page.Visit) *segment.Record {
	a := &v.Answer
	at := v.Page.Fetched
	if at.IsZero() {
		at = time.Now()
	}
	d := warc.Draft{Type: warc.Response, URL: v.Page.URL, Date: at, Kind: warc.KindResponse}
	if v.Sum != [sha256.Size]byte{} { // otherwise Pack computes it
		d.Fields = append(d.Fields, warc.PayloadDigest(v.Sum))
	}
	if a.IP != "" {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-IP-Address", Value: a.IP})
	}
	if a.Truncated {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-Truncated", Value: "unspecified"})
	}
	if a.Rendered {
		d.Type, d.Kind = warc.Conversion, v.Page.Type
		if v.Page.Charset != "" {
			d.Kind += "; charset=" + v.Page.Charset
		}
		return &segment.Record{Draft: d, Body: v.Body}
	}
	return &segment.Record{Draft: d, Head: warc.AppendResponseHead(nil, v.Page.Status, a.Header, len(v.Body)), Body: v.Body}
}

// Keep appends the bytes of a page to the segments, and puts the row that refers to them. p is the
// result of Pack for the visit; nil: it was not called.
func (a *Archive) Keep(tx kv.Tx, seq uint64, p *segment.Packed, v *page.Visit) (err error) {
	if p == nil {
		if p, err = a.Pack(v); err != nil {
			return err
		}
	}
	place, err := a.Append(tx, p, v.Page.URL)
	if err == nil {
		tx.Put(page.TableBodies, page.Key(seq), place.Encode())
	}
	return err
}

// Append appends a record to the segments, and puts the dictionary that it is read with.
func (a *Archive) Append(tx kv.Tx, p *segment.Packed, url string) (segment.Place, error) {
	place, id, dict, err := a.segments.Append(p)
	if err != nil {
		return place, fmt.Errorf("keep %s: %w", url, err)
	}
	if dict != nil {
		tx.Put(job.TableMeta, binary.BigEndian.AppendUint32(bytes.Clone(keyDict), id), append(binary.BigEndian.AppendUint32(nil, durable.Sum(dict)), dict...))
	}
	return place, nil
}

// PackRecord packs a record that is not that of a page.
func (a *Archive) PackRecord(r *segment.Record) (*segment.Packed, error) { return a.segments.Pack(r) }
