package store

import "time"

// SetWall gives an open job another clock on the wall. What waits within a run goes by
// the monotonic clock, which no one can set.
func (s *Store) SetWall(wall func() time.Time) { s.queue.SetClock(wall) }
