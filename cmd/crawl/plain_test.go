package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// hostile are characters that rename a terminal's window, write its clipboard, clear it,
// overwrite a line, or turn the direction of what comes behind.
const hostile = "\x1b]0;OWNED\a\x1b]52;c;ZXZpbA==\a\x1b[2J\x1b[31m\u009b31m\u0085\x7f\b\r\u202eevil\u202c\u2066\u200f\u061c"

// newHostileSite serves pages, a redirect, a robots.txt and headers that have hostile text
// wherever text may be.
func newHostileSite() *httptest.Server {
	page := func(w http.ResponseWriter, n int, more string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Evil", "\u202e")
		fmt.Fprintf(w, `<!doctype html><html lang="en%[1]s"><head><title>Title %[2]d %[1]s</title>
<meta name=author content="Author %[1]s"><meta property="og:type" content="article%[1]s"><meta name=date content="2024-01-0%[2]d%[1]s">
<link rel=canonical href="/page/%[2]d?x=%[1]s"><meta name=robots content="%[1]s"><meta name=keywords content="%[1]s"></head>
<body><main><h1>Head %[2]d %[1]s</h1><p>%[3]s %[1]s</p><p>%[4]s <a href="/page/%[2]d/next%[1]s">anchor %[1]s text</a></p></main></body></html>`,
			hostile, n, words(uint64(n), 150), more)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 1; i <= 4; i++ {
			fmt.Fprintf(w, "<p><a href=/page/%d>anchor %s %d</a> %s", i, hostile, i, words(uint64(50+i), 20))
		}
		fmt.Fprintf(w, "<a href=/copy>copy %s</a> <a href=/near>n</a> <a href='/to'>to</a> <a href=/type>t</a> <a href=/secret>s</a> <a href='/gone%s'>g</a>", hostile, hostile)
	})
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, r *http.Request) { page(w, int(r.PathValue("n")[0]-'0'), "") })
	mux.HandleFunc("GET /copy", func(w http.ResponseWriter, r *http.Request) { page(w, 3, "") })
	mux.HandleFunc("GET /near", func(w http.ResponseWriter, r *http.Request) { page(w, 3, "A line "+hostile+" more.") })
	mux.HandleFunc("GET /to", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{"/x\u009b31m\u202e:\x1b[31m"}
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("GET /type", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"text/\u202e\u009b; charset=\u009b\u202e"}
		io.WriteString(w, "some text "+hostile)
	})
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nDisallow: /secret%s\nDisallow: /secret\nSitemap: /s%s.xml\n", hostile, hostile)
	})
	return httptest.NewServer(mux)
}

// harmful names what may steer a terminal in a command's output, "" if nothing does.
func harmful(b []byte) string {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return fmt.Sprintf("%q in ...%q", b[i:i+n], b[max(0, i-60):min(len(b), i+30)])
		}
		i += n
	}
	return ""
}

