package configs

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/warc"
)

// Settings are all settings of a crawl. The yaml tag of a field is its key in a file and the name
// of its flag, if it has one; help is its description in one line, and arg the kind of its value.
type Settings struct {
	URL     []string `yaml:"url" arg:"URL" help:"start here; may be given more than once"`
	Seeds   []string `yaml:"seeds" arg:"FILE" help:"read start URLs from FILE: one a line (# comments; .gz, .zst), CSV, a sitemap or feed, a WARC or WACZ file or an index, lines of JSON with a url, bookmarks of a browser (HTML) or OPML; - is standard input"`
	Column  string   `yaml:"column" arg:"NAME" help:"the column of CSV lists that has the URLs, by its name in the first line or its number, from 1"`
	Contact string   `yaml:"contact" arg:"URL|MAIL" help:"contact for complaints, sent in the User-Agent; needed off loopback"`

	Scope         frontier.ScopeMode `yaml:"scope" arg:"SCOPE" help:"links to follow: those on the same host, domain or prefix as a seed, any, or surt: those under a prefix of --surts"`
	Include       []string           `yaml:"include" arg:"RE" help:"follow only links that match one of these regular expressions; may be given more than once"`
	Exclude       []string           `yaml:"exclude" arg:"RE" help:"leave out URLs that match one of these regular expressions; may be given more than once"`
	Surts         string             `yaml:"surts" arg:"FILE" help:"the list of SURT prefixes of --scope surt, one a line: http://(org,example, or example.org; a line that starts with - excludes"`
	IncludeFile   string             `yaml:"include-file" arg:"FILE" help:"read more of include from FILE, one regular expression a line"`
	ExcludeFile   string             `yaml:"exclude-file" arg:"FILE" help:"read more of exclude from FILE, one regular expression a line"`
	MaxParameters int                `yaml:"max-parameters" arg:"N" help:"refuse links with more query parameters than this"`
	KeepSessions  bool               `yaml:"keep-session-ids" arg:"BOOL" help:"leave session ids in links; with them some sites have no end"`
	Depth         int                `yaml:"depth" arg:"N" help:"links to follow from the nearest seed; 0 is the seeds alone, -1 no limit"`

	Sitemaps        bool     `yaml:"sitemaps" arg:"BOOL" help:"read the sitemaps that robots.txt names and the feeds that start pages name for links"`
	MaxPages        int64    `yaml:"max-pages" arg:"N" help:"stop after this many answered pages; 0 means no limit"`
	MaxPagesPerHost int64    `yaml:"max-pages-per-host" arg:"N" help:"fetch at most this many pages from one host; 0 means no limit"`
	Partitions      int      `yaml:"partitions" arg:"N" help:"divide a new job into this many partitions, each with its own domains and folder; 0 means none"`
	PartitionDirs   []string `yaml:"partition-dirs" arg:"DIR" help:"folders that get the partitions of a new job in turn, such as one on each disk; may be given more than once; default: the folder of the job"`

	MaxNewPerHost int64    `yaml:"max-new-per-host" arg:"N" help:"keep at most this many new documents from one host; copies do not count; 0 means no limit"`
	MaxBytes      Size     `yaml:"max-bytes" arg:"SIZE" help:"stop after this much of page bodies, such as 10MB or 2GiB; 0 means no limit"`
	TimeLimit     Duration `yaml:"time-limit" arg:"TIME" help:"stop a run after this time, such as 90s or 2h; 0 means no limit"`

	Workers       int              `yaml:"workers" arg:"N" help:"pages that are fetched at the same time"`
	Delay         Duration         `yaml:"delay" arg:"TIME" help:"time between two requests to one host; robots.txt may ask for more"`
	HostDelay     []string         `yaml:"host-delay" arg:"HOST=TIME" help:"time between two requests to this host, if it is longer than delay; may be given more than once"`
	MaxDelay      Duration         `yaml:"max-delay" arg:"TIME" help:"longest delay that robots.txt or Retry-After can ask for"`
	PerHost       int              `yaml:"per-host" arg:"N" help:"requests to one host at the same time"`
	PerIP         int              `yaml:"per-ip" arg:"N" help:"requests at the same time to all hosts at one IP address; 0 means no limit"`
	QueueBy       frontier.QueueBy `yaml:"queue-by" arg:"WHAT" help:"unit to which delay and per-host apply: host, domain or ip"`
	DelayFactor   float32          `yaml:"delay-factor" arg:"X" help:"delay of a host as a multiple of its response time, from delay to ten times delay; 0 is off"`
	ParkAfter     int              `yaml:"park-after" arg:"N" help:"park a host after this many requests in a row without an answer, or with 429 or 503; 0 is never"`
	ParkFor       Duration         `yaml:"park-for" arg:"TIME" help:"how long a host is parked; a crawl with nothing else to do ends, and the next run tries again"`
	Retries       int              `yaml:"retries" arg:"N" help:"retries of a page whose failure may be temporary"`
	Timeout       Duration         `yaml:"timeout" arg:"TIME" help:"longest time for one request"`
	MaxBody       Size             `yaml:"max-body" arg:"SIZE" help:"cut a page off after this many bytes, decompressed"`
	MaxLinks      int              `yaml:"max-links" arg:"N" help:"take at most this many links from one page; the others are counted"`
	PageMemory    Size             `yaml:"page-memory" arg:"SIZE" help:"memory for long pages while they are fetched and read; pages that do not fit wait"`
	Render        gatecrawl.Render `yaml:"render" arg:"WHEN" help:"run the scripts of pages in Chromium: never, auto (only pages without text) or always"`
	RenderMemory  Size             `yaml:"render-memory" arg:"SIZE" help:"memory limit for the scripts of a page in Chromium; above it the tab is closed, and the page is read without its scripts"`
	ObeyMeta      bool             `yaml:"obey-meta" arg:"BOOL" help:"obey noindex and nofollow of pages, headers and links"`
	Soft404       bool             `yaml:"soft-404" arg:"BOOL" help:"recognize error pages with status 200 (soft 404)"`
	MinRate       Size             `yaml:"min-rate" arg:"SIZE" help:"give up a page whose body arrives more slowly than this, in bytes a second"`
	UserAgent     string           `yaml:"user-agent" arg:"TEXT" help:"send this as User-Agent, with the contact after it; its first word, such as mybot of mybot/1.0, is the name that robots.txt is read for"`
	Hosts         string           `yaml:"hosts" arg:"FILE" help:"read delay, per-host, max-pages, max-new, render and headers of single hosts from this YAML FILE"`
	HeaderNames   []string         `yaml:"header-names" arg:"HOST:NAME" help:"names of the headers that the last run got by --header; their values are not saved"`
	Credentials   string           `yaml:"credentials" arg:"FILE" help:"read user names, passwords, tokens and logins of hosts from this YAML FILE, of mode 600"`
	Cookies       bool             `yaml:"cookies" arg:"BOOL" help:"send hosts the cookies that they have set; they are saved in the job"`
	CookieFile    string           `yaml:"cookie-file" arg:"FILE" help:"send the cookies of this FILE (Netscape format, as browser add-ons and curl write it), of mode 600"`
	Insecure      []string         `yaml:"insecure" arg:"HOST" help:"do not check the certificate of this host; may be given more than once"`
	CAFile        string           `yaml:"ca-file" arg:"FILE" help:"trust the certificates of this PEM FILE too"`
	Bandwidth     Size             `yaml:"bandwidth" arg:"SIZE" help:"fetch at most this much a second, such as 500kB; 0 means no limit"`
	QuietHours    []string         `yaml:"quiet-hours" arg:"FROM-TO" help:"fetch nothing in these hours of the day, such as 08:00-18:00; may be given more than once"`
	Proxy         string           `yaml:"proxy" arg:"URL" help:"send every request through this http://, https:// or socks5:// proxy; a password in it is saved with the job"`
	AllowPrivate  bool             `yaml:"allow-private" arg:"BOOL" help:"connect to private IP addresses such as 10.0.0.1; needed for an intranet"`
	AllowPorts    []string         `yaml:"allow-ports" arg:"PORT" help:"allow this port although it belongs to another protocol, such as 22 or 25; may be given more than once"`
	AllowLoopback bool             `yaml:"allow-loopback" arg:"BOOL" help:"connect to this machine; set by itself if the first seed is on it"`

	Extract []string `yaml:"extract" arg:"NAME=SELECTOR" help:"save this field of each page: the text of the first element that the CSS selector matches, or an attribute with SELECTOR@ATTR; NAME[]= is a list of all; may be given more than once"`
	Keep    []string `yaml:"keep" arg:"SELECTOR" help:"take what this CSS selector matches as the body of a page, if it matches text; HOST=SELECTOR for one host and its subdomains; may be given more than once; a job keeps the selectors that it was started with"`
	Drop    []string `yaml:"drop" arg:"SELECTOR" help:"leave what this CSS selector matches out of the body; HOST=SELECTOR for one host and its subdomains; may be given more than once; a job keeps the selectors that it was started with"`

	ArchiveCompression warc.Compression `yaml:"archive-compression" arg:"zstd|gzip" help:"compression of the WARC files in which a job stores its pages: zstd, or gzip for tools that cannot read zstd; applies to new files"`
	ArchivePrefix      string           `yaml:"archive-prefix" arg:"NAME" help:"prefix of the names of these files"`
	ArchiveSize        Size             `yaml:"archive-size" arg:"SIZE" help:"start a new file when the last one has this size"`

	ArchiveOperator    string `yaml:"archive-operator" arg:"TEXT" help:"who made the archive, for the first record of these files; default: the contact"`
	ArchiveDescription string `yaml:"archive-description" arg:"TEXT" help:"what the archive is, for the first record of these files"`
	ArchivePartOf      string `yaml:"archive-part-of" arg:"TEXT" help:"the collection that the archive is part of, for the first record of these files (isPartOf)"`

	WARCCompression warc.Compression `yaml:"warc-compression" arg:"gzip|zstd" help:"compression of the files of --warc all: gzip, which all programs read, or zstd; applies to new files"`

	WARC WARC `yaml:"warc" arg:"WHAT" help:"what is written as WARC: pages (kept pages, in the folder archive of the job) or all (also every request and answer, robots.txt, redirects, errors and revisits, in the folder warc)"`

	Requisites        bool `yaml:"requisites" arg:"BOOL" help:"fetch the files that kept pages need to be displayed, from other hosts too: style sheets and their imports, pictures, scripts, fonts, icons; they do not count as pages or bytes for any limit"`
	RequisitesPerPage int  `yaml:"requisites-per-page" arg:"N" help:"fetch at most this many such files for one page"`
	RequisitesSize    Size `yaml:"requisites-size" arg:"SIZE" help:"fetch no more such files for a page when they have this size in total"`

	Dedup          dedup.Mode `yaml:"dedup" arg:"MODE" help:"what to do with a copy: off (do not look for copies), mark (keep and label it) or discard"`
	Known          []string   `yaml:"known" arg:"JOB|WARC|CDXJ" help:"documents of this earlier crawl are copies: a job, WARC files, JSON lines or an index (CDX, CDXJ), or a folder of them; may be given more than once"`
	DedupDistance  int        `yaml:"dedup-distance" arg:"N" help:"bits of 64 in which the SimHashes of two copies may differ, 0 to 6"`
	DedupBands     int        `yaml:"dedup-bands" arg:"N" help:"bands of min-wise hashes by which near copies are found, 0 to 8; 0 finds fewer and needs less memory"`
	DedupMinTokens int        `yaml:"dedup-min-tokens" arg:"N" help:"words that a body needs to be compared; pages with fewer are compared by their bytes"`

	DedupResemblance float64 `yaml:"dedup-resemblance" arg:"X" help:"two bodies are copies if they share at least this part of their three-word runs, above 0 to 1"`
	DedupSiblings    float64 `yaml:"dedup-siblings" arg:"X" help:"the same for pages whose titles name different things; 1 keeps all of those"`

	URLRulesLearn dust.Learn `yaml:"url-rules-learn" arg:"MODE" help:"learn which URLs lead to the same page: off, defer (likely copies come last) or skip (certain copies are left out)"`
	URLRules      []string   `yaml:"url-rules" arg:"FILE" help:"remove from links the parameters that this file names: the JSON of ClearURLs, or lines with $removeparam; may be given more than once"`
	KeepTracking  bool       `yaml:"keep-tracking" arg:"BOOL" help:"leave utm_, gclid, fbclid and similar parameters in links"`

	IDF string `yaml:"idf" arg:"FILE" help:"weight words by this table from crawl idf build, for signatures and keywords; a job keeps the table that it was started with"`

	Categories string `yaml:"categories" arg:"FILE" help:"recognize the category of pages that declare none, by this model from crawl categories --output"`

	DedupIndex  index.Design `yaml:"dedup-index" arg:"DESIGN" help:"tables that find near copies: blocks (faster up to some million pages) or halves (less than half the memory)"`
	DedupMemory int          `yaml:"dedup-memory" arg:"N" help:"kept pages, about 300 bytes each, whose tables are in memory before they move to a file"`

	Mirrors mirror.Mode `yaml:"mirrors" arg:"MODE" help:"what to do with mirrors, sites whose documents are on another site: off, watch (find and report them) or on (fetch only a sample of their pages; needs dedup discard)"`

	Templates bool `yaml:"templates" arg:"BOOL" help:"learn what the pages of a host repeat, and remove it from their bodies"`

	Parts bool `yaml:"parts" arg:"BOOL" help:"at the end of a run find pages that have parts of others but are not copies"`

	Topic             string   `yaml:"topic" arg:"WORDS" help:"what a focused crawl looks for: pages and links about these words come first"`
	Like              []string `yaml:"like" arg:"FILE|URL" help:"examples of what a focused crawl looks for: pages, folders of pages, jobs, WARC files or JSON lines, or the URL of a page that the crawl fetches; may be given more than once"`
	Unlike            []string `yaml:"unlike" arg:"FILE|URL" help:"examples of what it does not look for"`
	TopicModel        string   `yaml:"topic-model" arg:"FILE" help:"model of the topic, from an earlier crawl or crawl focus train"`
	TopicLearn        bool     `yaml:"topic-learn" arg:"BOOL" help:"learn more words of the topic from the crawl's own best pages"`
	FocusThreshold    float64  `yaml:"focus-threshold" arg:"X" help:"relevance from which a page counts as on the topic, above 0 to 1; the best pages have 1"`
	FocusKeep         bool     `yaml:"focus-keep" arg:"BOOL" help:"keep only pages on the topic; links of the others are followed"`
	FocusPatience     float64  `yaml:"focus-patience" arg:"X" help:"with a topic: wait up to this many times delay (at least 1s each) for a better URL of a host that cannot be asked yet, instead of asking another host; 0 gives few hosts equal shares"`
	Explore           float64  `yaml:"explore" arg:"X" help:"with a topic: share of the requests that go to the most promising host, by what was found there and how little of it is known"`
	StopTail          float64  `yaml:"stop-tail" arg:"X" help:"with a topic: stop when the last 100 answers have less of it than this share of the best 100, such as 0.2; 0 is never"`
	StopAfterRelevant int64    `yaml:"stop-after-relevant" arg:"N" help:"stop after this many pages on the topic; 0 means no limit"`

	PriorityDepth     float32 `yaml:"priority-depth" arg:"X" help:"without a topic: score that each link from the nearest seed costs"`
	PriorityCash      float32 `yaml:"priority-cash" arg:"X" help:"without a topic: score that a page gains over one with 1/e of its cash, the sum of what pages pay to the pages that they link to; 0 is breadth first"`
	PriorityRelevance float32 `yaml:"priority-relevance" arg:"X" help:"score of a link if the best page that links there is wholly on the topic; the mean of those pages, and of the other pages that they link to, count twice as much"`
	PriorityAnchor    float32 `yaml:"priority-anchor" arg:"X" help:"score of a link whose words are wholly on the topic"`
	PriorityMirror    float32 `yaml:"priority-mirror" arg:"X" help:"score that copies of a page on other domains give the pages that it links to, and in a re-crawl the page itself"`
	PriorityInlinks   float32 `yaml:"priority-inlinks" arg:"X" help:"score of a URL that a thousand kept pages link to; 0 does not count links"`

	MemoryLimit Size `yaml:"memory-limit" arg:"SIZE" help:"soft memory limit, such as 1GiB: garbage is collected more often near it; mapped files do not count; 0 means GOMEMLIMIT from the environment, or no limit"`

	RefetchAfter Duration `yaml:"refetch-after" arg:"TIME" help:"when a run starts, request pages again whose last visit is longer ago than this, such as 24h; 0 is never"`

	RecrawlCopies float32 `yaml:"recrawl-copies" arg:"X" help:"share of the copies that a re-crawl requests; for the others it requests the kept page; 1 requests all"`
	RecrawlPages  int     `yaml:"recrawl-pages" arg:"N" help:"a re-crawl requests at most this many pages, the most likely to have changed first; copies do not count; 0 means no limit"`

	LogFormat LogFormat `yaml:"log-format" arg:"FORMAT" help:"text or json"`
	LogEvery  Duration  `yaml:"log-every" arg:"TIME" help:"if stderr is not a terminal, log progress this often; 0 is never"`
}

