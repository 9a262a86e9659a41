package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/testserver/moves"
)

// Seeds 1 to 9 and 1001 to 1004 were looked at while the search was made.
var (
	movesSeed  = flag.Uint64("moves-seed", 3001, "first seed of the sites that move")
	movesSites = flag.Int("moves-sites", 1, "how many sites move")
	movesPages = flag.Int("moves-pages", 8, "pages of each folder of a site that moves")
)

// A tally counts the answers on one kind of page.
type tally struct{ asked, right, wrong int }

func (t *tally) share() float64 { return float64(t.right) / float64(max(1, t.asked)) }

func TestLostPagesAreFoundWhereTheyMoved(t *testing.T) {
	kinds := map[string]*tally{}
	var exact, partial, all tally
	for i := range *movesSites {
		m, err := moves.New(moves.Options{Seed: *movesSeed + uint64(i), Pages: *movesPages})
		if err != nil {
			t.Fatal(err)
		}
		for p, found := range moveAndAsk(t, m) {
			k := kinds[p.Kind]
			if k == nil {
				k = &tally{}
				kinds[p.Kind] = k
			}
			counts := []*tally{k, &all}
			switch {
			case p.Partial():
				counts = append(counts, &partial)
			case !p.Lost():
				counts = append(counts, &exact)
			}
			for _, c := range counts {
				c.asked++
				switch {
				case found == p.New:
					c.right++
				case found != "":
					c.wrong++
				}
			}
			if found != p.New && testing.Verbose() {
				t.Logf("%s: %s is at %q, found %q", p.Kind, p.Old, p.New, found)
			}
		}
	}
	for kind, k := range kinds {
		t.Logf("%-10s %4d asked, %4d right, %d wrong", kind, k.asked, k.right, k.wrong)
	}
	t.Logf("exact %.3f of %d, partial %.3f of %d, wrong %d of %d", exact.share(), exact.asked, partial.share(), partial.asked, all.wrong, all.asked)
	if exact.share() < 0.98 {
		t.Errorf("%d of %d exact moves found, want 98%%", exact.right, exact.asked)
	}
	if partial.share() < 0.6 {
		t.Errorf("%d of %d partial moves found, want 60%%", partial.right, partial.asked)
	}
	if all.wrong*100 > all.asked {
		t.Errorf("%d of %d answers are wrong, want 1%% at most", all.wrong, all.asked)
	}
}

// moveAndAsk crawls a site and its mirror, moves the site, crawls it again, and
// returns for each page the path that is found for it.
func moveAndAsk(t *testing.T, m *moves.Site) map[moves.Page]string {
	t.Helper()
	mirror := httptest.NewServer(m.Mirror())
	defer mirror.Close()
	site := httptest.NewServer(m.Site())
	defer site.Close()
	job := filepath.Join(t.TempDir(), "job")
	command(t, "run", "--job", job, "--delay", "0s", "--workers", "1", "-u", site.URL+"/", "-u", mirror.URL+"/")
	m.Move()
	command(t, "run", "--job", job, "--recrawl")
	list := "# lost\n\n"
	for _, p := range m.Pages {
		list += site.URL + p.Old + "\n"
	}
	var out, faults bytes.Buffer
	run([]string{"alive", "--job", job, "--delay", "0s", "--json", "--urls", "-"}, strings.NewReader(list), &out, &faults)
	dec := json.NewDecoder(&out)
	found := make(map[moves.Page]string)
	for _, p := range m.Pages {
		var s linkrot.Found
		if err := dec.Decode(&s); err != nil {
			t.Fatalf("answer %d: %v", len(found)+1, err)
		}
		if s.URL != site.URL+p.Old {
			t.Fatalf("answer %d is on %s, want %s", len(found)+1, s.URL, p.Old)
		}
		path := strings.TrimPrefix(s.Alive, site.URL)
		found[p] = strings.TrimPrefix(path, mirror.URL)
	}
	if err := dec.Decode(new(linkrot.Found)); !errors.Is(err, io.EOF) {
		t.Errorf("more answers than questions: %v", err)
	}
	command(t, "check", "--job", job)
	return found
}

// Bad lines of a list, and URLs that the job never met, are told, and do not
// keep the others from being answered.
func TestAListOfLostPagesIsAnsweredAsFarAsItCan(t *testing.T) {
	m, err := moves.New(moves.Options{Seed: 5, Pages: 4})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(m.Site())
	defer site.Close()
	job := filepath.Join(t.TempDir(), "job")
	command(t, "run", "--job", job, "--delay", "0s", "--workers", "1", "-u", site.URL+"/")
	file := filepath.Join(t.TempDir(), "dead.txt")
	if err := os.WriteFile(file, []byte("ftp://x/\n"+site.URL+"/never\n"+site.URL+m.Pages[1].Old+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, faults bytes.Buffer
	code := run([]string{"alive", "--job", job, "--delay", "0s", site.URL + m.Pages[0].Old, "--urls", file}, strings.NewReader(""), &out, &faults)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, p := range m.Pages[:2] {
		if !strings.Contains(out.String(), site.URL+p.Old+"  ") {
			t.Errorf("no answer on %s:\n%s", p.Old, out.String())
		}
	}
	for _, want := range []string{"dead.txt:1", "/never: the job"} {
		if !strings.Contains(faults.String(), want) {
			t.Errorf("faults do not name %q:\n%s", want, faults.String())
		}
	}
}

// command runs a command that must not fail but for pages that are not found, and
// returns what it prints.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var out, faults bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &faults); code != 0 && args[0] != "alive" {
		t.Fatalf("crawl %s: exit code %d\n%s", strings.Join(args[:3], " "), code, faults.String())
	}
	return out.String()
}

