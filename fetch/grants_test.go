package fetch

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/fetch/access"
)

func siteOf(t testing.TB, origin string) access.Site {
	t.Helper()
	s, err := access.ParseSite(strings.TrimPrefix(strings.TrimPrefix(origin, "http://"), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func basic(t testing.TB, origin string) access.Header {
	t.Helper()
	h, err := access.Basic(siteOf(t, origin), "me", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A redirect is the link of the one who sends it: neither it nor a robots.txt that leads
// elsewhere takes credentials along.
func TestCredentialsReachTheirHostAlone(t *testing.T) {
	var asked []string
	note := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			asked = append(asked, fmt.Sprintf("%s%s %s:%s", name, r.URL.Path, user, password))
		}
	}
	other := serve(t, note("other"))
	own := ""
	own = serve(t, func(w http.ResponseWriter, r *http.Request) {
		note("own")(w, r)
		if r.URL.Path != "/page" {
			http.Redirect(w, r, other+"/from"+r.URL.Path, http.StatusFound)
		}
	})
	f := newFetcher(t, Options{Grants: &access.Grants{Headers: []access.Header{basic(t, own)}}})
	mustFetch(t, f, own+"/page")
	r := mustFetch(t, f, own+"/away")
	mustFetch(t, f, r.Location())
	f.Robots(t.Context(), own)
	f.Robots(t.Context(), other)
	if _, err := f.Fetch(Bare(t.Context()), mustParse(t, own+"/page")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"own/page me:secret", "own/away me:secret", "other/from/away :",
		"own/robots.txt me:secret", "other/from/robots.txt :", "other/robots.txt :", "own/page :",
	}
	if got := strings.Join(asked, ", "); got != strings.Join(want, ", ") {
		t.Errorf("asked:\n%s\nwant:\n%s", got, strings.Join(want, ", "))
	}
}

func TestErrorsHaveNoCredentials(t *testing.T) {
	f := newFetcher(t, Options{Grants: &access.Grants{Headers: []access.Header{basic(t, "127.0.0.1:1")}}})
	_, err := f.Fetch(t.Context(), mustParse(t, "http://127.0.0.1:1/"))
	if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), basic(t, "127.0.0.1:1").Value) {
		t.Errorf("%v", err)
	}
}

// loginSite lets in who sends the form that it shows, with its hidden field.
func loginSite(t testing.TB, form string) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Cookie("session")
		switch {
		case r.URL.Path == "/login" && r.Method == http.MethodGet:
			http.SetCookie(w, &http.Cookie{Name: "pre", Value: "1", Path: "/"})
			io.WriteString(w, form)
		case r.URL.Path == "/enter" && r.Method == http.MethodPost:
			if pre, err := r.Cookie("pre"); err != nil || pre.Value != "1" || r.PostFormValue("token") != "t&1" || r.PostFormValue("password") != "secret" || r.PostForm.Has("go") || r.PostForm.Get("domain") != "staff" || r.PostForm.Get("note") != "hi" {
				io.WriteString(w, "wrong password")
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "open", Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/home", http.StatusSeeOther)
		case c != nil && c.Value == "open":
			io.WriteString(w, "welcome")
		default:
			http.Error(w, "who are you?", http.StatusForbidden)
		}
	})
}

const loginPage = `<form action="/search"><input name=q></form>
<form method=post action="enter"><input name=user><input type=password name=password>
<input type=hidden name=token value="t&amp;1"><input type=submit name=go><input type=checkbox name=stay>
<select name=domain><option value=a>A<option selected>staff</select><textarea name=note>
hi</textarea></form>`

func loginAt(t testing.TB, origin, password string) access.Login {
	return access.Login{
		Site: siteOf(t, origin), Page: mustParse(t, origin+"/login"),
		Fields: url.Values{"user": {"me"}, "password": {password}},
	}
}

func TestALoginOpensTheSite(t *testing.T) {
	origin := loginSite(t, loginPage)
	l := loginAt(t, origin, "secret")
	l.Expect = "welcome"
	f := newFetcher(t, Options{Grants: &access.Grants{Jar: access.NewJar(), Logins: []access.Login{l}}})
	if r := mustFetch(t, f, origin+"/home"); r.Status != http.StatusForbidden {
		t.Fatalf("status %d before the login", r.Status)
	}
	if err := f.Login(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if r := mustFetch(t, f, origin+"/home"); string(r.Body) != "welcome" {
		t.Errorf("%d %q after the login", r.Status, r.Body)
	}
}

func TestALoginThatFailsSaysWhy(t *testing.T) {
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("the other site is asked for %s", r.URL) })
	for what, c := range map[string]struct {
		form, password, expect, want string
	}{
		"a wrong password":         {loginPage, "guess", "", "sets no cookie"},
		"a page without a text":    {loginPage, "secret", "good morning", `does not have the text "good morning"`},
		"a name that is not there": {strings.Replace(loginPage, "name=user", "name=login", 1), "guess", "", `the form has no field user`},
		"no form":                  {"<p>hello", "secret", "", "no form of the page"},
		"a form by GET":            {`<form action=/enter><input name=password></form>`, "secret", "", "sent by GET"},
		"a form to another site":   {`<form method=post action="` + elsewhere + `/x"><input name=password></form>`, "secret", "", "is sent to " + elsewhere},
		"a form to an error":       {`<form method=post action=/nowhere><input name=password></form>`, "secret", "", "403"},
	} {
		origin := loginSite(t, c.form)
		l := loginAt(t, origin, c.password)
		l.Expect = c.expect
		f := newFetcher(t, Options{Grants: &access.Grants{Jar: access.NewJar(), Logins: []access.Login{l}}})
		err := f.Login(t.Context(), l)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "guess") {
			t.Errorf("%s: %v, want %q and no password", what, err, c.want)
		}
	}
}

