package live

import (
	"context"
	"runtime"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/limit"
)

// A later value is computed in the background, by one goroutine at a time, and at most for a
// hundredth of the time: comparing the sites of a large job takes seconds. Callers get the last
// one.
type later[T any] struct {
	keep  time.Duration // how long a value is good at least
	wait  time.Duration // how long a caller waits for a new value
	paced bool          // the goroutine keeps to a share of the processors: a crawl needs them

	busy sync.WaitGroup

	mu     sync.Mutex
	making chan struct{} // closed when the value is made; nil: no goroutine makes one
	since  time.Time     // of making
	next   time.Time     // when the next may be made
	last   made[T]
}

// A made value is of a time; the zero time: none was made yet.
type made[T any] struct {
	value T
	at    time.Time
	err   error
	since time.Time // the next one is being made since then; zero: it is not
}

// get returns the last value, and has a new one made if that is due.
func (l *later[T]) get(anew func(context.Context) (T, error)) made[T] {
	l.mu.Lock()
	if l.making == nil && !time.Now().Before(l.next) {
		l.making, l.since = make(chan struct{}), time.Now()
		l.busy.Go(func() { l.make(anew) }) // ends when the value is made
	}
	making := l.making
	l.mu.Unlock()
	if making != nil {
		soon := time.NewTimer(l.wait)
		defer soon.Stop()
		select {
		case <-making:
		case <-soon.C:
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.last
	if l.making != nil {
		m.since = l.since
	}
	return m
}

// What is made during a crawl takes no more than a hundredth of the processors, but for what is
// quickly done: a reader should not wait for that.
const (
	pacedShare = .01
	pacedFree  = 250 * time.Millisecond
)

func (l *later[T]) make(anew func(context.Context) (T, error)) {
	share := 1.
	if l.paced {
		share = pacedShare * float64(runtime.GOMAXPROCS(0))
	}
	pace := limit.NewPace(share, pacedFree)
	v, err := anew(limit.WithPace(context.Background(), pace))
	worked := pace.Worked()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.err = err; err == nil {
		now := time.Now()
		l.last.value, l.last.at = v, now
		l.next = now.Add(max(l.keep, timesAsLong*worked))
	}
	close(l.making)
	l.making = nil
}
