package gatecrawl

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/purify"
)

// ErrUnknown says that a job has no record of a URL.
var ErrUnknown = errors.New("not known to this job")

// ErrNoPlace says that a list has no position with this name.
var ErrNoPlace = errors.New("not a place of this list")

// An Inspector answers all questions that may be asked about a job, whether it runs or not. A
// caller declares the part of it that it needs. No method changes the job, except those of
// URLRules. No answer holds a lock or a transaction for long, so a listing of a running job may
// miss what is settled while it is read; only Rows reads one snapshot. A cancelled context ends
// listings, and questions that go to other processes; a question that reads only a few rows is
// answered in any case.
type Inspector interface {
	RecordReader
	CopyFinder
	LinkLister
	HostLister
	URLRules

	Status(ctx context.Context) (Status, error)

	// Verify checks the invariants of the job and calls fn for each breach.
	Verify(ctx context.Context, fn func(Breach) error) (Verified, error)
}

// A RecordReader reads the records of a job's pages and what is kept of them.
type RecordReader interface {
	// Pages calls fn for every record in crawl order, from the given sequence number on (1 is the
	// first), until fn returns an error, which it returns.
	Pages(ctx context.Context, from uint64, fn func(page.Record) error) error

	// Find returns records of a kind, in crawl order.
	Find(ctx context.Context, f Find) (Found, error)

	// Outline reads all records and returns an index by which Find skips those that can't match;
	// nil for a job that has no such index.
	Outline(ctx context.Context) (*page.Outline, error)

	// Rows calls fn for every record, in crawl order, with what is kept of the page, until fn
	// returns an error, which it returns. Records that a later version of the page has replaced are
	// left out unless Wanted.Older is set. All rows are of one snapshot, which lasts until Rows
	// returns; a row is valid until fn returns.
	Rows(ctx context.Context, want Wanted, fn func(*Row) error) error

	// Refused returns URLs that a rule refused: links, most of which have no record of a page, and
	// pages. They are in the order of their keys, which are hashes, one partition after the other.
	// The error is ErrNoPlace for a From that was never returned as Next.
	Refused(ctx context.Context, q RefusedQuery) (Refused, error)

	// Why returns all that is known of one URL. The error is ErrUnknown if nothing is known.
	Why(ctx context.Context, url string) (Why, error)

	// Briefs returns what a list of search results shows of each URL, in the same order. A string
	// that is not a URL, or not a known one, gets a zero Brief. It reads a few rows for each URL
	// and, unlike Why, no page.
	Briefs(ctx context.Context, urls []string) ([]Brief, error)

	// Roots returns the URLs that define the scope: the seeds, and the URLs that these redirected
	// to.
	Roots() ([]weburl.URL, error)

	// View returns the kept DocView of a URL; ErrUnknown if none is kept.
	View(ctx context.Context, url string) (*purify.DocView, error)

	// Body returns the kept bytes of a URL; ErrUnknown if none are kept.
	Body(ctx context.Context, url string) ([]byte, error)
}

// A Find says which records to return.
type Find struct {
	page.Kind
	From    uint64        // the first sequence number that is looked at
	Limit   int           // at most this many records
	Look    int           // read at most this many records
	Whole   bool          // with what depends on other pages: Degree, PartOf and Contains
	Outline *page.Outline // nil: no record is skipped
}

// Found are the records that Find returned.
type Found struct {
	Records []page.Record
	Looked  int    // this many were read
	Next    uint64 // where to go on; 0: there are no more
}

// A RefusedQuery says which refused URLs to return.
type RefusedQuery struct {
	Rule  string // only those that this rule refused; "": all
	From  string // Refused.Next of the call before; "": from the start
	Limit int    // at most this many
	Look  int    // read at most this many URLs of the job
}

// Key decodes From, the first bytes of a weburl.Key in hexadecimal, for one store.
func (q RefusedQuery) Key() ([]byte, error) {
	key, err := hex.DecodeString(q.From)
	if err != nil || len(key) > len(weburl.Key{}) {
		return nil, fmt.Errorf("%q: %w", q.From, ErrNoPlace)
	}
	return key, nil
}

// Refused are URLs that a rule refused.
type Refused struct {
	URLs   []RefusedURL
	Looked int    // this many URLs were read
	Next   string // where to go on; "": there are no more
}

// A RefusedURL is a URL that a rule refused.
type RefusedURL struct {
	URL    string `json:"url"`
	Rule   string `json:"rule"`
	Detail string `json:"detail"`         // why the rule refused it
	From   string `json:"from,omitempty"` // the page it was found on; "" for a seed
	Page   uint64 `json:"seq,omitempty"`  // place in crawl order of its page; 0: it has none
}

