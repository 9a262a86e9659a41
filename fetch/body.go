package fetch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/fetch/feed"
)

// acceptEncoding has the encodings that decoder can decode.
const acceptEncoding = "gzip, br, zstd, deflate"

const (
	// exactSize is the most that is allocated because of a Content-Length; a buffer for a longer
	// body grows with what is received.
	exactSize = 1 << 20

	// againSize is the longest body after which a decoder is used again, since it keeps the memory
	// of its largest body.
	againSize = 1 << 20

	// wireSlack is how many more bytes may be received than a body may have after decoding.
	// Compression may make a body longer, but not much; without this limit, a stream of empty
	// blocks would go on for the whole Timeout.
	wireSlack = 64 << 10

	// drainSize is how much is read after the end of a body so that the connection can be used
	// again.
	drainSize = 4 << 10

	// maxCodings is how many nested encodings are decoded.
	maxCodings = 2
)

// read reads and decodes the body of res, up to the limit. If the body breaks off, the part that
// was received is kept; it is an error only if nothing was received, or the time is up.
func (j *job) read(res *http.Response) error {
	raw := &counter{r: j.pacedBody(res), left: j.limits.body + wireSlack, came: j.came}
	j.beat()
	var err error
	names := codings(res.Header)
	if len(names) == 0 && res.ContentLength >= 0 && res.ContentLength <= min(j.limits.body, exactSize) {
		err = j.readExactly(res.Request.Context(), raw, int(res.ContentLength))
	} else {
		err = j.readCoded(res.Request.Context(), raw, names)
	}
	j.answer.Wire = raw.n
	if err != nil && raw.left <= 0 { // some decoders do not pass errWire on
		j.cut, err = true, nil
	}
	if err != nil {
		if context.Cause(res.Request.Context()) != nil || len(j.answer.Body) == 0 {
			return err
		}
		j.broken = true
	}
	j.answer.Truncated = j.cut || j.broken || isPart(res)
	return nil
}

// isPart reports whether an answer is a part of a page, which nobody asked for (RFC 9110, section
// 15.3.7), and not all of it.
func isPart(res *http.Response) bool {
	if res.StatusCode != http.StatusPartialContent {
		return false
	}
	var last, size int64
	_, err := fmt.Sscanf(res.Header.Get("Content-Range"), "bytes 0-%d/%d", &last, &size)
	return err != nil || last+1 != size
}

// pacedBody returns the body of a response, as fast as the bandwidth permits.
func (j *job) pacedBody(res *http.Response) io.Reader {
	if j.rate == nil {
		return res.Body
	}
	return &paced{res.Body, res.Request.Context(), j.rate, j.booked, func(ctx context.Context, until time.Time) error {
		return j.pause(ctx, func() error { return sleepUntil(ctx, until) })
	}}
}

// readExactly reads a plain body of n bytes.
func (j *job) readExactly(ctx context.Context, r io.Reader, n int) error {
	if err := j.holds(ctx, int64(n)); err != nil {
		return err
	}
	body := make([]byte, n)
	n, err := io.ReadFull(r, body)
	j.answer.Body = body[:n]
	return err
}

// readCoded reads a body that is encoded, long, or of unknown length.
func (j *job) readCoded(ctx context.Context, raw *counter, names []string) error {
	if len(names) > maxCodings {
		return fmt.Errorf("%d encodings upon each other", len(names))
	}
	var r io.Reader = raw
	counters := []*counter{raw}
	var whole bool // and short
	for _, name := range names {
		d, err := j.decoder(ctx, name, r)
		if err != nil {
			return err
		}
		defer func() { d.done(whole) }()
		c := &counter{r: d, left: raw.left, came: func(int) {}}
		r, counters = c, append(counters, c)
	}
	scratch := buffers.Get().(*[]byte)
	defer buffers.Put(scratch)
	if *scratch == nil {
		*scratch = make([]byte, 0, FreeBody)
	}
	holds := func(n int64) error { return j.holds(ctx, n) }
	limit := j.limits.body
	body, err := readUpTo(r, *scratch, limit+1, holds)
	if more := j.limits.sitemap - limit; more > 0 && int64(len(body)) > limit && feed.SitemapOf(body) != "" {
		limit += more
		for _, c := range counters {
			c.left += more
		}
		body, err = readUpTo(r, body, limit+1, holds)
	}
	if len(body) > 0 && errors.Is(err, gzip.ErrHeader) {
		err = nil // after a complete member, anything but another member counts as padding, as in browsers
	}
	whole = err == nil && int64(len(body)) <= min(limit, againSize)
	if int64(len(body)) > limit {
		body, j.cut = body[:limit], true
	}
	if cap(body) <= FreeBody || len(body) < cap(body)/2 {
		body = bytes.Clone(body)
	}
	j.answer.Body = body
	if err != nil || j.cut {
		return err
	}
	// What a decoder left unread, such as the end of the last chunk, would block the next request.
	if _, err := io.CopyN(io.Discard, raw, drainSize); err != io.EOF {
		return err
	}
	return nil
}

