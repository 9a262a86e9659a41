package requisite

import (
	"errors"
	"fmt"
)

// Options bound what is asked for so that a page can be seen. A file that several
// pages need counts for the one that named it first.
type Options struct {
	// Files is how many files one page may have, those of its style sheets too. Default
	// 200.
	Files int

	// Bytes is how long the files of a page may be together; the last one may pass it.
	// Default 20 MiB.
	Bytes int64
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var errs []error
	if o.Files < 1 {
		errs = append(errs, fmt.Errorf("requisites-per-page is %d: want 1 or more", o.Files))
	}
	if o.Bytes < 1 {
		errs = append(errs, fmt.Errorf("requisites-size is %d: want 1 byte or more", o.Bytes))
	}
	return errors.Join(errs...)
}
