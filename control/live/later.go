package live

import (
	"sync"
	"time"
)

// A later value is computed in the background, by one goroutine at a time, and at most for a
// hundredth of the time: comparing the sites of a large job takes seconds. Callers get the last
// one.
type later[T any] struct {
	keep time.Duration // how long a value is good at least
	wait time.Duration // how long a caller waits for a new value

	busy sync.WaitGroup

	mu     sync.Mutex
	making chan struct{} // closed when the value is made; nil: no goroutine makes one
	next   time.Time     // when the next may be made
	last   made[T]
}

// A made value is of a time; the zero time: none was made yet.
type made[T any] struct {
	value T
	at    time.Time
	err   error
	anew  bool // the next one is being made
}

// get returns the last value, and has a new one made if that is due.
func (l *later[T]) get(anew func() (T, error)) made[T] {
	l.mu.Lock()
	if l.making == nil && !time.Now().Before(l.next) {
		l.making = make(chan struct{})
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
	m.anew = l.making != nil
	return m
}

func (l *later[T]) make(anew func() (T, error)) {
	began := time.Now()
	v, err := anew()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.err = err; err == nil {
		now := time.Now()
		l.last.value, l.last.at = v, now
		l.next = now.Add(max(l.keep, timesAsLong*now.Sub(began)))
	}
	close(l.making)
	l.making = nil
}
