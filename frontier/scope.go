package frontier

import (
	"errors"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A ScopeMode says how close to a seed a found URL must be.
type ScopeMode uint8

const (
	ScopeHost   ScopeMode = iota // on a seed's host and port; http and https are one host, www.example.com and example.com are two
	ScopeDomain                  // on a host with a seed's registrable domain, whatever the port
	ScopePrefix                  // on a seed's host, in the folder of the seed's path or below
	ScopeAny                     // anywhere
	ScopeSurt                    // under a prefix of ScopeOptions.Surts
)

var scopeNames = [...]string{ScopeHost: "host", ScopeDomain: "domain", ScopePrefix: "prefix", ScopeAny: "any", ScopeSurt: "surt"}

// rootNoun is what a mode compares, in the words of a refusal.
var rootNoun = [...]string{ScopeHost: "host", ScopeDomain: "domain", ScopePrefix: "folder", ScopeAny: "", ScopeSurt: ""}

// ParseScopeMode reads host, domain, prefix, any or surt.
func ParseScopeMode(s string) (ScopeMode, error) {
	i := slices.Index(scopeNames[:], s)
	if i < 0 {
		return 0, fmt.Errorf("scope %q is not one of %s", weburl.Shorten(s), strings.Join(scopeNames[:], ", "))
	}
	return ScopeMode(i), nil
}

// String returns the mode's name as ParseScopeMode reads it.
func (m ScopeMode) String() string {
	if int(m) >= len(scopeNames) {
		return fmt.Sprintf("ScopeMode(%d)", uint8(m))
	}
	return scopeNames[m]
}

// MarshalText returns the mode's name.
func (m ScopeMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a mode's name.
func (m *ScopeMode) UnmarshalText(b []byte) error {
	v, err := ParseScopeMode(string(b))
	if err != nil {
		return err
	}
	*m = v
	return nil
}

// ScopeOptions say which found URLs may be queued. DefaultScopeOptions returns
// the defaults; the zero ScopeOptions is not valid.
type ScopeOptions struct {
	// Mode ties found URLs to the seeds. Default host. With any, one link to
	// a portal is enough to crawl the whole web.
	Mode ScopeMode

	// Include and Exclude are Go regular expressions, matched anywhere in the
	// canonical URL. If Include is not empty, a found URL must match one of its
	// patterns; a URL that matches a pattern of Exclude is refused.
	// Include does not apply to seeds, so that a crawl can start at an index page
	// that is not itself wanted; Exclude does. A simple pattern costs about 0.1
	// microseconds a link, a complex one some microseconds.
	Include []string
	Exclude []string

	// AllowPorts are port numbers that are allowed although they belong to other
	// protocols: see CheckPort. Default none. A link to such a port is usually an attack
	// on the service behind it.
	AllowPorts []string

	// Surts are the prefixes of mode surt, which needs at least one.
	Surts *seeds.Surts

	// MaxDepth is the number of links that may be followed from the nearest
	// seed: 0 means only the seeds, -1 no limit. Default -1: three to five
	// clicks reach most of what people read of a site (Baeza-Yates and
	// Castillo 2004), but a small limit also cuts off paged archives.
	MaxDepth int

	// MaxURLBytes is the longest canonical URL. Default 2,000, which is
	// about what servers and browsers agree on. Below 200 real pages with
	// percent-encoded Chinese titles are lost; at its upper end, 8,192, a
	// page that puts its own URL into its links leads to many useless URLs.
	MaxURLBytes int

	// MaxRepeats is how often in a row a path segment may occur; a run of
	// several segments may occur one time less, but at least twice, and one segment
	// twice as often in all. It is also how often one name=value may occur in a
	// query. Default 3. At 1, /docs/docs/ is a trap; a high value lets a broken
	// relative link grow until MaxURLBytes stops it.
	MaxRepeats int

	// MaxParameters is how many parameters a query may have. Default 30: search
	// forms with many boxes have some dozens, and URLs that get one more
	// parameter with each click on a filter never end.
	MaxParameters int

	// KeepSessions leaves session ids in found URLs. By default they are removed (see
	// URL.WithoutSession): with them every page has a new URL for every visit, and a
	// crawl never ends.
	KeepSessions bool

	// MaxCalendarSteps is how many links in a row may lead from one page of
	// a calendar to another. Default 24, two years of months; at most 255.
	// A site with one picture a day that links only to the day before needs more;
	// Trail says what counts as a step.
	MaxCalendarSteps int
}

// DefaultScopeOptions returns the defaults that ScopeOptions documents.
func DefaultScopeOptions() ScopeOptions {
	return ScopeOptions{
		Mode:             ScopeHost,
		MaxDepth:         -1,
		MaxURLBytes:      2000,
		MaxRepeats:       3,
		MaxParameters:    30,
		MaxCalendarSteps: 24,
	}
}

// Validate reports every fault of the options at once.
func (o ScopeOptions) Validate() error {
	_, err := NewScope(o)
	return err
}

// A Scope says which URLs may be queued. It may be used from many goroutines,
// and roots may be added while it is used.
type Scope struct {
	o    ScopeOptions
	seed maphash.Seed

	mu      sync.RWMutex
	include []*regexp.Regexp
	exclude []*regexp.Regexp
	roots   map[uint64]struct{} // hashes of Root texts: 1,000,000 take 38 MB
}

// NewScope returns a scope without roots. The error names every fault of the
// options.
func NewScope(o ScopeOptions) (*Scope, error) {
	var faults []error
	fault := func(format string, a ...any) { faults = append(faults, fmt.Errorf(format, a...)) }
	compile := func(name string, patterns []string) (out []*regexp.Regexp) {
		for _, p := range patterns {
			if name == "exclude" && p == "" {
				fault("exclude pattern is empty, and would leave everything out")
			}
			re, err := regexp.Compile(p)
			if err != nil {
				fault("%s pattern %q: %w", name, weburl.Shorten(p), err)
				continue
			}
			out = append(out, re)
		}
		return out
	}
	s := &Scope{
		o:       o,
		include: compile("include", o.Include),
		exclude: compile("exclude", o.Exclude),
		seed:    maphash.MakeSeed(),
		roots:   make(map[uint64]struct{}),
	}
	if int(o.Mode) >= len(scopeNames) {
		fault("scope %d is not one of %s", o.Mode, strings.Join(scopeNames[:], ", "))
	}
	if o.MaxDepth < -1 {
		fault("depth limit %d is below -1 (-1 means no limit, 0 only the seeds)", o.MaxDepth)
	}
	if o.MaxURLBytes < 1 || o.MaxURLBytes > weburl.MaxBytes {
		fault("URL length limit %d is not between 1 and %d bytes", o.MaxURLBytes, weburl.MaxBytes)
	}
	if err := checkPorts(o.AllowPorts); err != nil {
		faults = append(faults, err)
	}
	if o.MaxRepeats < 1 {
		fault("repetition limit %d is below 1", o.MaxRepeats)
	}
	if o.MaxParameters < 1 {
		fault("parameter limit %d is below 1", o.MaxParameters)
	}
	if o.Mode == ScopeSurt && (o.Surts == nil || o.Surts.Len() == 0) {
		fault("scope surt needs a list of SURT prefixes")
	}
	if o.MaxCalendarSteps < 0 || o.MaxCalendarSteps > 255 {
		fault("calendar limit %d is not between 0 and 255 steps", o.MaxCalendarSteps)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

// Root returns what a seed adds to the scope: its host, its registrable domain, its host
// and folder, or "" in modes any and surt. A store keeps it to make the same scope again
// with AddRootText.
func (s *Scope) Root(u weburl.URL) string {
	switch s.o.Mode {
	case ScopeHost:
		return u.Host()
	case ScopeDomain:
		return u.Domain()
	case ScopePrefix:
		p := u.Path()
		return u.Host() + p[:strings.LastIndexByte(p, '/')+1]
	}
	return ""
}

// AddRoot extends the scope by a seed.
func (s *Scope) AddRoot(u weburl.URL) { s.AddRootText(s.Root(u)) }

// AddRootText extends the scope by a text that Root returned in the same mode. The text ""
// adds nothing.
func (s *Scope) AddRootText(root string) {
	if root == "" {
		return
	}
	h := maphash.String(s.seed, root)
	s.mu.Lock()
	s.roots[h] = struct{}{}
	s.mu.Unlock()
}

// Clean returns a found URL in the form in which it is checked and queued: without session
// ids, unless KeepSessions is set.
func (s *Scope) Clean(u weburl.URL) weburl.URL {
	if s.o.KeepSessions {
		return u
	}
	u, _ = u.WithoutSession()
	return u
}

// CheckSeed refuses a seed because of Exclude, MaxURLBytes or its port. No other rule
// applies to a seed: its user wants it.
func (s *Scope) CheckSeed(u weburl.URL) Refusal {
	if r := s.checkLength(u); !r.IsZero() {
		return r
	}
	if r := CheckPort(u, s.o.AllowPorts); !r.IsZero() {
		return r
	}
	return s.checkExclude(u)
}

// Check says whether a URL that was found depth links from the nearest seed
// may be queued, and otherwise which rule refuses it: url-length, port, depth,
// scope:host, scope:domain, scope:prefix, scope:surt, exclude,
// include, trap:path-repetition, trap:query-repetition, trap:parameters,
// trap:action or trap:calendar.
func (s *Scope) Check(u weburl.URL, depth int, t Trail) Refusal {
	if s.o.MaxDepth >= 0 && depth > s.o.MaxDepth {
		return Refusal{"depth", fmt.Sprintf("%s from a seed, the limit is %d", links(depth), s.o.MaxDepth)}
	}
	if r := s.checkLength(u); !r.IsZero() {
		return r
	}
	if r := CheckPort(u, s.o.AllowPorts); !r.IsZero() {
		return r
	}
	if s.o.Mode == ScopeSurt {
		if r := s.checkSurts(u); !r.IsZero() {
			return r
		}
	} else if !s.hasRoot(u) {
		return Refusal{"scope:" + s.o.Mode.String(), weburl.Shorten(s.Root(u)) + " is not a seed's " + rootNoun[s.o.Mode]}
	}
	if r := s.checkExclude(u); !r.IsZero() {
		return r
	}
	if include := s.included(); len(include) > 0 && !slices.ContainsFunc(include, func(re *regexp.Regexp) bool { return re.MatchString(u.String()) }) {
		return Refusal{"include", "no include pattern matches"}
	}
	if strings.Contains(u.Path(), "///") { // one more for each relative link with two slashes
		return Refusal{"trap:path-repetition", "two empty segments in a row"}
	}
	if run, n := repeatedRun(u.Path(), s.o.MaxRepeats); n > 0 {
		return Refusal{"trap:path-repetition", fmt.Sprintf("/%s occurs %d times in a row", weburl.Shorten(run), n)}
	}
	if segment, n := repeatedSegment(u.Path(), s.o.MaxRepeats); n > 0 {
		return Refusal{"trap:path-repetition", fmt.Sprintf("/%s occurs %d times", weburl.Shorten(segment), n)}
	}
	if pair, n := repeatedPair(u.Query(), s.o.MaxRepeats); n > 0 {
		return Refusal{"trap:query-repetition", fmt.Sprintf("%s occurs %d times", weburl.Shorten(pair), n)}
	}
	if n := strings.Count(u.Query(), "&") + 1; n > s.o.MaxParameters {
		return Refusal{"trap:parameters", fmt.Sprintf("the query has %d parameters, the limit is %d", n, s.o.MaxParameters)}
	}
	if name := action(u.Query()); name != "" {
		return Refusal{"trap:action", fmt.Sprintf("%s asks the site to do something, and a crawler only reads", name)}
	}
	if int(t.Calendar) > s.o.MaxCalendarSteps {
		return Refusal{"trap:calendar", fmt.Sprintf("%d steps in a row through a calendar, the limit is %d", t.Calendar, s.o.MaxCalendarSteps)}
	}
	return Refusal{}
}

// actions are parameters by which shops change a visitor's cart or wish list (WooCommerce and
// its extensions). Each page of a shop has such a link for each product on it, and answers with
// itself and another total.
var actions = [...]string{
	"add-to-cart", "add_to_cart", "remove_item", "undo_item", "empty-cart",
	"add_to_wishlist", "remove_from_wishlist", "add-to-wishlist",
}

// action returns the parameter of a query that asks a site to do something, "" if there is
// none.
func action(query string) string {
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(actions[:], name) {
			return name
		}
	}
	return ""
}

func (s *Scope) checkLength(u weburl.URL) Refusal {
	if len(u.String()) <= s.o.MaxURLBytes {
		return Refusal{}
	}
	return Refusal{"url-length", fmt.Sprintf("%d bytes, the limit is %d", len(u.String()), s.o.MaxURLBytes)}
}

// checkSurts refuses a URL that the list of SURT prefixes does not allow.
func (s *Scope) checkSurts(u weburl.URL) Refusal {
	prefix, in := s.o.Surts.Match(u)
	switch {
	case in:
		return Refusal{}
	case prefix == "":
		return Refusal{"scope:surt", "no SURT prefix matches"}
	}
	return Refusal{"scope:surt", "excluded by -" + weburl.Shorten(prefix)}
}

func (s *Scope) checkExclude(u weburl.URL) Refusal {
	for _, re := range s.excluded() {
		if re.MatchString(u.String()) {
			return Refusal{"exclude", re.String()}
		}
	}
	return Refusal{}
}

// hasRoot reports whether a root covers u. In prefix mode it looks up every folder on the
// path of u, which costs one look-up a segment and needs no search.
func (s *Scope) hasRoot(u weburl.URL) bool {
	switch s.o.Mode {
	case ScopeAny:
		return true
	case ScopePrefix:
		text, host, path := u.String(), len(u.Scheme())+len("://"), len(u.Origin())
		for i := path; i < path+len(u.Path()); i++ {
			if text[i] == '/' && s.has(text[host:i+1]) {
				return true
			}
		}
		return false
	}
	return s.has(s.Root(u))
}

func (s *Scope) has(root string) bool {
	h := maphash.String(s.seed, root)
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.roots[h]
	return ok
}

// links writes a number of links.
func links(n int) string {
	if n == 1 {
		return "1 link"
	}
	return fmt.Sprintf("%d links", n)
}

// RootURL returns a URL that adds the same root to a scope as the seed u, and that many
// seeds share: its folder in prefix mode, else its site. It is what a store keeps, since
// it has a meaning in every mode.
func (s *Scope) RootURL(u weburl.URL) string {
	if s.o.Mode == ScopePrefix {
		p := u.Path()
		return u.Origin() + p[:strings.LastIndexByte(p, '/')+1]
	}
	return u.Origin() + "/"
}
