package crawl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/earlier"
)

// KnownDir is the folder in a job's folder that has the index of documents of earlier crawls.
const KnownDir = "known"

// mayKnow refuses what cannot be the documents of earlier crawls: the job itself and, for a new
// job, what is not there. A job that has read them can do without.
func (c *Crawl) mayKnow() error {
	for _, name := range c.settings.Known {
		switch same, err := sameFolder(name, c.dir); {
		case err != nil:
			return err
		case same:
			return &SettingError{"known", fmt.Errorf("%s is the job itself", name)}
		}
		if _, err := os.Stat(name); err != nil && !Exists(c.dir) {
			return &SettingError{"known", err}
		}
	}
	return nil
}

// recall opens the index of documents of earlier crawls, where the settings name any.
func (c *Crawl) recall() error {
	s := &c.settings
	if len(s.Known) == 0 {
		return nil
	}
	o := earlier.Options{Dedup: s.DedupOptions(), Words: c.idf, Selectors: s.CrawlOptions().BodyVersion()}
	var err error
	if o.Reader, err = s.CrawlOptions().Reader(); err != nil {
		return &SettingError{Err: err}
	}
	o.Reader.Unsummed = true
	if c.known, err = earlier.Open(filepath.Join(c.dir, KnownDir), o); err != nil {
		return err
	}
	c.closing(c.known.Close)
	c.crawler.SetEarlier(c.known)
	return nil
}

// sameFolder reports whether two names are of one folder.
func sameFolder(a, b string) (bool, error) {
	a, err := filepath.Abs(a)
	if err != nil {
		return false, err
	}
	b, err = filepath.Abs(b)
	return a == b, err
}

// faultsLogged is how many lines and records of a source are logged that cannot be used. All are counted.
const faultsLogged = 20

// readKnown reads what has not been read yet of the sources of the setting known. What was
// read stays when ctx ends.
func (c *Crawl) readKnown(ctx context.Context) error {
	for _, name := range c.Settings().Known {
		c.o.Known(earlier.Source{Name: name}, false)
		faults := 0
		source, read, err := c.known.Add(ctx, name, c, func(err error) {
			if faults++; faults <= faultsLogged {
				c.o.Log.Warn("what is known of earlier crawls lacks this", "err", err)
			}
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return &SettingError{"known", err}
		case read:
			c.o.Known(source, true)
		}
	}
	return nil
}

// IsJob is earlier.Jobs'.
func (c *Crawl) IsJob(dir string) bool { return Exists(dir) }

// Rows is earlier.Jobs'.
func (c *Crawl) Rows(ctx context.Context, dir string, fn func(*gatecrawl.Row) error) error {
	return c.o.Rows(ctx, dir, fn)
}

// readRows reads the rows of a job on which no crawl works.
func readRows(ctx context.Context, dir string, fn func(*gatecrawl.Row) error) error {
	s, err := SavedSettings(dir)
	if err != nil {
		s = configs.Default() // broken settings are no reason to hide what was collected
	}
	o := s.StoreOptions()
	o.ReadOnly = true
	job, err := OpenJob(dir, s, o)
	if err != nil {
		return err
	}
	defer job.Close() // it was opened to be read
	return job.Rows(ctx, gatecrawl.Wanted{Views: true}, fn)
}
