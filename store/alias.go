package store

import (
	"fmt"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
)

// bucketAliases has the bytes of copies: the digest of the payload, and the seq of
// the first copy that had it. The gate knows the bytes of kept pages only; from
// here a page with the bytes of a copy gets that copy's verdict without a parse.
// Jobs in which no such copy was found lack it.
var bucketAliases = []byte("aliases")

// alias remembers the bytes of a copy whose kept page has others.
func (t *txn) alias(seq uint64, d dedup.Digest, v dedup.Verdict) error {
	if !v.Copy() || v.Level == dedup.LevelBytes || d.IsZero() {
		return nil
	}
	b, err := t.tx.CreateBucketIfNotExists(bucketAliases)
	if err == nil && b.Get(d[:]) == nil {
		err = b.Put(d[:], seqKey(seq))
	}
	if err != nil {
		return fmt.Errorf("bytes of page %d: %w", seq, err)
	}
	return nil
}

// aliasOf returns the verdict on the copy that had these bytes first.
func (s *Store) aliasOf(gate *dedup.Gate, d dedup.Digest) (v dedup.Verdict, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketAliases)
		if b == nil {
			return nil
		}
		k := b.Get(d[:])
		if k == nil {
			return nil
		}
		var err error
		if _, v, err = decodePage(tx.Bucket(bucketPages).Get(k)); err != nil {
			return fmt.Errorf("page %d: %w", seqOf(k), err)
		}
		return nil
	})
	if err != nil || gate.IsRetired(v.Of) {
		return dedup.Verdict{}, err
	}
	return v, nil
}

// aliases checks that each leads to a copy that has these bytes.
func (v *verifier) aliases() error {
	b := v.tx.Bucket(bucketAliases)
	if b == nil {
		return nil
	}
	const what = "the bytes of a copy lead to that copy"
	return b.ForEach(func(d, k []byte) error {
		if len(d) != len(dedup.Digest{}) || len(k) != 8 {
			return v.breach(what, "an entry of %d and %d bytes", len(d), len(k))
		}
		p, _, err := decodePage(v.tx.Bucket(bucketPages).Get(k))
		switch {
		case err != nil:
			return v.breach(what, "page %d: %v", seqOf(k), err)
		case p.Verdict != gatecrawl.VerdictCopy || p.Digest != dedup.Digest(d).String():
			return v.breach(what, "page %d: %s is no copy with the digest %x", seqOf(k), p.URL, d)
		}
		return nil
	})
}