// WARC says how much of a crawl is written as WARC: pages or all.
type WARC string

// The values of WARC.
const (
	WARCPages WARC = "pages" // the pages that are kept
	WARCAll   WARC = "all"   // every request and response too
)

// UnmarshalText reads one of the constants, or true, which older versions wrote for all.
func (w *WARC) UnmarshalText(b []byte) error {
	switch v := WARC(b); v {
	case WARCPages, WARCAll:
		*w = v
	case "true":
		*w = WARCAll
	case "false":
		*w = WARCPages
	default:
		return fmt.Errorf("%q: want pages or all", b)
	}
	return nil
}

// MarshalText writes the constant.
func (w WARC) MarshalText() ([]byte, error) { return []byte(w), nil }

// A LogFormat is the format of log lines: text or json.
type LogFormat string

// The formats of the log.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// UnmarshalText reads a format.
func (f *LogFormat) UnmarshalText(b []byte) error {
	v := LogFormat(b)
	if v != LogText && v != LogJSON {
		return fmt.Errorf("%q is not a log format: want text or json", b)
	}
	*f = v
	return nil
}

// MarshalText writes the format.
func (f LogFormat) MarshalText() ([]byte, error) { return []byte(f), nil }

// A Key is a setting's name and its description.
type Key struct {
	Name string // in a file, and after -- on the command line
	Arg  string // the kind of its value: URL, FILE, N, TIME, ...
	Help string // one line
	List bool   // may be given more than once
}

