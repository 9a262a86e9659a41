package store

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/parts"
)

// FindParts finds kept pages that share parts, comparing those that are new since the last call
// with all, until ctx is cancelled, and returns how many pairs are new. It reads the samples of all
// kept pages, and the texts of likely pairs.
func (s *Store) FindParts(ctx context.Context) (found int, err error) {
	if !s.parts || s.gateOff || s.readOnly {
		return 0, nil
	}
	found, err = parts.Find(ctx, s.kv, s.dir, s)
	if err != nil && ctx.Err() == nil {
		return found, fmt.Errorf("find parts: %w", err)
	}
	return found, nil
}
