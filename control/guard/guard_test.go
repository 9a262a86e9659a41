package guard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const token = "a token of more than 16 bytes"

// behind returns a guard and what it guards.
func behind(t *testing.T, addr, token string) (*Guard, http.Handler) {
	t.Helper()
	g, err := New(addr, token)
	if err != nil {
		t.Fatal(err)
	}
	g.Login = func(w http.ResponseWriter, _ *http.Request, failed bool) {
		if failed {
			w.WriteHeader(http.StatusUnauthorized)
		}
		io.WriteString(w, "which token?")
	}
	return g, g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "inside") }))
}

// A request as a test has it.
type asked struct {
	method, path, host, body string
	header                   map[string]string
}

func (a asked) to(h http.Handler) *httptest.ResponseRecorder {
	method := a.method
	if method == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, "http://"+a.host+a.path, strings.NewReader(a.body))
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestWithoutATokenAServerIsOfThisMachineAlone(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:8900": true, "localhost:8900": true, "[::1]:8900": true, "127.9.9.9:1": true,
		"0.0.0.0:8900": false, ":8900": false, "192.168.1.2:8900": false, "[::]:8900": false, "example.org:8900": false, "8900": false, "127.0.0.1:": false,
	} {
		if _, err := New(addr, ""); (err == nil) != ok {
			t.Errorf("New(%q) without a token = %v", addr, err)
		}
	}
	if _, err := New("0.0.0.0:8900", token); err != nil {
		t.Errorf("New with a token = %v", err)
	}
	if _, err := New("127.0.0.1:8900", "short"); err == nil {
		t.Error("a short token is taken")
	}
}

func TestANameThatLeadsToThisMachineIsNotServed(t *testing.T) { // DNS rebinding
	_, h := behind(t, "127.0.0.1:8900", "")
	for host, want := range map[string]int{
		"127.0.0.1:8900": 200, "localhost:9999": 200, "[::1]:8900": 200, "localhost": 200,
		"evil.example": 421, "evil.example:8900": 421, "127.0.0.1.evil.example:8900": 421, "192.168.1.2:8900": 421,
	} {
		if w := (asked{path: "/", host: host}).to(h); w.Code != want {
			t.Errorf("asked as %s the server says %d, want %d", host, w.Code, want)
		}
	}
}

func TestWhatAPageOfAnotherSiteSendsIsRefused(t *testing.T) { // CSRF
	g, h := behind(t, "127.0.0.1:8900", "")
	form := url.Values{"do": {"stop"}, FormField: {g.FormToken()}}.Encode()
	for name, c := range map[string]struct {
		asked
		want int
	}{
		"the form of this page":        {asked{body: form, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "http://127.0.0.1:8900", "Sec-Fetch-Site": "same-origin"}}, 200},
		"another site's form":          {asked{body: form, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}}, 403},
		"an old browser's":             {asked{body: form, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"}}, 403},
		"another port of this machine": {asked{body: form, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "http://127.0.0.1:9999", "Sec-Fetch-Site": "same-site"}}, 403},
		"a form without its token":     {asked{body: "do=stop", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, 403},
		"a form with another token":    {asked{body: "do=stop&form=0", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, 403},
		"text that any page can send":  {asked{body: "{}", header: map[string]string{"Content-Type": "text/plain"}}, 415},
		"nothing":                      {asked{}, 415},
		"JSON of a program":            {asked{body: "{}", header: map[string]string{"Content-Type": "application/json"}}, 200},
		"JSON of another site":         {asked{body: "{}", header: map[string]string{"Content-Type": "application/json", "Origin": "https://evil.example"}}, 403},
	} {
		c.method, c.path, c.host = http.MethodPost, "/steer", "127.0.0.1:8900"
		if w := c.to(h); w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"} {
		if w := (asked{method: method, path: "/", host: "localhost"}).to(h); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s is answered by %d", method, w.Code)
		}
	}
}

func TestWhoHasNoTokenSeesNothing(t *testing.T) {
	g, h := behind(t, "0.0.0.0:8900", token)
	get := func(path string, header map[string]string) int {
		return asked{path: path, host: "crawl.example:8900", header: header}.to(h).Code
	}
	for _, path := range []string{"/", "/pages", "/metrics", "/api/v1/status", "/events", "/debug/pprof/", "/static/live.js"} {
		for name, header := range map[string]map[string]string{
			"nothing": {}, "a wrong token": {"Authorization": "Bearer wrong"}, "an empty one": {"Authorization": "Bearer "},
			"another kind": {"Authorization": "Basic " + token}, "a made-up session": {"Cookie": cookie + "=0"},
			"the form's token as session": {"Cookie": cookie + "=" + g.FormToken()},
		} {
			if code := get(path, header); code != http.StatusUnauthorized {
				t.Errorf("%s with %s: %d, want 401", path, name, code)
			}
		}
		if code := get(path, map[string]string{"Authorization": "Bearer " + token}); code != http.StatusOK {
			t.Errorf("%s with the token: %d", path, code)
		}
	}
	for _, path := range open {
		if code := get(path, nil); code != http.StatusOK {
			t.Errorf("%s, which says nothing of a job: %d", path, code)
		}
	}
	if code := get("/", map[string]string{"Accept": "text/html"}); code != http.StatusSeeOther {
		t.Errorf("a browser is answered by %d, want to be led to the form", code)
	}
}

func TestATokenOpensASessionThatScriptsCannotRead(t *testing.T) {
	_, h := behind(t, "0.0.0.0:8900", token)
	post := func(text string) *httptest.ResponseRecorder {
		return asked{method: "POST", path: "/login", host: "crawl.example", body: url.Values{"token": {text}}.Encode(),
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}.to(h)
	}
	if w := post("wrong"); w.Code != http.StatusUnauthorized || len(w.Result().Cookies()) > 0 {
		t.Errorf("a wrong token: %d, %v", w.Code, w.Result().Cookies())
	}
	w := post(token)
	cs := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cs) != 1 || !cs[0].HttpOnly || cs[0].SameSite != http.SameSiteStrictMode || strings.Contains(cs[0].Value, token) {
		t.Fatalf("the token: %d, %v", w.Code, cs)
	}
	if got := (asked{path: "/", host: "crawl.example", header: map[string]string{"Cookie": cookie + "=" + cs[0].Value}}).to(h); got.Code != http.StatusOK {
		t.Errorf("with the session: %d", got.Code)
	}
	_, other := behind(t, "0.0.0.0:8900", token) // a crawl that was started again
	if got := (asked{path: "/", host: "crawl.example", header: map[string]string{"Cookie": cookie + "=" + cs[0].Value}}).to(other); got.Code != http.StatusUnauthorized {
		t.Errorf("with a session of an earlier process: %d", got.Code)
	}
}

func TestABrowserIsToldToRunAndLoadNothingElse(t *testing.T) {
	_, h := behind(t, "127.0.0.1:8900", "")
	for _, host := range []string{"localhost", "evil.example"} { // of refusals too
		head := asked{path: "/", host: host}.to(h).Header()
		csp := head.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("the policy %q lacks %s", csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
			t.Errorf("the policy %q lets too much through", csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
			if head.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, head.Get(name), want)
			}
		}
	}
}

func TestATokenThatOthersCanReadIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{token + "\nmore\n", 0o600, ""},
		{token, 0o644, "can be read by others"},
		{token, 0o640, "can be read by others"},
		{"short\n", 0o600, "want 16 or more"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(path)
		if c.want == "" && (err != nil || got != token) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("ReadToken of mode %v = %q, %v, want %q", c.mode, got, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("the error shows the token: %v", err)
		}
	}
}
