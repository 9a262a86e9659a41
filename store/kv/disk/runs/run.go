package runs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sort"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/mmap"
)

// The layout of a run is in docs/formats.md.
const (
	magic     = "gcrun\x00\x00\x01"
	tailBytes = 32

	// blockBytes is how much of entries a block holds before compression. A
	// look-up unpacks one block; smaller ones pack worse and make the index
	// longer, which is kept in memory: about 30 bytes a block.
	blockBytes = 4 << 10

	// groupBlocks is how many blocks share a filter, which is written after them: a
	// file of any length is written in the memory of one group.
	groupBlocks = 64

	// A key sets lineProbes bits in one line of lineBytes of its group's filter,
	// which costs one small read (Putze, Sanders and Singler 2007). With 10 bits
	// a key about 1 of 80 absent keys costs a block.
	lineBytes  = 64
	lineProbes = 6
	keyBits    = 10
)

// A run is a sorted file that never changes, and is mapped: to read a block or a filter takes no
// call of the system. It is unmapped when its last reader is done.
type run struct {
	meta  Meta
	path  string
	bytes []byte

	keys   []byte // the first keys of the blocks, shortened, one behind the other
	leads  []byte // those of the groups' first blocks again, close together: a search begins there
	blocks []block
	groups []group

	merging bool // the table's owner's

	refs    atomic.Int32
	dropped atomic.Bool // the last reader removes the file
}

// A block is where some entries are. The fields of key are of run.keys.
type block struct {
	at         int64
	key        uint32
	size, keyN uint16
	sum        uint32
}

// A group is where the filter of groupBlocks blocks is. The fields of lead are of run.leads.
type group struct {
	at    int64
	lines uint64
	lead  uint32
	leadN uint16
}

// A Meta is what a manifest says of a run.
type Meta struct {
	File    string `json:"file"`    // name within the table's folder
	Age     uint64 `json:"age"`     // a run of higher age has newer entries
	Entries int64  `json:"entries"` // those of keys that are gone counted in
	Bytes   int64  `json:"bytes"`   // size of the file
}

// A DamageError says that a file of the table is not as it was written.
type DamageError struct {
	Path string
	What string
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.What) }

func openRun(path string, m Meta) (*run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &run{meta: m, path: path}
	if info.Size() != m.Bytes || m.Bytes < tailBytes+int64(len(magic)) {
		return nil, r.damaged("it has %d bytes and should have %d", info.Size(), m.Bytes)
	}
	if r.bytes, err = mmap.ReadOnly(f, int(m.Bytes)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := r.load(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *run) close() error { return mmap.Unmap(r.bytes) }

func (r *run) damaged(format string, args ...any) error {
	return &DamageError{r.path, fmt.Sprintf(format, args...)}
}

// load reads the index. The tail has the index's offset, the number of blocks, and two
// checksums.
func (r *run) load() error {
	u := binary.LittleEndian.Uint64
	end := uint64(len(r.bytes) - tailBytes)
	tail := r.bytes[end:]
	index, blocks := u(tail), u(tail[8:])
	switch {
	case string(tail[24:]) != magic:
		return r.damaged("it does not end as a run does")
	case binary.LittleEndian.Uint32(tail[20:]) != durable.Sum(tail[:20]):
		return r.damaged("its last bytes do not agree with their checksum")
	case index > end || blocks > end:
		return r.damaged("its parts do not fit into it")
	}
	b := r.bytes[index:end]
	if durable.Sum(b) != binary.LittleEndian.Uint32(tail[16:]) {
		return r.damaged("its index does not agree with its checksum")
	}
	if at, ok := r.loadIndex(b, int(blocks)); !ok || at != int64(index) {
		return r.damaged("its index does not describe it")
	}
	return nil
}

// loadIndex reads of each block the length, the length of its key, the key and the
// checksum, and behind each group the number of lines of its filter. It returns
// where the last of them ends.
func (r *run) loadIndex(b []byte, blocks int) (at int64, ok bool) {
	bad := false
	uint := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			bad, b = true, nil
			return 0
		}
		b = b[n:]
		return v
	}
	r.blocks = make([]block, 0, blocks)
	for i := range blocks {
		size, k := uint(), uint()
		if bad || size > 1<<16-1 || k > 1<<16-1 || uint64(len(b)) < k+4 {
			return 0, false
		}
		r.blocks = append(r.blocks, block{
			at: at, key: uint32(len(r.keys)), size: uint16(size), keyN: uint16(k), sum: binary.LittleEndian.Uint32(b[k:]),
		})
		r.keys = append(r.keys, b[:k]...)
		b = b[k+4:]
		at += int64(size)
		if (i+1)%groupBlocks == 0 || i == blocks-1 {
			lines := uint()
			if bad || lines > uint64(r.meta.Bytes)/lineBytes {
				return 0, false
			}
			lead := r.firstKey(len(r.groups) * groupBlocks)
			r.groups = append(r.groups, group{at, lines, uint32(len(r.leads)), uint16(len(lead))})
			r.leads = append(r.leads, lead...)
			at += int64(lines) * lineBytes
		}
	}
	return at, len(b) == 0
}

// release drops a reference to the run; the last one closes it.
func (r *run) release() error {
	if r.refs.Add(-1) > 0 {
		return nil
	}
	err := r.close()
	if r.dropped.Load() {
		err = errors.Join(err, os.Remove(r.path))
	}
	return err
}

// bitsOf calls fn for each bit of a hash in its line: 9 bits of the hash each, from
// the top, where they say little about the line's number.
func bitsOf(h uint64, fn func(bit uint64)) {
	for i := range lineProbes {
		fn(h >> (64 - 9*(i+1)) % (lineBytes * 8))
	}
}

