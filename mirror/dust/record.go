package dust

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The tables of what a job learned about its URLs. Their keys are hashes.
var (
	tableRules       = &kv.Table{Name: "rules", ID: 'r', Filter: 8}   // by a rule's ID: its record
	tableForms       = &kv.Table{Name: "forms", ID: 'f', Filter: 8}   // by a form: the pages that have it
	tableAgreed      = &kv.Table{Name: "agreed", ID: 'a', Filter: 8}  // by a rule's ID and the number of a kept page that confirmed the rule
	tableTemplates   = &kv.Table{Name: "made", ID: 'm', Filter: 8}    // by the hash of a path's template: its templateStats
	tableUnexplained = &kv.Table{Name: "wide", ID: 'w', Filter: 8}    // by the number of a kept page: how many of its URLs no rule explains
	tableLeft        = &kv.Table{Name: "left", ID: 'l', Filter: 8}    // by a rule's ID and a URL that it left out: the number of the kept page, 0 if it names none
	tableLeftOut     = &kv.Table{Name: "leftout", ID: 'o', Filter: 8} // by a URL that is left out: a leftOut
)

// Tables returns the tables that a store has to be opened with.
func Tables() []*kv.Table {
	return []*kv.Table{tableForms, tableLeft, tableRules, tableAgreed, tableTemplates, tableUnexplained, tableLeftOut}
}

// ruleForm is the version of a rule's record.
const ruleForm = 1

// present is the value of rows that have all data in their keys.
var present = []byte{1}

func idKey(id ID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// numberKey is the key of a page's number or of a hash.
func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func leftKey(id ID, k weburl.Key) []byte { return append(idKey(id), k[:]...) }

func agreedKey(id ID, page uint64) []byte { return binary.BigEndian.AppendUint64(idKey(id), page) }

// numberOf returns the number in the first 8 bytes of a key or a value.
func numberOf(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// A ruleRecord is the row of one rule.
type ruleRecord struct {
	Rule
	Stats
	reopening bool      // the URLs that it left out are being queued again
	same      [2]uint64 // numbers of two pages whose URLs it rightly takes for equivalent
	differ    [2]uint64 // numbers of two for which it was wrong
	tried     time.Time // when there was last evidence for or against it
}

// kept returns how many URLs the rule leaves out now.
func (r *ruleRecord) kept() int { return int(r.Skipped) - int(r.Reopened) }

// mayTry is MayTry, without a limit for a rule between versions: the pages that have changed from one to the other
// may be few, and are what a reader wants.
func (r *ruleRecord) mayTry() int {
	if r.isOfVersions() {
		return math.MaxInt
	}
	return r.MayTry()
}

func (r *ruleRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64)}
	e.Byte(ruleForm)
	e.Text(string(r.Kind))
	e.Text(r.Scope)
	e.Text(r.Arg)
	for _, n := range []uint32{r.OK, r.Bad, r.Distinct, r.Skipped, r.Reopened} {
		e.Uint(uint64(n))
	}
	e.Bool(r.Revoked)
	e.Bool(r.reopening)
	for _, n := range []uint64{r.same[0], r.same[1], r.differ[0], r.differ[1]} {
		e.Uint(n)
	}
	e.Time(r.tried)
	e.Uint(uint64(r.Tried))
	return e.B
}

func decodeRule(b []byte) (*ruleRecord, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != ruleForm {
		return nil, fmt.Errorf("url rule of form %d; this version reads %d", f, ruleForm)
	}
	r := &ruleRecord{Rule: Rule{Kind: Kind(d.Text()), Scope: d.Text(), Arg: d.Text()}}
	for _, n := range []*uint32{&r.OK, &r.Bad, &r.Distinct, &r.Skipped, &r.Reopened} {
		*n = uint32(d.Uint())
	}
	r.Revoked, r.reopening = d.Bool(), d.Bool()
	for _, n := range []*uint64{&r.same[0], &r.same[1], &r.differ[0], &r.differ[1]} {
		*n = d.Uint()
	}
	r.tried = d.Time()
	r.Tried = uint32(d.Uint())
	if d.Err != nil {
		return nil, fmt.Errorf("url rule: %w", d.Err)
	}
	return r, nil
}

