package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// tableAliases has the bytes of copies: the digest of the payload, and the seq of
// the first copy that had it. The gate knows the bytes of kept pages only; from
// here a page with the bytes of a copy gets that copy's verdict without a parse.
// Jobs in which no such copy was found lack it.
var tableAliases = &kv.Table{Name: "aliases"}

// alias remembers the bytes of a copy whose kept page has others.
func (t *txn) alias(seq uint64, d dedup.Digest, v dedup.Verdict) error {
	if !v.Copy() || v.Level == dedup.LevelBytes || d.IsZero() {
		return nil
	}
	known, err := kv.Has(t.tx, tableAliases, d[:])
	if err != nil {
		return fmt.Errorf("bytes of page %d: %w", seq, err)
	}
	if !known {
		t.tx.Put(tableAliases, d[:], seqKey(seq))
	}
	return nil
}

// aliasOf returns the verdict on the copy that had these bytes first.
func (s *Store) aliasOf(gate *dedup.Gate, d dedup.Digest) (v dedup.Verdict, err error) {
	err = s.look(func(in snapshot) error {
		k, err := in.Get(tableAliases, d[:])
		if err != nil || k == nil {
			return err
		}
		_, v, err = in.page(seqOf(k))
		return err
	})
	if err != nil || gate.IsRetired(v.Of) {
		return dedup.Verdict{}, err
	}
	return v, nil
}

// aliases checks that each leads to a copy that has these bytes.
func (v *verifier) aliases() error {
	const what = "the bytes of a copy lead to that copy"
	return each(v.in, tableAliases, func(d, k []byte) error {
		if len(d) != len(dedup.Digest{}) || len(k) != 8 {
			return v.breach(what, "an entry of %d and %d bytes", len(d), len(k))
		}
		p, _, err := v.in.page(seqOf(k))
		switch {
		case err != nil:
			return v.breach(what, "%v", err)
		case p.Verdict != page.VerdictCopy || p.Digest != dedup.Digest(d).String():
			return v.breach(what, "page %d: %s is no copy with the digest %x", seqOf(k), p.URL, d)
		}
		return nil
	})
}
