package configs

import (
	"errors"
	"fmt"
	"os"

	"gatecrawl.example/gatecrawl/mirror/dust"
)

// LoadURLRules returns the rules that are known beforehand: the built-in ones, unless keep-tracking
// is set, and those of the files of url-rules. skipped is called for entries that cannot be used;
// the error names every file that cannot be read.
func (s Settings) LoadURLRules(skipped func(error)) (*dust.Lists, error) {
	l := dust.NewLists(!s.KeepTracking)
	var faults []error
	for _, name := range s.URLRules {
		if err := readURLRules(l, name, skipped); err != nil {
			faults = append(faults, fmt.Errorf("url-rules: %w", err))
		}
	}
	return l, errors.Join(faults...)
}

func readURLRules(l *dust.Lists, name string, skipped func(error)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.Read(f, name, skipped)
}
