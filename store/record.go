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
	e := encoder{make([]byte, 0, 64+len(r.url)+len(r.anchor))}
	e.byte(urlForm)
	e.byte(byte(r.state))
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
	e.uint(parts)
	e.string(r.url)
	e.float32(r.score)
	e.uint(r.order)
	if has(hasFrom) {
		e.bytes(r.from[:])
	}
	if has(hasAnchor) {
		e.string(r.anchor)
	}
	if has(hasSeed) {
		e.float32(r.signals.Seed)
	}
	if has(hasDepth) {
		e.uint(uint64(r.signals.Depth))
	}
	if has(hasRelevance) {
		e.float32(r.signals.Relevance)
	}
	if has(hasWords) {
		e.float32(r.signals.Anchor)
	}
	if has(hasDegree) {
		e.uint(uint64(r.signals.Degree))
	}
	if has(hasTrail) {
		e.byte(r.trail.Calendar)
		e.byte(r.trail.Redirects)
	}
	if has(hasAttempt) {
		e.uint(uint64(r.attempt))
	}
	if has(hasNotTill) {
		e.int(r.notTill)
	}
	if has(hasSeq) {
		e.uint(r.seq)
	}
	if has(hasRefusal) {
		e.string(r.refusal.Rule)
		e.string(r.refusal.Detail)
	}
	e.tail(tailLabel, r.label)
	if r.dust != 0 {
		e.tail(tailDust, string([]byte{r.dust}))
	}
	return e.b
}

func decodeURL(b []byte) (urlRecord, error) {
	d := decoder{b: b}
	var r urlRecord
	switch form := d.byte(); form {
	case 1:
		r = decodeURL1(&d)
	case urlForm:
		r = decodeURL2(&d)
	default:
		return urlRecord{}, fmt.Errorf("url record of form %d; this version reads 1 to %d", form, urlForm)
	}
	if d.err != nil {
		return urlRecord{}, fmt.Errorf("url record: %w", d.err)
	}
	return r, nil
}

func decodeURL2(d *decoder) urlRecord {
	r := urlRecord{state: state(d.byte())}
	parts := d.uint()
	has := func(part uint64) bool { return parts&part != 0 }
	r.url = d.string()
	r.score = d.float32()
	r.order = d.uint()
	if has(hasFrom) {
		copy(r.from[:], d.take(len(r.from)))
	}
	if has(hasAnchor) {
		r.anchor = d.string()
	}
	if has(hasSeed) {
		r.signals.Seed = d.float32()
	}
	if has(hasDepth) {
		r.signals.Depth = uint16(d.uint())
	}
	if has(hasRelevance) {
		r.signals.Relevance = d.float32()
	}
	if has(hasWords) {
		r.signals.Anchor = d.float32()
	}
	if has(hasDegree) {
		r.signals.Degree = uint16(d.uint())
	}
	r.signals.Copy = has(isCopy)
	if has(hasTrail) {
		r.trail = frontier.Trail{Calendar: d.byte(), Redirects: d.byte()}
	}
	if has(hasAttempt) {
		r.attempt = int(d.uint())
	}
	if has(hasNotTill) {
		r.notTill = d.int()
	}
	if has(hasSeq) {
		r.seq = d.uint()
	}
	if has(hasRefusal) {
		r.refusal = frontier.Refusal{Rule: d.string(), Detail: d.string()}
	}
	r.tail(d)
	return r
}

// tail reads what stands at the end of a record of either form.
func (r *urlRecord) tail(d *decoder) {
	d.tails(func(tag byte, v string) {
		switch {
		case tag == tailLabel:
			r.label = v
		case tag == tailDust && len(v) == 1:
			r.dust = v[0]
		}
	})
}

// decodeURL1 reads the form in which every part was always there.
func decodeURL1(d *decoder) urlRecord {
	r := urlRecord{state: state(d.byte()), url: d.string()}
	copy(r.from[:], d.take(len(r.from)))
	r.anchor = d.string()
	r.signals = priority.Signals{
		Seed:      d.float32(),
		Depth:     uint16(d.uint()),
		Relevance: d.float32(),
		Anchor:    d.float32(),
		Degree:    uint16(d.uint()),
		Copy:      d.bool(),
	}
	r.trail = frontier.Trail{Calendar: d.byte(), Redirects: d.byte()}
	r.score = d.float32()
	r.order = d.uint()
	r.attempt = int(d.uint())
	r.notTill = d.int()
	r.seq = d.uint()
	r.refusal = frontier.Refusal{Rule: d.string(), Detail: d.string()}
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
	e := encoder{make([]byte, 0, 160+len(p.URL)+len(p.Title)+len(p.Reason))}
	e.byte(pageForm)
	e.string(p.URL)
	e.uint(uint64(p.Status))
	e.byte(verdictCode(p.Verdict))
	e.uint(uint64(v.Of))
	e.byte(byte(v.Level))
	e.byte(byte(v.Class))
	e.uint(uint64(v.Distance))
	e.float64(v.Similarity)
	e.string(p.Reason)
	e.string(p.Rule)
	e.string(p.Location)
	e.uint(uint64(p.Depth))
	e.float32(p.Score)
	e.uint(uint64(p.Attempt))
	e.time(p.Fetched)
	e.uint(uint64(p.TookMS))
	e.string(p.Type)
	e.string(p.Charset)
	e.int(p.Bytes)
	e.int(p.Wire)
	e.bool(p.Truncated)
	e.string(p.Title)
	e.string(p.Lang)
	e.string(p.PageType)
	e.float32(p.Relevance)
	e.string(p.Digest)
	e.string(p.SimHash)
	e.uint(uint64(p.BodyTokens))
	e.uint(uint64(p.Links))
	e.tail(tailLabel, p.Label)
	e.tail(tailCanonical, p.Canonical)
	if p.MoreLinks > 0 {
		var more encoder
		more.uint(uint64(p.MoreLinks))
		e.tail(tailMoreLinks, string(more.b))
	}
	encodeRevisit(&e, p)
	encodeDiffers(&e, p.Differs)
	encodeFields(&e, p)
	return e.b
}

