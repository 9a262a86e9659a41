package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/testserver/dustsites"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestRulesOfAJobAreShownCarriedOverAndRevoked goes with one job through all of
// crawl rules, as a user would.
func TestRulesOfAJobAreShownCarriedOverAndRevoked(t *testing.T) {
	slow.Test(t, "crawls a site again and again")
	site, err := dustsites.New(dustsites.Options{Seed: 5, Pages: 60, Links: 12, Patterns: []string{"parameter", "referrer"}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(site)
	defer srv.Close()
	dir := t.TempDir()
	job, other, file := filepath.Join(dir, "job"), filepath.Join(dir, "other"), filepath.Join(dir, "rules.json")
	crawl := func(want int, args ...string) string {
		t.Helper()
		var out, told bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &told); code != want {
			t.Fatalf("crawl %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, told.String())
		}
		return out.String()
	}
	has := func(text string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Fatalf("%q is not in\n%s", p, text)
			}
		}
	}
	crawl(0, "run", "--job", job, "-u", srv.URL+"/", "--delay", "0", "--workers", "1", "--url-rules-learn", "skip")
	has(crawl(0, "rules", "list", "--job", job), "skip", "parameter tok does not matter on ")
	address := srv.URL + "/" + linked(t, site)
	has(crawl(0, "rules", "explain", "--job", job, address+"?from=nowhere"), "decision: ", "fetched as "+address, "right for ")
	list := filepath.Join(dir, "urls.txt")
	if err := os.WriteFile(list, []byte(address+"?tok=1\n"+address+"?tok=2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	has(crawl(0, "rules", "test", "--job", job, list), address+"?tok=2  = "+address+"?tok=1 (")

	exported := crawl(0, "rules", "export", "--job", job)
	if err := os.WriteFile(file, []byte(exported), 0o644); err != nil {
		t.Fatal(err)
	}
	has(crawl(0, "rules", "import", "--job", other, file, "--json"), `"known":0`)
	has(crawl(0, "rules", "import", "--job", other, file), "0 rules imported")
	has(crawl(0, "rules", "list", "--job", other), "parameter tok does not matter on ")

	var status gatecrawl.Status
	read := func() {
		t.Helper()
		status = gatecrawl.Status{} // a name that no longer occurs is not in the answer
		if err := json.Unmarshal([]byte(crawl(0, "status", "--job", job, "--json")), &status); err != nil {
			t.Fatal(err)
		}
	}
	read()
	left := status.Avoided["parameter"]
	if left == 0 || left != status.Rules[gatecrawl.RuleDust] {
		t.Fatalf("%d addresses were left out by parameters, %d by rules; want as many, and some", left, status.Rules[gatecrawl.RuleDust])
	}
	for _, line := range strings.Split(strings.TrimSpace(crawl(0, "rules", "list", "--job", job, "--json")), "\n") {
		var r dust.Learned
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		has(crawl(0, "rules", "revoke", "--job", job, r.ID), r.ID)
	}
	crawl(0, "check", "--job", job)
	crawl(0, "run", "--job", job)
	crawl(0, "check", "--job", job)
	read()
	if n := status.Rules[gatecrawl.RuleDust]; n != 0 {
		t.Errorf("after all rules were revoked and the crawl went on %d addresses are left out, want none: %v", n, status.Avoided)
	}
	crawl(1, "rules", "revoke", "--job", job, "0123456789abcdef")
	crawl(2, "rules", "revoke", "--job", job, "no")
}

// TestKilledCrawlsKeepTheirRules kills a crawl that learns at random moments, and
// then its re-crawl. What is left out is in order after each kill, and each document
// has a record in the end.
func TestKilledCrawlsKeepTheirRules(t *testing.T) {
	slow.Test(t, "kills crawls")
	const kills, documents = 2, 60
	site, err := dustsites.New(dustsites.Options{Seed: 7, Pages: documents, Links: 12, Patterns: []string{"parameter", "value", "sometimes"}})
	if err != nil {
		t.Fatal(err)
	}
	var asked requestCount
	srv := httptest.NewServer(asked.of(site))
	defer srv.Close()
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	bin, job := buildCrawl(t), filepath.Join(t.TempDir(), "job")
	args := []string{"run", "--job", job, "--delay", "1ms", "--url-rules-learn", "skip", "-u", srv.URL + "/"}
	hits := 0
	for crawl := range 2 { // the second is a re-crawl
		for range kills {
			was, _ := killed(t, exec.Command(bin, args...), asked.get, 10+rng.IntN(2*documents))
			if was {
				hits++
			}
			checkKilled(t, bin, job)
		}
		command(t, "run", "--job", job)
		command(t, "check", "--job", job)
		had := make(map[int]bool)
		for url := range settledOf(t, bin, job) {
			if n, ok := site.Document(strings.TrimPrefix(url, srv.URL)); ok {
				had[n] = true
			}
		}
		for n := range documents {
			if !had[n] {
				t.Errorf("crawl %d: no address of document %d was fetched", crawl, n)
			}
		}
	}
	var s gatecrawl.Status
	out, err := exec.Command(bin, "status", "--json", "--job", job).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills; %d fetched, %d left out, %d wrong, %d re-opened", hits, s.Fetched, s.Rules[gatecrawl.RuleDust], s.Wrong, s.Reopened)
	if s.Rules[gatecrawl.RuleDust] == 0 || s.Revisits == 0 {
		t.Errorf("%d addresses are left out, %d pages were asked for again: want some of both", s.Rules[gatecrawl.RuleDust], s.Revisits)
	}
}

// linked returns the path of an article, without its slash.
func linked(t *testing.T, site *dustsites.Site) string {
	t.Helper()
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest("GET", "/list/0", nil))
	_, after, ok := strings.Cut(w.Body.String(), `href="/`)
	path, _, end := strings.Cut(after, `"`)
	if !ok || !end {
		t.Fatal("a listing without links")
	}
	return path
}
