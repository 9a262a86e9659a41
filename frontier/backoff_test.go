package frontier

import (
	"math"
	"testing"
	"time"
)

func TestBackoffDoublesUpToTheMost(t *testing.T) {
	for _, c := range []struct {
		first    time.Duration
		failures int
		most     time.Duration
		want     time.Duration
	}{
		{time.Second, 0, time.Minute, time.Second},
		{time.Second, 1, time.Minute, time.Second},
		{time.Second, 2, time.Minute, 2 * time.Second},
		{time.Second, 6, time.Minute, 32 * time.Second},
		{time.Second, 7, time.Minute, time.Minute},
		{time.Second, 1000, time.Minute, time.Minute},
		{20 * time.Second, 40, math.MaxInt64, math.MaxInt64}, // and does not overflow
		{time.Minute, 1, time.Second, time.Second},
		{0, 9, time.Minute, 0},
	} {
		if got := Backoff(c.first, c.failures, c.most); got != c.want {
			t.Errorf("Backoff(%v, %d, %v) = %v, want %v", c.first, c.failures, c.most, got, c.want)
		}
	}
}
