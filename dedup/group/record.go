package group

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/splitmix"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The tables of groups. A kept page's key is page.Key of its sequence number.
var (
	// TableVotes has the votes, by the key of the kept page and the key of the copy's URL.
	TableVotes = &kv.Table{Name: "votes"}

	// TableGroups has the Size of the group, by the key of the kept page.
	TableGroups = &kv.Table{Name: "groups", Fill: .95} // sequence numbers only grow

	// TableOwners has how many votes an owner has, as a varint, by the key of the kept page and the
	// owner's key.
	TableOwners = &kv.Table{Name: "owners"}

	// TableAliases has, by the digest of bytes, the sequence number of the first copy with these
	// bytes. The gate knows only the bytes of kept pages; by this table a page with the bytes of a
	// copy gets that copy's verdict without being parsed.
	TableAliases = &kv.Table{Name: "aliases"}

	// TableRetired has, by the key of a retired page, the sequence number of the record that
	// replaced it; for a page that is gone, that of the kept page that took over its group, 0 while
	// there is none.
	TableRetired = &kv.Table{Name: "retired"}

	// TableElections has the elections under way, by the key of the former kept page.
	TableElections = &kv.Table{Name: "contests"}
)

// Tables returns the tables above.
func Tables() []*kv.Table {
	return []*kv.Table{TableVotes, TableGroups, TableOwners, TableAliases, TableRetired, TableElections, TableElsewhere}
}

// KeyLengths returns the length of keys, in bytes, of each table whose keys all have one length.
func KeyLengths() map[*kv.Table]int {
	return map[*kv.Table]int{TableElsewhere: len(elsewhereKey(0, 0)), TableVotes: len(voteKey(0, weburl.Key{})), TableGroups: 8}
}

// present is the value of a key that needs none.
var present = []byte{1}

func voteKey(of uint64, k weburl.Key) []byte { return append(page.Key(of), k[:]...) }

// Copies returns the keys of the URLs that are votes for a kept page.
func Copies(r kv.Reader, of uint64) iter.Seq2[weburl.Key, error] {
	return func(yield func(weburl.Key, error) bool) {
		for e, err := range kv.Prefix(r, TableVotes, page.Key(of)) {
			if err != nil {
				yield(weburl.Key{}, fmt.Errorf("copies of page %d: %w", of, err))
				return
			}
			if !yield(weburl.Key(e.Key[len(page.Key(of)):]), nil) {
				return
			}
		}
	}
}

// hasVoted reports whether the URL named by k is a vote for a kept page.
func hasVoted(r kv.Reader, of uint64, k weburl.Key) (bool, error) {
	return kv.Has(r, TableVotes, voteKey(of, k))
}

// Voters yields the keys of the URLs that have a copy of a kept page.
func Voters(r kv.Reader, of uint64) iter.Seq2[weburl.Key, error] {
	return func(yield func(weburl.Key, error) bool) {
		for e, err := range kv.Prefix(r, TableVotes, page.Key(of)) {
			if err != nil {
				yield(weburl.Key{}, err)
				return
			}
			if !yield(weburl.Key(e.Key[8:]), nil) {
				return
			}
		}
	}
}

// A Size has the counts of the votes for one kept page.
type Size struct {
	Degree uint64 // registrable domains other than the kept page's that have a copy
	Copies uint64
}

func (s Size) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 8)}
	e.Uint(s.Degree)
	e.Uint(s.Copies)
	return e.B
}

// DecodeSize reads a value of TableGroups.
func DecodeSize(b []byte) Size {
	d := row.Decoder{B: b}
	return Size{Degree: d.Uint(), Copies: d.Uint()}
}

// SizeOf returns the counts of a kept page's copies; ok is false if it has none.
func SizeOf(r kv.Reader, of uint64) (s Size, ok bool, err error) {
	b, err := r.Get(TableGroups, page.Key(of))
	if err != nil || b == nil {
		return s, false, err
	}
	return DecodeSize(b), true, nil
}

