package gatecrawl

import (
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/purify"
)

// Options are the settings of a crawl. DefaultOptions has a value for each.
type Options struct {
	// Workers is how many pages are visited at once. Default 32. With fewer workers than hosts that
	// answer slowly the connection is not used fully; each worker holds a page or two in memory.
	// After a crash at most as many pages are fetched again as there are workers, Spare included.
	Workers int

	// Spare is how many workers there are in addition, to take the place of workers that have
	// waited for a host for more than a second. Default 512. With few, some hundred hosts that do
	// not answer keep a crawl from visiting those that do; a worker that waits takes some 50 kB and
	// a file descriptor.
	Spare int

	// IDF weighs the words of signatures. Default nil: weights that need no table. The store
	// refuses a table other than the one that the job was started with.
	IDF *dedup.IDF

	// Category returns a category by title and body, for a page that declares none; "" if it finds
	// none. Default nil: such a page has no category. It is called from many goroutines.
	Category func(title, body string) string

	// MaxLinks is how many links are taken from one page. Those beyond it are counted in its
	// record and in the totals. Default 10,000: a page of 1 MB has room for 30,000. Each takes
	// a few hundred bytes of memory until the page is settled.
	MaxLinks int

	// Extract are fields to be read from each page by CSS selectors and kept with its
	// record: NAME=SELECTOR is the text of the first element that matches,
	// NAME=SELECTOR@ATTR an attribute of the first that has it, and NAME[]=... a list of
	// all. URLs (href, src) are made absolute. Default none. At most 64 fields, 16 KiB
	// a value, 1,000 values a list and 256 KiB a page; what is cut is named in the record.
	// Each selector is one walk over each page.
	Extract []string

	// Keep and Drop are CSS selectors of elements that are always, and never, part of the body;
	// HOST=SELECTOR is for the pages of a host and its subdomains. Default none: the models choose
	// the body. Text that Drop matches is left out before the models run. If Keep matches text that
	// is not dropped, that text is the whole body. The gate compares pages by the same text, so the
	// store refuses selectors other than those the job was started with.
	Keep, Drop []string

	// PageMemory is how many bytes long pages may take while they are fetched and read; pages
	// that do not fit wait. Pages below 128 KiB with fewer than some 1,700 tags are not
	// counted. Default 512 MiB. Half is for bodies until their pages are settled, enough for
	// some 50 bodies of 2 MB; half is for reading, which takes up to 24 bytes for each byte of
	// a page. If it is less than one page of fetch.Options.MaxBody needs, long pages are read
	// one at a time and take what they need.
	PageMemory int64

	// Requisites fetches the files that are needed to show kept HTML pages: style sheets with their
	// imports, images, scripts, fonts, icons. Default false. They are fetched from other hosts too,
	// as far as the robots.txt there allows, and do not count towards MaxPages and MaxBytes:
	// requisite.Options of package store/requisite has limits of its own.
	Requisites bool

	// MaxPages ends the crawl when so many pages of the job were answered.
	// Default 0: no limit. Every URL with an HTTP answer counts once, redirects
	// and errors too; what robots.txt forbids, what did not answer, robots.txt
	// itself and further visits of a page do not. A run of a job that has as many
	// visits nothing for the first time; with Again.Ahead it visits what is asked for again.
	MaxPages int64

	// MaxBytes ends the crawl when so many bytes of bodies were received for the job, as
	// transferred. Default 0: no limit. Answers that are tried again and robots.txt do not count.
	// Pages under way are finished; if they are no longer than the mean, the limit is exceeded by
	// at most one page.
	MaxBytes int64

	// TimeLimit ends the run after so long. Default 0: no limit.
	TimeLimit time.Duration

	// DelayFactor makes a slow host rest longer: this many times as long as it took to answer, at
	// most ten times the store's Delay. Default 5; 0 turns it off. With large values a host that
	// hangs now and then is hardly visited.
	DelayFactor float64

	// Retries is how many more times a failed request is tried, if another try may succeed. Default
	// 2.
	Retries int

	// Grace is how long pages under way may take when the crawl is asked to stop. Default 5 s.
	// After that their URLs are handed back to the queue.
	Grace time.Duration

	// MaxRedirects is how many redirects in a row are followed. Default 10.
	MaxRedirects int

	// Sitemaps queues the sitemaps that robots.txt names, and the feeds that seeds name in their
	// head. Default off: they list all pages of a site, which may be far more than its pages link
	// to. Sitemaps and feeds that links or seeds lead to are read in any case.
	Sitemaps bool

	// ObeyMeta obeys what pages ask of crawlers: noindex and nofollow in a robots meta element or
	// an X-Robots-Tag, and rel=nofollow, ugc or sponsored of a link. Default on. Turn it off for
	// your own sites, or if nothing of the crawl is published.
	ObeyMeta bool

	// Render says on which pages scripts are run, if the crawler has a renderer. Default never.
	// Auto runs them on pages with scripts whose body has fewer than 50 tokens.
	Render Render

	// Soft404 detects error pages that a site serves with status 200. A site is asked for a URL
	// that cannot exist when a known page would otherwise become another document, and when three
	// URLs of one host brought copies of one page; so most sites are never asked. Default on. When
	// it is off, error pages replace documents in a re-crawl and count as copies of each other.
	Soft404 bool

	// LoopbackOnly refuses every URL that is not on this machine. It is set if no contact address
	// is given for the owners of sites. Default off.
	LoopbackOnly bool

	// Mode says what is done with a copy. Default discard.
	Mode dedup.Mode

	// URLRules are rules known in advance that take parameters out of links. Default nil: none.
	URLRules *dust.Lists

	// OnTopic is the relevance from which a page counts as on the topic of a focused crawl, 0
	// to 1. Default .5: half of what the best pages reach.
	OnTopic float64

	// FocusKeep keeps only pages on the topic; of other pages only the links are used. Default off.
	FocusKeep bool

	// StopTail ends a focused crawl when the last 100 answers brought less than this share of what
	// the best 100 in a row brought: see page.Harvest.Gain and Best. Default 0: never. A large
	// share ends a crawl between two sites that are both on the topic.
	StopTail float64

	// StopAfterRelevant ends a focused crawl when the job has so many pages on the topic.
	// Default 0: no limit.
	StopAfterRelevant int64

	// RenderOf has the Render of hosts that differ from Render, by their weburl.URL.Host. Default
	// none.
	RenderOf map[string]Render

	// Token is the product token that is looked up in robots.txt. Default fetch.Token.
	Token string
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{
		Workers:      32,
		Spare:        512,
		PageMemory:   512 << 20,
		MaxLinks:     purify.MaxLinks,
		DelayFactor:  5,
		Retries:      2,
		Grace:        5 * time.Second,
		MaxRedirects: 10,

		OnTopic: .5,

		ObeyMeta: true,
		Soft404:  true,
		Render:   RenderNever,
		Mode:     dedup.ModeDiscard,
		Token:    fetch.Token,
	}
}

