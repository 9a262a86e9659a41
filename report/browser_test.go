package report_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/browser"
)

// broken is a site with this number of broken links. Some of its URLs and titles are very long and
// have no place for a line break, and ten pages link to some of the URLs.
func broken(rows int) *crawled {
	c := &crawled{bodies: make(map[string]string)}
	for i := range rows {
		url := fmt.Sprintf("http://a.example/missing/%d.html?session=%s", i, strings.Repeat("x9", i%90))
		c.pages = append(c.pages, page.Record{URL: url, Verdict: page.VerdictFailed, Status: 404, Reason: "http 404 not found"})
		for j := range 1 + i%10 {
			c.links = append(c.links, gatecrawl.Edge{From: fmt.Sprintf("http://a.example/page/%d.html", i+j), To: url, Text: strings.Repeat("of many words ", i%7)})
		}
		c.kept(fmt.Sprintf("/page/%d.html", i), "en", strings.Repeat("Untitled", 1+i%20), "")
	}
	for i := range min(rows, 100) {
		c.groups = append(c.groups, gatecrawl.Group{URL: fmt.Sprintf("http://a.example/page/%d.html", i), Copies: []gatecrawl.Member{{URL: fmt.Sprintf("http://b.example/%d", i)}}})
	}
	for i := range min(rows, 100) {
		c.moved(fmt.Sprintf("/old/%d", i), fmt.Sprintf("/older/%d", i))
		c.moved(fmt.Sprintf("/older/%d", i), fmt.Sprintf("/old/%d", i))
	}
	return c
}

// TestInABrowserAllRowsAreReadable opens the page in a wide and a narrow window: nothing is wider
// than the window, and each column of the broken links is wide enough. With GATECRAWL_SCREENSHOT
// set to a folder, screenshots are written there.
func TestInABrowserAllRowsAreReadable(t *testing.T) {
	ctx := browser.Open(t, 15*time.Minute)
	var file string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // two files written in the same second have the same modification date
		http.ServeFile(w, r, file)
	}))
	defer server.Close()
	eval := func(expression string) float64 {
		t.Helper()
		v, err := chromedp.Run(ctx, chromedp.Evaluate[float64](expression))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, rows := range []int{0, 3, 10_000} {
		r := gather(t, broken(rows))
		file = filepath.Join(t.TempDir(), "report.html")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.WriteHTML(f, 10_000); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		for scheme, width := range map[string]int64{"light": 1300, "dark": 400} {
			media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
			if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(server.URL+"/")); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%d rows, %d wide", rows, width)
			if out := eval(`document.documentElement.scrollWidth - innerWidth`); out > 0 {
				t.Errorf("%s: the page is %.0f pixels wider than its window", name, out)
			}
			if cut := eval(`Array.from(document.querySelectorAll("th"), (h) => h.scrollWidth - h.clientWidth).filter((n) => n > 1).length`); width > 1000 && cut > 0 {
				t.Errorf("%s: %.0f heads of columns reach into the next one", name, cut)
			}
			t.Logf("%s: there after %v, %.0f pixels high", name, time.Since(start).Round(10*time.Millisecond), eval(`document.documentElement.scrollHeight`))
			if rows > 0 {
				// The longest URL is in a row whose other cells are short.
				for i, least := range []float64{.3, .08, 0, .3} {
					share := eval(fmt.Sprintf(`document.querySelector("#broken tbody tr").children[%d].getBoundingClientRect().width / document.querySelector("#broken table").getBoundingClientRect().width`, i))
					if width > 1000 && share < least {
						t.Errorf("%s: column %d has %.2f of the table, want %.2f", name, i+1, share, least)
					}
				}
				if high := eval(`Math.max(...Array.from(document.querySelectorAll("#broken tbody tr"), (r) => r.getBoundingClientRect().height))`); high > 600 {
					t.Errorf("%s: a row is %.0f pixels high", name, high)
				}
			}
			if dir := os.Getenv("GATECRAWL_SCREENSHOT"); dir != "" {
				for _, id := range []string{"main", "broken", "redirects", "titles", "hosts"} {
					eval(fmt.Sprintf(`(document.getElementById(%q).scrollIntoView(), 1)`, id))
					shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
					if err == nil {
						err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("report-%d-%s-%s.png", rows, scheme, id)), shot, 0o600)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
