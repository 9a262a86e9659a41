package page

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A Kind selects the records of a list: those that match each field that is set.
type Kind struct {
	Verdict Verdict
	Rule    string
	Failure string
	Host    string // with its port if that is not the default of the scheme, as in the URL
	Status  int
	Level   int
	Class   string // of copies, as in Record.Class

	Relevance float32 // at least this much, 0 to 1
}

// Validate returns an error for a field that no record can match.
func (k *Kind) Validate() error {
	switch {
	case !slices.Contains(verdicts, k.Verdict):
		return fmt.Errorf("verdict: there is no verdict %q: want new, copy, refused or failed", k.Verdict)
	case k.Level != 0 && (k.Level < int(dedup.LevelBytes) || k.Level > int(dedup.LevelNear)):
		return fmt.Errorf("level: %d: want %d, %d or %d", k.Level, dedup.LevelBytes, dedup.LevelBody, dedup.LevelNear)
	case k.Class != "" && !slices.ContainsFunc(classes, func(c dedup.Class) bool { return c.String() == k.Class }):
		return fmt.Errorf("class: there is no class %q: want one of %v", k.Class, classes)
	case !(k.Relevance >= 0 && k.Relevance <= 1): // NaN too
		return fmt.Errorf("relevance: %v: want 0 to 1", k.Relevance)
	case k.Status != 0 && (k.Status < 100 || k.Status > 999):
		return fmt.Errorf("status: %d: want an HTTP status such as 404", k.Status)
	}
	return nil
}

var classes = []dedup.Class{dedup.FullLayout, dedup.FullContent, dedup.PartialLayout, dedup.PartialContent}

// Is reports whether a record matches the kind.
func (k *Kind) Is(p *Record) bool {
	return (k.Verdict == "" || k.Verdict == p.Verdict) && (k.Rule == "" || k.Rule == p.Rule) &&
		(k.Failure == "" || k.Failure == p.Failure) && (k.Status == 0 || k.Status == p.Status) &&
		(k.Level == 0 || k.Level == p.Level) && (k.Class == "" || k.Class == p.Class) && (k.Host == "" || k.Host == string(hostIn([]byte(p.URL)))) && p.Relevance >= k.Relevance
}

// IsEncoded is Is for a value of TableRecords. It reads no more than it needs, and takes a tenth of
// the time of decoding the record.
func (k *Kind) IsEncoded(value []byte) (bool, error) {
	t, err := traitsOf(value, k.Relevance > 0)
	return err == nil && (k.Verdict == "" || int(t.verdict) < len(verdicts) && verdicts[t.verdict] == k.Verdict) && (k.Rule == "" || k.Rule == string(t.rule)) &&
		(k.Failure == "" || k.Failure == string(t.failure)) && (k.Status == 0 || k.Status == t.status) &&
		(k.Level == 0 || k.Level == int(t.level)) && (k.Class == "" || k.Class == dedup.Class(t.class).String()) && (k.Host == "" || k.Host == string(t.host)) && t.relevance >= k.Relevance, err
}

// traits are the fields that a Kind compares. They are valid as long as the value is.
type traits struct {
	verdict             byte
	level, class        byte // of copies
	status              int
	host, rule, failure []byte
	relevance           float32 // 0 if the kind does not need it
}

func traitsOf(value []byte, relevance bool) (t traits, err error) {
	d := row.Decoder{B: value}
	if f := d.Byte(); f != recordForm {
		return t, fmt.Errorf("page record of form %d; this version reads %d", f, recordForm)
	}
	t.host = hostIn(d.Raw())
	t.status = int(d.Uint())
	t.verdict = d.Byte()
	d.Uint() // of
	t.level = d.Byte()
	t.class = d.Byte()
	d.Uint()    // distance
	d.Float64() // similarity
	d.Raw()     // reason
	t.rule = d.Raw()
	if failed := t.verdict == verdictCode(VerdictFailed); failed || relevance {
		t.relevance = relevanceIn(&d)
		if failed {
			t.failure = failureIn(&d)
		}
	}
	if d.Err != nil {
		return t, fmt.Errorf("page record: %w", d.Err)
	}
	return t, nil
}

// relevanceIn reads from a record's location on to its relevance.
func relevanceIn(d *row.Decoder) float32 {
	d.Raw()     // location
	d.Uint()    // depth
	d.Float32() // score
	d.Uint()    // attempt
	d.Int()     // fetched
	d.Uint()    // took
	d.Raw()     // type
	d.Raw()     // charset
	d.Int()     // bytes
	d.Int()     // wire
	d.Bool()    // truncated
	d.Raw()     // title
	d.Raw()     // lang
	d.Raw()     // page type
	return d.Float32()
}

// failureIn reads from there on to the record's failure.
func failureIn(d *row.Decoder) (failure []byte) {
	d.Raw()  // digest
	d.Raw()  // simhash
	d.Uint() // tokens
	d.Uint() // links
	for d.Err == nil && len(d.B) > 0 {
		tag, v := d.Byte(), d.Raw()
		if tag == tailFailure {
			return v
		}
	}
	return nil
}

// hostIn returns the host of a canonical URL, with its port.
func hostIn(url []byte) []byte {
	_, rest, _ := bytes.Cut(url, []byte("://"))
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		return rest[:end]
	}
	return rest
}

// An Outline has, for each thousand records, which kinds they may match, so that a list of a rare
// kind can skip all others. It takes 2 bytes a record. A record that changes after it was added may
// be missed.
type Outline struct {
	blocks []block
	end    uint64            // records with lower sequence numbers were added
	words  map[string]uint16 // rules and failures, each after a letter
	seed   maphash.Seed
}

