package corpus

import (
	"errors"
	"iter"
)

// InOrder works on items with a number of workers and hands the results to emit in the
// order of the items, on the caller's goroutine. It returns what items or emit failed
// with. At most five items a worker are in memory at once, and two more.
func InOrder[T, R any](items iter.Seq2[T, error], workers int, work func(T) R, emit func(R) error) error {
	type turn struct {
		item T
		out  R
		done chan struct{}
	}
	queue := make(chan *turn, 4*workers) // in order; bounds what is in memory
	todo := make(chan *turn)
	stop := make(chan struct{})
	for range workers {
		go func() { // ends with the items; the loop below waits for each
			for t := range todo {
				t.out = work(t.item)
				t.item = *new(T)
				close(t.done)
			}
		}()
	}
	var broken error
	go func() { // ends with the items, or with stop; queue says so
		defer close(queue)
		defer close(todo)
		for item, err := range items {
			if err != nil {
				broken = err
				return
			}
			t := &turn{item: item, done: make(chan struct{})}
			select {
			case queue <- t:
			case <-stop:
				return
			}
			todo <- t
		}
	}()
	var failed error
	for t := range queue {
		<-t.done
		if failed != nil {
			continue
		}
		if failed = emit(t.out); failed != nil {
			close(stop)
		}
	}
	return errors.Join(broken, failed)
}