func inLine(line []byte, h uint64) bool {
	in := true
	bitsOf(h, func(bit uint64) { in = in && line[bit/8]>>(bit%8)&1 == 1 })
	return in
}

// groupOf returns the last group whose first key is not above key, or the first.
func (r *run) groupOf(key []byte) int {
	i := sort.Search(len(r.groups), func(i int) bool {
		g := &r.groups[i]
		return bytes.Compare(r.leads[g.lead:][:g.leadN], key) > 0
	})
	return max(0, i-1)
}

// find returns the last block whose first key is not above key, or the first. It is in the group that groupOf
// returns.
func (r *run) find(group int, key []byte) int {
	from := group * groupBlocks
	n := min(groupBlocks, len(r.blocks)-from)
	return from + max(0, sort.Search(n, func(i int) bool { return bytes.Compare(r.firstKey(from+i), key) > 0 })-1)
}

// firstKey returns the first key of a block, cut to what tells it from those before.
func (r *run) firstKey(i int) []byte {
	b := &r.blocks[i]
	return r.keys[b.key : b.key+uint32(b.keyN)]
}

// read unpacks a block into buf.
func (r *run) read(i int, buf []byte) ([]byte, error) {
	b := &r.blocks[i]
	p := r.bytes[b.at:][:b.size]
	if durable.Sum(p) != b.sum {
		return nil, r.damaged("the block at byte %d does not agree with its checksum: the disk or another program changed it", b.at)
	}
	out, err := s2.Decode(buf[:cap(buf)], p)
	if err != nil {
		return nil, r.damaged("the block at byte %d: %v", b.at, err)
	}
	return out, nil
}

// filter returns the filter of a group.
func (r *run) filter(group int) []byte {
	g := r.groups[group]
	return r.bytes[g.at:][:g.lines*lineBytes]
}

// has reports whether a group's filter knows the part of a key that has this hash; true may be wrong.
func (r *run) has(hash uint64, group int) bool {
	f := r.filter(group)
	if len(f) == 0 {
		return false
	}
	return inLine(f[hash%uint64(len(f)/lineBytes)*lineBytes:][:lineBytes], hash)
}

// A runSource reads a run in order, or seeks in it.
type runSource struct {
	run   *run
	block int    // the next to be read
	buf   []byte // unpacked
	rest  []byte // of buf
	key   []byte
	e     entry
	end   bool

	// If placed is set, e is the first entry whose key is not below sought, or there is none.
	// Otherwise e is meaningless, and buf has data only if it is not empty.
	placed bool
	sought []byte
}

// reset makes ready for another run, and keeps the buffers.
func (s *runSource) reset(r *run) {
	*s = runSource{run: r, buf: s.buf[:0], key: s.key[:0], sought: s.sought[:0]}
}

// from returns the run's entries from the first.
func (r *run) from() (*runSource, error) {
	s := &runSource{run: r}
	return s, s.next()
}

func (s *runSource) current() *entry {
	if s.end {
		return nil
	}
	return &s.e
}

// next reads an entry: how many bytes its key shares with the one before, then as
// in a slab, with the rest of the key.
func (s *runSource) next() error {
	if len(s.rest) == 0 {
		if s.block == len(s.run.blocks) {
			s.end = true
			return nil
		}
		b, err := s.run.read(s.block, s.buf)
		if err != nil {
			s.buf = s.buf[:0]
			return err
		}
		s.block++
		s.buf, s.rest, s.key = b, b, s.key[:0]
	}
	shared, n := binary.Uvarint(s.rest)
	if n <= 0 || shared > uint64(len(s.key)) {
		return s.run.damaged("block %d can't be read", s.block-1)
	}
	e, m, ok := cutEntry(s.rest[n:])
	if !ok {
		return s.run.damaged("block %d can't be read", s.block-1)
	}
	s.rest = s.rest[n+m:]
	s.key = append(s.key[:shared], e.key...)
	s.e = entry{s.key, e.value, e.gone}
	return nil
}

// seek goes to the first entry whose key is not below key. It returns false if the filter knows
// that the run has none with the prefix; the prefix's hash is given if filters know such keys.
func (s *runSource) seek(key, prefix []byte, hash uint64, hashed bool) (has bool, err error) {
	switch {
	case len(s.run.blocks) == 0:
		return false, nil
	case s.unpacked(key):
		if !s.placed || bytes.Compare(key, s.sought) < 0 {
			s.rest, s.key, s.end = s.buf, s.key[:0], false
			err = s.next()
		}
	default:
		group := s.run.groupOf(prefix)
		if hashed && !s.run.has(hash, group) { // the first entry with the prefix tells, wherever key stands
			return false, nil
		}
		if len(key) > len(prefix) {
			group = s.run.groupOf(key)
		}
		s.block, s.rest, s.end = s.run.find(group, key), nil, false
		err = s.next()
	}
	s.placed = false
	for err == nil && !s.end && bytes.Compare(s.e.key, key) < 0 {
		err = s.next()
	}
	s.placed, s.sought = err == nil, append(s.sought[:0], key...)
	return err == nil, err
}

// unpacked reports whether the block that a key belongs to is in buf.
func (s *runSource) unpacked(key []byte) bool {
	at := s.block - 1
	return len(s.buf) > 0 && (at == 0 || bytes.Compare(s.run.firstKey(at), key) <= 0) &&
		(s.block == len(s.run.blocks) || bytes.Compare(key, s.run.firstKey(s.block)) < 0)
}

// settle makes seek right again after calls of next.
func (s *runSource) settle() {
	if s.placed = !s.end; s.placed {
		s.sought = append(s.sought[:0], s.e.key...)
	}
}
