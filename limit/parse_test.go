package limit_test

import (
	"runtime"
	"testing"

	"gatecrawl.example/gatecrawl/limit"
)

func TestWhoeverCanRunDoesSoBeforeAPageIsParsed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := limit.NewParseMemory(1<<20, 1<<10)
	const rounds = 40
	early := 0
	for range rounds {
		committed := make(chan bool, 3)
		for range cap(committed) {
			go func() { committed <- true }()
		}
		release := m.AcquireShort(1)
		if len(committed) < cap(committed) {
			early++
		}
		release()
	}
	// Go's scheduler gives one turn in 61 to who has waited longest, a page among others.
	if early > rounds/2 {
		t.Errorf("%d of %d pages were parsed while others that could run waited for a processor, want some at most", early, rounds)
	}
}
