package crawl_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// A gatekeeper is a site that shows its pages to who has the password, the key or a session,
// and notes what others send it.
type gatekeeper struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // path and what came with it
	next  string   // the site that it links to
}

func newGatekeeper(t *testing.T) *gatekeeper {
	g := &gatekeeper{}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

func (g *gatekeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var carried []string
	for _, name := range []string{"Authorization", "X-Key", "Cookie"} {
		if r.Header.Get(name) != "" {
			carried = append(carried, name)
		}
	}
	g.mu.Lock()
	g.asked = append(g.asked, fmt.Sprint(r.URL.Path, carried))
	g.mu.Unlock()
	if r.URL.Path == "/away" {
		http.Redirect(w, r, g.next+"/from-away", http.StatusFound)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "sid", Value: "SECRET-session", Path: "/"})
	w.Header().Set("Content-Type", "text/html")
	if r.URL.Path == "/" || r.URL.Path == "/second" {
		fmt.Fprintf(w, `<title>Page %s</title><p>%s<a href=/second>second</a> <a href=/away>away</a> <a href=/account/sign-out>bye</a> <a href="%s/linked">linked</a>`, r.URL.Path, text("page"+r.URL.Path), g.next)
		return
	}
	http.NotFound(w, r)
}

// all returns what was asked, each once.
func (g *gatekeeper) all() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.Sort(g.asked)
	return slices.Compact(g.asked)
}