// An ownerKey identifies a registrable domain.
type ownerKey [6]byte

// ownerOf returns the owner of a URL.
func ownerOf(u weburl.URL) ownerKey {
	h := sha256.Sum256([]byte(u.Domain()))
	return ownerKey(h[:6])
}

// key returns the owner's key in TableOwners.
func (o ownerKey) key(of uint64) []byte { return append(page.Key(of), o[:]...) }

// RememberBytes stores the bytes of a copy whose kept page has different ones.
func RememberBytes(tx kv.Tx, seq uint64, d dedup.Digest, v dedup.Verdict) error {
	if !v.Copy() || v.Level == dedup.LevelBytes || d.IsZero() {
		return nil
	}
	known, err := kv.Has(tx, TableAliases, d[:])
	if err != nil {
		return fmt.Errorf("bytes of page %d: %w", seq, err)
	}
	if !known {
		tx.Put(TableAliases, d[:], page.Key(seq))
	}
	return nil
}

// FirstWith returns the number of the copy that first had these bytes; 0: there is none.
func FirstWith(r kv.Reader, d dedup.Digest) (uint64, error) {
	k, err := r.Get(TableAliases, d[:])
	if err != nil || k == nil {
		return 0, err
	}
	return page.Seq(k), nil
}

// VerdictOn returns the verdict on the copy that first had these bytes; the zero Verdict: there is
// none.
func VerdictOn(r kv.Reader, d dedup.Digest) (v dedup.Verdict, err error) {
	seq, err := FirstWith(r, d)
	if err != nil || seq == 0 {
		return v, err
	}
	_, v, err = page.Get(r, seq)
	return v, err
}

// Retired reports whether a kept page no longer represents its group.
func Retired(r kv.Reader, seq uint64) (bool, error) {
	return kv.Has(r, TableRetired, page.Key(seq))
}

// Successor returns the page that replaced a retired one; 0: there is none, the page is gone, or it
// is not retired.
func Successor(r kv.Reader, seq uint64) (uint64, error) {
	v, err := r.Get(TableRetired, page.Key(seq))
	if err != nil || v == nil {
		return 0, err
	}
	return page.Seq(v), nil
}

// EachRetired calls fn with the sequence number of every retired page.
func EachRetired(r kv.Reader, fn func(seq uint64)) error {
	return kv.Each(r, TableRetired, func(k, _ []byte) error { fn(page.Seq(k)); return nil })
}

// Unretire makes a retired page a kept page again, because its replacement is gone.
func Unretire(tx kv.Tx, seq uint64) { tx.Delete(TableRetired, page.Key(seq)) }

// An election is the state of the search for a group's next kept page.
type election struct {
	asked    weburl.Key // the key of the copy that is queued now
	started  time.Time  // copies visited since then are not visited again
	stayed   uint64     // copies that are what the group was
	followed uint64     // copies that changed as the kept page did
	to       uint64     // sequence number of the kept page that the last of them is a copy of
	lost     uint64     // copies that are gone, or another document by now
}

func (c election) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 32)}
	e.Bytes(c.asked[:])
	e.Time(c.started)
	e.Uint(c.stayed)
	e.Uint(c.followed)
	e.Uint(c.to)
	e.Uint(c.lost)
	return e.B
}

func decodeElection(b []byte) (c election, err error) {
	d := row.Decoder{B: b}
	copy(c.asked[:], d.Bytes(len(c.asked)))
	c.started = d.Time()
	c.stayed, c.followed, c.to, c.lost = d.Uint(), d.Uint(), d.Uint(), d.Uint()
	return c, d.Err
}

// placeAt returns the key at which a search among the copies of a group starts.
func placeAt(of uint64, n uint64) []byte {
	return binary.BigEndian.AppendUint64(page.Key(of), splitmix.Finish(of<<8|n))
}
