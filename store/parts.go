package store

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/purify"
)

// FindParts finds kept pages that share parts, comparing those that are new since the last call
// with all, until ctx is cancelled, and returns how many pairs are new. It reads the samples of all
// kept pages, and the texts of likely pairs.
func (s *Store) FindParts(ctx context.Context) (found int, err error) {
	if !s.parts || s.gateOff || s.readOnly {
		return 0, nil
	}
	found, err = parts.Find(ctx, s.kv, s.dir, s, s.recent)
	if err != nil && ctx.Err() == nil {
		return found, fmt.Errorf("find parts: %w", err)
	}
	return found, nil
}

// partTemplate returns the current template for the text of a kept page.
func (s *Store) partTemplate(seq uint64) (*purify.Template, error) {
	var url string
	err := s.look(func(in snapshot) (err error) { url, err = in.URLOf(seq); return err })
	if err != nil {
		return nil, err
	}
	return s.Template(url)
}
