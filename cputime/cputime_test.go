package cputime

import (
	"fmt"
	"testing"
	"time"
)

func ExampleUsed() {
	start := Used()
	sum := 0
	for i := range 1000 {
		sum += i
	}
	fmt.Println(sum, Used()-start < time.Minute)
	// Output: 499500 true
}

func TestWorkIsCountedAndSleepIsNot(t *testing.T) {
	const work = 20 * time.Millisecond
	start := Used()
	for Used()-start < work { // it ends only if work counts
	}
	time.Sleep(10 * work) // what must not count
	if got := Used() - start; got < work || got > 5*work {
		t.Errorf("after %v of work Used is %v", work, got)
	}
}
