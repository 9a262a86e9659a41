package limit_test

import (
	"runtime"
	"testing"

	"gatecrawl.example/gatecrawl/limit"
)

func TestWhoeverCanRunDoesSoBeforeAPageIsParsed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := limit.NewParseMemory(1<<20, 1<<10)
	committed := make(chan bool, 3)
	for range cap(committed) {
		go func() { committed <- true }()
	}
	defer m.AcquireShort(1)()
	if len(committed) < cap(committed) {
		t.Errorf("a page was parsed while %d goroutines that could run waited for a processor, want 0", cap(committed)-len(committed))
	}
}
