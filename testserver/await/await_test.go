package await

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestUntilEndsWithTheFirstNil(t *testing.T) {
	for _, takes := range []time.Duration{0, 10 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			asked, start := 0, time.Now()
			Until(t, time.Minute, func() error {
				time.Sleep(takes) // the bubble's clock
				if asked++; asked < 3 {
					return errors.New("not yet")
				}
				return nil
			})
			want := 3*takes + 2*min(max(9*takes, leastPause), mostPause)
			if got := time.Since(start); asked != 3 || got != want {
				t.Errorf("questions of %v: %d of them in %v, want 3 in %v", takes, asked, got, want)
			}
		})
	}
}

// failing keeps how a test was failed, and ends the goroutine's work by a panic.
type failing struct{ said string }

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	panic(f)
}

func TestUntilFailsWithWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := new(failing), time.Now()
		defer func() {
			if recover() != f || !strings.Contains(f.said, "the file is missing") || time.Since(start) > time.Minute+time.Second {
				t.Errorf("Until fails with %q after %v", f.said, time.Since(start))
			}
		}()
		Until(f, time.Minute, func() error { return errors.New("the file is missing") })
	})
}
