package crawl

import (
	"context"
	"errors"
	"io"
	"iter"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// Settings returns the settings that the crawl runs with.
func (c *Crawl) Settings() configs.Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}

// Job answers questions about the job: which sites mirror each other, why a page was
// dropped, which kept pages are near a page. It may be used until Close, also while the
// crawl runs.
func (c *Crawl) Job() gatecrawl.Inspector { return watched{c.store, c} }

// Totals counts what is in the job.
func (c *Crawl) Totals() page.Totals { return c.store.Totals() }

// Tally returns what the run has brought so far, or brought when it has ended.
func (c *Crawl) Tally() gatecrawl.Tally { return c.crawler.Tally() }

// AddSeeds adds a list of seeds, in any form that Seeds reads, and widens the scope by them;
// it may be called before and during Run. Errors name the list by name. bad is called for
// each seed that is left out. AddSeeds returns the number of new URLs. The error is a
// *ShortListError if the list is cut short: what could be read of it is queued.
func (c *Crawl) AddSeeds(ctx context.Context, r io.Reader, name string, bad func(error)) (added int, err error) {
	var local bool
	s := c.Settings()
	added, err = c.crawler.Seed(ctx, permitted(Seeds(r, name), name, &s, &local), bad)
	return added, short(err)
}

// short makes a *ShortListError of what Crawler.Seed says of lists that are cut short.
func short(err error) error {
	if _, ends := errors.AsType[*seeds.ListError](err); ends {
		return &ShortListError{err}
	}
	return err
}

// AddSeeds is Crawl.AddSeeds for a job that is not open anywhere. If a seed is on this
// machine, the setting allow-loopback is turned on.
func AddSeeds(ctx context.Context, dir string, r io.Reader, name string, bad func(error)) (added int, err error) {
	err = adjust(dir, func(c *Crawl) error {
		loopback := c.settings.AllowLoopback
		c.settings.AllowLoopback = true
		if err := c.wire(); err != nil {
			return err
		}
		local := false
		added, err = c.crawler.Seed(ctx, permitted(Seeds(r, name), name, &c.settings, &local), bad)
		if c.settings.AllowLoopback = loopback || local; c.settings.AllowLoopback != loopback {
			err = errors.Join(err, save(dir, c.settings, c.store))
		}
		return short(err)
	})
	return added, err
}

// Adjust calls fn with a job that is not open anywhere. Fn may change it with Apply and Park; it must not call Run.
func Adjust(dir string, fn func(*Crawl) error) error {
	return adjust(dir, func(c *Crawl) error {
		if err := c.wire(); err != nil {
			return err
		}
		return fn(c)
	})
}

// adjust calls fn with a job of which only settings and store are open.
func adjust(dir string, fn func(*Crawl) error) (err error) {
	c := &Crawl{dir: dir, o: Options{}.filled()}
	if c.settings, err = SettingsOf(dir); err != nil {
		return err
	}
	if err := c.openStore(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return fn(c)
}

// Pages yields every record of the job in crawl order: kept pages, copies, refused pages and
// failures. Pages that are settled meanwhile may be missing. An error ends the sequence.
func (c *Crawl) Pages(ctx context.Context) iter.Seq2[page.Record, error] {
	return func(yield func(page.Record, error) bool) {
		err := c.store.Pages(ctx, 1, func(p page.Record) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(p, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(page.Record{}, err)
		}
	}
}

var errEnough = errors.New("no more is wanted")

// A Kept is a page that the gate kept.
type Kept struct {
	page.Record
	View *purify.DocView // what the page says, without its template

	crawl *Crawl
}

// Body returns the page's bytes as they were fetched.
func (k *Kept) Body(ctx context.Context) ([]byte, error) { return k.crawl.store.Body(ctx, k.URL) }

// Kept yields the pages that the gate kept, in crawl order: one page of each content, and the
// latest version of a page that changed. An error ends the sequence.
func (c *Crawl) Kept(ctx context.Context) iter.Seq2[*Kept, error] {
	return func(yield func(*Kept, error) bool) {
		for p, err := range c.Pages(ctx) {
			if err == nil && (p.Verdict != page.VerdictNew || p.ReplacedBy != 0) {
				continue
			}
			var k *Kept
			if err == nil {
				k = &Kept{Record: p, crawl: c}
				k.View, err = c.store.View(ctx, p.URL)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(k, nil) {
				return
			}
		}
	}
}
