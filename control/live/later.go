package live

import (
	"context"
	"runtime"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/limit"
)

// A later value is computed in the background, by one goroutine at a time and for at most a
// hundredth of the time: comparing the sites of a large job takes seconds. Callers get the last
// value.
type later[T any] struct {
	keep  time.Duration // how long a value is good, at least
	wait  time.Duration // how long a caller waits for a new value
	paced bool          // the goroutine uses only a share of the processors, since a crawl needs them

	busy sync.WaitGroup

	mu     sync.Mutex
	making chan struct{} // closed when the value is made; nil: no goroutine makes one
	since  time.Time     // when making started
	next   time.Time     // when the next value may be computed
	last   made[T]
}

// A made value and when it was computed; zero time: none was computed yet.
type made[T any] struct {
	value T
	at    time.Time
	err   error
	since time.Time // when the computation of the next one started; zero: it has not
}

// get returns the last value, and starts the computation of a new one if that is due.
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

// During a crawl a value is computed with at most a hundredth of the processors, except for the
// first moments: a reader should not have to wait for what is computed quickly.
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
