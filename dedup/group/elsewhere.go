package group

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// TableElsewhere has, by the sequence number of a kept page and the number of a partition, the
// counts of the page's copies in that other partition. A domain belongs to one partition, so the
// degrees can be added up.
var TableElsewhere = &kv.Table{Name: "groups-elsewhere"}

func elsewhereKey(of uint64, partition uint32) []byte {
	return binary.BigEndian.AppendUint32(page.Key(of), partition)
}

// PutElsewhere stores the counts of another partition for a kept page.
func PutElsewhere(tx kv.Tx, of uint64, partition uint32, s Size) {
	if s == (Size{}) {
		tx.Delete(TableElsewhere, elsewhereKey(of, partition))
		return
	}
	tx.Put(TableElsewhere, elsewhereKey(of, partition), s.encode())
}

// Elsewhere calls fn for each other partition that has copies of a kept page.
func Elsewhere(r kv.Reader, of uint64, fn func(partition uint32, s Size)) error {
	for e, err := range kv.Prefix(r, TableElsewhere, page.Key(of)) {
		if err != nil {
			return err
		}
		fn(binary.BigEndian.Uint32(e.Key[8:]), DecodeSize(e.Value))
	}
	return nil
}

// WholeSizeOf is SizeOf with the counts of other partitions added.
func WholeSizeOf(r kv.Reader, of uint64) (s Size, ok bool, err error) {
	if s, _, err = SizeOf(r, of); err != nil {
		return s, false, err
	}
	err = Elsewhere(r, of, func(_ uint32, more Size) {
		s.Degree += more.Degree
		s.Copies += more.Copies
	})
	return s, s.Copies > 0, err
}
