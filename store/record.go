package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What package page keeps of a page.
var (
	tablePages      = page.TableRecords
	tableSignatures = page.TableSignatures
	tableViews      = page.TableViews
	tableBodies     = page.TableBodies
	tableOutlinks   = page.TableOutlinks

	seqKey = page.Key
	seqOf  = page.Seq

	decodePage      = page.DecodeRecord
	decodeSignature = page.DecodeSignature
)

const (
	// manyHosts is that of tables with a row a host. A commit of a wide crawl brings many
	// new hosts, and pages that are split stay half full unless the engine is told: of
	// 20,000 hosts of one page a row in sites took 237 bytes of disk, and takes 129.
	manyHosts = 0.9
)

// Every record begins with the version of its form, so that an old one stays
// readable when the form changes.
const (
	urlForm  = 2
	hostForm = 1
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

// Tags of the fields at the end of a URL's record.
const (
	tailLabel = 1 // the label
	tailDust  = 2 // what URL rules made of it, see isDeferred
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

func laterKey(at int64, k weburl.Key) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(at)), k[:]...)
}