// secretFile writes a file that its owner alone can read.
func secretFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatIsGivenForAHostReachesItAloneAndIsKeptNowhere(t *testing.T) {
	t.Parallel()
	own, other := newGatekeeper(t), newGatekeeper(t)
	own.next, other.next = other.URL, other.URL
	host := strings.TrimPrefix(own.URL, "http://")
	s := quick(own.URL + "/")
	if err := s.Set("scope", "any"); err != nil {
		t.Fatal(err)
	}
	s.WARC, s.Cookies = configs.WARCAll, true
	s.Credentials = secretFile(t, "- host: "+host+"\n  basic:\n    user: me\n    password: SECRET-password\n")
	s.UserAgent = "mybot/1.0"
	var log bytes.Buffer
	dir := t.TempDir()
	c, err := crawl.OpenWith(dir, s, crawl.Options{
		Headers: []string{host + ":X-Key=SECRET-key"},
		Log:     slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for p, err := range c.Pages(t.Context()) {
		if err != nil || strings.Contains(fmt.Sprintf("%+v", p), "SECRET") {
			t.Errorf("a record: %+v, %v", p, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, asked := range own.all() {
		if !strings.Contains(asked, "Authorization X-Key") {
			t.Errorf("the site is asked for %s, without what is given for it", asked)
		}
	}
	// Once it has set its own cookie, that alone may come back to it.
	for _, asked := range other.all() {
		if strings.Contains(asked, "Authorization") || strings.Contains(asked, "X-Key") {
			t.Errorf("the other site gets %s", asked)
		}
	}
	if n := len(other.all()); n < 3 {
		t.Errorf("the other site is asked for %v: want its robots.txt, the link and the redirect", other.all())
	}
	for _, secret := range []string{"SECRET", "U0VDUkVU" /* in base64 */, "bWU6U0VD"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
		eachFile(t, dir, func(name string, text []byte) {
			if bytes.Contains(text, []byte(secret)) && filepath.Base(name) != crawl.CookiesFile {
				t.Errorf("%s has %s", name, secret)
			}
		})
	}
	saved, err := crawl.SavedSettings(dir)
	if err != nil || !slices.Equal(saved.HeaderNames, []string{host + ":X-Key"}) {
		t.Errorf("saved header names %v, %v", saved.HeaderNames, err)
	}
}

// eachFile calls see with the files of a folder, decompressed where they are so.
func eachFile(t *testing.T, dir string, see func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		see(path, text)
		if strings.HasSuffix(path, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return err
			}
			plain, err := io.ReadAll(z)
			if err != nil {
				return err
			}
			see(path, plain)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestARunWithoutAHeaderOfAnEarlierOneSaysSo(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	header := strings.TrimPrefix(site.URL, "http://") + ":X-Key"
	dir, s := t.TempDir(), quick(site.URL+"/")
	s.Depth = 0
	for run, want := range []bool{false, true} {
		var log bytes.Buffer
		o := crawl.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
		if run == 0 {
			o.Headers = []string{header + "=secret"}
		} else {
			var err error
			if s, err = crawl.SettingsOf(dir); err != nil {
				t.Fatal(err)
			}
		}
		c, err := crawl.OpenWith(dir, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), header); got != want {
			t.Errorf("run %d names the header in its log: %v, want %v:\n%s", run, got, want, log.String())
		}
	}
}

func TestACrawlLogsInAndStaysLoggedIn(t *testing.T) {
	t.Parallel()
	var site *httptest.Server
	signedOut := false
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch c, _ := r.Cookie("sid"); {
		case r.URL.Path == "/login" && r.Method == http.MethodPost && r.PostFormValue("pw") == "secret":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "open", Path: "/"})
		case r.URL.Path == "/login":
			io.WriteString(w, `<form method=post><input name=pw type=password></form>`)
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case strings.Contains(r.URL.Path, "logout"):
			signedOut = true
		case c == nil || c.Value != "open":
			http.Error(w, "no", http.StatusForbidden)
		default:
			fmt.Fprintf(w, `<title>In %s</title><p>%s<a href=/more>more</a> <a href=/user/logout>bye</a>`, r.URL.Path, text(r.URL.Path))
		}
	}))
	defer site.Close()
	for password, want := range map[string]int{"secret": 2, "guess": 0} {
		s := quick(site.URL + "/")
		s.Credentials = secretFile(t, "- host: "+strings.TrimPrefix(site.URL, "http://")+"\n  login:\n    page: "+site.URL+"/login\n    form:\n      pw: "+password+"\n")
		c, err := crawl.OpenWith(t.TempDir(), s, crawl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Run(t.Context())
		n := 0
		for p := range c.Pages(t.Context()) {
			if p.Verdict == page.VerdictNew {
				n++
			}
		}
		if n != want || (err == nil) != (want > 0) || err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("with the password %s: %d pages, %v; want %d", password, n, err, want)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if signedOut {
		t.Error("the crawl followed the link that ends its session")
	}
}

func TestAHostHasSettingsOfItsOwn(t *testing.T) {
	t.Parallel()
	a, b := smallSite(), smallSite()
	defer a.Close()
	defer b.Close()
	s := quick(a.URL+"/", b.URL+"/")
	s.Hosts = filepath.Join(t.TempDir(), "hosts.yaml")
	file := "- host: " + strings.TrimPrefix(a.URL, "http://") + "\n  max-pages: 2\n  delay: 1ms\n  per-host: 2\n"
	if err := os.WriteFile(s.Hosts, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Workers = 1
	if err := s.Set("dedup", "mark"); err != nil {
		t.Fatal(err)
	}
	c, err := crawl.OpenWith(t.TempDir(), s, crawl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := make(map[string]int)
	for p, err := range c.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != 0 {
			n[weburl.HostOf(p.URL)]++
		}
	}
	if got, want := n[strings.TrimPrefix(a.URL, "http://")], 2; got != want {
		t.Errorf("%d pages of the host with a limit, want %d", got, want)
	}
	if got, want := n[strings.TrimPrefix(b.URL, "http://")], 5; got != want {
		t.Errorf("%d pages of the other, want %d", got, want)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsFetchedInQuietHours(t *testing.T) {
	t.Parallel()
	hours, err := configs.ParseQuietHours([]string{"08:00-18:00", "23:30-01:00"})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"07:59": "", "08:00": "01 18:00", "17:59": "01 18:00", "18:00": "", "23:29": "", "23:30": "02 01:00", "00:59": "01 01:00", "01:00": ""} {
		if got := quietUntil(t, hours, at); got != want {
			t.Errorf("%s is quiet until %q, want %q", at, got, want)
		}
	}
	for _, c := range []struct{ hours, at, want string }{
		{"08:00-12:00 11:00-14:00", "09:00", "01 14:00"},
		{"22:00-24:00 00:00-06:00", "23:00", "error"},
		{"22:00-00:00 00:00-06:00", "23:00", "02 06:00"},
		{"00:00-12:00 12:00-00:00", "06:00", "02 12:00"}, // the whole day
	} {
		hours, err := configs.ParseQuietHours(strings.Fields(c.hours))
		if err != nil {
			if c.want != "error" {
				t.Errorf("%s: %v", c.hours, err)
			}
			continue
		}
		if got := quietUntil(t, hours, c.at); got != c.want {
			t.Errorf("%s: %s is quiet until %q, want %q", c.hours, c.at, got, c.want)
		}
	}
	// Where the clock is set a span may end at a time that is there twice, or not at all.
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ hours, at string }{{"02:00-02:45", "2026-10-25T01:30:20Z"}, {"01:00-02:30", "2026-03-29T00:45:20Z"}} {
		hours, err := configs.ParseQuietHours([]string{c.hours})
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if until := hours.Until(at.In(berlin)); !until.After(at) || until.Sub(at) > 2*time.Hour {
			t.Errorf("%s: %s is quiet until %v", c.hours, at.In(berlin), until)
		}
	}
	for _, bad := range []string{"", "8", "08:00", "08:00-08:00", "25:00-26:00", "night"} {
		if _, err := configs.ParseQuietHours([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// quietUntil returns the day and time at which the quiet hours end that a time of the first day is
// in; "": it is in none.
func quietUntil(t *testing.T, hours configs.QuietHours, at string) string {
	t.Helper()
	when, err := time.Parse("2006-01-02 15:04", "2026-11-01 "+at)
	if err != nil {
		t.Fatal(err)
	}
	if until := hours.Until(when); !until.IsZero() {
		return until.Format("02 15:04")
	}
	return ""
}
