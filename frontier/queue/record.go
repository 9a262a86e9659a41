package queue

import (
	"encoding/binary"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// Every record starts with the version of its encoding; other versions are refused.
const (
	recordForm = 2
	hostForm   = 1
)

// A State is the state of a URL.
type State byte

// The states of a URL.
const (
	Queued  State = 1 // it has an entry in its host's queue
	Later   State = 2 // it waits for Record.NotBefore
	Done    State = 3 // its visit was settled
	Refused State = 4 // it is not to be fetched, by a rule
)

// String returns the state in lower case, as users read it.
func (s State) String() string {
	switch s {
	case Queued:
		return "queued"
	case Later:
		return "later"
	case Done:
		return "done"
	case Refused:
		return "refused"
	}
	return fmt.Sprintf("state %d", byte(s))
}

// The tags of the fields at the end of a URL's record.
const (
	tailLabel = 1 // the label
	tailFlags = 2 // Record.Flags
	tailLinks = 3 // Signals.Inlinks, 2 bytes
	tailCash  = 4 // Signals.Cash and Record.CashAt
	tailTopic = 5 // Signals.Links, Sum, Siblings and, if it is not 0, Doubt
	tailPaid  = 6 // Record.Paid
	tailRated = 7 // Record.Rated

	tailLinked = 8 // Record.Linked
)

// A Record is what is stored of a URL, in TableURLs.
type Record struct {
	State     State
	URL       string
	From      weburl.Key // the page that it was found on; zero for a seed
	Anchor    string     // the text of that link
	Label     string     // label of the seed that the path to this URL started from
	Signals   priority.Signals
	Trail     frontier.Trail
	Score     float32
	Order     uint64           // number of its discovery, which breaks ties of score
	Attempt   int              // failed tries
	NotBefore int64            // state Later: when its time comes, unix nanoseconds
	Page      uint64           // sequence number of its page's record; 0: none yet
	Refusal   frontier.Refusal // state Refused
	CashAt    uint64           // the number of the page up to whose payments Signals.Cash is complete
	Flags     byte             // Postponed, Trial, Announced, Requisite, News, Renewal, SeedTarget, Compared
	Paid      uint16           // of a kept page: the degree of mirroring that its links were paid for
	Rated     float32          // state Done: how relevant to the topic of the crawl is what its page added, 0 to 1, or Unrated; 0 for a copy
	Linked    uint16           // state Done: number of pages on which a link to it was rated, if that is more than Signals.Links, which counts those before its visit
}

// Unrated is the rating of a URL that is done and has no page of its own, such as a redirect. It
// says nothing about the links next to it on a page.
const Unrated = -1

// The parts of a URL's record that most records lack. A bit says that the part is there.
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
	hasNotBefore
	hasPage
	hasRefusal
)

// Seed reports whether a user gave the URL, or a seed redirects to it.
func (r *Record) Seed() bool { return r.From.IsZero() || r.Flags&SeedTarget != 0 }

// seed reports whether a user gave the URL, or a seed redirects to it: only these add roots.
func seed(c *frontier.Candidate) bool { return c.From.IsZero() || c.Root != "" }

// Key is the key of the record of a URL.
func (r *Record) Key(u weburl.URL) weburl.Key {
	if r.Flags&Requisite != 0 {
		return u.Key().Requisite()
	}
	return u.Key()
}

