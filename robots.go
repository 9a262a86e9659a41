package gatecrawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/limit"
)

// maxSites and maxSiteBytes limit the parsed robots.txt files that are held in memory; others are
// read from the store when they are needed.
const (
	maxSites     = 20_000
	maxSiteBytes = 64 << 20
)

// askRobots requests the robots.txt of the origin of a lease's URL, and queues the sitemaps that it
// names. If the rules of this run exclude the URL, it is settled instead.
func (c *Crawler) askRobots(ctx context.Context, l frontier.Lease) error {
	v := c.start(l)
	defer v.release()
	check := c.checkScope
	if l.For == frontier.Requisite {
		check = c.checkRequisite
	}
	if n, err := check(ctx, v); err != nil || n == decided {
		switch {
		case err != nil:
		case l.For == frontier.Requisite:
			err = c.settleRequisite(ctx, v)
		default:
			_, err = c.settle(ctx, v)
		}
		return err
	}
	start := time.Now()
	var file robots.File
	var answers []*fetch.Response // for the archive
	keep := func(r *fetch.Response) {
		if c.archive != nil {
			answers = append(answers, r)
		}
	}
	asking, cancel := c.withinLease(ctx, l)
	defer cancel()
	c.slots.WhileBlocked(l.Probe, func() { file = c.fetch.RobotsBy(asking, l.URL.Origin(), keep) })
	if file.Phase == string(fetch.PhaseProxy) {
		if err := c.proxy.failed(asking, errors.New(file.Failure), !file.Final); err != nil {
			return err
		}
		return c.handBack(l, c.delay(l.URL.Host()))
	}
	if asking.Err() != nil || file.Phase == string(fetch.PhaseCanceled) {
		return c.handBack(l, c.delay(l.URL.Host())) // the request was cut off, which says nothing about the origin
	}
	c.proxy.answered()
	if err := c.archivedRobots(answers); err != nil {
		return err
	}
	s, err := c.sites.learn(ctx, file)
	if err != nil {
		return c.handBack(l, c.delay(l.URL.Host()))
	}
	if v.Robots = &file; l.For != frontier.Requisite || c.refuse(l.URL, 0, l.Trap).IsZero() {
		v.Links = c.announced(s.rules, l) // else the site is not crawled: it only serves requisites
	}
	v.Lease.Addr, v.Finished = file.Addr, time.Now()
	if v.Rest = max(c.rest(s), c.slowed(time.Since(start))); s.unreachable() {
		v.Rest = max(v.Rest, min(file.Wait, c.pace.MaxRest))
	}
	if _, err = c.store.Settle(ctx, &v.Visit); errors.Is(err, frontier.ErrLeaseLost) {
		return nil
	}
	return err
}

// A site is the robots.txt of an origin, parsed.
type site struct {
	file  robots.File
	rules *robots.Rules
}

// size estimates the memory that a site takes, in bytes. The rules take up to 16 bytes for each
// byte of the file, if it has many short ones.
func (s *site) size() int { return 1<<10 + 16*len(s.file.Body) }

// unreachable reports whether the robots.txt could not be fetched: by RFC 9309 nothing of the
// origin may be fetched until it can be.
func (s *site) unreachable() bool { return s.file.Failed() }

// sites returns the robots.txt of every origin that the job knows.
type sites struct {
	store Store
	parse *limit.ParseMemory

	mu    sync.Mutex
	known map[string]*site
	bytes int // of known
}

// newSites returns an empty sites.
func newSites(st Store, parse *limit.ParseMemory) *sites {
	return &sites{store: st, parse: parse, known: make(map[string]*site)}
}

// of returns the robots.txt of the origin of a lease's URL.
func (s *sites) of(ctx context.Context, l frontier.Lease) (*site, error) {
	s.mu.Lock()
	known := s.known[l.URL.Origin()]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	l.Task = frontier.Robots
	k, err := s.store.Known(l)
	if err != nil {
		return nil, err
	}
	return s.learn(ctx, k.Robots)
}

// learn parses a robots.txt and remembers it. For a long one it waits until there is memory.
func (s *sites) learn(ctx context.Context, f robots.File) (*site, error) {
	release, err := s.parse.AcquireLong(ctx, len(f.Body), atOnce)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.remember(&site{file: f, rules: f.Rules()}), nil
}

// remember keeps a site, and forgets arbitrary others if there are too many.
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
