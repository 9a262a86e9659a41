package frontier

import (
	"fmt"
	"regexp"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// AddExclude extends Exclude by patterns, while the scope is in use. If one is invalid the
// error names it and nothing is added.
func (s *Scope) AddExclude(patterns ...string) error {
	more, err := compiled("exclude", patterns)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exclude = append(s.exclude[:len(s.exclude):len(s.exclude)], more...) // readers of the old one go on
	return nil
}

// excluded returns the patterns of Exclude as they are now.
func (s *Scope) excluded() []*regexp.Regexp {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.exclude
}

// AddInclude extends Include by patterns, while the scope is in use. If there was none, what
// does not match is left out from then on. If one is invalid the error names it and nothing is
// added.
func (s *Scope) AddInclude(patterns ...string) error {
	more, err := compiled("include", patterns)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.include = append(s.include[:len(s.include):len(s.include)], more...)
	return nil
}

func compiled(name string, patterns []string) (all []*regexp.Regexp, err error) {
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("%s pattern %q: %w", name, weburl.Shorten(p), err)
		}
		all = append(all, re)
	}
	return all, nil
}

// included returns the patterns of Include as they are now.
func (s *Scope) included() []*regexp.Regexp {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.include
}
