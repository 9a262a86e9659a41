package page

import (
	"fmt"
	"iter"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/store/kv"
)

// In a partitioned job, the kept page of a copy may be in another partition. The copy's partition
// then has a likeness of the kept page: its record and signature, as they were when the first copy
// came. Get, Full, URLOf and Signature find it by the page's sequence number like a page of the
// partition.
var (
	tableElsewhere           = &kv.Table{Name: "elsewhere", Fill: growing}            // see EncodeRecord
	tableElsewhereSignatures = &kv.Table{Name: "elsewhere-signatures", Fill: growing} // see EncodeSignature
)

// A Likeness is what a partition stores of a page that another partition has kept.
type Likeness struct {
	Record    Record // with Seq
	Signature dedup.Signature
}

// PutElsewhere stores the likeness of a page.
func PutElsewhere(tx kv.Tx, l *Likeness) {
	tx.Put(tableElsewhere, Key(l.Record.Seq), EncodeRecord(&l.Record, dedup.Verdict{}))
	tx.Put(tableElsewhereSignatures, Key(l.Record.Seq), EncodeSignature(&l.Signature))
}

// IsElsewhere reports whether there is a likeness of a page.
func IsElsewhere(r kv.Reader, seq uint64) (bool, error) {
	return kv.Has(r, tableElsewhere, Key(seq))
}

// ElsewhereFrom yields the sequence numbers of the pages that have a likeness, from the given one
// on.
func ElsewhereFrom(r kv.Reader, from uint64) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for e, err := range r.Scan(tableElsewhere, Key(from), nil) {
			if err != nil {
				yield(0, err)
				return
			}
			if !yield(Seq(e.Key), nil) {
				return
			}
		}
	}
}

// IsKept reports whether the signature of a page or of its likeness is stored.
func IsKept(r kv.Reader, seq uint64) (bool, error) {
	b, err := signatureRow(r, seq)
	return b != nil, err
}

// recordRow returns the value of a page's record, or of its likeness. It is an error if there is
// neither.
func recordRow(r kv.Reader, seq uint64) ([]byte, error) {
	b, err := r.Get(TableRecords, Key(seq))
	if err == nil && b == nil {
		b, err = r.Get(tableElsewhere, Key(seq))
	}
	if err == nil && b == nil {
		err = fmt.Errorf("page %d: there is no such record", seq)
	}
	return b, err
}

// signatureRow returns the value of a page's signature, or of its likeness; nil: there is neither.
func signatureRow(r kv.Reader, seq uint64) ([]byte, error) {
	b, err := r.Get(TableSignatures, Key(seq))
	if err == nil && b == nil {
		b, err = r.Get(tableElsewhereSignatures, Key(seq))
	}
	return b, err
}
