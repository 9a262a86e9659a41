package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A visitedSite is a server that notes what it is asked for, and when.
type visitedSite struct {
	origin string
	mu     sync.Mutex
	paths  []string
	times  []time.Time
}

func newVisitedSite(t *testing.T, robots string, answer http.HandlerFunc) *visitedSite {
	s := new(visitedSite)
	s.origin = serve(t, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths, s.times = append(s.paths, r.URL.Path), append(s.times, time.Now())
		s.mu.Unlock()
		switch {
		case r.URL.Path != "/robots.txt":
			answer(w, r)
		case robots == "":
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			io.WriteString(w, robots)
		}
	})
	return s
}

// wantAsked compares what the site was asked for, and the gaps between its requests.
func (s *visitedSite) wantAsked(t *testing.T, gap time.Duration, paths ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.paths, paths) {
		t.Errorf("the site was asked for %v, want %v", s.paths, paths)
	}
	for i := 1; i < len(s.times); i++ {
		if got := s.times[i].Sub(s.times[i-1]); got < gap {
			t.Errorf("%s came %v after %s, want %v or more", s.paths[i], got, s.paths[i-1], gap)
		}
	}
}

func newClient(t *testing.T, o ClientOptions) *Client {
	t.Helper()
	o.Fetch.AllowLoopback = true
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func at(t *testing.T, origin, path string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(origin + path)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func plainAnswer(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "at ", r.URL.Path) }

func TestClientReadsRobotsOnceAndRestsBetweenRequests(t *testing.T) {
	const delay = 60 * time.Millisecond
	s := newVisitedSite(t, "User-agent: *\nDisallow: /private\n", plainAnswer)
	c := newClient(t, ClientOptions{Delay: delay})
	for _, path := range []string{"/a", "/private/b", "/c"} {
		r, err := c.Get(t.Context(), at(t, s.origin, path))
		var refused *RefusedError
		switch {
		case path == "/private/b":
			if !errors.As(err, &refused) || refused.Line != 2 || refused.Rule != "Disallow: /private" {
				t.Errorf("Get(%s) = %v, want a refusal by line 2 of robots.txt", path, err)
			}
		case err != nil || string(r.Body) != "at "+path:
			t.Errorf("Get(%s) = %v, %v", path, r, err)
		}
	}
	s.wantAsked(t, delay, "/robots.txt", "/a", "/c")
}

func TestClientHeedsWhatASiteAsksFor(t *testing.T) {
	for name, c := range map[string]struct {
		robots string
		answer http.HandlerFunc
	}{
		"Crawl-delay": {"User-agent: *\nCrawl-delay: 3600\n", plainAnswer},
		"Retry-After": {"User-agent: *\nAllow: /\n", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			const cap = 80 * time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // far below the hour that the site asks for
			defer cancel()
			s := newVisitedSite(t, c.robots, c.answer)
			client := newClient(t, ClientOptions{MaxDelay: cap})
			for _, path := range []string{"/a", "/b"} {
				if _, err := client.Get(ctx, at(t, s.origin, path)); err != nil {
					t.Fatal(err)
				}
			}
			s.wantAsked(t, 0, "/robots.txt", "/a", "/b")
			if got := s.times[2].Sub(s.times[1]); got < cap {
				t.Errorf("/b came %v after /a, want %v or more", got, cap)
			}
		})
	}
}

func TestClientAsksNothingOfASiteWithoutRobots(t *testing.T) {
	s := newVisitedSite(t, "", plainAnswer)
	c := newClient(t, ClientOptions{})
	for range 2 {
		_, err := c.Get(t.Context(), at(t, s.origin, "/a"))
		if err == nil || !strings.Contains(err.Error(), "its robots.txt cannot be read: robots.txt: http 503") {
			t.Errorf("Get of a site whose robots.txt fails = %v", err)
		}
	}
	s.wantAsked(t, 0, "/robots.txt")
}

func TestClientWithoutAContactStaysOnThisMachine(t *testing.T) {
	c := newClient(t, ClientOptions{Anonymous: true})
	_, err := c.Get(t.Context(), at(t, "http://example.org", "/a"))
	var refused *RefusedError
	if !errors.As(err, &refused) || !refused.Anonymous {
		t.Errorf("Get of a host elsewhere = %v, want a refusal", err)
	}
	s := newVisitedSite(t, "User-agent: *\nAllow: /\n", plainAnswer)
	if _, err := c.Get(t.Context(), at(t, s.origin, "/a")); err != nil {
		t.Errorf("Get of this machine = %v", err)
	}
}

func TestClientTakesTheRobotsThatItsCallerKnows(t *testing.T) {
	s := newVisitedSite(t, "User-agent: *\nDisallow: /\n", plainAnswer)
	age := time.Hour
	c := newClient(t, ClientOptions{Known: func(origin string) (robots.File, bool, error) {
		return robots.File{Origin: origin, Status: http.StatusNotFound, Fetched: time.Now().Add(-age)}, true, nil
	}})
	if _, err := c.Get(t.Context(), at(t, s.origin, "/a")); err != nil {
		t.Errorf("Get with a robots.txt of an hour = %v", err)
	}
	s.wantAsked(t, 0, "/a")

	age = 25 * time.Hour // one day is what counts
	c.hosts = make(map[string]*visitedHost)
	if _, err := c.Get(t.Context(), at(t, s.origin, "/a")); err == nil {
		t.Error("Get with a robots.txt of yesterday asked for /a, want a look at the one of today")
	}
	s.wantAsked(t, 0, "/a", "/robots.txt")

	broken := errors.New("the job is broken")
	c.o.Known = func(string) (robots.File, bool, error) { return robots.File{}, false, broken }
	if _, err := c.Get(t.Context(), at(t, "http://127.0.0.2:9", "/a")); !errors.Is(err, broken) {
		t.Errorf("Get = %v, want the caller's own error", err)
	}
}

func TestClientRemembersNoMoreHostsThanItMay(t *testing.T) {
	c := newClient(t, ClientOptions{Hosts: 3, Delay: time.Hour})
	for i := range 10 {
		h := c.host(at(t, fmt.Sprintf("http://127.0.0.%d", i+1), "/"))
		h.next = time.Now().Add(time.Duration(i+1) * time.Hour)
	}
	if len(c.hosts) != 3 {
		t.Errorf("%d hosts are remembered, want 3", len(c.hosts))
	}
	for _, name := range []string{"127.0.0.8", "127.0.0.9", "127.0.0.10"} { // those that rest longest
		if c.hosts[name] == nil {
			t.Errorf("%s is forgotten, which still rests", name)
		}
	}
}

func TestClientStopsRestingWhenItsContextEnds(t *testing.T) {
	s := newVisitedSite(t, "", plainAnswer)
	c := newClient(t, ClientOptions{Delay: time.Hour, Known: func(origin string) (robots.File, bool, error) {
		return robots.File{Origin: origin, Status: http.StatusNotFound, Fetched: time.Now()}, true, nil
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Get(ctx, at(t, s.origin, "/a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Get of a host that rests = %v, want the context's error", err)
	}
	s.wantAsked(t, 0)
}
