package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A ledger is a Memory that remembers what was asked for.
type ledger struct {
	wait func(ctx context.Context) error // before a body grows

	mu         sync.Mutex
	most, left int64
}

func (l *ledger) Grow(ctx context.Context, n int64) error {
	if l.wait != nil {
		if err := l.wait(ctx); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left += n
	l.most = max(l.most, l.left)
	return nil
}

func (l *ledger) Shrink(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left -= n
}

// TestRoomIsAskedForWhatABodyTakes fetches bodies of which all comes, or the start
// and then nothing, and says what was reserved at most, and what afterwards.
func TestRoomIsAskedForWhatABodyTakes(t *testing.T) {
	const mb = 1 << 20
	frame := func(o ...zstd.EOption) []byte {
		z, err := zstd.NewWriter(nil, append(o, zstd.WithEncoderConcurrency(1))...)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		z.Reset(&b)
		z.Write(text(300 << 10)) // in two pieces: the frame does not say how much comes
		z.Write(text(300 << 10))
		z.Close()
		return []byte(b.String())
	}
	for _, c := range []struct {
		name, coding  string
		body          []byte
		most, after   int64 // at least these, and hardly more
		cut           bool
		contentLength bool
	}{
		{name: "a short page", body: text(100 << 10)},
		{name: "a short page of known length", body: text(100 << 10), contentLength: true},
		{name: "a long page", body: text(mb), most: 2*mb - FreeBody, after: 2*mb - FreeBody},
		{name: "a long page of known length", body: text(mb), most: mb - FreeBody, after: mb - FreeBody, contentLength: true},
		{name: "a page beyond the limit", body: text(5 * mb), most: 4*mb - FreeBody, after: 4*mb - FreeBody, cut: true},
		{name: "a short page in brotli", coding: "br", body: encode("br", text(30<<10)), most: 4 * mb},
		{name: "a short page in zstd", coding: "zstd", body: encode("zstd", text(30<<10))},
		{name: "a bomb in gzip", coding: "gzip", body: encode("gzip", make([]byte, 9*mb)), most: 4*mb - FreeBody, after: 4*mb - FreeBody, cut: true},
		{name: "zstd with a window of 1 MB", coding: "zstd", body: frame(zstd.WithWindowSize(mb)), most: 2*mb + mb - FreeBody, after: mb - FreeBody},
		{name: "zstd with a window of 8 MB", coding: "zstd", body: frame(zstd.WithWindowSize(8 * mb)), most: 8*mb + mb - FreeBody, after: mb - FreeBody},
		// A window of 16 MB and a block of as much, of which nothing comes.
		{name: "brotli that promises 16 MB", coding: "br", body: []byte{0x0f, 0xff, 0xff, 0xff, 0x0f}, most: 16 * mb, cut: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if c.coding != "" {
					w.Header().Set("Content-Encoding", c.coding)
				}
				if c.contentLength {
					w.Header().Set("Content-Length", fmt.Sprint(len(c.body)))
				} else {
					w.(http.Flusher).Flush()
				}
				w.Write(c.body)
			})
			var l ledger
			r, err := newFetcher(t, Options{MaxBody: 4 * mb}).Fetch(WithMemory(t.Context(), &l), mustParse(t, origin+"/"))
			if err == nil && r.Truncated != c.cut {
				t.Errorf("truncated is %v, want %v", r.Truncated, c.cut)
			}
			const slack = 64 << 10
			if l.most < c.most || l.most > c.most+slack || l.left < c.after || l.left > c.after+slack {
				t.Errorf("took %d bytes at most and %d in the end, want %d and %d (%v)", l.most, l.left, c.most, c.after, err)
			}
		})
	}
}

func TestTimeDoesNotRunWhileABodyWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		j := newJob(&o, mustParse(t, "http://a.test/"), limits{o.MaxBody, o.MaxBody})
		ctx := j.start(WithMemory(t.Context(), &ledger{wait: func(context.Context) error { time.Sleep(3 * o.Timeout); return nil }}))
		defer j.stop()
		j.claim = claimIn(ctx)
		j.beat()
		for n := int64(1 << 20); n <= 4<<20; n *= 2 {
			time.Sleep(o.StallTimeout / 2)
			if err := j.holds(ctx, n); err != nil || ctx.Err() != nil {
				t.Fatalf("a body that waited for room: %v, %v", err, context.Cause(ctx))
			}
		}
		time.Sleep(o.StallTimeout + time.Second)
		if ctx.Err() == nil {
			t.Error("a body that stalled after it had waited goes on")
		}
	})
}

func TestABodyThatWaitsForRoomEndsWithItsContext(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(text(1 << 20)) })
	ctx, cancel := context.WithCancel(t.Context())
	l := ledger{wait: func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }}
	_, err := newFetcher(t, Options{}).Fetch(WithMemory(ctx, &l), mustParse(t, origin+"/"))
	if fault, ok := errors.AsType[*Error](err); !ok || fault.Op != PhaseCanceled {
		t.Errorf("Fetch = %v, want a fetch that was cancelled", err)
	}
}
