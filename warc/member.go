package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A codec is how a file is compressed.
type codec uint8

const (
	codecNone codec = iota
	codecGzip
	codecZstd
)

var (
	magicGzip = []byte{0x1f, 0x8b, 0x08}
	magicZstd = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

const (
	// scanBytes is how much of a file is searched at a time for the next member.
	scanBytes = 8 << 10

	// maxWindow bounds the window of a zstd frame: that of zstd --long.
	maxWindow = 128 << 20

	// maxDict bounds a file's zstd dictionary.
	maxDict = 16 << 20
)

// ErrCompression is what errors.Is finds in errors of damage in the compression.
var ErrCompression = errors.New("the compressed data are damaged")

// A codecError is damage in the compression.
type codecError struct{ err error }

func (e *codecError) Error() string        { return e.err.Error() }
func (e *codecError) Unwrap() error        { return e.err }
func (e *codecError) Is(target error) bool { return target == ErrCompression }

// members are the decompressed parts of a file, one open at a time. A plain file is one
// member that needs no decoder.
type members struct {
	raw   rewindReader  // the file
	file  *bufio.Reader // over raw
	codec codec
	gz    *gzip.Reader
	zs    *zstd.Decoder
	frame frame
	src   io.Reader // the open decoder
	start int64     // offset of the open member
	arc   bool      // the file is an ARC file
}

// detect finds out how the file is compressed.
func (m *members) detect() {
	head, _ := m.file.Peek(4) // an error is returned again when records are read
	switch {
	case bytes.HasPrefix(head, magicGzip[:2]):
		m.codec = codecGzip
	case bytes.Equal(head, magicZstd), skippable(head):
		m.codec = codecZstd
	}
}

// place returns the offset in the file of the next byte.
func (m *members) place() int64 { return m.raw.offset() - int64(m.file.Buffered()) }

// open opens the next member. The error is io.EOF if there is none, and a *codecError if
// there is something else.
func (m *members) open() error {
	if m.codec == codecNone {
		return io.EOF
	}
	if err := m.skipZeros(); err != nil {
		return err
	}
	m.start = m.place()
	if m.codec == codecGzip {
		return m.openGzip()
	}
	return m.openZstd()
}

// skipZeros skips padding, as gzip does.
func (m *members) skipZeros() error {
	for {
		c, err := m.file.ReadByte()
		if err != nil {
			return err
		}
		if c != 0 {
			return m.file.UnreadByte()
		}
	}
}

func (m *members) openGzip() error {
	if m.gz == nil {
		m.gz = new(gzip.Reader)
	}
	if err := m.gz.Reset(m.file); err != nil {
		return &codecError{fmt.Errorf("gzip member: %w", unexpected(err))}
	}
	m.gz.Multistream(false)
	m.src = m.gz
	return nil
}

func (m *members) openZstd() error {
	for {
		head, err := m.file.Peek(8)
		if len(head) == 0 {
			return err
		}
		if !skippable(head) {
			break
		}
		if err := m.skip(head); err != nil {
			return err
		}
		m.start = m.place()
	}
	if m.zs == nil {
		if err := m.newZstd(); err != nil {
			return err
		}
	}
	if err := m.frame.start(m.file); err != nil {
		return &codecError{fmt.Errorf("zstd frame: %w", err)}
	}
	if err := m.zs.Reset(&m.frame); err != nil {
		return &codecError{fmt.Errorf("zstd frame: %w", unexpected(err))}
	}
	m.src = m.zs
	return nil
}

func (m *members) newZstd(dicts ...[]byte) (err error) {
	m.zs, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderDicts(dicts...))
	if err != nil {
		return &codecError{fmt.Errorf("zstd dictionary: %w", err)}
	}
	return nil
}

// skippable reports whether head starts a skippable frame (RFC 8878, section 3.1.2).
func skippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18})
}

// dictFrame is the first byte of the skippable frame with a file's dictionary
// (IIPC, WARC with zstandard, 1.0).
const dictFrame = 0x5d

// skip reads a skippable frame, which may be the file's dictionary.
func (m *members) skip(head []byte) error {
	if len(head) < 8 {
		return &codecError{fmt.Errorf("zstd frame: %w", io.ErrUnexpectedEOF)}
	}
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	isDict := head[0] == dictFrame && m.zs == nil && m.start == 0
	m.file.Discard(8)
	if !isDict {
		if _, err := io.CopyN(io.Discard, m.file, size); err != nil {
			return &codecError{fmt.Errorf("zstd frame: %w", unexpected(err))}
		}
		return nil
	}
	if size > maxDict {
		return &codecError{fmt.Errorf("the zstd dictionary has %d bytes; the limit is %d", size, maxDict)}
	}
	dict := make([]byte, size)
	if _, err := io.ReadFull(m.file, dict); err != nil {
		return &codecError{fmt.Errorf("zstd dictionary: %w", unexpected(err))}
	}
	if bytes.HasPrefix(dict, magicZstd) {
		var err error
		if dict, err = unzstd(dict); err != nil {
			return &codecError{fmt.Errorf("zstd dictionary: %w", err)}
		}
	}
	return m.newZstd(dict)
}

