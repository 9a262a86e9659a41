package limit

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// parseFactor is what parsing a page allocates at most, for each byte of it
// (go test ./purify -run Hostile).
const parseFactor = 24

// ParseMemory bounds what pages take while they are parsed. Short pages wait for a
// processor at most, long ones until there is memory for them.
type ParseMemory struct {
	// Extra is what parsing a long page takes in addition, whatever its length, in bytes.
	// Default 0. It is set before the memory is used.
	Extra int64

	size  int64
	short int // bytes
	long  *semaphore.Weighted
	slots chan struct{}
}

// NewParseMemory returns a memory of size bytes. Pages of up to short bytes are not
// counted.
func NewParseMemory(size int64, short int) *ParseMemory {
	return &ParseMemory{
		size: size, short: short, long: semaphore.NewWeighted(size),
		slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
	}
}

// AcquireShort waits until a page of n bytes may be parsed, and returns the function
// that ends its parsing. A long page has its turn from AcquireLong.
func (p *ParseMemory) AcquireShort(n int) (release func()) {
	if n > p.short {
		return func() {}
	}
	p.slots <- struct{}{}
	return func() { <-p.slots }
}

// AcquireLong waits until there is memory to parse a long page of n bytes, and returns
// the function that ends its parsing. A page that takes more than there is is parsed
// alone. Where it has to wait it does so within blocked. A caller that holds such a
// turn may not ask for another. The error is that of ctx.
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
