package segment

import (
	"errors"
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/warc"
)

// Options are the settings of segments. They apply to new segments: existing ones stay as they
// are.
type Options struct {
	// Prefix starts the names of the files: letters, digits, '.', '_' and '-'. Default "crawl".
	Prefix string

	// MaxBytes is the size from which the next segment is started. Default 1 GB, the usual size for
	// exchange between archives. A segment exceeds it by less than a record.
	MaxBytes int64

	// Compression of the records. Default warc.Zstd, at its fastest level and with a dictionary: it
	// takes 93 µs and 8.0 kB for a page of 29 kB; gzip takes 116 µs and 9.9 kB.
	Compression warc.Compression

	// About has the fields of the first record of each file: software, operator and so on
	// (ISO 28500, section 6.2).
	About warc.Fields

	// Train is how many records a dictionary is trained on. Default 64, of at most 12 kB each: more
	// records gain little. 0: there is no dictionary.
	Train int

	fs files // set by tests; nil: the system's
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{Prefix: "crawl", MaxBytes: 1e9, Compression: warc.Zstd, Train: 64}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var errs []error
	if !isPrefix(o.Prefix) {
		errs = append(errs, fmt.Errorf("archive-prefix is %q: want 1 to 100 letters, digits, '.', '_' or '-', the first a letter or digit", o.Prefix))
	}
	if o.MaxBytes < minBytes {
		errs = append(errs, fmt.Errorf("archive-size is %d: want at least %d bytes (1MiB)", o.MaxBytes, minBytes))
	}
	if o.Compression != warc.Zstd && o.Compression != warc.Gzip {
		errs = append(errs, fmt.Errorf("archive-compression is %q: want zstd or gzip", o.Compression))
	}
	if o.Train < 0 {
		errs = append(errs, fmt.Errorf("records to train a dictionary on: want 0 or more, got %d", o.Train))
	}
	return errors.Join(errs...)
}

// minBytes is the lowest MaxBytes: a segment has a dictionary of up to 64 kB.
const minBytes = 1 << 20

func isPrefix(p string) bool {
	const first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return p != "" && len(p) <= 100 && strings.IndexByte(first, p[0]) >= 0 && strings.Trim(p, first+"._-") == ""
}
