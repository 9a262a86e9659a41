package limit

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

func TestReservationsThatFitDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewMemory(100)
		start := time.Now()
		for range 10 {
			if err := b.Reserve().Grow(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("ten reservations of a tenth took %v", took)
		}
	})
}

// TestPagesThatEachHoldAPartAllEnd grows pages step by step that together want many
// times the memory: each gets what it wants, and no more than one is beyond it.
func TestPagesThatEachHoldAPartAllEnd(t *testing.T) {
	const size, steps, step = 100, 8, 10
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	synctest.Test(t, func(t *testing.T) {
		b := NewMemory(size)
		random := rand.New(rand.NewPCG(seed, 1))
		done, most := 0, int64(0)
		for range 60 {
			pause := time.Duration(random.IntN(1000)+1) * time.Millisecond
			go func() { // ends with its page
				h := b.Reserve()
				defer h.Release()
				for range steps {
					if err := h.Grow(t.Context(), step); err != nil {
						t.Error(err)
					}
					b.mu.Lock()
					most = max(most, size-b.left)
					b.mu.Unlock()
					time.Sleep(pause)
				}
				b.mu.Lock()
				done++
				b.mu.Unlock()
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if done != 60 {
			t.Errorf("%d of 60 pages ended", done)
		}
		if most > size+steps*step {
			t.Errorf("%d bytes in hand at once, want %d and one page of %d at most", most, size, steps*step)
		}
		if b.left != size || b.taken || len(b.queue) > 0 {
			t.Errorf("afterwards %d bytes are left, turn taken %v, %d wait; want all given back", b.left, b.taken, len(b.queue))
		}
	})
}

func TestAFullMemoryIsWaitedForUntilSomethingIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewMemory(100)
		stalled := b.Reserve()
		for range 2 {
			if err := stalled.Grow(t.Context(), 80); err != nil { // the second with the turn
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.Reserve().Grow(ctx, 10); err == nil {
			t.Error("a page grew while nothing was left and another had the turn")
		}
		if err := b.Reserve().Grow(t.Context(), 0); err != nil { // it does not wait: nobody else would give it its turn
			t.Error(err)
		}
		stalled.Shrink(100)
		other := b.Reserve()
		if err := other.Grow(t.Context(), 40); err != nil {
			t.Error(err)
		}
		other.Release()
		stalled.Release()
		if b.left != 100 || b.taken || len(b.queue) > 0 {
			t.Errorf("afterwards %d bytes are left, turn taken %v, %d wait; want all given back", b.left, b.taken, len(b.queue))
		}
	})
}
