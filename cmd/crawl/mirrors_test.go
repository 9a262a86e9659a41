package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/farm"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// A crawl of mirrors that is killed again and again still has every content, and
// what was put off is in order. It kills twice, or as often as GATECRAWL_KILLS says.
func TestKilledCrawlsOfMirrorsLoseNothing(t *testing.T) {
	slow.Test(t, "kills crawls of a farm")
	kills := env.Number(t, "GATECRAWL_KILLS", 2)
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	f, err := farm.New(farm.Options{Seed: 401, Families: 1, Pages: 400})
	if err != nil {
		t.Fatal(err)
	}
	origin := make(map[string]string)
	contents := make(map[string]*farm.Site)
	bin, job := buildCrawl(t), filepath.Join(t.TempDir(), "job")
	args := []string{"run", "--job", job, "--delay", "0", "--workers", "8", "--mirrors", "on"}
	f.Sites = f.Sites[:3] // the original and two whole copies
	var asked requestCount
	for _, s := range f.Sites {
		srv := httptest.NewServer(asked.of(s.Handler(func(name string) string { return origin[name] })))
		defer srv.Close()
		origin[s.Name], contents[srv.URL] = srv.URL, s
		args = append(args, "-u", srv.URL+"/")
	}
	for range kills {
		killed(t, exec.Command(bin, args...), asked.get, rng.IntN(400))
		checkKilled(t, bin, job)
	}
	if out, err := exec.Command(bin, args...).CombinedOutput(); err != nil {
		t.Fatalf("last run: %v\n%s", err, out)
	}
	if out, err := exec.Command(bin, "check", "--job", job).CombinedOutput(); err != nil {
		t.Fatalf("check: %v\n%s", err, out)
	}
	out, err := exec.Command(bin, "pages", "--json", "--job", job).Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[uint64]bool)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p page.Record
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for o, s := range contents {
			if path, ok := strings.CutPrefix(p.URL, o); ok && p.Document() {
				seen[s.Page(path).Content] = true
			}
		}
	}
	missed := 0
	for _, s := range f.Sites {
		for _, p := range s.Pages {
			if p.Redirect == "" && !seen[p.Content] {
				missed++
			}
		}
	}
	status, err := exec.Command(bin, "status", "--json", "--job", job).Output()
	if err != nil {
		t.Fatal(err)
	}
	var s gatecrawl.Status
	if err := json.Unmarshal(status, &s); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d fetched, mirrors %v, %d contents missed", s.Fetched, s.Mirrors, missed)
	if missed > 0 {
		t.Errorf("%d contents were never fetched", missed)
	}
	if s.Mirrors["deferred"] == 0 {
		t.Error("nothing was put off: the test says nothing of mirrors")
	}
}

// A crawl that stopped early knows little: the sites are asked, each as its
// robots.txt allows.
func TestLiveProbesObeyRobotsAndAreFew(t *testing.T) {
	f, err := farm.New(farm.Options{Seed: 402, Families: 1, Pages: 120})
	if err != nil {
		t.Fatal(err)
	}
	origin := make(map[string]string)
	var asked []string
	var mu sync.Mutex
	job := filepath.Join(t.TempDir(), "job")
	args := []string{"run", "--job", job, "--delay", "0", "--workers", "1", "--max-pages-per-host", "67", "--mirrors", "watch"}
	for _, s := range f.Sites {
		if s.Name != "f0.example" && s.Name != "exact-0.test" && s.Name != "translation-0.test" {
			continue
		}
		site := s.Handler(func(name string) string { return origin[name] })
		shut := s.Name == "exact-0.test"
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if shut && r.URL.Path == "/robots.txt" {
				io.WriteString(w, "User-agent: *\nDisallow: /*.php\n")
				return
			}
			mu.Lock()
			asked = append(asked, r.Host+r.URL.RequestURI())
			mu.Unlock()
			site.ServeHTTP(w, r)
		}))
		defer srv.Close()
		origin[s.Name] = srv.URL
		args = append(args, "-u", srv.URL+"/")
	}
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("run: exit code %d: %s", code, errs.String())
	}
	crawled := len(asked)
	out.Reset()
	if code := run([]string{"mirrors", "--job", job, "--probe", "live", "--json"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("mirrors: exit code %d: %s", code, errs.String())
	}
	probes, mirrors := 0, 0
	for dec := json.NewDecoder(&out); ; {
		var l control.MirrorLine
		if err := dec.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pairs := []mirror.Pair{}
		if l.Group != nil {
			pairs = l.Members
			mirrors += len(pairs)
		} else {
			pairs = append(pairs, *l.Pair)
		}
		for _, p := range pairs {
			if p.Relation == nil {
				continue
			}
			probes += p.Probes
			if p.Probes > 20 {
				t.Errorf("%s and %s cost %d requests, want at most 20", p.A, p.B, p.Probes)
			}
		}
	}
	if got := len(asked) - crawled; got < probes || probes == 0 || got > 3*20 {
		t.Errorf("%d requests for three pairs were made, and %d are told of; want some, and at most 20 a pair", got, probes)
	}
	for _, a := range asked {
		if strings.HasPrefix(origin["exact-0.test"], "http://"+strings.Split(a, "/")[0]) && strings.Contains(a, ".php") {
			t.Errorf("%s was asked for against robots.txt", a)
		}
	}
	if mirrors != 1 {
		t.Errorf("%d mirrors found, want 1: the translation is none", mirrors)
	}
}

