package page

import (
	"encoding/binary"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// Every record starts with the version of its encoding; other versions are refused.
const (
	recordForm    = 1
	signatureForm = 2
)

// Tags of the fields at the end of a record.
const (
	tailLabel     = 1  // the label
	tailETag      = 10 // as sent
	tailModified  = 11 // as sent
	tailReplaced  = 12 // seq, a varint
	tailRevisit   = 13 // time, HTTP status, words, rule and target, as in the rest of the record
	tailRender    = 14 // what became of running the page's scripts
	tailFailure   = 15 // the kind of a failure
	tailGone      = 16 // time
	tailEdited    = 17 // time
	tailDiffers   = 20 // see encodeDiffers
	tailCanonical = 24 // rel=canonical on another site
	tailCompared  = 30 // seq, a varint
	tailBody      = 31 // 8 bytes of a digest
	tailEarly     = 32 // 1
	tailHostless  = 33 // 8 bytes of a digest
	tailLines     = 34 // 8 bytes of a digest
	tailSays      = 35 // 1
	tailLayout    = 36 // 8 bytes of a hash
	tailMoreLinks = 40 // links beyond the limit, a varint
	tailTextError = 41 // why a document has no text
	tailFields    = 50 // see encodeFields
	tailCategory  = 61 // its names, each a text
	tailOffTopic  = 62 // 1
	tailArchive   = 60 // of a document of an earlier crawl: its archive and its URL
)

// verdicts, in the order of their codes.
var verdicts = []Verdict{"", VerdictNew, VerdictCopy, VerdictRefused, VerdictFailed}

func verdictCode(v Verdict) byte {
	for i, w := range verdicts {
		if v == w {
			return byte(i)
		}
	}
	return 0
}

// EncodeRecord encodes a record for the store, without what can be derived: Seq is the key, and Of
// and the gate's reason come from the verdict.
func EncodeRecord(p *Record, v dedup.Verdict) []byte {
	e := row.Encoder{B: make([]byte, 0, 160+len(p.URL)+len(p.Title)+len(p.Reason))}
	e.Byte(recordForm)
	e.Text(p.URL)
	e.Uint(uint64(p.Status))
	e.Byte(verdictCode(p.Verdict))
	e.Uint(uint64(v.Of))
	e.Byte(byte(v.Level))
	e.Byte(byte(v.Class))
	e.Uint(uint64(v.Distance))
	e.Float64(v.Similarity)
	e.Text(p.Reason)
	e.Text(p.Rule)
	e.Text(p.Location)
	e.Uint(uint64(p.Depth))
	e.Float32(p.Score)
	e.Uint(uint64(p.Attempt))
	e.Time(p.Fetched)
	e.Uint(uint64(p.TookMS))
	e.Text(p.Type)
	e.Text(p.Charset)
	e.Int(p.Bytes)
	e.Int(p.Wire)
	e.Bool(p.Truncated)
	e.Text(p.Title)
	e.Text(p.Lang)
	e.Text(p.PageType)
	e.Float32(p.Relevance)
	e.Text(p.Digest)
	e.Text(p.SimHash)
	e.Uint(uint64(p.BodyTokens))
	e.Uint(uint64(p.Links))
	e.Tail(tailLabel, p.Label)
	e.Tail(tailFailure, p.Failure)
	e.Tail(tailCanonical, p.Canonical)
	e.Tail(tailTextError, p.TextError)
	if p.MoreLinks > 0 {
		var more row.Encoder
		more.Uint(uint64(p.MoreLinks))
		e.Tail(tailMoreLinks, string(more.B))
	}
	if len(p.Category) > 0 {
		var names row.Encoder
		names.Texts(p.Category)
		e.Tail(tailCategory, string(names.B))
	}
	if p.Archive != "" {
		var in row.Encoder
		in.Text(p.Archive)
		in.Text(p.Of)
		e.Tail(tailArchive, string(in.B))
	}
	encodeRevisit(&e, p)
	encodeDiffers(&e, p.Differs)
	encodeFields(&e, p)
	return e.B
}

// DecodeRecord decodes what EncodeRecord wrote. The record lacks Seq and, unless an earlier crawl
// has the kept page, Of; the verdict has the sequence number of the kept page.
func DecodeRecord(b []byte) (Record, dedup.Verdict, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != recordForm {
		return Record{}, dedup.Verdict{}, fmt.Errorf("page record of form %d; this version reads %d", f, recordForm)
	}
	d.Share()
	var p Record
	p.URL = d.Text()
	p.Status = int(d.Uint())
	v := decodeVerdict(&d, &p)
	p.Reason = d.Text()
	p.Rule = d.Text()
	p.Location = d.Text()
	p.Depth = int(d.Uint())
	p.Score = d.Float32()
	p.Attempt = int(d.Uint())
	p.Fetched = d.Time()
	p.TookMS = int(d.Uint())
	p.Type = d.Text()
	p.Charset = d.Text()
	p.Bytes = d.Int()
	p.Wire = d.Int()
	p.Truncated = d.Bool()
	p.Title = d.Text()
	p.Lang = d.Text()
	p.PageType = d.Text()
	p.Relevance = d.Float32()
	p.Digest = d.Text()
	p.SimHash = d.Text()
	p.BodyTokens = int(d.Uint())
	p.Links = int(d.Uint())
	d.Tails(func(tag byte, v string) {
		switch tag {
		case tailLabel:
			p.Label = v
		case tailFailure:
			p.Failure = v
		case tailCanonical:
			p.Canonical = v
		case tailTextError:
			p.TextError = v
		case tailMoreLinks:
			more := row.Decoder{B: []byte(v)}
			p.MoreLinks = int(more.Uint())
		case tailCategory:
			names := row.Decoder{B: []byte(v)}
			p.Category, d.Err = names.Texts(), names.Err
		case tailArchive:
			in := row.Decoder{B: []byte(v)}
			p.Archive, p.Of, d.Err = in.Text(), in.Text(), in.Err
		}
		if err := decodeRevisit(tag, v, &p); err != nil {
			d.Err = err
		}
		if tag == tailDiffers {
			p.Differs, d.Err = decodeDiffers(v)
		}
		if tag == tailFields {
			if err := decodeFields(v, &p); err != nil {
				d.Err = err
			}
		}
	})
	if d.Err != nil {
		return Record{}, dedup.Verdict{}, fmt.Errorf("page record: %w", d.Err)
	}
	p.Level, p.Distance, p.Similarity = int(v.Level), v.Distance, v.Similarity
	if v.Copy() || p.Earlier() {
		p.Class = v.Class.String()
	}
	return p, v, nil
}

// decodeVerdict reads the record's verdict and that of the gate, which are adjacent.
func decodeVerdict(d *row.Decoder, p *Record) (v dedup.Verdict) {
	if c := d.Byte(); int(c) < len(verdicts) {
		p.Verdict = verdicts[c]
	}
	v.Of = dedup.Ref(d.Uint())
	v.Level = dedup.Level(d.Byte())
	v.Class = dedup.Class(d.Byte())
	v.Distance = int(d.Uint())
	v.Similarity = d.Float64()
	return v
}

// urlIn returns the URL of an encoded record.
func urlIn(b []byte) (string, error) {
	d := row.Decoder{B: b}
	d.Byte()
	return d.Text(), d.Err
}

// titleIn reads the fields that a list of results shows, at a third of the cost of the whole
// record.
func titleIn(b []byte) (title string, document bool, v dedup.Verdict, err error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != recordForm {
		return "", false, v, fmt.Errorf("page record of form %d; this version reads %d", f, recordForm)
	}
	var p Record
	d.Raw()  // URL
	d.Uint() // Status
	v = decodeVerdict(&d, &p)
	for range 3 { // Reason, Rule, Location
		d.Raw()
	}
	d.Uint()    // Depth
	d.Float32() // Score
	d.Uint()    // Attempt
	d.Time()    // Fetched
	d.Uint()    // TookMS
	d.Raw()     // Type
	d.Raw()     // Charset
	d.Int()     // Bytes
	d.Int()     // Wire
	d.Bool()    // Truncated
	title = d.Text()
	return title, p.Document(), v, d.Err
}

// EncodeSignature encodes a signature for the store.
func EncodeSignature(s *dedup.Signature) []byte {
	e := row.Encoder{B: make([]byte, 0, 112)}
	e.Byte(signatureForm)
	e.Bytes(s.Bytes[:])
	e.Bytes(s.Body[:])
	e.Uint64(s.SimHash)
	e.Bytes(s.Sketch[:])
	for _, k := range s.Bands {
		e.Uint32(k)
	}
	e.Uint64(s.Layout)
	e.Uint32(s.Facts.Title)
	e.Uint32(s.Facts.Numbers)
	e.Uint(uint64(s.Tokens))
	return e.B
}

// DecodeSignature decodes what EncodeSignature wrote.
func DecodeSignature(b []byte) (dedup.Signature, error) {
	d := row.Decoder{B: b}
	if form := d.Byte(); form != signatureForm {
		return dedup.Signature{}, fmt.Errorf("signature of form %d; this version reads %d", form, signatureForm)
	}
	var s dedup.Signature
	copy(s.Bytes[:], d.Bytes(16))
	copy(s.Body[:], d.Bytes(16))
	s.SimHash = d.Uint64()
	copy(s.Sketch[:], d.Bytes(16))
	for i := range s.Bands {
		s.Bands[i] = d.Uint32()
	}
	s.Layout = d.Uint64()
	s.Facts = dedup.Facts{Title: d.Uint32(), Numbers: d.Uint32()}
	s.Tokens = uint32(d.Uint())
	if d.Err != nil {
		return dedup.Signature{}, fmt.Errorf("signature: %w", d.Err)
	}
	return s, nil
}

// encodeRevisit appends the fields for later visits, and those of later visits that changed
// nothing.
func encodeRevisit(e *row.Encoder, p *Record) {
	e.Tail(tailRender, p.Render)
	e.Tail(tailETag, p.ETag)
	e.Tail(tailModified, p.LastModified)
	if p.ReplacedBy != 0 {
		var by row.Encoder
		by.Uint(p.ReplacedBy)
		e.Tail(tailReplaced, string(by.B))
	}
	if p.Compared != 0 {
		var with row.Encoder
		with.Uint(p.Compared)
		e.Tail(tailCompared, string(with.B))
	}
	if p.Early {
		e.Tail(tailEarly, "1")
	}
	if p.OffTopic {
		e.Tail(tailOffTopic, "1")
	}
	if p.Body != 0 {
		e.Tail(tailBody, string(binary.BigEndian.AppendUint64(nil, p.Body)))
	}
	if p.Layout != 0 {
		e.Tail(tailLayout, string(binary.BigEndian.AppendUint64(nil, p.Layout)))
	}
	if p.Lines != 0 {
		e.Tail(tailLines, string(binary.BigEndian.AppendUint64(nil, p.Lines)))
	}
	if p.Says {
		e.Tail(tailSays, "1")
	}
	if p.Hostless != 0 {
		e.Tail(tailHostless, string(binary.BigEndian.AppendUint64(nil, p.Hostless)))
	}
	if !p.Revisited.IsZero() {
		var again row.Encoder
		again.Time(p.Revisited)
		again.Uint(uint64(p.RevisitStatus))
		again.Text(p.Revisit)
		again.Text(p.RevisitRule)
		again.Text(p.RevisitTo)
		e.Tail(tailRevisit, string(again.B))
	}
	if !p.Gone.IsZero() {
		var since row.Encoder
		since.Time(p.Gone)
		e.Tail(tailGone, string(since.B))
	}
	if !p.Edited.IsZero() {
		var at row.Encoder
		at.Time(p.Edited)
		e.Tail(tailEdited, string(at.B))
	}
}

// decodeRevisit decodes a field of encodeRevisit into a record, and returns an error if it is
// invalid.
func decodeRevisit(tag byte, v string, p *Record) error {
	d := row.Decoder{B: []byte(v)}
	switch tag {
	case tailRender:
		p.Render = v
	case tailETag:
		p.ETag = v
	case tailModified:
		p.LastModified = v
	case tailReplaced:
		p.ReplacedBy = d.Uint()
	case tailCompared:
		p.Compared = d.Uint()
	case tailOffTopic:
		p.OffTopic = true
	case tailEarly:
		p.Early = true
	case tailBody:
		if len(v) == 8 {
			p.Body = binary.BigEndian.Uint64([]byte(v))
		}
	case tailLayout:
		if len(v) == 8 {
			p.Layout = binary.BigEndian.Uint64([]byte(v))
		}
	case tailLines:
		if len(v) == 8 {
			p.Lines = binary.BigEndian.Uint64([]byte(v))
		}
	case tailSays:
		p.Says = true
	case tailHostless:
		if len(v) == 8 {
			p.Hostless = binary.BigEndian.Uint64([]byte(v))
		}
	case tailGone:
		p.Gone = d.Time()
	case tailEdited:
		p.Edited = d.Time()
	case tailRevisit:
		p.Revisited = d.Time()
		p.RevisitStatus = int(d.Uint())
		p.Revisit = d.Text()
		if len(d.B) > 0 { // records before there were fields end here
			p.RevisitRule, p.RevisitTo = d.Text(), d.Text()
		}
	}
	return d.Err
}

// maxPassages is how many passages are read from a record, which may be damaged.
const maxPassages = 100

// encodeDiffers appends what a near copy and its kept page do not share: the number of passages of
// the copy, each as three strings, then those of the kept page.
func encodeDiffers(e *row.Encoder, d *dedup.Difference) {
	if d == nil {
		return
	}
	var f row.Encoder
	for _, side := range [][]dedup.Passage{d.Here, d.There} {
		f.Uint(uint64(len(side)))
		for _, p := range side {
			f.Text(p.Before)
			f.Text(p.Text)
			f.Text(p.After)
		}
	}
	e.Tail(tailDiffers, string(f.B))
}

func decodeDiffers(v string) (*dedup.Difference, error) {
	d := row.Decoder{B: []byte(v)}
	var sides [2][]dedup.Passage
	for i := range sides {
		n := d.Uint()
		if n > maxPassages {
			return nil, fmt.Errorf("%d passages, at most %d are written", n, maxPassages)
		}
		for range n {
			sides[i] = append(sides[i], dedup.Passage{Before: d.Text(), Text: d.Text(), After: d.Text()})
		}
	}
	return &dedup.Difference{Here: sides[0], There: sides[1]}, d.Err
}

const fieldsForm = 1

// encodeFields appends what selectors extracted: the version, the number of fields, for each
// whether it is a list, its name, the number of its values and the values, and then the names of
// the fields that were cut.
func encodeFields(e *row.Encoder, p *Record) {
	if len(p.Fields) == 0 && len(p.FieldsCut) == 0 {
		return
	}
	var f row.Encoder
	f.Byte(fieldsForm)
	f.Uint(uint64(len(p.Fields)))
	for i := range p.Fields {
		f.Bool(p.Fields[i].List)
		f.Text(p.Fields[i].Name)
		f.Texts(p.Fields[i].Values)
	}
	f.Texts(p.FieldsCut)
	e.Tail(tailFields, string(f.B))
}

func decodeFields(v string, p *Record) error {
	d := row.Decoder{B: []byte(v)}
	if form := d.Byte(); form != fieldsForm {
		return fmt.Errorf("fields of form %d; this version reads %d", form, fieldsForm)
	}
	for range d.Count() {
		p.Fields = append(p.Fields, purify.Field{List: d.Bool(), Name: d.Text(), Values: d.Texts()})
	}
	p.FieldsCut = d.Texts()
	return d.Err
}
