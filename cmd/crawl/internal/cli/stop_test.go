package cli

import (
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// One end may come as two signals: by timeout(1), or by a terminal that closes.
func TestTwoSignalsAtOnceAreOne(t *testing.T) {
	for _, c := range []struct {
		after  time.Duration
		atOnce bool
	}{
		{0, false}, {199 * time.Millisecond, false}, {200 * time.Millisecond, true}, {time.Minute, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			signals := make(chan os.Signal, 2)
			ended := false
			ctx, stop := untilSignal(t.Context(), signals, io.Discard, "stopping", func() { ended = true })
			signals <- syscall.SIGTERM
			synctest.Wait()
			if ctx.Err() == nil {
				t.Error("a signal does not end the context")
			}
			time.Sleep(c.after) // of the bubble's clock
			signals <- syscall.SIGTERM
			synctest.Wait()
			if ended != c.atOnce {
				t.Errorf("a second signal after %v ends the process: %v, want %v", c.after, ended, c.atOnce)
			}
			stop()
		})
	}
}