// The first seed goes its own way: its last pages say something else than those of three equal sites, which were left out for it until then. Afterwards two
// of them are left out for the third. mirrors shows them below that one, with as many URLs as the crawl says, and says why each of the others was fetched.
func TestMirrorsShowsTheSiteThatIsAskedAfterTheFirstWasGivenUp(t *testing.T) {
	const pages = 240
	var mu sync.Mutex
	order := make(map[string]int) // of the first seed's pages
	serve := func(k int) string {
		l, err := net.Listen("tcp", fmt.Sprintf("127.46.%d.1:0", k+1)) // another owner each
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			seed := r.URL.Path
			if r.URL.Path == "/" {
				for i := range pages {
					fmt.Fprintf(w, `<p><a href="/p%d">Page %d</a>`, i, i)
				}
				return
			}
			if !strings.HasPrefix(r.URL.Path, "/p") {
				http.NotFound(w, r)
				return
			}
			if k == 0 {
				mu.Lock()
				if order[r.URL.Path] == 0 {
					order[r.URL.Path] = len(order) + 1
				}
				if order[r.URL.Path] > pages-12 {
					seed += "other"
				}
				mu.Unlock()
			}
			words := rand.New(rand.NewPCG(xxhash.Sum64String(seed), 7))
			fmt.Fprintf(w, "<html lang=en><head><title>Page %s</title></head><body><main><h1>Page %s</h1><p>", r.URL.Path, r.URL.Path)
			for range 150 {
				fmt.Fprintf(w, "word%d ", words.IntN(5000))
			}
			fmt.Fprint(w, "</main></body></html>")
		}))
		srv.Listener.Close()
		srv.Listener = l
		srv.Start()
		t.Cleanup(srv.Close)
		return srv.URL
	}
	job := filepath.Join(t.TempDir(), "job")
	args := []string{"run", "--job", job, "--allow-private", "--delay", "0", "--workers", "2"}
	var sites []string
	for k := range 4 {
		sites = append(sites, serve(k))
		args = append(args, "-u", sites[k]+"/")
	}
	answer := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	answer(args...)
	var s gatecrawl.Status
	if err := json.Unmarshal([]byte(answer("status", "--json", "--job", job)), &s); err != nil {
		t.Fatal(err)
	}
	if s.Mirrors["given-up"] == 0 || s.Rules["mirror"] == 0 {
		t.Fatalf("mirrors %v: the test says nothing of a site that was given up and replaced", s.Mirrors)
	}
	var l control.MirrorLine
	if err := json.NewDecoder(strings.NewReader(answer("mirrors", "--json", "--job", job))).Decode(&l); err != nil || l.Group == nil {
		t.Fatalf("mirrors --json: %v, %+v", err, l)
	}
	table := answer("mirrors", "--job", job)
	sum := 0
	for _, m := range l.Members {
		sum += m.Deferred
		if told := strings.Contains(table, m.Relation.B+" was fetched too: "); told != (m.Deferred == 0) {
			t.Errorf("%s: %d URLs were not asked for; told why it was fetched: %v", m.Relation.B, m.Deferred, told)
		}
	}
	if l.Canonical == sites[0] || sum != int(s.Rules["mirror"]) {
		t.Errorf("%s is canonical (%s), and %d URLs of its %d members were not asked for; want one of those that are asked, and %d, as status has it\n%s", l.Canonical, l.Why, sum, len(l.Members), s.Rules["mirror"], table)
	}
}
