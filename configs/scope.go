package configs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
)

// LoadScope returns ScopeOptions with the contents of the files of surts, include-file and
// exclude-file. The error names every faulty line by file and number.
func (s Settings) LoadScope() (frontier.ScopeOptions, error) {
	o := s.ScopeOptions()
	var faults []error
	patterns := func(key, name string, into *[]string) {
		more, err := readPatterns(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
		*into = append((*into)[:len(*into):len(*into)], more...)
	}
	patterns("include-file", s.IncludeFile, &o.Include)
	patterns("exclude-file", s.ExcludeFile, &o.Exclude)
	if s.Surts != "" {
		list, err := readSurts(s.Surts)
		if err != nil {
			faults = append(faults, fmt.Errorf("surts: %w", err))
		}
		o.Surts = list
	}
	if len(faults) > 0 {
		return o, errors.Join(faults...)
	}
	return o, o.Validate()
}

func readSurts(name string) (*seeds.Surts, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return seeds.ReadSurts(f, name)
}

// readPatterns reads regular expressions, one a line. Blank lines and lines that start with # are
// skipped.
func readPatterns(name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var patterns []string
	var faults []error
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		p := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if p == "" || p[0] == '#' {
			continue
		}
		if _, err := regexp.Compile(p); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		patterns = append(patterns, p)
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", name, err))
	}
	return patterns, errors.Join(faults...)
}

// scopeWithoutFiles returns the ScopeOptions without the contents of files, to be checked before
// the files are read.
func (s Settings) scopeWithoutFiles() frontier.ScopeOptions {
	o := s.ScopeOptions()
	if o.Mode == frontier.ScopeSurt && s.Surts != "" {
		o.Mode = frontier.ScopeAny
	}
	return o
}
