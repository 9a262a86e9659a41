package gatecrawl

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatIsWithinTheBudgetDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100)
		start := time.Now()
		for range 10 {
			if err := b.hold().Grow(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("ten holds of a tenth took %v", took)
		}
	})
}

// TestPagesThatEachHoldAPartAllEnd grows pages step by step that together want many
// times the budget: each gets what it wants, and no more than one is beyond it.
func TestPagesThatEachHoldAPartAllEnd(t *testing.T) {
	const size, steps, step = 100, 8, 10
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(size)
		dice := rand.New(rand.NewPCG(seed, 1))
		done, most := 0, int64(0)
		for range 60 {
			pause := time.Duration(dice.IntN(1000)+1) * time.Millisecond
			go func() { // ends with its page
				h := b.hold()
				defer h.release()
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

func TestAFullBudgetIsWaitedForUntilSomethingIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100)
		stalled := b.hold()
		for range 2 {
			if err := stalled.Grow(t.Context(), 80); err != nil { // the second with the turn
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.hold().Grow(ctx, 10); err == nil {
			t.Error("a page grew while nothing was left and another had the turn")
		}
		stalled.Shrink(100)
		other := b.hold()
		if err := other.Grow(t.Context(), 40); err != nil {
			t.Error(err)
		}
		other.release()
		stalled.release()
		if b.left != 100 || b.taken || len(b.queue) > 0 {
			t.Errorf("afterwards %d bytes are left, turn taken %v, %d wait; want all given back", b.left, b.taken, len(b.queue))
		}
	})
}
