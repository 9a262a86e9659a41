package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What is kept of a page, by its number.
var (
	tablePages      = &kv.Table{Name: "pages", Checked: true, Fill: grows}      // the record of the visit
	tableSignatures = &kv.Table{Name: "signatures", Checked: true, Fill: grows} // of kept pages
	tableViews      = &kv.Table{Name: "views", Checked: true, Fill: grows}      // packed
	tableBodies     = &kv.Table{Name: "bodies", Checked: true, Fill: grows}     // packed
	tableOutlinks   = &kv.Table{Name: "outlinks", Checked: true, Fill: grows}   // of kept pages: the keys of URLs
)

const (
	// grows is the Fill of tables whose keys only ever grow.
	grows = 0.95

	// manyHosts is that of tables with a row a host. A commit of a wide crawl brings many
	// new hosts, and pages that are split stay half full unless the engine is told: of
	// 20,000 hosts of one page a row in sites took 237 bytes of disk, and takes 129.
	manyHosts = 0.9
)

// Every record begins with the version of its form, so that an old one stays
// readable when the form changes.
const (
	urlForm  = 2
	pageForm = 1
	hostForm = 1
	signForm = 2
)

// A state is where a URL stands.
type state byte

const (
	queued  state = 1 // has an entry in the queue
	later   state = 2 // has an entry in later
	done    state = 3 // has a page record
	refused state = 4 // was refused when it was found; has a rule
)

func (s state) String() string {
	switch s {
	case queued:
		return "queued"
	case later:
		return "later"
	case done:
		return "done"
	case refused:
		return "refused"
	}
	return fmt.Sprintf("state %d", byte(s))
}

// Tags of the fields at the end of a page's or a URL's record.
const (
	tailLabel     = 1  // the label
	tailDust      = 2  // of a URL: what URL rules made of it, see isDeferred
	tailCanonical = 24 // of a page: rel=canonical on another site
	tailMoreLinks = 40 // of a page: links beyond the limit, a varint
)

// A urlRecord is what the table urls has of one URL.
type urlRecord struct {
	state   state
	url     string
	from    weburl.Key
	anchor  string
	label   string
	signals priority.Signals
	trail   frontier.Trail
	score   float32
	order   uint64 // of discovery; ties of score are broken by it
	attempt int
	notTill int64  // state later: unix nanoseconds
	seq     uint64 // state done: the page's place
	refusal frontier.Refusal
	dust    byte // what URL rules made of it
}

// The parts of a url record that most records lack: a bit says that one is there.
const (
	hasFrom = 1 << iota
	hasAnchor
	hasSeed
	hasDepth
	hasRelevance
	hasWords // signals.Anchor
	hasDegree
	isCopy
	hasTrail
	hasAttempt
	hasNotTill
	hasSeq
	hasRefusal
)

func (r *urlRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64+len(r.url)+len(r.anchor))}
	e.Byte(urlForm)
	e.Byte(byte(r.state))
	var parts uint64
	for i, there := range []bool{
		!r.from.IsZero(), r.anchor != "", r.signals.Seed != 0, r.signals.Depth != 0, r.signals.Relevance != 0,
		r.signals.Anchor != 0, r.signals.Degree != 0, r.signals.Copy, r.trail != frontier.Trail{},
		r.attempt != 0, r.notTill != 0, r.seq != 0, !r.refusal.IsZero(),
	} {
		if there {
			parts |= 1 << i
		}
	}
	has := func(part uint64) bool { return parts&part != 0 }
	e.Uint(parts)
	e.Text(r.url)
	e.Float32(r.score)
	e.Uint(r.order)
	if has(hasFrom) {
		e.Bytes(r.from[:])
	}
	if has(hasAnchor) {
		e.Text(r.anchor)
	}
	if has(hasSeed) {
		e.Float32(r.signals.Seed)
	}
	if has(hasDepth) {
		e.Uint(uint64(r.signals.Depth))
	}
	if has(hasRelevance) {
		e.Float32(r.signals.Relevance)
	}
	if has(hasWords) {
		e.Float32(r.signals.Anchor)
	}
	if has(hasDegree) {
		e.Uint(uint64(r.signals.Degree))
	}
	if has(hasTrail) {
		e.Byte(r.trail.Calendar)
		e.Byte(r.trail.Redirects)
	}
	if has(hasAttempt) {
		e.Uint(uint64(r.attempt))
	}
	if has(hasNotTill) {
		e.Int(r.notTill)
	}
	if has(hasSeq) {
		e.Uint(r.seq)
	}
	if has(hasRefusal) {
		e.Text(r.refusal.Rule)
		e.Text(r.refusal.Detail)
	}
	e.Tail(tailLabel, r.label)
	if r.dust != 0 {
		e.Tail(tailDust, string([]byte{r.dust}))
	}
	return e.B
}

