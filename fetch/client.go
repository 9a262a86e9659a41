package fetch

import (
	"context"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// ClientOptions are the settings of a Client.
type ClientOptions struct {
	Fetch Options

	// Anonymous says that no contact address is given for site owners. Such a client sends requests
	// only to this machine; for any other URL the error is a *RefusedError.
	Anonymous bool

	// Delay is the rest between two requests to one host. Default: none, which is acceptable only
	// for a host of your own.
	Delay time.Duration

	// MaxDelay limits what a Crawl-delay or a Retry-After may ask for. Default 30 s, since a person
	// waits for the answer. A value below Delay has no effect.
	MaxDelay time.Duration

	// Hosts is how many hosts are remembered with their robots.txt. Default 1,000, at most half a
	// megabyte each with the default of Fetch.MaxRobots. If a command alternates between more
	// hosts, robots.txt is fetched more often.
	Hosts int

	// Known returns the robots.txt of an origin if the caller has one, for example from a job.
	// Default: none is known.
	Known func(origin string) (robots.File, bool, error)
}

// A Client sends the few requests of a command, outside a crawl. It reads robots.txt before the
// first request to an origin, obeys it, and lets each host rest between two requests. It does not
// follow redirects of a page. Only one goroutine may use it at a time; for concurrent requests use
// the queue of a crawl.
type Client struct {
	o       ClientOptions
	fetcher *Fetcher
	hosts   map[string]*visitedHost
}

// A visitedHost is what a Client remembers of a host.
type visitedHost struct {
	next   time.Time // when it may be asked again
	robots map[string]originRobots
}

// An originRobots is the robots.txt of an origin, as it was answered and parsed.
type originRobots struct {
	file  robots.File
	rules *robots.Rules
}

// NewClient returns a Client with the settings o. The caller must Close it.
func NewClient(o ClientOptions) (*Client, error) {
	if o.Delay < 0 || o.MaxDelay < 0 || o.Hosts < 0 {
		return nil, fmt.Errorf("client: delay %v, longest %v, %d hosts: want 0 or more of each", o.Delay, o.MaxDelay, o.Hosts)
	}
	if o.MaxDelay == 0 {
		o.MaxDelay = 30 * time.Second
	}
	if o.Hosts == 0 {
		o.Hosts = 1000
	}
	f, err := New(o.Fetch)
	if err != nil {
		return nil, err
	}
	return &Client{o: o, fetcher: f, hosts: make(map[string]*visitedHost)}, nil
}

// Close closes the connections that no request uses.
func (c *Client) Close() { c.fetcher.Close() }

// A RefusedError says why a Client did not request a URL.
type RefusedError struct {
	URL       weburl.URL
	Anonymous bool   // the URL is not on this machine: see ClientOptions.Anonymous
	Failure   string // why the site's robots.txt could not be fetched; "": it could
	Line      int    // line of robots.txt that disallows the URL; 0: none
	Rule      string // the text of that line
}

func (e *RefusedError) Error() string { return e.URL.String() + ": " + e.Reason() }

// Reason returns the error without the URL.
func (e *RefusedError) Reason() string {
	switch {
	case e.Anonymous:
		return "not asked for: it is not on this machine, and no contact is named"
	case e.Failure != "":
		return "not asked for, because its robots.txt cannot be read: " + e.Failure
	}
	return fmt.Sprintf("its robots.txt forbids it, line %d: %s", e.Line, e.Rule)
}

// Get requests u once, after its host has rested, and returns what the server answered, whatever
// its status. The error is a *RefusedError if no request was sent for u, an *Error of the request,
// the context's error, or that of ClientOptions.Known.
func (c *Client) Get(ctx context.Context, u weburl.URL) (*Response, error) {
	if c.o.Anonymous && !u.Loopback() {
		return nil, &RefusedError{URL: u, Anonymous: true}
	}
	host := c.host(u)
	site, err := c.robots(ctx, host, u.Origin())
	if err != nil {
		return nil, err
	}
	if site.file.Failed() {
		_, why := site.file.Why()
		return nil, &RefusedError{URL: u, Failure: why}
	}
	if v := site.rules.Check(c.fetcher.o.Token, u); !v.Allowed {
		return nil, &RefusedError{URL: u, Line: v.Line, Rule: v.Rule}
	}
	if err := host.rest(ctx); err != nil {
		return nil, err
	}
	r, err := c.fetcher.Fetch(ctx, u)
	asked := site.rules.Delay(c.fetcher.o.Token)
	if err == nil {
		wait, _ := RetryAfter(r.Header, r.Started)
		asked = max(asked, wait)
	}
	c.asked(host, asked)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, err
}

// robots returns the robots.txt of an origin: the remembered one until it expires, else the one
// that the caller knows, else what the site answers.
func (c *Client) robots(ctx context.Context, h *visitedHost, origin string) (originRobots, error) {
	if known, ok := h.robots[origin]; ok && !known.file.Expired(time.Now()) {
		return known, nil
	}
	file, err := c.known(origin)
	if err != nil {
		return originRobots{}, err
	}
	if file.Expired(time.Now()) {
		if err := h.rest(ctx); err != nil {
			return originRobots{}, err
		}
		file = c.fetcher.Robots(ctx, origin)
		if err := ctx.Err(); err != nil {
			return originRobots{}, err
		}
		c.asked(h, file.Wait)
	}
	r := originRobots{file, file.Rules()}
	h.robots[origin] = r
	if !file.Failed() {
		c.asked(h, r.rules.Delay(c.fetcher.o.Token))
	}
	return r, nil
}

// known returns the robots.txt that the caller has; if it has none, one that has expired.
func (c *Client) known(origin string) (robots.File, error) {
	if c.o.Known == nil {
		return robots.File{}, nil
	}
	file, ok, err := c.o.Known(origin)
	if err != nil || !ok {
		return robots.File{}, err
	}
	return file, nil
}

// asked makes a host rest from now on, for at least as long as the site asked for.
func (c *Client) asked(h *visitedHost, asked time.Duration) {
	next := time.Now().Add(max(c.o.Delay, min(asked, c.o.MaxDelay)))
	if next.After(h.next) {
		h.next = next
	}
}

// host returns what is remembered of a URL's host. If there are too many hosts, those that have
// rested are forgotten; if there are none, the one whose rest ends first.
func (c *Client) host(u weburl.URL) *visitedHost {
	if h := c.hosts[u.Host()]; h != nil {
		return h
	}
	if len(c.hosts) >= c.o.Hosts {
		first, now := "", time.Now()
		for name, h := range c.hosts {
			if !h.next.After(now) {
				delete(c.hosts, name)
			} else if first == "" || h.next.Before(c.hosts[first].next) {
				first = name
			}
		}
		if len(c.hosts) >= c.o.Hosts {
			delete(c.hosts, first)
		}
	}
	h := &visitedHost{robots: make(map[string]originRobots)}
	c.hosts[u.Host()] = h
	return h
}

// rest waits until a host may be asked again.
func (h *visitedHost) rest(ctx context.Context) error {
	wait := time.NewTimer(time.Until(h.next))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return ctx.Err()
	}
}
