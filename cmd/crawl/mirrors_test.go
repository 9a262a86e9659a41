package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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