const (
	blockRecords = 1024
	maxBlocks    = 16 << 10 // 16,777,216 records; further ones are always read
	hostBits     = 16 << 10
	maxWords     = 1 << 15 // rules and failures; a block with further ones may have any
)

// A block has the properties of some records.
type block struct {
	verdicts, levels uint16   // a bit each
	classes          uint16   // the same
	statuses, words  []uint16 // sorted
	others           bool     // words that are not in Outline.words
	relevance        float32  // the highest
	hosts            [hostBits / 64]uint64
}

// NewOutline returns an outline of no records.
func NewOutline() *Outline {
	return &Outline{end: 1, words: make(map[string]uint16), seed: maphash.MakeSeed()}
}

// Add adds the record with a sequence number, which must rise. It returns false if the outline is
// full.
func (o *Outline) Add(seq uint64, value []byte) (bool, error) {
	at := blockOf(seq)
	if at >= maxBlocks {
		return false, nil
	}
	t, err := traitsOf(value, true)
	if err != nil {
		return false, err
	}
	for uint64(len(o.blocks)) <= at {
		o.blocks = append(o.blocks, block{})
	}
	b := &o.blocks[at]
	b.verdicts |= 1 << (t.verdict & 15)
	b.levels |= 1 << (t.level & 15)
	b.classes |= 1 << (t.class & 15)
	b.relevance = max(b.relevance, t.relevance)
	b.statuses = with(b.statuses, uint16(t.status))
	o.note(b, 'r', t.rule)
	o.note(b, 'f', t.failure)
	for _, bit := range o.hostBits(t.host) {
		b.hosts[bit/64] |= 1 << (bit % 64)
	}
	o.end = seq + 1
	return true, nil
}

func blockOf(seq uint64) uint64 { return (max(seq, 1) - 1) / blockRecords }

// StartsBlock reports whether Outline.Next may skip a record although it did not skip the one
// before.
func StartsBlock(seq uint64) bool { return seq%blockRecords == 1 }

func (o *Outline) note(b *block, kind byte, word []byte) {
	if len(word) == 0 {
		return
	}
	var room [64]byte
	key := append(append(room[:0], kind), word...)
	n, known := o.words[string(key)]
	if !known {
		if len(o.words) == maxWords {
			b.others = true
			return
		}
		n = uint16(len(o.words))
		o.words[string(key)] = n
	}
	b.words = with(b.words, n)
}

// with returns sorted numbers with n added.
func with(sorted []uint16, n uint16) []uint16 {
	i, has := slices.BinarySearch(sorted, n)
	if has {
		return sorted
	}
	return slices.Insert(sorted, i, n)
}

func (o *Outline) hostBits(host []byte) [2]uint64 {
	h := maphash.Bytes(o.seed, host)
	return [2]uint64{h % hostBits, h >> 32 % hostBits}
}

// End returns the sequence number after the last record that was added.
func (o *Outline) End() uint64 { return o.end }

// Next returns the first sequence number, from the given one on, whose record may match the kind.
// From End on, and in the block before it, which may still grow, any record may.
func (o *Outline) Next(from uint64, k *Kind) uint64 {
	if o == nil {
		return from
	}
	for at := blockOf(from); at < blockOf(o.end); at++ {
		if at == uint64(len(o.blocks)) {
			break // full
		}
		if o.may(&o.blocks[at], k) {
			return max(from, at*blockRecords+1)
		}
		from = (at+1)*blockRecords + 1
	}
	return from
}

// may reports whether the block may have a record of the kind.
func (o *Outline) may(b *block, k *Kind) bool {
	has := func(sorted []uint16, n uint16) bool {
		_, is := slices.BinarySearch(sorted, n)
		return is
	}
	word := func(kind, text string) bool {
		n, known := o.words[kind+text]
		return text == "" || b.others || known && has(b.words, n)
	}
	host := func() bool {
		for _, bit := range o.hostBits([]byte(k.Host)) {
			if b.hosts[bit/64]&(1<<(bit%64)) == 0 {
				return false
			}
		}
		return true
	}
	class := func() bool {
		i := slices.IndexFunc(classes, func(c dedup.Class) bool { return c.String() == k.Class })
		return i >= 0 && b.classes&(1<<(uint(classes[i])&15)) != 0
	}
	return (k.Verdict == "" || b.verdicts&(1<<verdictCode(k.Verdict)) != 0) && (k.Level == 0 || b.levels&(1<<(k.Level&15)) != 0) &&
		(k.Class == "" || class()) && (k.Status == 0 || has(b.statuses, uint16(k.Status))) && word("r", k.Rule) && word("f", k.Failure) && (k.Host == "" || host()) && b.relevance >= k.Relevance
}

// String returns the kind in words, "" if every record matches.
func (k *Kind) String() string {
	var words []string
	for _, f := range []struct{ name, value string }{{"verdict", string(k.Verdict)}, {"rule", k.Rule}, {"reason", k.Failure}, {"class", k.Class}, {"host", k.Host}} {
		if f.value != "" {
			words = append(words, f.name+" "+f.value)
		}
	}
	if k.Status != 0 {
		words = append(words, fmt.Sprintf("status %d", k.Status))
	}
	if k.Level != 0 {
		words = append(words, fmt.Sprintf("level %d", k.Level))
	}
	if k.Relevance != 0 {
		words = append(words, fmt.Sprintf("relevance %v or more", k.Relevance))
	}
	return strings.Join(words, ", ")
}