// readUpTo appends to b what r has, up to n bytes in all. It grows b by doubling, but not beyond n:
// a body of the largest size takes that, and half of it more while it is copied. It calls may
// before b grows.
func readUpTo(r io.Reader, b []byte, n int64, may func(n int64) error) ([]byte, error) {
	for int64(len(b)) < n {
		if len(b) == cap(b) {
			size := min(n, max(2*int64(cap(b)), 64<<10))
			if err := may(size); err != nil {
				return b, err
			}
			grown := make([]byte, len(b), size)
			copy(grown, b)
			b = grown
		}
		m, err := r.Read(b[len(b):min(int64(cap(b)), n)])
		b = b[:len(b)+m]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// errWire says that more bytes were received than the body may have.
var errWire = errors.New("more bytes on the wire than the body may have")

// A counter counts the bytes of a body, as received or decoded, and fails when there are more than
// allowed.
type counter struct {
	r    io.Reader
	n    int64
	left int64
	came func(n int)
}

func (c *counter) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errWire
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.n += int64(n)
	c.left -= int64(n)
	c.came(n)
	return n, err
}

// codings returns the encodings of a body in the order in which to undo them. Names that mean
// nothing are left out, and so are unknown names: the body is then taken as it is, which is
// what most servers that send them mean.
func codings(h http.Header) []string {
	values := h["Content-Encoding"]
	if len(values) == 0 {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(strings.Join(values, ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "gzip", "x-gzip", "br", "zstd", "deflate":
			names = append([]string{name}, names...)
		}
	}
	return names
}

// A decoder decodes one encoding of a body.
type decoder struct {
	io.Reader
	done func(again bool) // when it is no longer used; again says whether it may be for another body
}

// decoder returns a decoder for one encoding of r. A body that does not start like that encoding
// was never encoded, as is common for error pages, and is passed on unchanged.
func (j *job) decoder(ctx context.Context, name string, r io.Reader) (decoder, error) {
	b := peekers.Get().(*bufio.Reader)
	b.Reset(r)
	putPeeker := func() {
		b.Reset(nil)
		peekers.Put(b)
	}
	head, err := b.Peek(4)
	if len(head) == 0 {
		putPeeker()
		if err == io.EOF {
			return decoder{eof{}, func(bool) {}}, nil
		}
		return decoder{}, err
	}
	if isMarkup(head) {
		name = "" // br and deflate have no signature to check
	}
	window := windowOf(name, b, head)
	if err := j.takes(ctx, window); err != nil {
		putPeeker()
		return decoder{}, err
	}
	d, put, err := open(name, b, head, window)
	if err != nil {
		putPeeker()
		j.gives(window)
		return decoder{}, fmt.Errorf("%s: %w", name, err)
	}
	return decoder{d, func(again bool) {
		if again {
			put()
		}
		putPeeker()
		j.gives(window)
	}}, nil
}

// windowOf returns how far back a decoder may have to look, in bytes, if that is more than it may
// use without a reservation. The decoder keeps that much of its output.
func windowOf(name string, b *bufio.Reader, head []byte) int64 {
	n := int64(0)
	switch {
	case name == "br":
		n = brotliWindow(head[0])
	case name == "zstd" && isZstd(head):
		n = zstdWindow(b)
	}
	if n <= FreeBody {
		return 0
	}
	return n
}

// brotliWindow reads the first bits of a stream (RFC 7932, section 9.1).
func brotliWindow(first byte) int64 {
	switch n := first >> 1 & 7; {
	case first&1 == 0:
		return 1 << 16
	case n != 0:
		return 1 << (17 + n)
	}
	return 1 << 17 // at most this, or not brotli at all
}

// zstdWindow reads the first frame's header and rounds its window size up to one that there are
// decoders for.
func zstdWindow(b *bufio.Reader) int64 {
	head, _ := b.Peek(zstd.HeaderMaxSize) // a short body has less
	var h zstd.Header
	need := uint64(maxZstdWindow)
	if h.Decode(head) == nil && !h.Skippable {
		need = h.WindowSize
		if h.SingleSegment {
			need = h.FrameContentSize
		}
	}
	for n := int64(minZstdWindow); n < maxZstdWindow; n *= zstdWindowStep {
		if need <= uint64(n) {
			return n
		}
	}
	return maxZstdWindow
}

// open starts a decoder on b, whose first bytes are head. It also returns a function that makes the
// decoder available for another body.
func open(name string, b *bufio.Reader, head []byte, window int64) (io.Reader, func(), error) {
	switch {
	case (name == "gzip" || name == "x-gzip") && isGzip(head):
		d := gzips.Get().(*gzip.Reader)
		if err := d.Reset(b); err != nil {
			return nil, nil, err
		}
		return d, func() { gzips.Put(d) }, nil
	case name == "br":
		d := brotlis.Get().(*brotli.Reader)
		if err := d.Reset(b); err != nil {
			return nil, nil, err
		}
		return d, func() { brotlis.Put(d) }, nil
	case name == "zstd" && isZstd(head):
		pool := zstds[max(window, minZstdWindow)]
		d := pool.Get().(*zstd.Decoder)
		if err := d.Reset(b); err != nil {
			return nil, nil, err
		}
		if window == maxZstdWindow {
			return d, func() {}, nil // the decoder would keep a large window
		}
		return d, func() { pool.Put(d) }, nil
	case name == "deflate":
		// The name means zlib (RFC 9110, section 8.4.1.2), and some servers
		// send bare deflate; browsers read both.
		if isZlib(head) {
			b.Discard(2)
		}
		d := flates.Get().(io.ReadCloser)
		if err := d.(flate.Resetter).Reset(b, nil); err != nil {
			return nil, nil, err
		}
		return d, func() { flates.Put(d) }, nil
	}
	return b, func() {}, nil
}

// isMarkup reports whether head looks like the start of a page.
func isMarkup(head []byte) bool {
	switch strings.ToLower(string(head)) {
	case "<!do", "<htm", "<?xm", "<hea", "<!--":
		return true
	}
	return false
}

func isGzip(head []byte) bool { return len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b }

// isZstd recognises a frame and a skippable frame (RFC 8878, section 3.1).
func isZstd(head []byte) bool {
	if len(head) < 4 || head[2] != 0x2f && head[2] != 0x4d {
		return false
	}
	return bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18})
}

