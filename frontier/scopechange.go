package frontier

import (
	"fmt"
	"regexp"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// AddExclude extends Exclude by patterns, while the scope is used. Where one is at fault
// the error names it and nothing is added.
func (s *Scope) AddExclude(patterns ...string) error {
	var more []*regexp.Regexp
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return fmt.Errorf("exclude pattern %q: %w", weburl.Shorten(p), err)
		}
		more = append(more, re)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exclude = append(s.exclude[:len(s.exclude):len(s.exclude)], more...) // who reads the old one goes on
	return nil
}

// excluded returns the patterns of Exclude as they are now.
func (s *Scope) excluded() []*regexp.Regexp {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.exclude
}
