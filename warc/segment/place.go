package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Place says where a record is.
type Place struct {
	File   uint32 // number of the segment, from 1
	Offset int64  // of its first byte
	Length uint32 // bytes in the file
	Plain  uint32 // bytes of the record without compression, with its head
	Sum    uint32 // durable.Sum of its bytes in the file
}

const placeForm = 1

// Encode returns a place in the form in which it is stored: a byte for its version, the fields as
// varints, and the sum in 4 bytes.
func (p Place) Encode() []byte {
	b := make([]byte, 1, 24)
	b[0] = placeForm
	b = binary.AppendUvarint(b, uint64(p.File))
	b = binary.AppendUvarint(b, uint64(p.Offset))
	b = binary.AppendUvarint(b, uint64(p.Length))
	b = binary.AppendUvarint(b, uint64(p.Plain))
	return binary.BigEndian.AppendUint32(b, p.Sum)
}

// DecodePlace decodes a place that Encode has encoded.
func DecodePlace(b []byte) (p Place, err error) {
	if len(b) == 0 || b[0] != placeForm {
		return p, fmt.Errorf("place of a record: it has not the form that this version reads, %d", placeForm)
	}
	b = b[1:]
	var fields [4]uint64
	for i := range fields {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return p, errors.New("place of a record: it is cut short")
		}
		fields[i], b = v, b[n:]
	}
	if len(b) != 4 || fields[0] > 1<<32-1 || fields[1] > 1<<62 || fields[2] > maxRecord || fields[3] > maxRecord {
		return p, errors.New("place of a record: it is altered")
	}
	return Place{
		File: uint32(fields[0]), Offset: int64(fields[1]), Length: uint32(fields[2]), Plain: uint32(fields[3]),
		Sum: binary.BigEndian.Uint32(b),
	}, nil
}

// maxRecord bounds a record, in bytes.
const maxRecord = 1 << 30