// unzstd decompresses a dictionary that is itself compressed.
func unzstd(b []byte) ([]byte, error) {
	d, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxDict))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out, err := io.ReadAll(io.LimitReader(d, maxDict+1))
	if err == nil && len(out) > maxDict {
		err = errors.New("too long")
	}
	return out, err
}

// Read reads from the open member.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.src.Read(p)
	if err != nil && err != io.EOF {
		err = &codecError{unexpected(err)}
	}
	return n, err
}

// hasChecksum reports whether the decoder compares the open member with a checksum at its end.
func (m *members) hasChecksum() bool {
	return m.codec == codecGzip || m.codec == codecZstd && m.frame.summed
}

// close frees the decoders.
func (m *members) close() {
	if m.zs != nil {
		m.zs.Close()
	}
}

// unexpected turns the end of a stream into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// scan goes to the next member that starts with a record, searching from after the start
// of the open one.
func (m *members) scan() error {
	if m.raw.rewind(m.start + 1) {
		m.file.Reset(&m.raw)
	} else if m.place() <= m.start {
		m.file.Discard(1)
	}
	magic := magicGzip
	if m.codec == codecZstd {
		magic = magicZstd
	}
	for {
		b, err := m.file.Peek(scanBytes)
		i := bytes.Index(b, magic)
		switch {
		case i == 0 && m.startsRecord(b):
			return nil
		case i == 0:
			m.file.Discard(1)
		case i > 0:
			m.file.Discard(i)
		case err != nil:
			m.file.Discard(len(b))
			return err
		default:
			m.file.Discard(len(b) - len(magic) + 1)
		}
	}
}

// startsRecord reports whether b looks like the start of a member with a record.
func (m *members) startsRecord(b []byte) bool {
	if m.codec == codecZstd {
		var f frame
		return f.start(bufio.NewReader(bytes.NewReader(b))) == nil
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return false
	}
	head := make([]byte, len(recordMagic))
	if m.arc {
		head = make([]byte, maxARCLine)
	}
	n, err := io.ReadFull(z, head)
	if m.arc {
		return isARCRecord(head[:n])
	}
	return err == nil && isMagic(head)
}

// A frame returns the bytes of one zstd frame (RFC 8878, section 3.1.1): the decoder
// itself would read on into the next.
type frame struct {
	r        *bufio.Reader
	left     int // bytes of the current part
	last     bool
	checksum bool // a checksum follows the last block
	summed   bool // the frame has a checksum
}

// start reads the header of the next frame in r.
func (f *frame) start(r *bufio.Reader) error {
	b, _ := r.Peek(5)
	if !bytes.HasPrefix(b, magicZstd) {
		return errors.New("no frame starts here")
	}
	if len(b) < 5 {
		return io.ErrUnexpectedEOF
	}
	d := b[4]
	single := int(d >> 5 & 1)
	size := 1 + (1 - single) + []int{0, 1, 2, 4}[d&3] + []int{single, 2, 4, 8}[d>>6]
	b, _ = r.Peek(4 + size + 3)
	if len(b) < 4+size+3 {
		return io.ErrUnexpectedEOF
	}
	*f = frame{r: r, left: 4 + size, checksum: d>>2&1 == 1, summed: d>>2&1 == 1}
	_, _, err := block(b[4+size:])
	return err
}

// block reads the header of a block: its size in bytes, and whether it is the last of its
// frame.
func block(b []byte) (size int, last bool, err error) {
	h := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	size = h >> 3
	switch {
	case size > 128<<10:
		return 0, false, errors.New("a block is too long")
	case h>>1&3 == 1:
		size = 1
	case h>>1&3 == 3:
		return 0, false, errors.New("a block has an unknown type")
	}
	return 3 + size, h&1 == 1, nil
}

func (f *frame) Read(p []byte) (int, error) {
	if f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, unexpected(err)
}

// next goes on to the next block, the checksum, or the end.
func (f *frame) next() error {
	switch {
	case f.last && f.checksum:
		f.left, f.checksum = 4, false
		return nil
	case f.last:
		return io.EOF
	}
	b, _ := f.r.Peek(3)
	if len(b) < 3 {
		return io.ErrUnexpectedEOF
	}
	var err error
	f.left, f.last, err = block(b)
	return err
}
