package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/fold"
	"gatecrawl.example/gatecrawl/store/suite"
)

// open starts a job that no crawl works on yet.
func open(t *testing.T) (*crawl.Crawl, *control.Running) {
	t.Helper()
	s := configs.Default()
	s.URL, s.Contact = []string{"http://a.example/"}, "me@example.org"
	c, err := crawl.Open(t.TempDir(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &control.Running{Crawl: c, Board: board.New()}
	r.Seeds = func(ctx context.Context, list io.Reader, name string) (came control.AddedSeeds, err error) {
		came.Added, err = c.AddSeeds(ctx, list, name, came.Fault)
		return came, err
	}
	return c, r
}

// ask sends a request to the interface.
func ask(h http.Handler, method, path, kind, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, Base+path, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestBadInputIsRefusedInWordsOfTheRequest(t *testing.T) {
	c, running := open(t)
	h := Handler(control.Answers(c.Job(), running), running)
	for _, c := range []struct{ method, path, body, want string }{
		{http.MethodGet, "/rows?verdict=nice", "", `verdict: there is no verdict "nice"`},
		{http.MethodGet, "/rows?parts=views,bodys", "", `parts: there is no part "bodys": want some of bodies, inlinks`},
		{http.MethodGet, "/pages?class=full", "", `class: there is no class "full": want one of [full-layout`},
		{http.MethodGet, "/pages?level=9", "", "level: 9: want 3, 4 or 5"},
		{http.MethodGet, "/pages?relevance=2", "", `relevance: "2": want a number from 0 to 1`},
		{http.MethodGet, "/pages?status=-1", "", "status: -1: want 0 or more"},
		{http.MethodGet, "/pages?limit=-1", "", "limit: -1: want 0 or more"},
		{http.MethodGet, "/pages?statsu=404", "", `there is no parameter "statsu" here`},
		{http.MethodGet, "/alive", "", "url is missing"},
		{http.MethodGet, "/fold", "", "url is missing"},
		{http.MethodGet, "/list", "", "url is missing"},
		{http.MethodGet, "/mirror?url=a.example", "", "other is missing"},
		{http.MethodPost, "/near", "{}", "page: packed view: it is empty"},
		{http.MethodPost, "/near", "x", "page: not a signature and a text of this version"},
		{http.MethodPost, "/settings", "", "the change: want a JSON object, got nothing"},
		{http.MethodPost, "/settings", `{"delay":2}`, "the change: delay: want a string, got a number"},
		{http.MethodPost, "/settings", `{"workers":"2"}`, "the change: workers: want a whole number, got a string"},
		{http.MethodPost, "/settings", `{"park":[]}`, "the change: park: want an object, got a list"},
		{http.MethodPost, "/settings", `{"delay":"2s"} {}`, "the change: want one JSON object, got more behind it"},
		{http.MethodPost, "/seeds", `["http://a.example/"]`, "the seeds: want a JSON object, got a list"},
		{http.MethodPost, "/seeds", "{}", "the seeds: urls is missing"},
	} {
		w := ask(h, c.method, c.path, "application/json", c.body)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d %s, want %d with %q", c.method, c.path, c.body, w.Code, w.Body, http.StatusBadRequest, c.want)
		}
	}
	if now := running.Controls().Delay; now != time.Duration(configs.Default().Delay) {
		t.Errorf("the delay is %v after changes that were refused", now)
	}
}

// A described is what openapi.json has that this test holds to the handlers.
type described struct {
	Paths map[string]map[string]struct {
		Parameters []struct{ Name string }
	}
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

func TestTheDescriptionIsOfTheHandlers(t *testing.T) {
	var d described
	if err := json.Unmarshal(openAPI, &d); err != nil {
		t.Fatal(err)
	}
	c, running := open(t)
	mux := Handler(control.Answers(c.Job(), running), running).(*http.ServeMux)
	for path, ops := range d.Paths {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			_, described := ops[strings.ToLower(method)]
			_, pattern := mux.Handler(httptest.NewRequest(method, Base+path, nil))
			if handled := pattern == method+" "+Base+path; handled != described {
				t.Errorf("%s %s: described %v, handled %v", method, path, described, handled)
			}
		}
	}
	for _, verb := range control.Verbs {
		if _, ok := d.Paths["/"+verb]["get"]; !ok {
			t.Errorf("GET /%s is not described", verb)
		}
	}
	for _, path := range []string{"/settings", "/pause", "/resume", "/stop", "/seeds", "/near", "/fold"} {
		if _, ok := d.Paths[path]["post"]; !ok {
			t.Errorf("POST %s is not described", path)
		}
	}
	known := []string{"url", "other", "verdict", "from", "limit", "by", "parts", "host", "rule", "reason", "status", "level", "class", "relevance"} // of control.Question
	for path, ops := range d.Paths {
		for _, p := range ops["get"].Parameters {
			if !slices.Contains(known, p.Name) {
				t.Errorf("GET %s has the parameter %s, which no question has", path, p.Name)
			}
		}
	}
	for name, v := range map[string]any{"Settings": control.Settings{}, "Change": control.Change{}, "AddedSeeds": control.AddedSeeds{},
		"FoldResult": fold.Result{}, "FoldedResult": fold.Folded{}, "FoldGroup": fold.Group{}} {
		var fields, told []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && tag != "-" {
				fields = append(fields, tag)
			}
		}
		for p := range d.Components.Schemas[name].Properties {
			told = append(told, p)
		}
		slices.Sort(fields)
		slices.Sort(told)
		if !slices.Equal(fields, told) {
			t.Errorf("%s has the fields %v, and %v are described", name, fields, told)
		}
	}
}

func TestQuestionsAndChangesOverTheNet(t *testing.T) {
	c, running := open(t)
	const js = "application/json"
	h := Handler(control.Answers(c.Job(), running), running)
	for _, q := range []struct {
		method, path, kind, body string
		code                     int
		want                     string
	}{
		{"GET", "/status", "", "", 200, `"queued":0`},
		{"POST", "/seeds", js, `{"urls":["http://a.example/","http://b.example/x"]}`, 200, `"added":2`},
		{"POST", "/seeds", "text/uri-list", "http://c.example/\nno address\n", 200, `"added":1,"bad":1`},
		{"POST", "/seeds", js, `{"urls":["http://127.0.0.1:22/","http://localhost/"]}`, 200, `"added":0,"bad":2`}, // the job has not been there
		{"POST", "/seeds", js, `{"uris":[]}`, 400, "unknown field"},
		{"GET", "/hosts?limit=1", "", "", 200, `"name":"`},
		{"GET", "/hosts?by=luck", "", "", 400, "not an order of hosts"},
		{"GET", "/queue", "", "", 200, `"queued":3`},
		{"GET", "/why?url=http://b.example/x", "", "", 200, `"state":"queued"`},
		{"GET", "/why?url=http://unheard.example/", "", "", 404, "not known"},
		{"GET", "/pages?verdict=new&limit=5", "", "", 200, ""},
		{"GET", "/pages?limit=x", "", "", 400, "not a number"},
		{"GET", "/pages?relevance=0.5", "", "", 200, ""},
		{"GET", "/refused?rule=exclude&limit=1", "", "", 200, ""},
		{"GET", "/refused?from=2", "", "", 400, "there is no parameter"},
		{"GET", "/live?limit=3", "", "", 200, `"pages_per_second":0`},
		{"GET", "/settings", "", "", 200, `"paused":false`},
		{"POST", "/pause", js, "", 200, `"paused":true`},
		{"GET", "/status", "", "", 200, `"paused":true`},
		{"POST", "/resume", js, "", 200, `"paused":false`},
		{"POST", "/settings", js, `{"delay":"2s","workers":4,"host_delay":{"a.example":"9s"},"exclude":["/login"]}`, 200, `"delay":"2s","host_delay":{"a.example":"9s"},"workers":4`},
		{"POST", "/settings", js, `{"delay":"soon"}`, 400, "is not a time"},
		{"POST", "/settings", js, `{"speed":1}`, 400, "unknown field"},
		{"POST", "/settings", js, `{"park":{"unheard.example":"1h"}}`, 404, "not known"},
		{"POST", "/settings", js, `{"park":{"a.example":"1h"}}`, 200, ""},
		{"GET", "/hosts?by=parked", "", "", 200, `"by_hand":true`},
		{"POST", "/stop", js, "", 200, ""},
		{"GET", "/openapi.json", "", "", 200, `"openapi": "3.1.0"`},
		{"GET", "/", "", "", 200, "POST /api/v1/pause          start no page until resume\n"},
		{"GET", "/sing", "", "", 404, ""},
		{"POST", "/fold", js, `{"results":[{"url":"http://q.example/","score":1},{"url":"https://www.q.example/index.html","score":2}]}`, 200, `"folded":[{"url":"http://q.example/","score":1,"place":1,"how":"url","similarity":1}]`},
		{"POST", "/fold", js, `{"results":[{"title":"no address"}]}`, 400, "result 1 has no url"},
		{"POST", "/fold", js, `{"list":[]}`, 400, "unknown field"},
		{"POST", "/fold", js, `{"results":[{"url":"http://q.example/"}]} {"results":[]}`, 400, "want one JSON object, got more behind it"},
		{"POST", "/fold", js, "", 400, "want a JSON object, got nothing"},
		{"POST", "/fold", js, "{}", 400, "results is missing"},
		{"POST", "/fold", js, `[]`, 400, "want a JSON object, got a list"},
		{"POST", "/fold", js, `{"results":[{"url":7}]}`, 400, "results.url: want a string, got a number"},
		{"POST", "/fold", js, `{"results":[]}`, 200, ""},
		{"POST", "/near", js, "", 400, "url is missing"},
		{"GET", "/fold?url=http://q.example/a%0Ahttp://q.example/b", "", "", 200, `"place":2`},
	} {
		if w := ask(h, q.method, q.path, q.kind, q.body); w.Code != q.code || !strings.Contains(w.Body.String(), q.want) {
			t.Errorf("%s %s %s: %d %s, want %d with %q", q.method, q.path, q.body, w.Code, w.Body, q.code, q.want)
		}
	}
	still := Handler(control.Answers(c.Job(), nil), nil)
	for _, path := range []string{"/pause", "/resume", "/stop", "/settings", "/seeds"} {
		if w := ask(still, "POST", path, js, "{}"); w.Code != http.StatusConflict {
			t.Errorf("POST %s where no crawl runs: %d %s", path, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/live", "/settings"} {
		if w := ask(still, "GET", path, "", ""); w.Code != http.StatusConflict {
			t.Errorf("GET %s where no crawl runs: %d %s", path, w.Code, w.Body)
		}
	}
	suite.Verify(t, c.Job())
}

// What docs/formats.md says of a question's parameters is what the API takes.
func TestTheDocumentHasTheParametersOfEachQuestion(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| question | answers like | parameters |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	said := make(map[string][]string)
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " |")
		verb := strings.Trim(cells[0], "| `\n")
		said[verb] = regexp.MustCompile("`[a-z]+`").FindAllString(cells[2], -1)
	}
	all := make(map[string]bool) // names of parameters; other words in a cell are values
	for _, of := range parameters() {
		for _, p := range of {
			all[p.Name] = true
		}
	}
	for _, verb := range control.Verbs {
		var takes, want []string
		for _, p := range parameters()["/"+verb] {
			takes = append(takes, p.Name)
		}
		for _, name := range said[verb] {
			if name = strings.Trim(name, "`"); all[name] && !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
		slices.Sort(takes)
		slices.Sort(want)
		if !slices.Equal(takes, want) {
			t.Errorf("%s takes %q, and docs/formats.md says %q", verb, takes, want)
		}
	}
}
