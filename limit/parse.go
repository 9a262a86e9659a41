package limit

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// parseFactor bounds what parsing a page allocates, in bytes for each byte of the page (go test
// ./purify -run Hostile).
const parseFactor = 24

// ParseMemory bounds the memory of pages that are being parsed. Short pages wait at most for a
// processor, long ones also until there is enough memory.
type ParseMemory struct {
	// Extra is what parsing a long page takes in addition, independent of its length, in bytes.
	// Default 0. Set it before the first use.
	Extra int64

	size  int64
	short int // bytes
	long  *semaphore.Weighted
	slots chan struct{}
}

// NewParseMemory returns a memory of size bytes. Pages of at most short bytes do not count.
func NewParseMemory(size int64, short int) *ParseMemory {
	return &ParseMemory{
		size: size, short: short, long: semaphore.NewWeighted(size),
		slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
	}
}

// AcquireShort waits until a page of n bytes may be parsed, and returns the function that ends its
// parsing. It does not wait for a long page: that needs AcquireLong.
func (p *ParseMemory) AcquireShort(n int) (release func()) {
	if n > p.short {
		return func() {}
	}
	p.slots <- struct{}{}
	return func() { <-p.slots }
}

// AcquireLong waits until there is memory to parse a long page of n bytes, and returns the function
// that ends its parsing. A page that needs more than the whole memory is parsed alone. It waits
// inside a call of blocked. A caller that has not yet ended the parsing of one long page must not
// ask for another. The error is that of ctx.
func (p *ParseMemory) AcquireLong(ctx context.Context, n int, blocked func(fn func())) (release func(), err error) {
	if n <= p.short {
		return func() {}, nil
	}
	need := min(parseFactor*int64(n)+p.Extra, p.size)
	if !p.long.TryAcquire(need) {
		blocked(func() { err = p.long.Acquire(ctx, need) })
	}
	if err != nil {
		return func() {}, err
	}
	return func() { p.long.Release(need) }, nil
}
