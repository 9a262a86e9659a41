package limit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/limit"
)

func TestPacedWorkTakesItsShareOfTheTime(t *testing.T) {
	for _, c := range []struct {
		share      float64
		free, work time.Duration
		want       time.Duration
	}{
		{.02, 0, 10 * time.Second, 500 * time.Second},
		{.02, 250 * time.Millisecond, 10 * time.Second, 487750 * time.Millisecond},
		{.02, 250 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond},
		{1, 0, 10 * time.Second, 10 * time.Second},
		{4, 0, 10 * time.Second, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			pace := limit.NewPace(c.share, c.free)
			ctx := limit.WithPace(t.Context(), pace)
			for range c.work / (10 * time.Millisecond) {
				time.Sleep(10 * time.Millisecond) // the work
				if err := limit.Rest(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(start); took < c.want-time.Millisecond || took > c.want+time.Millisecond || pace.Worked() != c.work {
				t.Errorf("share %v, %v free: %v of work took %v, want %v; Worked() = %v", c.share, c.free, c.work, took, c.want, pace.Worked())
			}
		})
	}
}

func TestARestEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		ctx = limit.WithPace(ctx, limit.NewPace(.001, 0))
		time.Sleep(time.Second) // the work
		if err := limit.Rest(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 2*time.Second {
			t.Errorf("Rest = %v after %v, want the context's end after 2s", err, time.Since(start))
		}
		if err := limit.Rest(t.Context()); err != nil {
			t.Errorf("Rest without a pace = %v", err)
		}
	})
}