// A CopyFinder finds the copies of a page or a site.
type CopyFinder interface {
	// Groups calls fn for every kept page that has copies, in crawl order, until fn returns an
	// error, which it returns.
	Groups(ctx context.Context, q GroupQuery, fn func(Group) error) error

	// Near returns the kept pages that a document with this signature and text would be a copy of,
	// the nearest first. Each page is compared on its own, as if the others did not exist. Without
	// a text only the signatures are compared.
	Near(ctx context.Context, sig dedup.Signature, text *dedup.Text, q NearQuery) ([]Member, error)

	// NearPage is Near for a page that the job has met; the page itself is not among the results.
	// For a copy it returns only the one page that the gate found it to be a copy of, since nothing
	// else is kept of it. The error is ErrUnknown if the page is not a document.
	NearPage(ctx context.Context, url string, q NearQuery) ([]Member, error)

	// Pairs returns the pairs of hosts that share groups, those that share most first, with the
	// relation of their sites; then the pairs that are related but share no group.
	Pairs(ctx context.Context) ([]mirror.Pair, error)

	// Pair compares two sites, named by host or by origin. The error is ErrUnknown if the job has
	// no document of one of them.
	Pair(ctx context.Context, a, b string) (mirror.Pair, error)

	// Alive returns where copies of a lost page may be found, without sending a request. The error
	// is ErrUnknown if the job has never met its URL.
	Alive(ctx context.Context, url string) (linkrot.Lost, error)
}

// A LinkLister lists the links of kept pages.
type LinkLister interface {
	// LinksTo calls fn for every link of a kept page that leads to one of these URLs, in
	// crawl order of the pages, until fn returns an error, which it returns. It reads all
	// links of the job once, however many URLs there are.
	LinksTo(ctx context.Context, urls []string, fn func(Edge) error) error

	// LinksFrom calls fn for every link of a kept page, in the page's order, until fn returns an
	// error, which it returns. The error is ErrUnknown if the job keeps no links of the URL.
	LinksFrom(ctx context.Context, url string, fn func(Edge) error) error
}

// Status is a short summary of a job.
type Status struct {
	page.Totals
	Job         string     `json:"job"`                   // the job folder
	Running     bool       `json:"running"`               // a crawl works on it now
	Paused      bool       `json:"paused,omitempty"`      // but starts no page: see Steering.Pause
	QuietUntil  *time.Time `json:"quiet_until,omitempty"` // starts no page until then, for quiet hours
	Created     time.Time  `json:"created"`
	Active      float64    `json:"active_seconds"`            // crawled so far, all runs together
	PagesPerSec float64    `json:"pages_per_second"`          // over the active time
	NowPerSec   float64    `json:"pages_per_second_now"`      // over the last ten seconds of a running crawl
	Stopped     string     `json:"stopped,omitempty"`         // why the last run ended
	NextRun     *time.Time `json:"next_run,omitempty"`        // when a schedule, which waits for it now, starts the next one
	DiskBytes   int64      `json:"disk_bytes"`                // what the job folder's files take on disk
	MemoryBytes int64      `json:"memory_bytes,omitempty"`    // heap of a running crawl
	Away        []string   `json:"away,omitempty"`            // partitions that did not answer, and why: no figure includes them
	Unread      []string   `json:"unread_sitemaps,omitempty"` // sitemaps on the first few sites of the seeds that their robots.txt names and that the job does not know
	Resting     []string   `json:"resting,omitempty"`         // nodes that fetch nothing at present, and why

	BestHosts []HostState `json:"best_hosts,omitempty"` // of a focused crawl: the five whose answers were most relevant, the best first
	Head      *float32    `json:"queue_head,omitempty"` // of a focused crawl under way: the score of the best queued URL
	Topic     *TopicState `json:"topic,omitempty"`      // of a focused crawl; nil: nothing of it is saved yet

	Changes *ChangeRate `json:"changes,omitempty"` // of all pages that were visited again, except copies; PerDay is the mean
}

// A TopicState says what a focused crawl knows of its topic, and what ends the crawl.
type TopicState struct {
	focus.About
	Gaps      focus.Gaps `json:"gaps,omitzero"`        // parts of the topic that no page was found for so far
	Unfetched []string   `json:"unfetched,omitempty"`  // URLs given as examples whose pages the crawl has not kept so far
	Threshold float64    `json:"threshold"`            // relevance from which a page is on the topic: Options.OnTopic
	StopTail  float64    `json:"stop_tail,omitempty"`  // see Options
	StopAfter int64      `json:"stop_after,omitempty"` // Options.StopAfterRelevant
}

// An Edge is a link of a kept page to another URL.
type Edge struct {
	From     string `json:"from"`               // the page
	To       string `json:"to"`                 // where it leads, whether that was fetched or not
	Text     string `json:"text,omitempty"`     // the link's words, at most 80 bytes
	NoFollow bool   `json:"nofollow,omitempty"` // rel=nofollow
	Body     bool   `json:"body"`               // it is in the page's body, not in what the site repeats on its pages
}

