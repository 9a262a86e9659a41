package frontier

import "time"

// Backoff returns how long to wait after a number of failures in a row: first after the
// first, twice as long after each further one, and never longer than most.
func Backoff(first time.Duration, failures int, most time.Duration) time.Duration {
	wait := first
	for range failures - 1 {
		if wait >= most/2 {
			return most
		}
		wait *= 2
	}
	return min(wait, most)
}
