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
		out  R
		done chan struct{}
	}
	queue := make(chan *turn, 4*workers) // in order; bounds what is in memory
	slots := make(chan struct{}, workers)
	stop := make(chan struct{})
	var broken error
	go func() { // ends with the items, or with stop; queue says so
		defer close(queue)
		for item, err := range items {
			if err != nil {
				broken = err
				return
			}
			t := &turn{done: make(chan struct{})}
			select {
			case queue <- t:
			case <-stop:
				return
			}
			slots <- struct{}{}
			go func() { // ends with the item; the loop below waits for it
				t.out = work(item)
				close(t.done)
				<-slots
			}()
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