// isZlib recognises the two bytes before a deflate stream (RFC 1950, section 2.2).
func isZlib(head []byte) bool {
	return len(head) >= 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0
}

// eof is an empty body.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Decoders and buffers are used again: a gzip or zstd decoder is some 40 kB to
// 1 MB that a page would else allocate.
var (
	peekers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}
	buffers = sync.Pool{New: func() any { return new([]byte) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return new(brotli.Reader) }}
	flates  = sync.Pool{New: func() any { return flate.NewReader(eof{}) }}
	zstds   = zstdPools()
)

// The windows of zstd decoders. Each decoder takes its window at once, so one that is
// used again has room for some frames only: a body whose first frame needs little and
// a later one more is kept as far as it came. RFC 9659 permits 8 MB on the web.
const (
	minZstdWindow  = FreeBody
	zstdWindowStep = 4
	maxZstdWindow  = 8 << 20
)

func zstdPools() map[int64]*sync.Pool {
	pools := make(map[int64]*sync.Pool)
	for n := int64(minZstdWindow); n <= maxZstdWindow; n *= zstdWindowStep {
		pools[n] = &sync.Pool{New: func() any {
			// One goroutine: a page is read by one.
			d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(n)))
			if err != nil {
				panic("zstd options are constant: " + err.Error())
			}
			return d
		}}
	}
	return pools
}