// Encode returns the value of the record in TableURLs.
func (r *Record) Encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64+len(r.URL)+len(r.Anchor))}
	e.Byte(recordForm)
	e.Byte(byte(r.State))
	var parts uint64
	for i, there := range []bool{
		!r.From.IsZero(), r.Anchor != "", r.Signals.Seed != 0, r.Signals.Depth != 0, r.Signals.Relevance != 0,
		r.Signals.Anchor != 0, r.Signals.Degree != 0, r.Signals.Copy, r.Trail != frontier.Trail{},
		r.Attempt != 0, r.NotBefore != 0, r.Page != 0, !r.Refusal.IsZero(),
	} {
		if there {
			parts |= 1 << i
		}
	}
	has := func(part uint64) bool { return parts&part != 0 }
	e.Uint(parts)
	e.Text(r.URL)
	e.Float32(r.Score)
	e.Uint(r.Order)
	if has(hasFrom) {
		e.Bytes(r.From[:])
	}
	if has(hasAnchor) {
		e.Text(r.Anchor)
	}
	if has(hasSeed) {
		e.Float32(r.Signals.Seed)
	}
	if has(hasDepth) {
		e.Uint(uint64(r.Signals.Depth))
	}
	if has(hasRelevance) {
		e.Float32(r.Signals.Relevance)
	}
	if has(hasWords) {
		e.Float32(r.Signals.Anchor)
	}
	if has(hasDegree) {
		e.Uint(uint64(r.Signals.Degree))
	}
	if has(hasTrail) {
		e.Byte(r.Trail.Calendar)
		e.Byte(r.Trail.Redirects)
	}
	if has(hasAttempt) {
		e.Uint(uint64(r.Attempt))
	}
	if has(hasNotBefore) {
		e.Int(r.NotBefore)
	}
	if has(hasPage) {
		e.Uint(r.Page)
	}
	if has(hasRefusal) {
		e.Text(r.Refusal.Rule)
		e.Text(r.Refusal.Detail)
	}
	e.Tail(tailLabel, r.Label)
	if r.Flags != 0 {
		e.Tail(tailFlags, string([]byte{r.Flags}))
	}
	r.tailSignals(&e)
	if n := r.Signals.Inlinks; n != 0 {
		e.Tail(tailLinks, string([]byte{byte(n >> 8), byte(n)}))
	}
	return e.B
}

// tailSignals writes the signals of records that few had before cash was introduced.
func (r *Record) tailSignals(e *row.Encoder) {
	number := func(tag byte, v float32) {
		if v != 0 {
			e.Byte(tag)
			e.Uint(4)
			e.Float32(v)
		}
	}
	if r.Signals.Cash != 0 || r.CashAt != 0 {
		var in row.Encoder
		in.Float32(r.Signals.Cash)
		in.Uint(r.CashAt)
		e.Tail(tailCash, string(in.B))
	}
	if s := &r.Signals; s.Links != 0 || s.Doubt != 0 {
		var in row.Encoder
		in.Uint(uint64(s.Links))
		in.Float32(s.Sum)
		in.Float32(s.Siblings)
		if s.Doubt != 0 {
			in.Byte(s.Doubt)
		}
		e.Tail(tailTopic, string(in.B))
	}
	if r.Paid != 0 {
		var in row.Encoder
		in.Uint(uint64(r.Paid))
		e.Tail(tailPaid, string(in.B))
	}
	number(tailRated, r.Rated)
	if r.Linked != 0 {
		var in row.Encoder
		in.Uint(uint64(r.Linked))
		e.Tail(tailLinked, string(in.B))
	}
}

// Decode reads a value of TableURLs.
func Decode(b []byte) (Record, error) {
	d := row.Decoder{B: b}
	if form := d.Byte(); form != recordForm {
		return Record{}, fmt.Errorf("url record of form %d; this version reads %d", form, recordForm)
	}
	r := decode(&d)
	if d.Err != nil {
		return Record{}, fmt.Errorf("url record: %w", d.Err)
	}
	return r, nil
}

// decode reads what follows the version.
func decode(d *row.Decoder) Record {
	r := Record{State: State(d.Byte())}
	parts := d.Uint()
	has := func(part uint64) bool { return parts&part != 0 }
	r.URL = d.Text()
	r.Score = d.Float32()
	r.Order = d.Uint()
	if has(hasFrom) {
		copy(r.From[:], d.Bytes(len(r.From)))
	}
	if has(hasAnchor) {
		r.Anchor = d.Text()
	}
	if has(hasSeed) {
		r.Signals.Seed = d.Float32()
	}
	if has(hasDepth) {
		r.Signals.Depth = uint16(d.Uint())
	}
	if has(hasRelevance) {
		r.Signals.Relevance = d.Float32()
	}
	if has(hasWords) {
		r.Signals.Anchor = d.Float32()
	}
	if has(hasDegree) {
		r.Signals.Degree = uint16(d.Uint())
	}
	r.Signals.Copy = has(isCopy)
	if has(hasTrail) {
		r.Trail = frontier.Trail{Calendar: d.Byte(), Redirects: d.Byte()}
	}
	if has(hasAttempt) {
		r.Attempt = int(d.Uint())
	}
	if has(hasNotBefore) {
		r.NotBefore = d.Int()
	}
	if has(hasPage) {
		r.Page = d.Uint()
	}
	if has(hasRefusal) {
		r.Refusal = frontier.Refusal{Rule: d.Text(), Detail: d.Text()}
	}
	r.tail(d)
	return r
}

