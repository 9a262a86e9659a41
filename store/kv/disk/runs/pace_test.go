package runs_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// fill makes a run of n entries.
func (o *owner) fill(n int) {
	var b runs.Batch
	rng := rand.New(rand.NewPCG(1, o.place))
	for range n {
		b.Put(fmt.Appendf(nil, "u%x", rng.Uint64()), fmt.Append(nil, rng.Uint64()))
	}
	o.commit(&b)
	o.take(<-o.table.Done())
}

// merges takes in all files that can be written at this moment, and returns how many runs
// there are then.
func (o *owner) merges() int {
	for {
		synctest.Wait()
		select {
		case c := <-o.table.Done():
			o.take(c)
		default:
			return len(o.metas)
		}
	}
}

// TestMergesGoAsFastAsEntriesComeIn starts with a merge of four runs of 20,000 entries.
func TestMergesGoAsFastAsEntriesComeIn(t *testing.T) {
	for _, c := range []struct {
		name        string
		more, of    int // runs that come in then, and entries of each
		soon, later int // runs there are at once, and a second later
	}{
		{"nothing comes in", 0, 0, 4, 1},
		{"as much comes in", 3, 20_000, 1 + 3, 1 + 3},
		{"a small merge goes on beside it", 4, 200, 4 + 1, 1 + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOwner(t, 1)
				for range 4 {
					o.fill(20_000)
				}
				for range c.more {
					o.fill(c.of)
				}
				time.Sleep(50 * time.Millisecond) // it looks whether it may go on
				if n := o.merges(); n != c.soon {
					t.Errorf("%d runs soon; want %d", n, c.soon)
				}
				time.Sleep(time.Second)
				if n := o.merges(); n != c.later {
					t.Errorf("%d runs a second later; want %d", n, c.later)
				}
			})
		})
	}
}
