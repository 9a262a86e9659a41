package gatecrawl

import (
	"errors"
	"fmt"
	"time"

	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/mirror/rules"
)

// Options are the settings of a crawl. DefaultOptions has a value for each.
type Options struct {
	// Workers is how many pages are visited at once, and so how many at most
	// are fetched again after a crash, those of Spare besides. Default 32. With fewer workers than
	// hosts that answer slowly the line is idle; each one holds a page or two
	// in memory.
	Workers int

	// Spare is how many more workers there are for those that wait longer than a
	// second for a host. Default 512. With few, some hundred hosts that do not
	// answer keep a crawl from finding those that do; one that waits takes some
	// 50 kB and a file descriptor.
	Spare int

	// IDF weighs the words of signatures. Default nil: the weights that need no
	// table. The store refuses another one than the job was begun with.
	IDF *dedup.IDF

	// PageMemory is how many bytes long pages may take while they are fetched and read;
	// what does not fit waits. Pages below 128 KiB with fewer than some 1,700 tags are
	// not counted. Default 512 MiB: half for what is in hand, which is some 50 bodies
	// of 2 MB, half for reading, which takes up to 24 bytes for each of a page. With less than
	// that for one page of fetch.Options.MaxBody long pages are read one at a time, and
	// take what they take.
	PageMemory int64

	// MaxPages ends the crawl when so many pages of the job were answered.
	// Default 0: no limit.
	MaxPages int64

	// MaxBytes ends the crawl when so many bytes of bodies were received for
	// the job. Default 0: no limit. Pages in hand are finished, so it may be
	// passed by what the workers hold.
	MaxBytes int64

	// TimeLimit ends the run after so long. Default 0: no limit.
	TimeLimit time.Duration

	// Delay is how long a host rests after a page. Default 1 s. It is raised to
	// the host's Crawl-delay.
	Delay time.Duration

	// DelayFactor makes a host that is slow to answer rest longer: so many times
	// as long as it took, at most ten times Delay. Default 5; 0 is off. Large
	// values let a host that hangs now and then go idle.
	DelayFactor float64

	// MaxDelay caps what a Crawl-delay or a Retry-After may ask for. Default
	// 5 min. A host that asks for more is asked less often than it wants, but
	// does not hold up the crawl for a day.
	MaxDelay time.Duration

	// Retries is how many more times a failed request is tried, where another
	// try may help. Default 2.
	Retries int

	// Backoff is how long a URL waits before its first retry, and how long its
	// host rests; each further try waits twice as long. Default 1 s.
	Backoff time.Duration

	// Grace is how long the pages in hand may take when the crawl is asked to
	// stop. Default 5 s. After it they are handed back.
	Grace time.Duration

	// MaxRedirects is how many redirects in a row are followed. Default 10.
	MaxRedirects int

	// RecrawlCopies is the share of copies that a re-crawl asks for, 0 to 1; for
	// the others their kept pages are asked. Default 0.02. At 0 a mirror that goes
	// its own way is noticed only when the kept page changes; at 1 every page is
	// asked for.
	RecrawlCopies float64

	// RecrawlPages is how many pages a re-crawl asks for at most, copies not counted;
	// those come first of which a visit is worth most. Default 0: no limit.
	RecrawlPages int

	// Sitemaps queues the sitemaps that robots.txt names. Default off: they
	// list what a site has, which may be far more than its pages link to.
	// Sitemaps that links or seeds lead to are read in any case.
	Sitemaps bool

	// ObeyMeta heeds what pages ask of crawlers: noindex and nofollow in a robots
	// meta element or an X-Robots-Tag, and rel=nofollow, ugc or sponsored of a
	// link. Default on. Off, it is for sites of one's own, or where nothing is
	// published of what is crawled.
	ObeyMeta bool

	// Render says whose scripts are run, where the crawler has a renderer. Default
	// never. In auto, pages with scripts whose body has fewer than 50 tokens.
	Render Render

	// Soft404 tells pages from what their site says of pages that it does not have,
	// where it does so with status 200. A site is asked for an address at which
	// nothing is where a known page would become another one, and where three
	// addresses of one host brought copies of one page; so most sites are never
	// asked. Default on. Off, such answers take the places of documents in a
	// re-crawl, and count as copies of each other.
	Soft404 bool

	// LoopbackOnly refuses what is not on this machine. It is set where nobody
	// is named for the owners of sites to turn to. Default off.
	LoopbackOnly bool

	// Mode says what becomes of a copy. Default discard.
	Mode dedup.Mode

	// URLRules are rules known beforehand, by which parameters are taken out of
	// links. Default nil: none.
	URLRules *rules.Lists

	// Token is the product token that robots.txt is asked about. Default
	// fetch.Token.
	Token string
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{
		Workers:      32,
		Spare:        512,
		PageMemory:   512 << 20,
		Delay:        time.Second,
		DelayFactor:  5,
		MaxDelay:     5 * time.Minute,
		Retries:      2,
		Backoff:      time.Second,
		Grace:        5 * time.Second,
		MaxRedirects: 10,

		RecrawlCopies: 0.02,

		ObeyMeta: true,
		Soft404:  true,
		Render:   RenderNever,
		Mode:     dedup.ModeDiscard,
		Token:    fetch.Token,
	}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(o.Workers >= 1 && o.Workers <= 10_000, "workers is %d: want 1 to 10000", o.Workers)
	check(o.Spare >= 0 && o.Spare <= 100_000, "spare workers are %d: want 0 to 100000", o.Spare)
	check(o.PageMemory >= 1<<20, "page-memory is %d: want 1 MiB or more", o.PageMemory)
	check(o.DelayFactor >= 0 && o.DelayFactor <= 1000, "delay-factor is %v: want 0 to 1000", o.DelayFactor)
	check(o.MaxPages >= 0, "max-pages is %d: want 0 (no limit) or more", o.MaxPages)
	check(o.MaxBytes >= 0, "max-bytes is %d: want 0 (no limit) or more", o.MaxBytes)
	check(o.TimeLimit >= 0, "time-limit is %v: want 0 (no limit) or more", o.TimeLimit)
	check(o.Delay >= 0, "delay is %v: want 0 or more", o.Delay)
	check(o.MaxDelay >= o.Delay, "max-delay is %v: want at least the delay, %v", o.MaxDelay, o.Delay)
	check(o.Retries >= 0 && o.Retries <= 20, "retries is %d: want 0 to 20", o.Retries)
	check(o.Backoff >= 0, "backoff is %v: want 0 or more", o.Backoff)
	check(o.Grace >= 0, "grace is %v: want 0 or more", o.Grace)
	check(o.MaxRedirects >= 0 && o.MaxRedirects <= 255, "max-redirects is %d: want 0 to 255", o.MaxRedirects)
	check(o.RecrawlCopies >= 0 && o.RecrawlCopies <= 1, "recrawl-copies is %v: want a share of the copies, 0 to 1", o.RecrawlCopies)
	check(o.RecrawlPages >= 0, "recrawl-pages is %d: want 0 (no limit) or more", o.RecrawlPages)
	check(o.Render == RenderNever || o.Render == RenderAuto || o.Render == RenderAlways, "render is %q: want never, auto or always", o.Render)
	check(o.Token != "", "token is empty: want the product token of the User-Agent")
	return errors.Join(faults...)
}