// Every command is run over a hostile site, its job and its files.
func TestNoCommandHandsATerminalWhatSteersIt(t *testing.T) {
	slow.Test(t, "runs every command on a hostile site")
	site := newHostileSite()
	defer site.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.Get(site.URL + "/page/1")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	write("page.html", string(page))
	evil := "evil\x1b[31m\u202e\u009b.html"
	write(filepath.Join("folder", evil), string(page))
	write(filepath.Join("folder", "b.html"), string(page))
	write(filepath.Join("folder", "c.html"), strings.Replace(string(page), "Title 1", "Title 2", 1)+hostile)
	line, err := json.Marshal(map[string]string{"url": "http://127.0.0.1/" + hostile, "html": string(page)})
	if err != nil {
		t.Fatal(err)
	}
	write("pages.jsonl", string(line)+"\nno json "+hostile+"\n")
	write("seeds.txt", "http://"+hostile+"/\n"+site.URL+"/page/1"+hostile+"\n"+hostile+"\n")
	write("bad.yaml", "delay: \""+strings.ReplaceAll(strings.ReplaceAll(hostile, "\r", ""), "\x1b", "\\e")+"\"\nno-"+"\u202e: 1\n")
	write("robots.txt", "User-agent: *\nDisallow: /a"+hostile+"\n")
	write("rules.json", "{\"version\": \""+hostile+"\"}")
	write("pairs.csv", "a,b,label\n"+hostile+","+hostile+",1\n")

	u := site.URL
	commands := [][]string{
		{"run", "-v", "-u", u, "--delay", "0", "--recrawl"},
		{"run", "-v", "--job", "logged", "-u", u, "--delay", "0", "--log-format", "json", "--json", "--dedup", "mark"},
		{"run", "--job", evil, "-u", u + "/page/1", "--delay", "0"},
		{"run", "--job", evil},
		{"run", "--job", "listed", "--seeds", "seeds.txt", "--delay", "0"},
		{"run", "--config", "bad.yaml"}, {"config", "check", "bad.yaml", evil},
		{"config", "show", "--topic", hostile},
		{"seeds", "add", "--seeds", "seeds.txt"}, {"seeds", "add", hostile},
		{"status"}, {"pages"}, {"pages", "--verdict", hostile}, {"dups"}, {"dups", "--diff"}, {"check"}, {"check", "--repair"},
		{"mirrors"}, {"mirrors", "--format", "csv"}, {"mirrors", "--format", "dot"}, {"mirrors", "explain", hostile, u},
		{"rules", "list"}, {"rules", "import", "rules.json"}, {"rules", "export"},
		{"why", u}, {"why", u + "/copy"}, {"why", u + "/near"}, {"why", u + "/to"}, {"why", u + "/type"}, {"why", u + "/secret"}, {"why", u + "/page/2"}, {"why", "http://" + hostile},
		{"near", "page.html"}, {"near", u + "/page/3"}, {"alive", u + "/page/9"}, {"alive", u + "/page/3"},
		{"view", u + "/page/1"}, {"view", u + "/to"}, {"view", u + "/type"}, {"view", "page.html"}, {"view", "--jsonl", "pages.jsonl"},
		{"view", u + "/page/1", "--job", "job"}, {"view", u + "/copy", "--job", "job"}, {"view", filepath.Join("folder", evil)}, {"view", evil},
		{"url", u + "/" + hostile, hostile}, {"robots", u, "/secret"}, {"robots", "robots.txt", "/a" + hostile}, {"robots", evil, "/"},
		{"dedup", "folder"}, {"dedup", "folder", "--groups"}, {"dedup", "pages.jsonl"}, {"dedup", evil},
		{"eval", "folder"}, {"eval", "folder", "--pairs", "pairs.csv"}, {"eval", evil},
		{"idf", "build", "--job", "job", "-o", "words.idf"}, {"idf", "build", "--job", evil, "-o", "words.idf"},
		{hostile}, {"run", "--" + hostile},
	}
	for _, args := range commands {
		for _, more := range [][]string{nil, {"--json"}} {
			var out, fault bytes.Buffer
			run(append(args, more...), strings.NewReader(""), &out, &fault)
			if bad := harmful(out.Bytes()); bad != "" {
				t.Errorf("crawl %q %q: stdout has %s", args, more, bad)
			}
			if bad := harmful(fault.Bytes()); bad != "" {
				t.Errorf("crawl %q %q: stderr has %s", args, more, bad)
			}
			if out.Len()+fault.Len() == 0 && more == nil {
				t.Logf("crawl %q said nothing", args)
			}
		}
	}

	// The tables of a report are read with cat too.
	run([]string{"report", "--csv", "tables"}, nil, io.Discard, io.Discard)
	tables, err := filepath.Glob("tables/*.csv")
	if err != nil || len(tables) == 0 {
		t.Errorf("report --csv wrote the files %q (%v)", tables, err)
	}
	said := false
	for _, name := range tables {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bad := harmful(b); bad != "" {
			t.Errorf("%s has %s", name, bad)
		}
		said = said || bytes.Contains(b, []byte(`\u202e`))
	}
	if !said {
		t.Error("the tables have nothing of what the pages said")
	}

	// JSON says what the page said.
	var out, fault bytes.Buffer
	run([]string{"view", "page.html", "--json"}, nil, &out, &fault)
	var v struct{ Title, Body string }
	if err := json.Unmarshal(out.Bytes(), &v); err != nil || !strings.Contains(v.Title+v.Body, "\u202eevil") {
		t.Errorf("view --json: %v, title %q; want the page's characters", err, v.Title)
	}
}
