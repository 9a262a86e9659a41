package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/store/kv"
)

// sums are the checksums of a key's values, since bbolt has none of its own. bucketSums has a row
// of CRC-32Cs for each key of the checked tables: 4 bytes for its value in each of these tables,
// in the order of their declaration and 0 if there is no value, and then the checksum of these
// bytes.
type sums []uint32

var errAltered = errors.New("not as it was written")

// sumOf returns the checksum of a value; 0: there is no value.
func sumOf(b []byte) uint32 {
	if b == nil {
		return 0
	}
	return max(1, durable.Sum(b))
}

func (s sums) encode() []byte {
	b := make([]byte, 0, 4*len(s)+4)
	for _, v := range s {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return binary.BigEndian.AppendUint32(b, durable.Sum(b))
}

// isZero reports whether there is no value left.
func (s sums) isZero() bool { return !slices.ContainsFunc(s, func(v uint32) bool { return v != 0 }) }

// decodeSums reads the row of a key. A row that was written when there were fewer checked
// tables is shorter.
func (s *Store) decodeSums(b []byte) (sums, error) {
	n := len(b) - 4
	if n < 0 || n%4 != 0 || n/4 > len(s.summed) || durable.Sum(b[:n]) != binary.BigEndian.Uint32(b[n:]) {
		return nil, fmt.Errorf("checksums: %w", errAltered)
	}
	row := make(sums, len(s.summed))
	for i := range n / 4 {
		row[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	return row, nil
}

// writeSums writes the checksums of what a transaction changes.
func (t *tx) writeSums() error {
	var b *bbolt.Bucket
	rows := make(map[string]sums)
	for column, i := range t.s.summed {
		if t.pending[i] == nil {
			continue
		}
		if b == nil {
			b = t.tx.Bucket(bucketSums)
			b.FillPercent = sumsFill
		}
		t.pending[i].Scan(func(c change) bool {
			row, ok := rows[string(c.key)]
			if !ok {
				row = make(sums, len(t.s.summed))
				if old := b.Get(c.key); old != nil {
					if got, err := t.s.decodeSums(old); err == nil { // altered ones are recomputed
						row = got
					}
				}
				rows[string(c.key)] = row
			}
			row[column] = sumOf(c.value)
			return true
		})
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var err error
		if row := rows[key]; row.isZero() {
			err = b.Delete([]byte(key))
		} else {
			err = b.Put([]byte(key), row.encode())
		}
		if err != nil {
			return fmt.Errorf("checksums of key %x: %w", key, err)
		}
	}
	return nil
}

// sumsFill is for keys that mostly grow, as those of checked tables do.
const sumsFill = 0.95

// altered calls fn with the values that are not as they were written.
func (s *Store) altered(btx *bbolt.Tx, fn func(error) error) error {
	b := btx.Bucket(bucketSums)
	if b == nil {
		return nil
	}
	buckets := make([]*bbolt.Bucket, len(s.summed))
	for column, i := range s.summed {
		buckets[column] = btx.Bucket([]byte(s.tables[i].Name))
	}
	return b.ForEach(func(key, v []byte) error {
		row, err := s.decodeSums(v)
		if err != nil {
			return fn(&kv.DamageError{Key: slices.Clone(key), Err: fmt.Errorf("key %x: %w", key, err)})
		}
		for column, i := range s.summed {
			var value []byte
			if buckets[column] != nil {
				value = buckets[column].Get(key)
			}
			if row[column] == 0 || sumOf(value) == row[column] {
				continue
			}
			d := &kv.DamageError{Table: s.tables[i], Key: slices.Clone(key), Lost: value == nil, Err: errAltered}
			if d.Lost {
				d.Err = errors.New("it is not there")
			}
			if err := fn(d); err != nil {
				return err
			}
		}
		return nil
	})
}
