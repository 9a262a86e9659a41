package testserver

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options are the settings of a Web. The zero value makes no generated sites, for a Web of
// folders only; Defaults, Demo and Bench fill all fields.
type Options struct {
	// Seed determines every byte of every generated page. Any value is valid.
	Seed uint64
	// Hosts is the number of generated sites, whole mirrors included, from 0 to
	// 10,000. Each takes one listening socket. Default 12.
	Hosts int
	// Pages is the number of documents that robots.txt allows on each site,
	// listings included, from 20 to 100,000; a site may have a few more or fewer.
	// The site with a Crawl-delay has at most 10. Default 125.
	Pages int
	// PageBytes is the approximate size of an article's page, from 6,000 to 500,000
	// bytes; a quarter of it is text. Small pages leave little room for light edits:
	// below 12,000 bytes a near copy differs by a word or two. Default 30,000.
	PageBytes int
	// Links is the number of teasers and related links on an article's page,
	// from 0 to 200. Default 20.
	Links int
	// Chinese is the share of articles written in Chinese, 0 to 1. Default .3.
	Chinese float64
	// Exact is the share of documents with the same bytes as another one, and
	// Copies the share that are exact or near copies; 0 <= Exact <= Copies <= .7.
	// Defaults .22 and .29, the open web's (Fetterly, Manasse and Najork 2003).
	Exact, Copies float64
	// Mirrors is the number of sites that are whole copies of another one. Their pages
	// count as exact copies, so Mirrors/Hosts may not exceed Exact. Default 1.
	Mirrors int
	// Partial is the number of sites with a copy of a section of another one under a
	// prefix. Only sites in UTF-8 without a Crawl-delay can be such sites. Default 1.
	Partial int
	// Charsets has one Chinese site answer in GBK, labelled in a meta element,
	// and one English site in windows-1252, labelled in the header. Transcoding
	// costs about 100 microseconds a page. Default true.
	Charsets bool
	// Traps gives one site an endless calendar. Default true.
	Traps bool
	// Faults gives every site redirects, a chain, a loop, dead links and slow
	// pages. Default true.
	Faults bool
	// SlowDelay is how long a slow page waits before it answers, up to a minute.
	// Default 1 s.
	SlowDelay time.Duration
	// CrawlDelay is the Crawl-delay in one site's robots.txt, up to a minute; 0 for
	// none. Default 500 ms.
	CrawlDelay time.Duration
	// Port is the TCP port of all sites; 0 takes a free one. The bytes of
	// pages do not depend on it, but robots.txt and redirects that name other
	// sites do.
	Port int
	// Log is the number of latest requests that Requests returns, up to
	// 1,000,000 (about 100 bytes each); 0 means counters only. Default 10,000.
	Log int
}

// Defaults returns the defaults that Options documents.
func Defaults() Options {
	return Options{
		Seed: 1, Hosts: 12, Pages: 125, PageBytes: 30_000, Links: 20,
		Chinese: .3, Exact: .22, Copies: .29, Mirrors: 1, Partial: 1,
		Charsets: true, Traps: true, Faults: true,
		SlowDelay: time.Second, CrawlDelay: 500 * time.Millisecond, Log: 10_000,
	}
}

// Demo returns a web of 12 sites and about 1,500 pages with everything in it,
// which a polite crawl finishes in less than 20 s.
func Demo() Options {
	o := Defaults()
	o.Pages, o.PageBytes, o.Links = 135, 14_000, 12
	return o
}

// Bench returns a web of equal sites without delays, traps, faults or a request log, so
// that the speed of a crawl does not depend on them.
func Bench(hosts, pages int) Options {
	o := Defaults()
	o.Hosts, o.Pages = hosts, pages
	o.Mirrors, o.Partial = hosts/8, hosts/8
	o.Charsets, o.Traps, o.Faults = false, false, false
	o.SlowDelay, o.CrawlDelay, o.Log = 0, 0, 0
	return o
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	within := func(name string, v, low, high int) {
		if v < low || v > high {
			faults = append(faults, fmt.Errorf("%s is %d, must be from %d to %d", name, v, low, high))
		}
	}
	share := func(name string, v, high float64) {
		if math.IsNaN(v) || v < 0 || v > high {
			faults = append(faults, fmt.Errorf("%s is %v, must be from 0 to %v", name, v, high))
		}
	}
	delay := func(name string, v time.Duration) {
		if v < 0 || v > time.Minute {
			faults = append(faults, fmt.Errorf("%s is %v, must be from 0 to 1m", name, v))
		}
	}
	within("hosts", o.Hosts, 0, 10_000)
	within("port", o.Port, 0, 65_535)
	within("log", o.Log, 0, 1_000_000)
	delay("slow delay", o.SlowDelay)
	delay("crawl delay", o.CrawlDelay)
	if o.Hosts == 0 {
		return errors.Join(faults...)
	}
	within("pages", o.Pages, 20, 100_000)
	within("page bytes", o.PageBytes, 6_000, 500_000)
	within("links", o.Links, 0, 200)
	within("mirrors", o.Mirrors, 0, o.Hosts/2)
	within("partial mirrors", o.Partial, 0, max(0, o.Hosts-o.Mirrors-1))
	share("chinese", o.Chinese, 1)
	share("exact", o.Exact, .7)
	share("copies", o.Copies, .7)
	if o.Copies < o.Exact {
		faults = append(faults, fmt.Errorf("copies is %v, less than exact, %v, which it includes", o.Copies, o.Exact))
	}
	if mirrored := float64(o.Mirrors) / float64(max(o.Hosts, 1)); mirrored > o.Exact {
		faults = append(faults, fmt.Errorf("%d mirrors of %d hosts are %.2f of all pages, more than exact, %v", o.Mirrors, o.Hosts, mirrored, o.Exact))
	}
	return errors.Join(faults...)
}
