package dedup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// growing are pages of about n bytes that give something to count for each of them.
var growing = map[string]func(n int) string{
	"prose":         func(n int) string { return "<p>" + filled("Some words of prose follow here. ", n) },
	"paragraphs":    func(n int) string { return filled("<p>Some words of prose. ", n) },
	"words":         func(n int) string { return "<p>" + numbered("w%x ", n) },
	"Chinese":       func(n int) string { return "<p>" + filled("网页去重，只保留一份。", n) },
	"links":         func(n int) string { return numbered("<li><a href=/%d>a page</a>", n) },
	"nested div":    func(n int) string { return filled("<div>a", n) },
	"nested inline": func(n int) string { return filled("<b><i><span>a ", n) },
	"headings":      func(n int) string { return "<title>a b c</title>" + filled("<h2>a b c</h2><p>text", n) },
	"table":         func(n int) string { return "<table>" + filled("<tr><td>cell 1<td>cell 2", n) },
	"entities":      func(n int) string { return "<p>" + filled("&amp;&lt;x ", n) },
	"attributes":    func(n int) string { return "<p " + numbered("a%d=1 ", n) + ">text" },
	"classes":       func(n int) string { return numbered("<div class='menu c%d'>word</div>", n) },
	"JSON-LD": func(n int) string {
		return "<p>text</p>" + filled(`<script type="application/ld+json">{"@graph":[{"@type":"A"}]}</script>`, n)
	},
	"marks":         func(n int) string { return "<p>a" + filled("\u0301 b", n) },
	"open comments": func(n int) string { return "<p>text</p>" + filled("<!-", n) },
	"scripts":       func(n int) string { return "<p>text</p>" + filled("<script></scrip", n) },
	"dates":         func(n int) string { return filled("<time datetime=2024-99-99>May 99, 2024</time>", n) },
}

func filled(s string, n int) string { return strings.Repeat(s, n/len(s)+1) }

// numbered repeats a form with a number that is another each time.
func numbered(form string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// growingPage is the environment variable that has the test read one page: "SHAPE BYTES".
const growingPage = "GATECRAWL_TEST_GROWING_PAGE"

// statements returns how many statements reading a page runs, of the packages that are
// counted: those of a process of its own, which writes them down when it ends.
func statements(t *testing.T, shape string, size int) (n float64) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAPageOfTwiceTheSizeTakesTwiceTheWork$", "-test.gocoverdir="+dir)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", growingPage, size, shape))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s of %d bytes: %v: %s", shape, size, err, out)
	}
	list := filepath.Join(dir, "list")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+list).CombinedOutput(); err != nil {
		t.Fatalf("go tool covdata: %v: %s", err, out)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line) // a block's place, its statements, how often it ran
		if len(fields) != 3 {
			continue
		}
		in, _ := strconv.ParseFloat(fields[1], 64)
		ran, _ := strconv.ParseFloat(fields[2], 64)
		n += in * ran
	}
	return n
}

// readGrowing reads, signs and compares two pages of a shape, the second of which is a near
// copy of the first.
func readGrowing(t *testing.T, page string) {
	l := &library{texts: make(map[DocID]Text)}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		t.Fatal(err)
	}
	for i, url := range []string{"https://a.example/1", "https://a.example/2"} {
		content := fmt.Appendf(nil, "<html><title>A page</title><body>%s<p>the last words of page %d", page, i)
		view := purify.PurifyAt(url, content, "text/html; charset=utf-8")
		view.URL = url
		text := TextOf(view)
		sig := SignPage(DigestOf(content), view, &text)
		if _, err := g.Claim(DocID(i+1), sig, &text); err != nil {
			t.Fatal(err)
		}
		l.texts[DocID(i+1)] = text
		l.put(DocID(i+1), sig)
	}
}

// TestAPageOfTwiceTheSizeTakesTwiceTheWork counts the statements that run for pages that
// grow, so that no machine's speed matters. It runs where statements are counted:
//
//	go test ./dedup -run TwiceTheWork -covermode=atomic -coverpkg=./purify/...,./dedup/...
func TestAPageOfTwiceTheSizeTakesTwiceTheWork(t *testing.T) {
	if testing.CoverMode() != "atomic" {
		t.Skip("run it with -covermode=atomic -coverpkg=./purify/...,./dedup/...")
	}
	if page := os.Getenv(growingPage); page != "" {
		size, shape, _ := strings.Cut(page, " ")
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		readGrowing(t, growing[shape](n))
		return
	}
	none := statements(t, "prose", 1) // the process and the frame of the page
	for shape := range growing {
		t.Run(shape, func(t *testing.T) {
			const size = 128 << 10
			once, twice := statements(t, shape, size), statements(t, shape, 2*size)
			if once, twice = once-none, twice-none; once <= 0 {
				return // the page is passed over as a whole
			}
			t.Logf("%.0f statements a byte at %d bytes, %.0f at twice as many: %.2f times", once/size/2, size, twice/size/4, twice/once)
			if twice > 2.5*once {
				t.Errorf("twice the page takes %.2f times the work, want about 2", twice/once)
			}
		})
	}
}
