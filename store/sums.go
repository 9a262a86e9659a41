package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// Of a page's values bucketSums has CRC-32Cs, since bbolt has none of its own:
// of the record, the signature, the view, the body and the outlinks, 4 bytes
// each and zero where there is none, and then of these 20 bytes. Pages of older
// jobs have no sums.
const (
	sumPage = iota
	sumSignature
	sumView
	sumBody
	sumOutlinks
	sumKinds
)

// summedBuckets are the buckets of these values.
var summedBuckets = [sumKinds][]byte{bucketPages, bucketSignatures, bucketViews, bucketBodies, bucketOutlinks}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(b []byte) uint32 {
	if b == nil {
		return 0
	}
	return max(1, crc32.Checksum(b, castagnoli)) // 0 says that there is no value
}

// sums are the checksums of one page's values.
type sums [sumKinds]uint32

func (s sums) encode() []byte {
	b := make([]byte, 0, 4*sumKinds+4)
	for _, v := range s {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeSums(b []byte) (s sums, err error) {
	const n = 4 * sumKinds
	if len(b) != n+4 || crc32.Checksum(b[:n], castagnoli) != binary.BigEndian.Uint32(b[n:]) {
		return s, fmt.Errorf("checksums: %w", errAltered)
	}
	for i := range s {
		s[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	return s, nil
}

// A summedBucket is a bucket whose changes reach bucketSums with the commit.
type summedBucket struct {
	*bbolt.Bucket
	kind int
	sums map[uint64]*sums // of the pages that the transaction changes
	from *bbolt.Bucket
}

// Put writes a value and its checksum.
func (b *summedBucket) Put(k, v []byte) error {
	b.set(k, sumOf(v))
	return b.Bucket.Put(k, v)
}

// Delete takes away a value and its checksum.
func (b *summedBucket) Delete(k []byte) error {
	b.set(k, 0)
	return b.Bucket.Delete(k)
}

func (b *summedBucket) set(k []byte, sum uint32) {
	s := b.sums[seqOf(k)]
	if s == nil {
		s = new(sums)
		if old := b.from.Get(k); old != nil {
			*s, _ = decodeSums(old) // altered ones are made anew
		}
		b.sums[seqOf(k)] = s
	}
	s[b.kind] = sum
}

// putSums writes the checksums of what a transaction has changed.
func (t *txn) putSums() error {
	b := t.tx.Bucket(bucketSums)
	for _, seq := range slices.Sorted(maps.Keys(t.sums)) {
		var err error
		s := t.sums[seq]
		if *s == (sums{}) {
			err = b.Delete(seqKey(seq))
		} else {
			err = b.Put(seqKey(seq), s.encode())
		}
		if err != nil {
			return fmt.Errorf("checksums of page %d: %w", seq, err)
		}
	}
	return nil
}

// altered returns which values of a page are not as they were written: the names
// of their buckets.
func altered(tx *bbolt.Tx, seq uint64) (names []string, err error) {
	b := tx.Bucket(bucketSums)
	if b == nil {
		return nil, nil
	}
	v := b.Get(seqKey(seq))
	if v == nil {
		return nil, nil
	}
	s, err := decodeSums(v)
	if err != nil {
		return nil, err
	}
	for i, name := range summedBuckets {
		if s[i] != 0 && sumOf(tx.Bucket(name).Get(seqKey(seq))) != s[i] {
			names = append(names, string(name))
		}
	}
	return names, nil
}
