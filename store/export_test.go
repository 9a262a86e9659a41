package store

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
)

// SetWall gives an open job another clock on the wall. What waits within a run goes by
// the monotonic clock, which no one can set.
func (s *Store) SetWall(wall func() time.Time) { s.queue.SetClock(wall) }

// Lend lends a URL as the queue has it: no rule, mirror or robots.txt is asked.
func (s *Store) Lend(ctx context.Context) (frontier.Lease, error) { return s.leaseURL(ctx) }