// Of a near copy no text is kept: the answer says how much it resembled the page that it was a copy of, and if another text is
// compared, which.
func TestALostNearCopyIsNotComparedAsIfItWereTheKeptPage(t *testing.T) {
	var text strings.Builder
	for _, n := range []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"} {
		fmt.Fprintf(&text, "The committee heard the %s report about the harbour and its depth, and asked the engineer about the %[1]s quay. ", n)
	}
	kept := "<title>The harbour</title><h1>The harbour</h1><p>" + text.String()
	lost := strings.Replace(kept, "ninth quay", "old quay", 1)
	gone := false
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/kept":
			io.WriteString(w, kept)
		case r.URL.Path == "/lost" && !gone:
			io.WriteString(w, lost)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	job := filepath.Join(t.TempDir(), "job")
	command(t, "run", "--job", job, "--delay", "0s", "--workers", "1", "-u", site.URL+"/kept", "-u", site.URL+"/lost")
	gone = true
	ask := func() (found linkrot.Found, line string) {
		if err := json.Unmarshal([]byte(command(t, "alive", "--job", job, "--delay", "0s", "--json", site.URL+"/lost")), &found); err != nil {
			t.Fatal(err)
		}
		return found, command(t, "alive", "--job", job, "--delay", "0s", site.URL+"/lost")
	}
	found, line := ask()
	if found.Alive != site.URL+"/kept" || found.ComparedWith != "" || found.Similarity < .8 || found.Similarity >= 1 {
		t.Errorf("the kept page as it was: %+v, want it with the similarity that the crawl found", found)
	}
	if strings.Contains(line, "all of the compared text") || strings.Contains(line, "compared with") {
		t.Errorf("the kept page as it was: %s", line)
	}
	kept = strings.Replace(kept, "third report", "last report", 1)
	was := found.Similarity
	found, line = ask()
	if found.Alive != site.URL+"/kept" || found.ComparedWith != site.URL+"/kept" || found.Resembled != was || found.Similarity == was {
		t.Errorf("the kept page, edited: %+v, want it compared with what it was", found)
	}
	if want := "; compared with " + site.URL + "/kept, which it was a copy of, about "; !strings.Contains(line, want) {
		t.Errorf("the kept page, edited: %s, want %q", line, want)
	}
}

// Where nothing lives but a mirror that was altered, a page with the title of the lost one and much of its own text is an answer that says
// how much that is. One with the same title and another text is none, whatever lines all pages of the site have.
func TestAnAlteredPageOnAMirrorIsAnswerInCaseOfNeed(t *testing.T) {
	const pages = 60
	line := func(of string, page, n int) string {
		words := 12
		if n >= 5 && page%10 == 3 {
			words = 60
		}
		var b strings.Builder
		for k := range words {
			fmt.Fprintf(&b, "%s%x ", of, (page*7919+n*104729+k*1299709)%65521)
		}
		return b.String()
	}
	page := func(i int, body func(n int) string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<title>Chapter %d</title><h1>Chapter %[1]d</h1>", i)
		common := 6
		if i%10 == 7 {
			common = 26
		}
		for n := range common {
			fmt.Fprintf(&b, "<p>%s</p>", line("all", 0, n))
		}
		for n := range 10 {
			fmt.Fprintf(&b, "<p>%s</p>", body(n))
		}
		return b.String()
	}
	serve := func(of func(i, n int) string, gone *bool) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var i int
			_, err := fmt.Sscanf(r.URL.Path, "/p/%d.html", &i)
			switch {
			case *gone || r.URL.Path == "/robots.txt" || err != nil && r.URL.Path != "/":
				http.NotFound(w, r)
				return
			case err != nil:
				w.Header().Set("Content-Type", "text/html")
				for i := range pages {
					fmt.Fprintf(w, "<a href=/p/%d.html>Chapter %[1]d</a> ", i)
				}
				return
			}
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, page(i, func(n int) string { return of(i, n) }))
		}))
	}
	gone, never := false, false
	site := serve(func(i, n int) string { return line("own", i, n) }, &gone)
	defer site.Close()
	mirror := serve(func(i, n int) string {
		switch {
		case i%10 == 3 && n >= 5:
			return line("new", i, n)
		case i%10 == 7:
			return line("other", i, n)
		}
		return line("own", i, n)
	}, &never)
	defer mirror.Close()
	job := filepath.Join(t.TempDir(), "job")
	command(t, "run", "--job", job, "--delay", "0s", "--workers", "1", "-u", site.URL+"/", "-u", mirror.URL+"/")
	gone = true
	for i := range pages {
		path := fmt.Sprintf("/p/%d.html", i)
		var found linkrot.Found
		if err := json.Unmarshal([]byte(command(t, "alive", "--job", job, "--delay", "0s", "--json", site.URL+path)), &found); err != nil {
			t.Fatal(err)
		}
		want, least, most := mirror.URL+path, 0., 0.
		switch i % 10 {
		case 3:
			least, most = .5, .7 // lines of the frame are among those of a page that was read before it was known
		case 7:
			want = ""
		}
		if found.Alive != want || found.Altered < least || found.Altered > most {
			t.Errorf("%s: found %+v, want %q, altered to %v to %v", path, found, want, least, most)
		}
		if i == 3 {
			said := fmt.Sprintf("; an altered page that has %d%% of its own lines: ", int(100*found.Altered))
			if got := command(t, "alive", "--job", job, "--delay", "0s", site.URL+path); !strings.Contains(got, said) {
				t.Errorf("%s: %s, want %q", path, got, said)
			}
		}
	}
}
