package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The kinds of entries, in the first byte of a batch.
const (
	kindChanges  = 1 // a commit or a part of one: the number of parts that follow, and bytes
	kindSnapshot = 2 // a pointer
)

// A mark says which commits a folder has.
type mark struct {
	Lineage string          // identifies the log: a random text that is drawn with its first snapshot; "": no commit was journaled
	At      uint64          // number of the last entry that is in the folder
	Tails   map[string]tail // by folder of growing files: where they end
	Blob    string          // name of the last snapshot
}

// A tail says where the growing files of a folder end: the number of the last file, and its size.
// Files with lower numbers are complete.
type tail struct {
	Number uint64
	Size   int64
}

func (m mark) encode() ([]byte, error) { return json.Marshal(m) }

func decodeMark(b []byte) (m mark, err error) {
	if b == nil {
		return m, nil
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("mark of the journal: %w", err)
	}
	return m, nil
}

// A pointer is the entry that names the latest snapshot of a log.
type pointer struct {
	Lineage string
	At      uint64 // the snapshot has all entries up to this one
	Blob    string
}

func (p pointer) encode() ([]byte, error) {
	b, err := json.Marshal(p)
	return append([]byte{kindSnapshot}, b...), err
}

// A growth is bytes by which a file grew.
type growth struct {
	Folder, Name string
	Offset       int64
	Bytes        []byte
}

// A commit is what an owner appends: growth of files, and changes of rows.
type commit struct {
	grown []growth
	redo  []byte
}

// encode returns the batches of a commit, each of at most `most` bytes.
func (c commit) encode(most int) (parts [][]byte) {
	var e row.Encoder
	e.Uint(uint64(len(c.grown)))
	for _, g := range c.grown {
		e.Text(g.Folder)
		e.Text(g.Name)
		e.Uint(uint64(g.Offset))
		e.Uint(uint64(len(g.Bytes)))
		e.Bytes(g.Bytes)
	}
	e.Bytes(c.redo)
	packed := s2.Encode(nil, e.B)
	n := (len(packed) + most - 1) / most
	for i := range n {
		part := binary.AppendUvarint([]byte{kindChanges}, uint64(n-1-i))
		parts = append(parts, append(part, packed[i*most:min(len(packed), (i+1)*most)]...))
	}
	return parts
}

// partBytes bounds the bytes of a commit in one entry.
const partBytes = engine.MaxBatch - 16

var errEntry = errors.New("an entry of the journal is not as this program writes them: it is another version's")

// splitPart returns how many parts follow this one, and its bytes.
func splitPart(batch []byte) (follow uint64, b []byte, err error) {
	follow, n := binary.Uvarint(batch[1:])
	if n <= 0 {
		return 0, nil, errEntry
	}
	return follow, batch[1+n:], nil
}

// decodeCommit decodes the joined bytes of all parts.
func decodeCommit(packed []byte) (c commit, err error) {
	b, err := s2.Decode(nil, packed)
	if err != nil {
		return c, fmt.Errorf("%w (%w)", errEntry, err)
	}
	d := row.Decoder{B: b}
	for n := d.Uint(); n > 0 && d.Err == nil; n-- {
		g := growth{Folder: d.Text(), Name: d.Text(), Offset: int64(d.Uint())}
		size := d.Uint()
		if size > uint64(len(d.B)) {
			return c, errEntry
		}
		g.Bytes = d.Bytes(int(size))
		c.grown = append(c.grown, g)
	}
	if d.Err != nil {
		return c, fmt.Errorf("%w (%w)", errEntry, d.Err)
	}
	c.redo = d.B
	return c, nil
}

func decodePointer(batch []byte) (p pointer, err error) {
	if err := json.Unmarshal(batch[1:], &p); err != nil {
		return p, fmt.Errorf("%w (%w)", errEntry, err)
	}
	return p, nil
}