func decodeURL(b []byte) (urlRecord, error) {
	d := row.Decoder{B: b}
	var r urlRecord
	switch form := d.Byte(); form {
	case 1:
		r = decodeURL1(&d)
	case urlForm:
		r = decodeURL2(&d)
	default:
		return urlRecord{}, fmt.Errorf("url record of form %d; this version reads 1 to %d", form, urlForm)
	}
	if d.Err != nil {
		return urlRecord{}, fmt.Errorf("url record: %w", d.Err)
	}
	return r, nil
}

func decodeURL2(d *row.Decoder) urlRecord {
	r := urlRecord{state: state(d.Byte())}
	parts := d.Uint()
	has := func(part uint64) bool { return parts&part != 0 }
	r.url = d.Text()
	r.score = d.Float32()
	r.order = d.Uint()
	if has(hasFrom) {
		copy(r.from[:], d.Bytes(len(r.from)))
	}
	if has(hasAnchor) {
		r.anchor = d.Text()
	}
	if has(hasSeed) {
		r.signals.Seed = d.Float32()
	}
	if has(hasDepth) {
		r.signals.Depth = uint16(d.Uint())
	}
	if has(hasRelevance) {
		r.signals.Relevance = d.Float32()
	}
	if has(hasWords) {
		r.signals.Anchor = d.Float32()
	}
	if has(hasDegree) {
		r.signals.Degree = uint16(d.Uint())
	}
	r.signals.Copy = has(isCopy)
	if has(hasTrail) {
		r.trail = frontier.Trail{Calendar: d.Byte(), Redirects: d.Byte()}
	}
	if has(hasAttempt) {
		r.attempt = int(d.Uint())
	}
	if has(hasNotTill) {
		r.notTill = d.Int()
	}
	if has(hasSeq) {
		r.seq = d.Uint()
	}
	if has(hasRefusal) {
		r.refusal = frontier.Refusal{Rule: d.Text(), Detail: d.Text()}
	}
	r.tail(d)
	return r
}

// tail reads what stands at the end of a record of either form.
func (r *urlRecord) tail(d *row.Decoder) {
	d.Tails(func(tag byte, v string) {
		switch {
		case tag == tailLabel:
			r.label = v
		case tag == tailDust && len(v) == 1:
			r.dust = v[0]
		}
	})
}

// decodeURL1 reads the form in which every part was always there.
func decodeURL1(d *row.Decoder) urlRecord {
	r := urlRecord{state: state(d.Byte()), url: d.Text()}
	copy(r.from[:], d.Bytes(len(r.from)))
	r.anchor = d.Text()
	r.signals = priority.Signals{
		Seed:      d.Float32(),
		Depth:     uint16(d.Uint()),
		Relevance: d.Float32(),
		Anchor:    d.Float32(),
		Degree:    uint16(d.Uint()),
		Copy:      d.Bool(),
	}
	r.trail = frontier.Trail{Calendar: d.Byte(), Redirects: d.Byte()}
	r.score = d.Float32()
	r.order = d.Uint()
	r.attempt = int(d.Uint())
	r.notTill = d.Int()
	r.seq = d.Uint()
	r.refusal = frontier.Refusal{Rule: d.Text(), Detail: d.Text()}
	r.tail(d)
	return r
}

// sortable maps floats to integers of the same order.
func sortable(f float32) uint32 {
	b := math.Float32bits(f)
	if b&(1<<31) != 0 {
		return ^b
	}
	return b | 1<<31
}

func unsortable(b uint32) float32 {
	if b&(1<<31) != 0 {
		return math.Float32frombits(b &^ (1 << 31))
	}
	return math.Float32frombits(^b)
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func laterKey(at int64, k weburl.Key) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(at)), k[:]...)
}

func voteKey(of uint64, k weburl.Key) []byte {
	return append(binary.BigEndian.AppendUint64(nil, of), k[:]...)
}

