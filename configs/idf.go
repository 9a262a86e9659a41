package configs

import (
	"fmt"
	"os"

	"gatecrawl.example/gatecrawl/dedup"
)

// LoadIDF returns the table of word frequencies that the setting idf names; nil if there is none.
func (s Settings) LoadIDF() (*dedup.IDF, error) {
	if s.IDF == "" {
		return nil, nil
	}
	f, err := os.Open(s.IDF)
	if err != nil {
		return nil, fmt.Errorf("idf: %w", err)
	}
	defer f.Close()
	t, err := dedup.ReadIDF(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.IDF, err)
	}
	return t, nil
}