// tail reads the end of a record.
func (r *Record) tail(d *row.Decoder) {
	d.Tails(func(tag byte, v string) {
		switch {
		case tag == tailLabel:
			r.Label = v
		case tag == tailFlags && len(v) == 1:
			r.Flags = v[0]
		case tag == tailCash:
			in := row.Decoder{B: []byte(v)}
			r.Signals.Cash, r.CashAt = in.Float32(), in.Uint()
			d.Err = in.Err
		case tag == tailTopic:
			in := row.Decoder{B: []byte(v)}
			r.Signals.Links, r.Signals.Sum, r.Signals.Siblings = uint16(in.Uint()), in.Float32(), in.Float32()
			if len(in.B) > 0 {
				r.Signals.Doubt = in.Byte()
			}
			d.Err = in.Err
		case tag == tailPaid:
			in := row.Decoder{B: []byte(v)}
			r.Paid = uint16(in.Uint())
			d.Err = in.Err
		case tag == tailRated:
			in := row.Decoder{B: []byte(v)}
			r.Rated = in.Float32()
			d.Err = in.Err
		case tag == tailLinked:
			in := row.Decoder{B: []byte(v)}
			r.Linked = uint16(in.Uint())
			d.Err = in.Err
		case tag == tailLinks && len(v) == 2:
			r.Signals.Inlinks = uint16(v[0])<<8 | uint16(v[1])
		}
	})
}

// sortable maps floats to integers in the same order.
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

// LaterKey returns the key in TableLater of a URL that is due at a time, in unix nanoseconds.
func LaterKey(at int64, k weburl.Key) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(at)), k[:]...)
}

// LaterTime returns the time in a key of TableLater, in unix nanoseconds.
func LaterTime(k []byte) int64 { return int64(binary.BigEndian.Uint64(k)) }

// renewalScore is below the score of any page: a requisite that the job has already is fetched
// again after the pages.
const renewalScore = -128

// requisiteScore is above the score of any page: the requisites of a page are fetched right after
// it.
const requisiteScore = 1 << 30

// aheadScore is added to what a visit is worth that comes before those of all URLs that were never visited: see
// Tx.Again. Scores without it are below half of it, and a float32 of that size has steps of 1/128.
const aheadScore = 1 << 16

// lastAhead is where the last entry of a queue with aheadScore may stand.
var lastAhead = positionOf(aheadScore/2, math.MaxUint64)

// lastRequisite is where the last requisite of a queue may stand, before all pages.
var lastRequisite = positionOf(requisiteScore, math.MaxUint64)

// RedirectedScore is added in a focused crawl to the score of a URL that a redirect led to, so that it comes before what is worth as
// much and was found on the same page: many front pages link to /docs, which redirects to /docs/. It is a hundredth of
// what a link in the topic's words is worth.
const RedirectedScore = .5

// Redirected reports whether the score of the URL has RedirectedScore.
func (r *Record) Redirected(o priority.Options) bool { return o.Focused && r.Trail.Redirects > 0 }

// scoreOf returns the score of a URL with the given signals and its flags.
func (r *Record) scoreOf(o priority.Options, s priority.Signals) float32 {
	score := o.Score(s)
	if r.Redirected(o) {
		score += RedirectedScore
	}
	if r.Flags&Postponed != 0 {
		score -= priority.Postponed
	}
	if r.Flags&(News|Compared) != 0 {
		score += priority.News
	}
	return score
}

// The flags of a record.
const (
	Postponed  byte = 1 << iota // it comes last, see Tx.Postpone
	Trial                       // it is fetched whatever URL rules and mirrors say
	Announced                   // a sitemap said that it changed
	Requisite                   // it is a file that is needed to show pages, under its key as such
	News                        // a re-crawl found it first, in a feed or sitemap
	Renewal                     // it is a requisite that was fetched before, and is to be fetched again
	SeedTarget                  // a seed redirects to it, or a user gave it after it was found
	Compared                    // another site has it too, see Tx.Advance
)