// decodePage returns the record without Seq and Of, and the kept page's place.
func decodePage(b []byte) (page.Record, dedup.Verdict, error) {
	d := decoder{b: b}
	if f := d.byte(); f != pageForm {
		return page.Record{}, dedup.Verdict{}, fmt.Errorf("page record of form %d; this version reads %d", f, pageForm)
	}
	var p page.Record
	var v dedup.Verdict
	p.URL = d.string()
	p.Status = int(d.uint())
	if c := d.byte(); int(c) < len(verdicts) {
		p.Verdict = verdicts[c]
	}
	v.Of = dedup.DocID(d.uint())
	v.Level = dedup.Level(d.byte())
	v.Class = dedup.Class(d.byte())
	v.Distance = int(d.uint())
	v.Similarity = d.float64()
	p.Reason = d.string()
	p.Rule = d.string()
	p.Location = d.string()
	p.Depth = int(d.uint())
	p.Score = d.float32()
	p.Attempt = int(d.uint())
	p.Fetched = d.time()
	p.TookMS = int(d.uint())
	p.Type = d.string()
	p.Charset = d.string()
	p.Bytes = d.int()
	p.Wire = d.int()
	p.Truncated = d.bool()
	p.Title = d.string()
	p.Lang = d.string()
	p.PageType = d.string()
	p.Relevance = d.float32()
	p.Digest = d.string()
	p.SimHash = d.string()
	p.BodyTokens = int(d.uint())
	p.Links = int(d.uint())
	d.tails(func(tag byte, v string) {
		switch tag {
		case tailLabel:
			p.Label = v
		case tailCanonical:
			p.Canonical = v
		case tailMoreLinks:
			more := decoder{b: []byte(v)}
			p.MoreLinks = int(more.uint())
		}
		if err := decodeRevisit(tag, v, &p); err != nil {
			d.err = err
		}
		if tag == tailDiffers {
			p.Differs, d.err = decodeDiffers(v)
		}
		if tag == tailFields {
			if err := decodeFields(v, &p); err != nil {
				d.err = err
			}
		}
	})
	if d.err != nil {
		return page.Record{}, dedup.Verdict{}, fmt.Errorf("page record: %w", d.err)
	}
	p.Level, p.Distance, p.Similarity = int(v.Level), v.Distance, v.Similarity
	if v.Copy() {
		p.Class = v.Class.String()
	}
	return p, v, nil
}

func encodeSignature(s *dedup.Signature) []byte {
	e := encoder{make([]byte, 0, 112)}
	e.byte(signForm)
	e.bytes(s.Bytes[:])
	e.bytes(s.Body[:])
	e.b = binary.BigEndian.AppendUint64(e.b, s.SimHash)
	e.bytes(s.Sketch[:])
	for _, k := range s.Bands {
		e.b = binary.BigEndian.AppendUint32(e.b, k)
	}
	e.b = binary.BigEndian.AppendUint64(e.b, s.Layout)
	e.b = binary.BigEndian.AppendUint32(e.b, s.Facts.Title)
	e.b = binary.BigEndian.AppendUint32(e.b, s.Facts.Numbers)
	e.uint(uint64(s.Tokens))
	return e.b
}

func decodeSignature(b []byte) (dedup.Signature, error) {
	d := decoder{b: b}
	form := d.byte()
	if form < 1 || form > signForm {
		return dedup.Signature{}, fmt.Errorf("signature of form %d; this version reads 1 to %d", form, signForm)
	}
	var s dedup.Signature
	copy(s.Bytes[:], d.take(16))
	copy(s.Body[:], d.take(16))
	if v := d.take(8); v != nil {
		s.SimHash = binary.BigEndian.Uint64(v)
	}
	copy(s.Sketch[:], d.take(16))
	for i := range s.Bands {
		if form > 1 {
			s.Bands[i] = d.uint32()
		}
	}
	if v := d.take(8); v != nil {
		s.Layout = binary.BigEndian.Uint64(v)
	}
	if form > 1 {
		s.Facts = dedup.Facts{Title: d.uint32(), Numbers: d.uint32()}
	}
	s.Tokens = uint32(d.uint())
	if d.err != nil {
		return dedup.Signature{}, fmt.Errorf("signature: %w", d.err)
	}
	return s, nil
}
