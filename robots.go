package gatecrawl

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/limit"
)

// maxSites and maxSiteBytes bound the parsed robots.txt files that are held in memory;
// the others are read back from the store.
const (
	maxSites     = 20_000
	maxSiteBytes = 64 << 20
)

// A site is what an origin's robots.txt says, ready to be asked.
type site struct {
	file  robots.File
	rules *robots.Rules
	asked time.Time
	took  time.Duration // to answer, where it was asked in this run
	tries int           // requests in a row that brought no robots.txt
}

// size is what a site takes in memory, in bytes. The rules are some sixteen times as
// long as the file, if that is nothing but short ones.
func (s *site) size() int { return 1<<10 + 16*len(s.file.Body) }

// unreachable reports whether the origin could not be asked: RFC 9309 takes
// that as "disallow all" for now.
func (s *site) unreachable() bool { return s.file.Failed() }

// askAgain reports whether an origin that could not be asked may be asked once
// more: after each failure it has twice as long to recover, and as long as it
// asked for (within maxDelay).
func (s *site) askAgain(now time.Time, backoff func(int) time.Duration, maxDelay time.Duration) bool {
	rest := max(backoff(max(s.tries, 1)-1), min(s.file.Wait, maxDelay))
	return s.unreachable() && !s.file.Final && now.Sub(s.asked) >= rest
}

// sites answers for the robots.txt of every origin.
type sites struct {
	store    Store
	fetch    *fetch.Fetcher
	backoff  func(tries int) time.Duration
	maxDelay time.Duration // that a Retry-After may ask for
	parse    *limit.ParseMemory
	tell     func(ctx context.Context, origin string, rules *robots.Rules, l frontier.Lease) error
	calls    singleflight.Group

	mu    sync.Mutex
	known map[string]*site
	bytes int // of known
}

// newSites returns sites without any. What a new robots.txt says is told to tell,
// before the file is kept: after a crash it is told again.
func newSites(st Store, f *fetch.Fetcher, backoff func(int) time.Duration, maxDelay time.Duration, parse *limit.ParseMemory,
	tell func(ctx context.Context, origin string, rules *robots.Rules, l frontier.Lease) error) *sites {
	return &sites{store: st, fetch: f, backoff: backoff, maxDelay: maxDelay, parse: parse, tell: tell, known: make(map[string]*site)}
}

// of returns what is known of the origin of a lease's URL. Where nothing is, or where it has
// grown too old, the origin is asked, once for all who wait, and asked is true:
// the host has had its request, and the page has to wait for its turn.
func (s *sites) of(ctx context.Context, l frontier.Lease) (_ *site, asked bool, err error) {
	origin := l.URL.Origin()
	old, err := s.lookup(ctx, origin)
	if err != nil {
		return nil, false, err
	}
	now := time.Now()
	if old != nil && !old.file.Expired(now) && !old.askAgain(now, s.backoff, s.maxDelay) {
		return old, false, nil
	}
	v, err, _ := s.calls.Do(origin, func() (any, error) { return s.ask(ctx, origin, old, l) })
	if err != nil {
		return nil, true, err
	}
	return v.(*site), true, nil
}

// lookup returns what memory or the store has of an origin; nil: nothing.
func (s *sites) lookup(ctx context.Context, origin string) (*site, error) {
	s.mu.Lock()
	known := s.known[origin]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	f, ok, err := s.store.Robots(origin)
	if err != nil || !ok {
		return nil, err
	}
	rules, err := s.rulesOf(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.remember(&site{file: f, rules: rules, asked: f.Fetched}), nil
}

// ask fetches a robots.txt and keeps the answer.
func (s *sites) ask(ctx context.Context, origin string, old *site, l frontier.Lease) (*site, error) {
	begun := time.Now()
	f := s.fetch.Robots(ctx, origin)
	took := time.Since(begun)
	if err := ctx.Err(); err != nil {
		return nil, err // says nothing about the origin
	}
	rules, err := s.rulesOf(ctx, f)
	if err != nil {
		return nil, err
	}
	if err := s.tell(ctx, origin, rules, l); err != nil {
		return nil, err
	}
	if err := s.store.PutRobots(ctx, f); err != nil {
		return nil, err
	}
	n := &site{file: f, rules: rules, asked: time.Now(), took: took}
	if n.unreachable() {
		n.tries = 1
		if old != nil {
			n.tries += old.tries
		}
	}
	return s.remember(n), nil
}

// rulesOf parses a robots.txt, a long one in its turn.
func (s *sites) rulesOf(ctx context.Context, f robots.File) (*robots.Rules, error) {
	release, err := s.parse.AcquireLong(ctx, len(f.Body), atOnce)
	if err != nil {
		return nil, err
	}
	defer release()
	return f.Rules(), nil
}

// remember keeps a site, in place of any other where there are too many.
func (s *sites) remember(n *site) *site {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(n.file.Origin)
	for origin := range s.known {
		if len(s.known) < maxSites && s.bytes+n.size() <= maxSiteBytes {
			break
		}
		s.drop(origin)
	}
	s.known[n.file.Origin] = n
	s.bytes += n.size()
	return n
}

// drop forgets a site. The caller holds mu.
func (s *sites) drop(origin string) {
	if old := s.known[origin]; old != nil {
		s.bytes -= old.size()
		delete(s.known, origin)
	}
}
