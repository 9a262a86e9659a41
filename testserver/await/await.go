// Package await lets a test wait for what has no channel to announce it: another process, a server
// that starts, a file. What happens within one process is tested by testing/synctest, where nothing
// has to be waited for.
package await

import "time"

// T is what fails: a *testing.T, a *testing.B or a *testscript.TestScript.
type T interface {
	Fatalf(format string, args ...any)
}

// leastPause and mostPause are how long Until waits between two questions, mostPause after
// questions that take long.
const (
	leastPause = time.Millisecond
	mostPause  = 300 * time.Millisecond
)

// Until asks missing until it returns nil, and ends the test with its last error once limit has
// passed. It spends a tenth of the time on questions that take less than a thirtieth of a second.
func Until(t T, limit time.Duration, missing func() error) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	for start := time.Now(); ; {
		asked := time.Now()
		err := missing()
		if err == nil {
			return
		}
		if time.Since(start) > limit {
			t.Fatalf("after %v: %v", limit, err)
		}
		time.Sleep(min(max(9*time.Since(asked), leastPause), mostPause))
	}
}