// A GroupQuery says which groups to return, and how many of the copies. The zero value returns all.
type GroupQuery struct {
	From   uint64 // only groups whose kept page has this sequence number or a later one
	Limit  int    // at most this many groups; 0: all
	Copies int    // at most this many copies of each; 0: all
}

// A Group is a kept page with its copies.
type Group struct {
	URL    string   `json:"url"`            // the kept page
	Seq    uint64   `json:"seq"`            // its place in crawl order
	Degree int      `json:"degree"`         // distinct other domains with a copy
	Copies []Member `json:"copies"`         // in crawl order
	More   int      `json:"more,omitempty"` // copies beyond GroupQuery.Copies
}

// A NearQuery selects neighbours.
type NearQuery struct {
	Limit int  // at most this many, and as many that are Apart; 0: no limit
	Apart bool // add kept pages that resemble the page but are other documents, after the rest, the most similar first
}

// A Member is one copy of a Group.
type Member struct {
	URL        string  `json:"url"`
	Seq        uint64  `json:"seq"`
	Class      string  `json:"class"`
	Level      int     `json:"level"`
	Distance   int     `json:"distance"`
	Similarity float64 `json:"similarity"`

	Apart   dedup.Rule        `json:"apart,omitempty"`   // of a neighbour: why it is another document
	Differs *dedup.Difference `json:"differs,omitempty"` // of a near copy: passages that only it or only the kept page has
}

// Why is all that is known of one URL.
type Why struct {
	URL     string          `json:"url"`
	Key     string          `json:"key"`
	State   string          `json:"state"`            // queued, leased, later, done, refused
	From    string          `json:"from"`             // the page it was found on; "" for a seed
	Anchor  string          `json:"anchor,omitempty"` // the words of that link
	Label   string          `json:"label,omitempty"`  // the label of the seed that the path to this URL started from
	Depth   int             `json:"depth"`
	Score   float32         `json:"score"`   // now
	Terms   []priority.Term `json:"terms"`   // of the score
	Attempt int             `json:"attempt"` // failed tries so far
	NotTill *time.Time      `json:"not_before,omitempty"`
	Rule    string          `json:"rule,omitempty"`    // state refused: the rule
	Detail  string          `json:"detail,omitempty"`  // and why it refused the URL
	Page    *page.Record    `json:"page,omitempty"`    // state done: the record
	Kept    *page.Record    `json:"kept,omitempty"`    // a copy: the record of the kept page
	With    string          `json:"with,omitempty"`    // a copy: URL of the page that its reason is about, if that was the kept page then and no longer is
	Frame   *Frame          `json:"frame,omitempty"`   // a kept page of a host with a template
	Degree  int             `json:"degree"`            // a kept page: distinct other domains with a copy
	Copies  []Member        `json:"copies,omitempty"`  // a kept page: its copies, at most 100
	More    int             `json:"more,omitempty"`    // a kept page: copies beyond these
	Next    float32         `json:"next_score"`        // done: the score that a re-crawl starting now would queue it with; 0: a copy
	Host    *HostState      `json:"host,omitempty"`    // of its host
	Changes *ChangeRate     `json:"changes,omitempty"` // of a page that was visited again and is not a copy
}

// A Brief is what a list of search results shows of a URL.
type Brief struct {
	Title  string // "": none of its versions was read
	Of     string // of a copy: URL of the kept page
	Kept   uint64 // place in crawl order of the page whose text is kept: its own, or that of Of; 0: it has no document
	Degree int    // distinct other domains with a copy of that page

	Sketch [16]byte // of the body of the page whose text is kept, see dedup.Signature; zero: not known
	Tokens int      // words and CJK characters of that body
}

// A ChangeRate says how often a page that is not a copy, and with it its group, changes.
type ChangeRate struct {
	Visits  uint64  `json:"visits"`  // after the first
	Changes uint64  `json:"changes"` // visits that found another document
	Seconds uint64  `json:"seconds"` // from the first visit to the last
	PerDay  float64 `json:"per_day"` // estimated changes a day
	Stale   float64 `json:"stale"`   // of one page: the probability that it has changed since its last visit
}

