package warc

import "io"

// A rewindReader reads a stream and can go back a limited distance, to look for records
// in bytes that a wrong length or a damaged member made the reader skip.
type rewindReader struct {
	src    io.Reader
	buffer []byte // the bytes read last, and after a rewind those to be read again
	pos    int    // index in buffer of the next byte
	base   int64  // offset of buffer[0] in the stream
	total  int64  // bytes read from this source and earlier ones
	reread int64  // bytes rewound in all
	err    error  // of the source, without io.EOF
}

const (
	// minRewind is how far a rewindReader can always go back.
	minRewind = 1 << 20

	// maxReread bounds how much of a stream is read again, together with four times its
	// length. A file that is made to cause many rewinds costs no more.
	maxReread = 4 << 20
)

// reset starts a new stream.
func (t *rewindReader) reset(src io.Reader) {
	*t = rewindReader{src: src, buffer: t.buffer[:0], total: t.total, reread: t.reread}
}

func (t *rewindReader) Read(p []byte) (int, error) {
	if t.pos < len(t.buffer) {
		n := copy(p, t.buffer[t.pos:])
		t.pos += n
		return n, nil
	}
	n, err := t.src.Read(p)
	if err != nil && err != io.EOF {
		t.err = err
	}
	if len(t.buffer)+n > 2*minRewind {
		drop := max(len(t.buffer)-minRewind, 0)
		t.base += int64(drop)
		t.buffer = t.buffer[:copy(t.buffer, t.buffer[drop:])]
	}
	t.total += int64(n)
	t.buffer = append(t.buffer, p[:n]...)
	t.pos = len(t.buffer)
	return n, err
}

// offset returns the offset of the next byte.
func (t *rewindReader) offset() int64 { return t.base + int64(t.pos) }

// rewind goes back to an offset, or as far towards it as the buffer reaches. It reports
// false if too much was read again already.
func (t *rewindReader) rewind(to int64) bool {
	to = max(to, t.base)
	n := t.offset() - to
	if n <= 0 || t.reread+n > maxReread+4*t.total {
		return false
	}
	t.reread += n
	t.pos = int(to - t.base)
	return true
}
