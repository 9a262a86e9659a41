package configs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCredentialsAreReadAsTheyAreWritten(t *testing.T) {
	s := configs.Default()
	s.Credentials = written(t, `# of the wiki
- host: wiki.example
  basic: {user: me, password: 0123}
- host: api.example:8443
  bearer: "a.b=="
- host: http://old.example
  login:
    page: http://old.example/login
    expect: Sign out
    form:
      user: me
      password: "p: #w"
`)
	g, err := s.LoadGrants([]string{"wiki.example:X-Key=1"})
	if err != nil {
		t.Fatal(err)
	}
	wiki, err := access.ParseSite("wiki.example")
	if err != nil {
		t.Fatal(err)
	}
	basic, err := access.Basic(wiki, "me", "0123")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Headers) != 3 || g.Headers[1] != basic || g.Headers[2].Value != "Bearer a.b==" || g.Headers[2].Site.String() != "api.example:8443" {
		t.Errorf("headers %+v", g.Headers)
	}
	u, err := weburl.Parse("http://old.example/login")
	if err != nil {
		t.Fatal(err)
	}
	if l := g.Logins[0]; l.Page != u || l.Expect != "Sign out" || l.Fields.Get("password") != "p: #w" || g.Jar == nil {
		t.Errorf("login %+v", g.Logins)
	}
	if g, err := configs.Default().LoadGrants(nil); g != nil || err != nil {
		t.Errorf("nothing is given: %v, %v", g, err)
	}
}

// A fault names the file and the line, and quotes nothing of the file.
func TestFaultsOfCredentialsNameTheLineAndNoSecret(t *testing.T) {
	for text, want := range map[string]string{
		"- host: a.example\n  basic: {user: me, pasword: SECRET}\n":                                                 ":2: pasword: no such key",
		"- host: a.example\n  basic: SECRET\n":                                                                      ":2: basic: user is missing",
		"- host: a.example\n  bearer: SECRET TOKEN\n":                                                               ":2: bearer: a.example: a bearer token is one word",
		"- host: a.example\n  barer: SECRET\n":                                                                      ":2: barer: no such key: want one of basic, bearer, login",
		"- host: https://SECRET@a.example\n  bearer: x\n":                                                           ":1: host: ",
		"- bearer: SECRET\n":                                                                                        ":1: want an entry that starts with - host: NAME",
		"host: a.example\nbearer: SECRET\n":                                                                         ":1: want a list",
		"- host: a.example\n  bearer: \"SECRET\n":                                                                   ": not YAML that can be read",
		"- host: a.example\n  bearer: [SECRET\n":                                                                    ": not YAML that can be read",
		"- host: a.example\n":                                                                                       ":1: a.example: nothing is said about this host",
		"- host: a.example\n  login: {page: 'https://b.example/x', form: {p: SECRET}}\n":                            ":2: page: https://b.example/x is not on a.example",
		"- host: a.example\n  login: {page: 'http://a.example/x', form: {p: SECRET}}\n":                             ":2: page: http://a.example/x is not on a.example, or not over TLS",
		"- host: a.example\n  login: {page: 'https://a.example/x'}\n":                                               ":2: login: want page: URL, and form:",
		"- host: a.example\n  basic: {user: 'a:b', password: SECRET}\n- host: b.example\n  login: {page: SECRET}\n": ":4: page: not a URL",
	} {
		s := configs.Default()
		s.Credentials = written(t, text)
		_, err := s.LoadGrants(nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), s.Credentials) ||
			strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v\nwant %q", text, err, want)
		}
	}
}

func TestHostsHaveSettingsOfTheirOwn(t *testing.T) {
	s := configs.Default()
	s.Hosts = written(t, "- host: a.example\n  delay: 5s\n  per-host: 3\n  max-pages: 10\n  max-new: 4\n  render: always\n  headers:\n    accept-language: de\n- host: b.example:81\n  delay: 1m\n")
	rules, err := s.LoadHosts()
	if err != nil || len(rules) != 2 {
		t.Fatalf("%+v, %v", rules, err)
	}
	a := rules[0]
	if a.Host != "a.example" || a.Delay.String() != "5s" || a.PerHost != 3 || a.Pages != 10 || a.New != 4 || a.Render != "always" || a.Headers[0].Name != "Accept-Language" || rules[1].Host != "b.example:81" {
		t.Errorf("%+v", rules)
	}
	if err := os.Chmod(s.Hosts, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LoadHosts(); err == nil || !strings.Contains(err.Error(), ":7: headers: a file with headers is its owner's alone") {
		t.Errorf("a file with headers that others can read: %v", err)
	}
	for text, want := range map[string]string{
		"- host: a.example\n  dely: 5s\n":                                   ":2: dely: no such key",
		"- host: a.example\n  delay: soon\n":                                ":2: delay: \"soon\" is not a time",
		"- host: a.example\n  per-host: 0\n":                                ":2: per-host: \"0\": want 1 to 10000",
		"- host: a.example\n  max-pages: x\n":                               ":2: max-pages: \"x\": want 1 page",
		"- host: a.example\n  render: maybe\n":                              ":2: render: ",
		"- host: a.example\n  delay: 1s\n- host: a.example\n  delay: 2s\n":  ":3: host: a.example is there twice",
		"- host: a.example\n  headers:\n    Host: b.example\n  delay: 1s\n": ":3: headers: a.example: the header Host",
	} {
		s.Hosts = written(t, text)
		if _, err := s.LoadHosts(); err == nil || !strings.Contains(err.Error(), s.Hosts+want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestAUserAgentNamesTheCrawler(t *testing.T) {
	for text, token := range map[string]string{"mybot/1.0": "mybot", "My-Bot (research)": "My-Bot", "Mozilla/5.0 (compatible; gatecrawl; of us)": "gatecrawl"} {
		s := configs.Default()
		s.UserAgent, s.Contact = text, "https://we.example/bot"
		o := s.FetchOptions("1")
		if err := s.Validate(); err != nil || o.Token != token || s.CrawlOptions().Token != token || o.Agent != text+" (+https://we.example/bot)" {
			t.Errorf("%s: token %q and %q, agent %q, %v; want token %q", text, o.Token, s.CrawlOptions().Token, o.Agent, err, token)
		}
	}
	for _, text := range []string{"Mozilla/5.0 (X11; Linux)", "1bot", "(x)", "bot\n"} {
		s := configs.Default()
		s.UserAgent = text
		if err := s.Validate(); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
