package render

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"cmp"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Options are the settings of a Browser. A field that is zero has its default.
type Options struct {
	// Fetch makes the requests of scripts. Needed: fetch.Fetcher.Fetch.
	Fetch func(ctx context.Context, u weburl.URL) (*fetch.Response, error)

	// Path is the Chromium to run. Default: the first of the usual names that
	// is found.
	Path string

	// Tabs is how many pages are rendered at once. Default 2. Each takes some
	// 100 MB and most of a core.
	Tabs int

	// Timeout is the most time for one page, its requests too. Default 30 s.
	// With a long pause between requests, pages of many scripts need more.
	Timeout time.Duration

	// Quiet is how long a page has to send no request before it counts as done. Default 300 ms.
	// Less misses what timers bring; more adds as much to each page.
	Quiet time.Duration

	// MaxRequests is how many requests of one page are made. Default 50.
	MaxRequests int

	// MaxBody is the most bytes of HTML that are returned. Default 10 MiB.
	MaxBody int64

	// Memory is how many bytes a page's scripts may hold. Above it the page's tab is
	// closed, and the page is what was fetched. Default 1 GB; more than a few hundred MB
	// is rare. Browser.watch has what it counts; only on Linux.
	Memory int64

	// Cache is how many bytes of scripts are kept for pages to come, so that
	// those of one site ask for them once. Default 64 MiB.
	Cache int64
}

// Defaults returns Options with every default written out, but for Fetch and
// Path.
func Defaults() Options {
	return Options{Tabs: 2, Timeout: 30 * time.Second, Quiet: 300 * time.Millisecond, MaxRequests: 50, MaxBody: 10 << 20, Memory: 1e9, Cache: 64 << 20}
}

// filled returns o with defaults in the place of zero fields.
func (o Options) filled() Options {
	d := Defaults()
	o.Tabs = cmp.Or(o.Tabs, d.Tabs)
	o.Timeout = cmp.Or(o.Timeout, d.Timeout)
	o.Quiet = cmp.Or(o.Quiet, d.Quiet)
	o.MaxRequests = cmp.Or(o.MaxRequests, d.MaxRequests)
	o.MaxBody = cmp.Or(o.MaxBody, d.MaxBody)
	o.Memory = cmp.Or(o.Memory, d.Memory)
	o.Cache = cmp.Or(o.Cache, d.Cache)
	return o
}

// LeastMemory is the least that Options.Memory may be: what Chromium takes for an empty
// page, and some more.
const LeastMemory = 200_000_000

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	o = o.filled()
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(o.Fetch != nil, "rendering has no way to fetch")
	check(o.Tabs > 0 && o.Tabs <= 256, "tabs is %d: want 1 to 256", o.Tabs)
	check(o.Timeout > 0, "timeout of rendering is %v: want more than 0", o.Timeout)
	check(o.Quiet > 0 && o.Quiet < o.Timeout, "quiet time of rendering is %v: want more than 0 and less than the timeout, %v", o.Quiet, o.Timeout)
	check(o.MaxRequests > 0, "requests of a rendered page are %d: want 1 or more", o.MaxRequests)
	check(o.MaxBody > 0, "largest rendered page is %d bytes: want 1 or more", o.MaxBody)
	check(o.Memory >= LeastMemory, "memory of a rendered page is %d bytes: want %d or more, or no page fits", o.Memory, LeastMemory)
	check(o.Cache > 0, "cache of scripts is %d bytes: want 1 or more", o.Cache)
	return errors.Join(faults...)
}

// writeTime is how long Chromium may take to write out a page.
func (o Options) writeTime() time.Duration { return min(o.Timeout, 5*time.Second) }

// browsers are the names under which Chromium is installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

// Find returns the path of a Chromium.
func Find() (string, error) {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium is installed: on Debian, apt install chromium")
}
