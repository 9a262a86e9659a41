package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/fetch/robots"
)

const (
	day        = 24 * time.Hour
	tenMinutes = 10 * time.Minute // after which a site that failed is asked again
)

// lives reports whether a file counts for so long, and no longer.
func lives(f robots.File, d time.Duration) bool {
	return !f.Expired(f.Fetched.Add(d-1)) && f.Expired(f.Fetched.Add(d))
}

func TestRobotsFollowFromTheAnswer(t *testing.T) {
	for _, c := range []struct {
		status  int
		body    string
		allowed bool // /a
		life    time.Duration
	}{
		{200, "User-agent: *\nDisallow: /b", true, day},
		{200, "User-agent: *\nDisallow: /a", false, day},
		{200, "", true, day},
		{200, "<html>Disallow: /a</html>", true, day},
		{204, "", true, day},
		{304, "", true, day},
		{302, "", true, day}, // without a Location
		{401, "User-agent: *\nDisallow: /a", true, day},
		{404, "User-agent: *\nDisallow: /a", true, day},
		{429, "", false, tenMinutes},
		{500, "User-agent: *\nDisallow: /b", false, tenMinutes},
		{503, "", false, tenMinutes},
	} {
		origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.RequestURI != "/robots.txt" {
				t.Errorf("asked for %s", r.RequestURI)
			}
			w.WriteHeader(c.status)
			if c.status != 204 && c.status != 304 {
				io.WriteString(w, c.body)
			}
		})
		file := newFetcher(t, Options{}).Robots(t.Context(), origin)
		v := file.Rules().Check(Token, mustParse(t, origin+"/a"))
		if file.Status != c.status || v.Allowed != c.allowed || !lives(file, c.life) {
			t.Errorf("status %d, %q: %+v, want allowed %v for %v", c.status, c.body, v, c.allowed, c.life)
		}
		if v.Line == 0 && v.Rule == "" && c.status >= 300 {
			t.Errorf("status %d: the verdict does not say why: %+v", c.status, v)
		}
		if d := file.Rules().Delay(Token); d != 0 {
			t.Errorf("status %d: Delay = %v", c.status, d)
		}
	}
}

func TestUnreachableRobotsForbidEverything(t *testing.T) {
	f := newFetcher(t, Options{HeaderTimeout: 50 * time.Millisecond, StallTimeout: 50 * time.Millisecond})
	for name, speak := range map[string]func(c net.Conn){
		"silence":  hang,
		"hangs up": func(net.Conn) {},
		"silence within the file": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\n")
			hang(c)
		},
		"half a file": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\n")
		},
	} {
		origin := talk(t, speak)
		file := f.Robots(t.Context(), origin)
		v := file.Rules().Check(Token, mustParse(t, origin+"/a"))
		if v.Allowed || file.Status != 0 || file.Failure == "" || !strings.Contains(v.Rule, file.Failure) {
			t.Errorf("%s: %+v, %+v", name, file, v)
		}
		if !lives(file, tenMinutes) {
			t.Errorf("%s: does not count for %v", name, tenMinutes)
		}
	}
	if v := f.Robots(t.Context(), "gopher://x").Rules().CheckRaw(Token, "/"); v.Allowed {
		t.Errorf("an origin that is none: %+v", v)
	}
}

func TestRobotsFollowFiveRedirectsToAnyHost(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /a\n")
	})
	var hops, asked atomic.Int32
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var n int32
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		to := fmt.Sprintf("/%d", n+1)
		if n+1 == hops.Load() {
			to = other + "/rules"
		}
		http.Redirect(w, r, to, http.StatusMovedPermanently)
	})
	f := newFetcher(t, Options{})
	for n, allowed := range map[int32]bool{1: false, 5: false, 6: true, 1000: true} {
		hops.Store(n)
		asked.Store(0)
		file := f.Robots(t.Context(), origin)
		v := file.Rules().CheckRaw(Token, "/a")
		if v.Allowed != allowed || file.Origin != origin || asked.Load() > robotsHops+1 {
			t.Errorf("%d redirects: %+v after %d requests, want allowed %v", n, v, asked.Load(), allowed)
		}
	}
}

func TestRedirectedRobotsMayNotEnterPrivateNetworks(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	file := newFetcher(t, Options{}).Robots(t.Context(), origin)
	if v := file.Rules().CheckRaw(Token, "/"); v.Allowed || !strings.Contains(v.Rule, "metadata service") {
		t.Errorf("verdict %+v", v)
	}
}

func TestRobotsBeyondTheLimitLoseTheCutLine(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /a\nDisallow: /b\n")
	})
	file := newFetcher(t, Options{MaxRobots: 37}).Robots(t.Context(), origin)
	if got, want := string(file.Body), "User-agent: *\nDisallow: /a\n"; got != want {
		t.Errorf("Body = %q, want %q", got, want)
	}
}

func TestBusyRobotsWaitAsLongAsAsked(t *testing.T) {
	for asked, want := range map[string]time.Duration{
		"":        tenMinutes,
		"5":       tenMinutes,
		"3600":    time.Hour,
		"9999999": day,
	} {
		origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", asked)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		file := newFetcher(t, Options{}).Robots(t.Context(), origin)
		if !lives(file, want) {
			t.Errorf("Retry-After %q: want it to expire after %v", asked, want)
		}
	}
}

// A robots.txt of 50 MB costs no more than one of 500 KiB.
func TestHugeRobotsAreNotReadToTheirEnd(t *testing.T) {
	sent := make(chan int64, 1)
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		rule := []byte("User-agent: *\nDisallow: /a\n" + strings.Repeat("# nothing\n", 100))
		n := int64(0)
		for n < 50<<20 {
			m, err := w.Write(rule)
			n += int64(m)
			if err != nil {
				break
			}
		}
		sent <- n
	})
	file := newFetcher(t, Options{}).Robots(t.Context(), origin)
	if v := file.Rules().CheckRaw(Token, "/a"); v.Allowed || len(file.Body) > robots.MaxSize {
		t.Errorf("%+v of %d bytes", v, len(file.Body))
	}
	// What is under way in the socket's buffers is sent too.
	if n := <-sent; n > 20<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

func TestCancelledRobotsSayNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) { cancel(errors.New("enough")) })
	file := newFetcher(t, Options{}).Robots(ctx, origin)
	if !file.Expired(time.Now()) || file.Origin != "" {
		t.Errorf("got %+v, want the zero file", file)
	}
}

// The monotonic reading is what makes the age of a file in memory independent of the
// machine's clock; all that copies a time without it, such as Round, would end that.
func TestTheAgeOfARobotsFileInMemoryGoesByTheMonotonicClock(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "User-agent: *\n") })
	file := newFetcher(t, Options{}).Robots(t.Context(), origin)
	if file.Fetched == file.Fetched.Round(0) {
		t.Errorf("%v has no monotonic reading", file.Fetched)
	}
}
