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

// What is known of groups. A kept page's place is page.Key of it.
var (
	// TableVotes has the votes, by the kept page's place and the key of the copy's URL.
	TableVotes = &kv.Table{Name: "votes"}

	// TableGroups has by the kept page's place what is counted of its votes, see Size.
	TableGroups = &kv.Table{Name: "groups", Fill: .95} // places only grow

	// TableOwners has how many votes an owner has, a varint, by the kept page's place and
	// the owner's key.
	TableOwners = &kv.Table{Name: "owners"}

	// TableAliases has the bytes of copies: by the digest of the payload, the place of the
	// first copy that had it. The gate knows the bytes of kept pages only; from here a page
	// with the bytes of a copy gets that copy's verdict without a parse.
	TableAliases = &kv.Table{Name: "aliases"}

	// TableRetired has, by the place of a kept page that was replaced, the place of the record
	// that replaced it; and by the place of one that is gone that of the kept page which took
	// over, 0 while there is none.
	TableRetired = &kv.Table{Name: "retired"}

	// TableElections has the elections under way, by the place of the former kept page.
	TableElections = &kv.Table{Name: "contests"}
)

// Tables returns the tables above.
func Tables() []*kv.Table {
	return []*kv.Table{TableVotes, TableGroups, TableOwners, TableAliases, TableRetired, TableElections, TableElsewhere}
}

// KeyLengths returns how many bytes every key of a table has, where all have one length.
func KeyLengths() map[*kv.Table]int {
	return map[*kv.Table]int{TableElsewhere: len(elsewhereKey(0, 0)), TableVotes: len(voteKey(0, weburl.Key{})), TableGroups: 8}
}

// present is the value of a key that says all.
var present = []byte{1}

func voteKey(of uint64, k weburl.Key) []byte { return append(page.Key(of), k[:]...) }

// Voted reports whether the URL named by k is a vote for a kept page.
func Voted(r kv.Reader, of uint64, k weburl.Key) (bool, error) {
	return kv.Has(r, TableVotes, voteKey(of, k))
}

// Voters yields the keys of the URLs of a kept page's copies.
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

// A Size is what is counted of the votes for one kept page.
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

// An ownerKey names a registrable domain.
type ownerKey [6]byte

// OwnerOf returns the owner of a URL.
func ownerOf(u weburl.URL) ownerKey {
	h := sha256.Sum256([]byte(u.Domain()))
	return ownerKey(h[:6])
}

// key is that of TableOwners.
func (o ownerKey) key(of uint64) []byte { return append(page.Key(of), o[:]...) }

// RememberBytes remembers the bytes of a copy whose kept page has others.
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

// VerdictOn returns the verdict on the copy that first had these bytes; not a copy: there is
// none.
func VerdictOn(r kv.Reader, d dedup.Digest) (v dedup.Verdict, err error) {
	k, err := r.Get(TableAliases, d[:])
	if err != nil || k == nil {
		return v, err
	}
	_, v, err = page.Get(r, page.Seq(k))
	return v, err
}

// Retired reports whether a kept page represents its group no longer.
func Retired(r kv.Reader, seq uint64) (bool, error) {
	return kv.Has(r, TableRetired, page.Key(seq))
}

// Successor returns the page that replaced a retired one; 0: none, it is gone, or it is not
// retired.
func Successor(r kv.Reader, seq uint64) (uint64, error) {
	v, err := r.Get(TableRetired, page.Key(seq))
	if err != nil || v == nil {
		return 0, err
	}
	return page.Seq(v), nil
}

// EachRetired calls fn with the place of every retired page.
func EachRetired(r kv.Reader, fn func(seq uint64)) error {
	return kv.Each(r, TableRetired, func(k, _ []byte) error { fn(page.Seq(k)); return nil })
}

// Unretire makes a page that was retired a kept page again: what came in its place is
// gone.
func Unretire(tx kv.Tx, seq uint64) { tx.Delete(TableRetired, page.Key(seq)) }

// An election finds out what became of a group.
type election struct {
	asked    weburl.Key // of the copy that is asked now
	started  time.Time  // copies that were asked since are not asked again
	stayed   uint64     // copies that are what the group was
	followed uint64     // copies that changed as the kept page did
	to       uint64     // place of the kept page of the last of them
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

// placeAt is where a search among the copies of a group starts.
func placeAt(of uint64, n uint64) []byte {
	return binary.BigEndian.AppendUint64(page.Key(of), splitmix.Finish(of<<8|n))
}