func eachRule(r kv.Reader, fn func(*ruleRecord) error) error {
	return kv.Each(r, tableRules, func(_, v []byte) error {
		rec, err := decodeRule(v)
		if err != nil {
			return err
		}
		return fn(rec)
	})
}

// ruleAt reads the record of a rule; nil: there is none.
func ruleAt(r kv.Reader, id ID) (*ruleRecord, error) {
	b, err := r.Get(tableRules, idKey(id))
	if err != nil || b == nil {
		return nil, err
	}
	return decodeRule(b)
}

// A leftOut says which rule leaves a URL out, the first that applies, and under which other URL its
// page was fetched.
type leftOut struct {
	by ID
	as weburl.Key // zero: the rule names none, since it is of kind Endless
}

func (l leftOut) encode() []byte { return append(idKey(l.by), l.as[:]...) }

// leftOutAt returns why a URL is left out; ok is false if it is not.
func leftOutAt(r kv.Reader, k weburl.Key) (l leftOut, ok bool, err error) {
	b, err := r.Get(tableLeftOut, k[:])
	if err != nil || b == nil {
		return l, false, err
	}
	l, err = decodeLeftOut(b)
	return l, err == nil, err
}

func decodeLeftOut(b []byte) (l leftOut, err error) {
	if len(b) != 8+len(l.as) {
		return l, fmt.Errorf("url that a rule left out: %w", row.ErrShort)
	}
	l.by = ID(numberOf(b))
	copy(l.as[:], b[8:])
	return l, nil
}

// templateStats count the documents of one template.
type templateStats struct {
	pages    uint64
	newShare float32 // moving average of the share of new documents; it starts at 1
	sinceNew uint64  // documents since the last new one
	kept     uint64  // the page whose bytes the last document with a query had; 0: it was not such a copy
	run      uint64  // documents in a row with queries that had these bytes
}

// A template is a trap if it has at least trapPages documents and a moving average of new ones
// below trapShare.
const (
	trapPages = 50
	trapShare = .05
)

func (m templateStats) trap() bool { return m.pages >= trapPages && m.newShare < trapShare }

func (m templateStats) encode() []byte {
	var e row.Encoder
	e.Uint(m.pages)
	e.Float32(m.newShare)
	e.Uint(m.sinceNew)
	if m.run > 0 {
		e.Uint(m.kept)
		e.Uint(m.run)
	}
	return e.B
}

func decodeTemplateStats(b []byte) templateStats {
	if len(b) == 0 {
		return templateStats{newShare: 1}
	}
	d := row.Decoder{B: b}
	m := templateStats{pages: d.Uint(), newShare: d.Float32(), sinceNew: d.Uint()}
	if len(d.B) > 0 {
		m.kept, m.run = d.Uint(), d.Uint()
	}
	return m
}

// How many pages a form names at most: pages whose URLs have the form, and pages whose URLs have it
// without a parameter.
const maxExact, maxDropped = 4, 3

// A formRecord has the numbers of the pages with a form.
type formRecord struct{ exact, dropped []uint32 }

func (f *formRecord) encode() []byte {
	b := []byte{byte(len(f.exact))}
	for _, n := range append(f.exact[:len(f.exact):len(f.exact)], f.dropped...) {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func decodeForm(b []byte) (f formRecord) {
	if len(b) == 0 {
		return f
	}
	n := int(b[0])
	for i, b := 0, b[1:]; len(b) >= 4; i, b = i+1, b[4:] {
		if seq := binary.BigEndian.Uint32(b); i < n {
			f.exact = append(f.exact, seq)
		} else {
			f.dropped = append(f.dropped, seq)
		}
	}
	return f
}

// pagesWith returns the pages that have a form.
func pagesWith(r kv.Reader, form uint64) ([]uint32, error) {
	b, err := r.Get(tableForms, numberKey(form))
	if err != nil {
		return nil, err
	}
	f := decodeForm(b)
	return append(f.exact, f.dropped...), nil
}

// maxUnexplained is how many URLs that no rule makes equivalent may have the same page. With more
// the page counts as an error page, a login form or an empty list, which is not evidence about URLs.
const maxUnexplained = 4

// unexplained returns how many URLs of a kept page no rule explains.
func unexplained(r kv.Reader, kept uint64) (byte, error) {
	b, err := r.Get(tableUnexplained, numberKey(kept))
	if err != nil || len(b) == 0 {
		return 0, err
	}
	return b[0], nil
}
