package fetch

import (
	"context"
	"time"
)

// FreeBody is how many bytes of a body, and of the memory to decode it, are used without a
// reservation. Some nine in ten pages of the web are shorter.
const FreeBody = 128 << 10

// A Memory is the memory that bodies reserve. Its methods may be called from many goroutines.
type Memory interface {
	// Grow waits until n more bytes are available and reserves them. The error is that of ctx.
	Grow(ctx context.Context, n int64) error

	// Shrink returns n reserved bytes.
	Shrink(n int64)
}

// memoryKey is the key of a context's Memory.
type memoryKey struct{}

// WithMemory returns a context whose requests reserve memory before a body grows beyond FreeBody,
// and before a decoder is opened that takes more. The time limits do not run while a request waits
// for memory. When the request has ended, its reservation remains, and the caller releases it.
// Without a Memory bodies are limited by Options.MaxBody only.
func WithMemory(ctx context.Context, m Memory) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// claim is what one request has reserved.
type claim struct {
	memory Memory // nil: memory is not counted
	body   int64
}

func claimIn(ctx context.Context) claim {
	m, _ := ctx.Value(memoryKey{}).(Memory)
	return claim{memory: m, body: FreeBody}
}

// holds waits until there is memory for a body of n bytes.
func (j *job) holds(ctx context.Context, n int64) error {
	if n <= j.claim.body {
		return nil
	}
	err := j.takes(ctx, n-j.claim.body)
	if err == nil {
		j.claim.body = n
	}
	return err
}

// takes reserves n bytes of memory. The time limits do not run while it waits, since the server is
// not responsible.
func (j *job) takes(ctx context.Context, n int64) error {
	if j.claim.memory == nil || n == 0 {
		return nil
	}
	return j.pause(ctx, func() error { return j.claim.memory.Grow(ctx, n) })
}

// pause stops the timer while the crawl waits for something of its own.
func (j *job) pause(ctx context.Context, wait func() error) error {
	if !j.timer.Stop() { // the time is up
		<-ctx.Done()
		return context.Cause(ctx)
	}
	start := time.Now()
	err := wait()
	j.end = j.end.Add(time.Since(start))
	j.beat()
	return err
}

// gives returns n reserved bytes.
func (j *job) gives(n int64) {
	if j.claim.memory != nil {
		j.claim.memory.Shrink(n)
	}
}