// Keys returns all settings in the order of the struct. The list is shared: do not change it.
func Keys() []Key { return keys() }

var keys = sync.OnceValue(func() []Key {
	keys := make([]Key, 0, settingsType.NumField())
	for f := range settingsType.Fields() {
		keys = append(keys, Key{
			Name: f.Tag.Get("yaml"),
			Arg:  f.Tag.Get("arg"),
			Help: f.Tag.Get("help"),
			List: f.Type.Kind() == reflect.Slice,
		})
	}
	return keys
})

var settingsType = reflect.TypeFor[Settings]()

// fields has the places of settings in Settings by their names.
var fields = sync.OnceValue(func() map[string]int {
	places := make(map[string]int, settingsType.NumField())
	for i, k := range Keys() {
		places[k.Name] = i
	}
	return places
})

// field returns the field of a setting in s.
func (s *Settings) field(name string) (reflect.Value, bool) {
	i, ok := fields()[name]
	if !ok {
		return reflect.Value{}, false
	}
	return reflect.ValueOf(s).Elem().Field(i), true
}

// Get returns a setting's values as text: one, or any number for a list.
func (s *Settings) Get(name string) []string {
	v, ok := s.field(name)
	if !ok {
		return nil
	}
	if list, ok := v.Interface().([]string); ok {
		return list
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		if b, err := m.MarshalText(); err == nil {
			return []string{string(b)}
		}
	}
	return []string{fmt.Sprint(v.Interface())}
}

// Set sets a setting to values given as text: exactly one, or any number for a list, which replace
// the old ones. The error says what is wanted and does not name the setting.
func (s *Settings) Set(name string, values ...string) error {
	v, ok := s.field(name)
	if !ok {
		return fmt.Errorf("no such setting%s", suggestion(name))
	}
	if _, ok := v.Interface().([]string); ok {
		v.Set(reflect.ValueOf(slices.Clone(values)))
		return nil
	}
	if len(values) != 1 {
		return fmt.Errorf("want one value, got %d", len(values))
	}
	return setOne(v, values[0])
}

func setOne(v reflect.Value, text string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(n)
	case reflect.Float32, reflect.Float64:
		x, err := strconv.ParseFloat(text, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(x)
	default:
		panic("no setting has the type " + v.Type().String() + ": Settings would not pass its test")
	}
	return nil
}

// suggestion returns the key that a mistyped one may stand for.
func suggestion(name string) string {
	flat := func(s string) string { return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s)) }
	for _, k := range Keys() {
		if flat(k.Name) == flat(name) || strings.TrimSuffix(flat(name), "s") == strings.TrimSuffix(flat(k.Name), "s") {
			return fmt.Sprintf(": did you mean %s?", k.Name)
		}
	}
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ""
}
