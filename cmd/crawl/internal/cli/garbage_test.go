package cli

import (
	"runtime/debug"
	"testing"
)

func TestTheCollectorIsAsBeforeOnceGarbageIsBoundNoMore(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	stop := BoundGarbage(48 << 20)
	during := debug.SetGCPercent(100)
	stop()
	if after := debug.SetGCPercent(77); during == 77 || after != 77 {
		t.Errorf("the percentage is %d while garbage is bound and %d after it, want another one than 77 and 77", during, after)
	}
}