// maxMaxLinks is more than fits into a body of 16 MB.
const maxMaxLinks = 1_000_000

// Reader returns the page reader of a crawl with these options. Pages that are read with other
// options can't be compared with those of the crawl. The error names each invalid selector.
func (o Options) Reader() (purify.Reader, error) {
	s, err := purify.ParseSelectors(o.Extract, o.Keep, o.Drop)
	return purify.Reader{MaxLinks: o.MaxLinks, Selectors: s}, err
}

// BodyVersion identifies Keep and Drop; "" if they are empty or invalid.
func (o Options) BodyVersion() string {
	r, _ := o.Reader() // Validate tells of faults
	return r.Selectors.Version()
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
	check(o.MaxLinks >= 1 && o.MaxLinks <= maxMaxLinks, "max-links is %d: want 1 to %d", o.MaxLinks, maxMaxLinks)
	check(o.PageMemory >= 1<<20, "page-memory is %d: want 1 MiB or more", o.PageMemory)
	check(o.DelayFactor >= 0 && o.DelayFactor <= 1000, "delay-factor is %v: want 0 to 1000", o.DelayFactor)
	check(o.MaxPages >= 0, "max-pages is %d: want 0 (no limit) or more", o.MaxPages)
	check(o.MaxBytes >= 0, "max-bytes is %d: want 0 (no limit) or more", o.MaxBytes)
	check(o.TimeLimit >= 0, "time-limit is %v: want 0 (no limit) or more", o.TimeLimit)
	check(o.Retries >= 0 && o.Retries <= 20, "retries is %d: want 0 to 20", o.Retries)
	check(o.Grace >= 0, "grace is %v: want 0 or more", o.Grace)
	check(o.MaxRedirects >= 0 && o.MaxRedirects <= 255, "max-redirects is %d: want 0 to 255", o.MaxRedirects)
	check(o.Render == RenderNever || o.Render == RenderAuto || o.Render == RenderAlways, "render is %q: want never, auto or always", o.Render)
	_, err := o.Reader()
	faults = append(faults, err)
	check(o.OnTopic > 0 && o.OnTopic <= 1, "focus-threshold is %v: want a relevance above 0, up to 1", o.OnTopic)
	check(o.StopTail >= 0 && o.StopTail < 1, "stop-tail is %v: want 0 (never) to below 1", o.StopTail)
	check(o.StopAfterRelevant >= 0, "stop-after-relevant is %d: want 0 (no limit) or more", o.StopAfterRelevant)
	check(o.Token != "", "token is empty: want the product token of the User-Agent")
	return errors.Join(faults...)
}