func TestALoginStaysOnItsSite(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("the other site is asked: %s", r.URL) })
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+"/login", http.StatusTemporaryRedirect)
	})
	l := loginAt(t, origin, "secret")
	f := newFetcher(t, Options{Grants: &access.Grants{Jar: access.NewJar(), Logins: []access.Login{l}}})
	if err := f.Login(t.Context(), l); err == nil || !strings.Contains(err.Error(), "it leads to "+other) {
		t.Errorf("%v", err)
	}
}

func TestCertificatesAreTrustedAsTheOptionsSay(t *testing.T) {
	a, b := quietTLS(t), quietTLS(t)
	for what, c := range map[string]struct {
		o    Options
		a, b bool
	}{
		"by default":                {Options{}, false, false},
		"one host is insecure":      {Options{Insecure: []access.Site{siteOf(t, a.URL)}}, true, false},
		"a certificate is trusted":  {Options{Roots: rootsOf(a)}, true, true}, // both have the same
		"and the host is not named": {Options{Roots: x509.NewCertPool()}, false, false},
	} {
		f := newFetcher(t, c.o)
		for url, want := range map[string]bool{a.URL: c.a, b.URL: c.b} {
			if _, err := f.Fetch(t.Context(), mustParse(t, url+"/")); (err == nil) != want {
				t.Errorf("%s: %s: %v, want an answer: %v", what, url, err, want)
			}
		}
	}
}

// quietTLS is a server whose certificate nobody has vouched for.
func quietTLS(t testing.TB) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func rootsOf(s *httptest.Server) *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(s.Certificate())
	return p
}

// Requests that bring ten times what was expected of them, and those that bring nothing, take
// the time that their bytes take.
func TestBandwidthHoldsOverSomePages(t *testing.T) {
	for _, size := range []int64{10 * firstGuess, firstGuess, 0} {
		synctest.Test(t, func(t *testing.T) {
			r, start := newRate(firstGuess), time.Now()
			const n = 20
			for range n {
				booked, err := r.wait(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				body := &paced{bytes.NewReader(make([]byte, size)), t.Context(), r, booked, sleepUntil}
				if n, err := io.Copy(io.Discard, body); n != size || err != nil {
					t.Fatalf("read %d of %d bytes, %v", n, size, err)
				}
				r.came(booked, size)
			}
			one := time.Duration(size/firstGuess) * time.Second
			got, least := time.Since(start), (n-1)*one-time.Second // a body that is not longer than was booked is not waited for
			if most := n*one + time.Second; got < least || got > most {
				t.Errorf("%d bodies of %d bytes took %v, want %v to %v", n, size, got, least, most)
			}
		})
	}
}

// A long body comes no faster than the bandwidth, and takes longer than a request may
// without being given up: it is the crawl that waits.
func TestBandwidthHoldsWithinABody(t *testing.T) {
	// Not parallel: next to others, with the race detector, a second of work may take longer.
	const perSecond, size = 4 << 20, 6 << 20
	f := newFetcher(t, Options{Bandwidth: perSecond, MaxBody: size, Timeout: time.Second, StallTimeout: time.Second})
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, size)) })
	start := time.Now()
	r := mustFetch(t, f, address)
	if got, least := time.Since(start), (size-perSecond/4)*time.Second/perSecond; got < least {
		t.Errorf("%d bytes at %d a second came in %v, want %v or more", size, perSecond, got, least)
	}
	if len(r.Body) != size || r.Truncated {
		t.Errorf("%d of %d bytes, truncated %v", len(r.Body), size, r.Truncated)
	}
}

func TestWaitingForBandwidthEndsWithTheContext(t *testing.T) {
	f := newFetcher(t, Options{Bandwidth: leastBandwidth})
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") })
	mustFetch(t, f, address) // what it booked is settled, so no wait is left but the page's own
	if _, err := f.wire.rate.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Fetch(ctx, mustParse(t, address))
	wantError(t, err, PhaseCanceled, true, "")
}
