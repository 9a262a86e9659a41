package warc

import "io"

// A tape reads a stream and can go back a little: to look for records in what a
// wrong length or a decoder gone astray has swallowed.
type tape struct {
	src  io.Reader
	past []byte // what was read last, and perhaps what comes next
	at   int    // in past, where reading goes on
	base int64  // place of past[0] in the stream
	all  int64  // bytes read of this source and those before
	gone int64  // bytes gone back in all
	err  error  // the source's, io.EOF apart
}

const (
	// maxPast is how far a tape goes back at least.
	maxPast = 1 << 20

	// maxGone is how much of a short stream is read again; of a long one it is
	// four times its length. A file that is made to be gone back in over and
	// over costs no more.
	maxGone = 4 << 20
)

// reset begins a new stream.
func (t *tape) reset(src io.Reader) {
	*t = tape{src: src, past: t.past[:0], all: t.all, gone: t.gone}
}

func (t *tape) Read(p []byte) (int, error) {
	if t.at < len(t.past) {
		n := copy(p, t.past[t.at:])
		t.at += n
		return n, nil
	}
	n, err := t.src.Read(p)
	if err != nil && err != io.EOF {
		t.err = err
	}
	if len(t.past)+n > 2*maxPast {
		drop := max(len(t.past)-maxPast, 0)
		t.base += int64(drop)
		t.past = t.past[:copy(t.past, t.past[drop:])]
	}
	t.all += int64(n)
	t.past = append(t.past, p[:n]...)
	t.at = len(t.past)
	return n, err
}

// place returns the offset of what is read next.
func (t *tape) place() int64 { return t.base + int64(t.at) }

// back goes back to a place, or towards it as far as is known, and reports
// whether it did: not where too much was read again already.
func (t *tape) back(to int64) bool {
	to = max(to, t.base)
	n := t.place() - to
	if n <= 0 || t.gone+n > maxGone+4*t.all {
		return false
	}
	t.gone += n
	t.at = int(to - t.base)
	return true
}
