package crawl

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// CookiesFile is the name of the file in a job's folder with the cookies of its hosts, one JSON
// object a line. Only its owner can read it.
const CookiesFile = "cookies.jsonl"

// mayCarry reads the grants of requests, and the rules of single hosts. It warns about grants that
// an earlier run had and this one does not, and about those that will not be sent to a seed.
func (c *Crawl) mayCarry() (err error) {
	s := &c.settings
	if c.rules, err = s.LoadHosts(); err != nil {
		return &SettingError{Err: err}
	}
	if c.grants, err = s.LoadGrants(c.o.Headers); err != nil {
		return &SettingError{Err: err}
	}
	var names []string
	for _, text := range c.o.Headers {
		if h, err := access.ParseHeader(text); err == nil && !slices.Contains(names, h.Site.String()+":"+h.Name) {
			names = append(names, h.Site.String()+":"+h.Name)
		}
	}
	for _, was := range s.HeaderNames {
		if !slices.Contains(names, was) {
			c.o.Log.Warn("an earlier run sent a header that this one does not, since its value is not kept: give --header again, or put it into a --hosts file", "header", was)
		}
	}
	s.HeaderNames = union(s.HeaderNames, names)
	told := make(map[string]bool)
	for _, u := range c.start.urls {
		if site := c.grants.Withheld(u); site != "" && !told[u.Host()] {
			told[u.Host()] = true
			c.o.Log.Warn("what is given for this host is not sent, since the URL is without TLS: write http:// before the host's name to send it all the same", "url", u.String(), "host", site)
		}
	}
	return nil
}

// staysLoggedIn keeps the crawl from following links that end a session, on sites that it logs in
// to.
func (c *Crawl) staysLoggedIn() error {
	if c.grants == nil {
		return nil
	}
	for _, l := range c.grants.Logins {
		pattern := `(?i)^https?://` + regexp.QuoteMeta(l.Site.Host()) + `/.*(log|sign)[-_]?(out|off)`
		if err := c.scope.AddExclude(pattern); err != nil {
			return err
		}
	}
	return nil
}

// keepCookies opens the cookies of the job, and makes Close save them.
func (c *Crawl) keepCookies() error {
	if c.grants == nil || c.grants.Jar == nil || !c.grants.KeepCookies && len(c.grants.Logins) == 0 {
		return nil
	}
	path := filepath.Join(c.dir, CookiesFile)
	if err := c.grants.Jar.Load(path); err != nil {
		return err
	}
	c.closing(func() error { return c.grants.Jar.Save(path) })
	return nil
}

// logIn sends the forms of the logins. If one fails the crawl does not start, since it would fetch
// what is shown without a login.
func (c *Crawl) logIn(ctx context.Context) error {
	if c.grants == nil {
		return nil
	}
	for _, l := range c.grants.Logins {
		if err := c.fetcher.Login(ctx, l); err != nil {
			if ctx.Err() != nil {
				return nil // the run ends
			}
			return err
		}
		c.o.Log.Info("logged in", "host", l.Site.String())
	}
	return nil
}

// hostLimits returns the limits of hosts that differ from the common ones.
func hostLimits(rules []configs.HostRule) map[weburl.HostKey]frontier.HostLimits {
	m := make(map[weburl.HostKey]frontier.HostLimits)
	for _, r := range rules {
		if l := (frontier.HostLimits{PerHost: r.PerHost, Pages: r.Pages, New: r.New}); l != (frontier.HostLimits{}) {
			m[weburl.HostKeyOf(r.Host)] = l
		}
	}
	return m
}

// renders returns the hosts whose Render differs from the common one.
func renders(rules []configs.HostRule) map[string]gatecrawl.Render {
	m := make(map[string]gatecrawl.Render)
	for _, r := range rules {
		if r.Render != "" {
			m[r.Host] = r.Render
		}
	}
	return m
}

// allDelays are the delays of single hosts: those of the file, overridden by those that were
// set while a crawl ran.
func (c *Crawl) allDelays(s *configs.Settings) map[string]time.Duration {
	m := make(map[string]time.Duration)
	for _, r := range c.rules {
		if r.Delay > 0 {
			m[r.Host] = r.Delay
		}
	}
	maps.Copy(m, hostDelays(s))
	return m
}

// A clock is the clock for quiet hours.
type clock struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time // when to check again
}

var wallClock = clock{time.Now, time.After}

// nextLook returns how long to wait until quiet hours may start or end, which they do on the
// minute. They are checked four times a minute in any case, since the clock of the machine may be
// set.
func nextLook(now time.Time) time.Duration {
	return min(15*time.Second, now.Truncate(time.Minute).Add(time.Minute).Sub(now))
}

// keepQuiet pauses the crawl in quiet hours until the returned function is called.
func (c *Crawl) keepQuiet(ctx context.Context) (stop func()) {
	hours, err := configs.ParseQuietHours(c.settings.QuietHours)
	if err != nil || len(hours) == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	var quiet time.Time // until then
	look := func() {
		if until := hours.Until(c.clock.now()); !until.Equal(quiet) {
			quiet = until
			c.crawler.Quiet(quiet)
			if !quiet.IsZero() {
				c.o.Log.Info("quiet hours: nothing is fetched until they end", "until", quiet, "hours", strings.Join(c.settings.QuietHours, ", "))
			} else {
				c.o.Log.Info("quiet hours have ended")
			}
		}
	}
	look()
	go func() { // ends in stop
		defer close(ended)
		for {
			select {
			case <-c.clock.after(nextLook(c.clock.now())):
				look()
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}
