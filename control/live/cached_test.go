package live

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatTakesLongIsMadeSeldom(t *testing.T) {
	for _, c := range []struct {
		seldom     bool
		takes      time.Duration
		want       int // times that it is made in an hour, where somebody looks each second
		costsUnder time.Duration
	}{
		{true, 10 * time.Millisecond, 60, time.Second},
		{true, 8 * time.Second, 5, 41 * time.Second},
		{false, 10 * time.Millisecond, 60, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			made := 0
			v := cached[int]{keep: time.Minute, seldom: c.seldom}
			for began := time.Now(); time.Since(began) < time.Hour; time.Sleep(time.Second) {
				if got, err := v.get(func() (int, error) { time.Sleep(c.takes); made++; return made, nil }); err != nil || got != made {
					t.Fatalf("get = %d, %v; want %d", got, err, made)
				}
			}
			if cost := time.Duration(made) * c.takes; made < c.want-1 || made > c.want || cost > c.costsUnder {
				t.Errorf("%v, seldom %v: made %d times in an hour, want %d", c.takes, c.seldom, made, c.want)
			}
		})
	}
}
