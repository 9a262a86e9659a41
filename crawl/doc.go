// Package crawl runs a crawl from a Go program.
//
//	s := configs.Default()
//	s.URL, s.Contact = []string{"https://example.org/"}, "me@example.org"
//	c, err := crawl.Open("news", s)
//	...
//	defer c.Close()
//	ended, err := c.Run(ctx)
//
// Open starts a job in a folder, or continues the one that is there: the folder has all state
// of a crawl, and survives kill -9 at any moment. OnPage and OnLink register functions for
// each settled page and each link, Collect the callbacks of a colly collector. Pages and Kept
// yield the records and the kept pages, during the crawl and after it.
//
// This is the one place where settings, store, fetcher, scope and crawler are put together; the
// command crawl uses it too. The package knows no flags and no terminal, reads no environment
// variables, and writes nothing outside the folder.
//
// An error of Open says what to do. It is a *configs.Faults if settings are out of range, a
// *SettingError if something that a setting names cannot be used, a *ContactError, a
// *NoSeedsError, or a *store.LockedError if another process uses the job.
package crawl
