package requisite

import (
	"errors"
	"fmt"
)

// Options limit the requisites of a page. A file that several pages need counts for the first one
// that names it.
type Options struct {
	// Files is how many requisites one page may have, including those of its style sheets. Default
	// 200.
	Files int

	// Bytes is how many bytes the requisites of a page may have together; the last one may exceed
	// it. Default 20 MiB.
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