// A HostState is what is known of a host.
type HostState struct {
	Name     string     `json:"name"`
	Queued   int64      `json:"queued"`                 // URLs that wait, leased ones included
	Fetched  int64      `json:"fetched"`                // requests for pages
	Address  string     `json:"address,omitempty"`      // the IP address that answered last, if limits apply to it
	Failures int        `json:"failures,omitempty"`     // requests in a row without an answer, or with 429 or 503
	Failure  string     `json:"failure,omitempty"`      // why the last of them failed
	Parked   *time.Time `json:"parked,omitempty"`       // left alone until then
	ByHand   bool       `json:"by_hand,omitempty"`      // a user has parked it: see Steering.Park
	InHand   int        `json:"in_hand,omitempty"`      // requests that are under way; only HostLister.Hosts fills in this and the next five
	Since    *time.Time `json:"since,omitempty"`        // when the first of them started
	AtLimit  bool       `json:"at_limit,omitempty"`     // they have not been requested yet, since the pages under way may reach a limit of the run; only a running crawl knows this
	Due      *time.Time `json:"due,omitempty"`          // it rests until then
	Later    int64      `json:"later,omitempty"`        // URLs waiting for a retry, which Queued does not count; as far as HostLister.Hosts looks
	Again    *time.Time `json:"again,omitempty"`        // when the first of these is due
	Rest     float64    `json:"rest_seconds,omitempty"` // between two requests, as its answers ask for: a Crawl-delay, a Retry-After or a slow server; 0: Options.Delay
	Held     bool       `json:"held,omitempty"`         // it has had as many pages as one host may
	Rated    int64      `json:"rated,omitempty"`        // its answers in a focused crawl
	Harvest  float64    `json:"harvest,omitempty"`      // their mean relevance
	Robots   string     `json:"robots,omitempty"`       // why the host's robots.txt can't be fetched; until it can the host is not asked
}

// A Frame is what was left out of a page's body because the pages of its host repeat it.
type Frame struct {
	Template int `json:"template"` // generation of the host's template, from 1
	Blocks   int `json:"blocks"`   // left out
}

// A Breach is one invariant that does not hold.
type Breach struct {
	Invariant string `json:"invariant"`
	Detail    string `json:"detail"`
}

// Verified says what Verify looked at.
type Verified struct {
	URLs     int64 `json:"urls"`
	Queued   int64 `json:"queued"`
	Pages    int64 `json:"pages"`
	Kept     int64 `json:"kept"`
	Votes    int64 `json:"votes"`
	Breaches int64 `json:"breaches"`
}

// URLRules are what a job has learned about its URLs.
type URLRules interface {
	// Rules calls fn for every rule, until it returns an error, which it returns.
	Rules(ctx context.Context, fn func(dust.Learned) error) error

	// Explain says what would become of a URL that was found now.
	Explain(ctx context.Context, u weburl.URL) (dust.Explained, error)

	// ImportRules adds rules with their counts; a rule that the job has already stays as it is. It
	// returns how many were new.
	ImportRules(ctx context.Context, rs []dust.Learned) (int, error)

	// RevokeRule ends a rule for good. The URLs that it left out are queued again.
	RevokeRule(ctx context.Context, id dust.ID) error
}

// A HostQuery says which hosts to return.
type HostQuery struct {
	Names []string           // only these, in this order, without those that the job has never met; nil: all
	By    frontier.HostOrder // the order if Names is nil
	Skip  int                // leave out the first ones, if Names is nil
	Limit int                // at most this many; 0: all
}

// HostLister lists what is known of hosts.
type HostLister interface {
	// Hosts returns hosts of the job. It looks at each host in memory, at some 10 ns each, and
	// never blocks the crawl for longer than a thousand of them take.
	Hosts(ctx context.Context, q HostQuery) ([]HostState, error)

	// Waiting samples the queue: it reads all of it if it has no more URLs than the sample, and
	// otherwise the best URLs of as many hosts, spread over all.
	Waiting(ctx context.Context, q WaitingQuery) (Waiting, error)
}

// A WaitingQuery says how much of the queue to read.
type WaitingQuery struct {
	Sample int  // read at most this many URLs
	List   bool // return these URLs
}

// Waiting is what waits in the queue, as far as it was read.
type Waiting struct {
	Queued int64      `json:"queued"` // URLs of the queue
	Looked int64      `json:"looked"` // this many of them were read
	Depths []DepthRow `json:"depths"` // by rising depth
	Scores []ScoreRow `json:"scores"` // by falling score

	URLs []WaitingURL `json:"urls,omitempty"` // those that were read, the best first, if WaitingQuery.List is set
}

// A WaitingURL is a URL of the queue.
type WaitingURL struct {
	URL   string  `json:"url"`
	Depth int     `json:"depth"`
	Score float32 `json:"score"`
}

// SortWaiting puts the best URLs first.
func SortWaiting(urls []WaitingURL) {
	slices.SortFunc(urls, func(a, b WaitingURL) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Depth, b.Depth), strings.Compare(a.URL, b.URL))
	})
}

// A DepthRow counts the URLs that are Depth links away from a seed.
type DepthRow struct {
	Depth int   `json:"depth"`
	URLs  int64 `json:"urls"`
}

// A ScoreRow counts URLs whose score is at least From and below From+1.
type ScoreRow struct {
	From int   `json:"from"`
	URLs int64 `json:"urls"`
}