// verdicts, in the order of their codes.
var verdicts = []page.Verdict{"", page.VerdictNew, page.VerdictCopy, page.VerdictRefused, page.VerdictFailed}

func verdictCode(v page.Verdict) byte {
	for i, w := range verdicts {
		if v == w {
			return byte(i)
		}
	}
	return 0
}

// encodePage leaves out what is derived: Seq is the key, and Of and the words
// of a gate's answer come from the verdict.
func encodePage(p *page.Record, v dedup.Verdict) []byte {
	e := row.Encoder{B: make([]byte, 0, 160+len(p.URL)+len(p.Title)+len(p.Reason))}
	e.Byte(pageForm)
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
	e.Tail(tailCanonical, p.Canonical)
	if p.MoreLinks > 0 {
		var more row.Encoder
		more.Uint(uint64(p.MoreLinks))
		e.Tail(tailMoreLinks, string(more.B))
	}
	encodeRevisit(&e, p)
	encodeDiffers(&e, p.Differs)
	encodeFields(&e, p)
	return e.B
}

// decodePage returns the record without Seq and Of, and the kept page's place.
func decodePage(b []byte) (page.Record, dedup.Verdict, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != pageForm {
		return page.Record{}, dedup.Verdict{}, fmt.Errorf("page record of form %d; this version reads %d", f, pageForm)
	}
	var p page.Record
	var v dedup.Verdict
	p.URL = d.Text()
	p.Status = int(d.Uint())
	if c := d.Byte(); int(c) < len(verdicts) {
		p.Verdict = verdicts[c]
	}
	v.Of = dedup.DocID(d.Uint())
	v.Level = dedup.Level(d.Byte())
	v.Class = dedup.Class(d.Byte())
	v.Distance = int(d.Uint())
	v.Similarity = d.Float64()
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
		case tailCanonical:
			p.Canonical = v
		case tailMoreLinks:
			more := row.Decoder{B: []byte(v)}
			p.MoreLinks = int(more.Uint())
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
		return page.Record{}, dedup.Verdict{}, fmt.Errorf("page record: %w", d.Err)
	}
	p.Level, p.Distance, p.Similarity = int(v.Level), v.Distance, v.Similarity
	if v.Copy() {
		p.Class = v.Class.String()
	}
	return p, v, nil
}

func encodeSignature(s *dedup.Signature) []byte {
	e := row.Encoder{B: make([]byte, 0, 112)}
	e.Byte(signForm)
	e.Bytes(s.Bytes[:])
	e.Bytes(s.Body[:])
	e.B = binary.BigEndian.AppendUint64(e.B, s.SimHash)
	e.Bytes(s.Sketch[:])
	for _, k := range s.Bands {
		e.B = binary.BigEndian.AppendUint32(e.B, k)
	}
	e.B = binary.BigEndian.AppendUint64(e.B, s.Layout)
	e.B = binary.BigEndian.AppendUint32(e.B, s.Facts.Title)
	e.B = binary.BigEndian.AppendUint32(e.B, s.Facts.Numbers)
	e.Uint(uint64(s.Tokens))
	return e.B
}

func decodeSignature(b []byte) (dedup.Signature, error) {
	d := row.Decoder{B: b}
	form := d.Byte()
	if form < 1 || form > signForm {
		return dedup.Signature{}, fmt.Errorf("signature of form %d; this version reads 1 to %d", form, signForm)
	}
	var s dedup.Signature
	copy(s.Bytes[:], d.Bytes(16))
	copy(s.Body[:], d.Bytes(16))
	if v := d.Bytes(8); v != nil {
		s.SimHash = binary.BigEndian.Uint64(v)
	}
	copy(s.Sketch[:], d.Bytes(16))
	for i := range s.Bands {
		if form > 1 {
			s.Bands[i] = d.Uint32()
		}
	}
	if v := d.Bytes(8); v != nil {
		s.Layout = binary.BigEndian.Uint64(v)
	}
	if form > 1 {
		s.Facts = dedup.Facts{Title: d.Uint32(), Numbers: d.Uint32()}
	}
	s.Tokens = uint32(d.Uint())
	if d.Err != nil {
		return dedup.Signature{}, fmt.Errorf("signature: %w", d.Err)
	}
	return s, nil
}
