package crawl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/browser"
	"gatecrawl.example/gatecrawl/warc"
)

// paintedSite is a site whose page looks like nothing without what it needs.
func paintedSite(t *testing.T) *httptest.Server {
	var picture bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 120, 60))
	for i := range 120 * 60 {
		img.Set(i%120, i/120, color.RGBA{200, 30, 30, 255})
	}
	if err := png.Encode(&picture, img); err != nil {
		t.Fatal(err)
	}
	files := map[string][2]string{
		"/": {"text/html", `<!doctype html><title>Painted</title><link rel=stylesheet href=/look.css><h1 id=proof>A painted page</h1>
<p>` + strings.Repeat("It has words of its own. ", 20) + `<img id=one src=/red.png> <img id=two srcset="/red2.png 1x, /red3.png 2x" src=/red.png> <a href=/second>the second</a><script src=/act.js></script>`},
		"/second":   {"text/html", `<!doctype html><title>Second</title><p>` + strings.Repeat("Another text stands here now. ", 20)},
		"/look.css": {"text/css", `@import url("more.css"); h1 { color: rgb(0, 128, 0) }`},
		"/more.css": {"text/css", `h1 { border-bottom: 4px solid rgb(128, 0, 128); background: url(red.png) }`},
		"/act.js":   {"text/javascript", `document.getElementById("proof").dataset.acted = "yes"`},
		"/red.png":  {"image/png", picture.String()}, "/red2.png": {"image/png", picture.String()}, "/red3.png": {"image/png", picture.String()},
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", f[0])
		fmt.Fprint(w, f[1])
	}))
	t.Cleanup(site.Close)
	return site
}

// archived crawls a site with its requisites, and exports the job.
func archived(t *testing.T, site *httptest.Server, job string, formats map[export.Format]string) {
	s := quick(site.URL + "/")
	s.ArchiveCompression = warc.Gzip
	seen(t, job, s, crawl.Options{}, nil, func(c *crawl.Crawl) {
		for format, path := range formats {
			e, err := export.New(export.Options{Format: format, Path: path, Software: "test", Verdict: "new"})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Job().Rows(t.Context(), e.Wanted(), func(r *gatecrawl.Row) error { return e.Write(r) }); err != nil {
				t.Fatal(e.Abort(err))
			}
			if tally, err := e.Finish(); err != nil || tally.Pages != 2 || tally.Requisites != 6 {
				t.Fatalf("%s: wrote %+v, %v, want 2 pages and what they need", format, tally, err)
			}
		}
	})
}

// tools returns the folder in which .ci/run has put warcio and ReplayWeb.page, from npm.
func tools(t *testing.T) string {
	dir := os.Getenv("GATECRAWL_ARCHIVES")
	if dir == "" {
		t.Skip("GATECRAWL_ARCHIVES names no folder with warcio and ReplayWeb.page: see .ci/run")
	}
	return dir
}

// TestWarcioReadsWhatIsKept reads the segments of a job and its exports by an independent
// implementation, which checks the digests of each record.
func TestWarcioReadsWhatIsKept(t *testing.T) {
	t.Parallel()
	const check = `
		import {WARCParser} from %q;
		import {createReadStream} from "fs";
		for (const file of process.argv.slice(2)) {
			const kinds = {};
			for await (const r of new WARCParser(createReadStream(file))) {
				const body = await r.readFully(false);
				kinds[r.warcType] = (kinds[r.warcType] || 0) + 1;
				if (r.warcType === "response" && (!r.httpHeaders || r.httpHeaders.statusCode !== 200 || !r.warcPayloadDigest || !body.length)) throw new Error(r.warcTargetURI);
			}
			console.log(JSON.stringify(kinds));
		}`
	program := filepath.Join(t.TempDir(), "read.mjs")
	if err := os.WriteFile(program, fmt.Appendf(nil, check, filepath.Join(tools(t), "node_modules", "warcio", "dist", "index.js")), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "x.warc.gz")
	archived(t, paintedSite(t), dir, map[export.Format]string{export.WARC: file})
	segments, err := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %q, %v", segments, err)
	}
	out, err := exec.CommandContext(t.Context(), "node", program, segments[0], file).CombinedOutput()
	if err != nil {
		t.Fatalf("warcio: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var kinds map[string]int
		if err := json.Unmarshal([]byte(line), &kinds); err != nil || kinds["warcinfo"] != 1 || kinds["response"] != 6 || kinds["revisit"] != 2 {
			t.Errorf("warcio finds %s, %v: want 6 answers, and 2 with the bytes of others", line, err)
		}
	}
}

// TestReplayWebPageShowsAnArchive opens a WACZ in ReplayWeb.page while the site is down, and
// looks whether the page has its styles and pictures, and its script has run. With
// GATECRAWL_SCREENSHOT the picture of it is written there.
func TestReplayWebPageShowsAnArchive(t *testing.T) {
	t.Parallel()
	app := filepath.Join(tools(t), "replaywebpage")
	ctx := browser.Open(t, time.Minute)
	dir := t.TempDir()
	file := filepath.Join(dir, "site.wacz")
	site := paintedSite(t)
	archived(t, site, filepath.Join(dir, "job"), map[export.Format]string{export.WACZ: file})
	site.Close()
	mux := http.NewServeMux()
	for path, name := range map[string]string{
		"/site.wacz": file, "/ui.js": filepath.Join(app, "ui.js"), "/replay/sw.js": filepath.Join(app, "sw.js"), "/replay/ui.js": filepath.Join(app, "ui.js"),
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><style>html,body,replay-web-page{height:100%%;margin:0;display:block}</style><script src=/ui.js></script>
<replay-web-page source="/site.wacz" url="%s/" replaybase="/replay/"></replay-web-page>`, site.URL)
	})
	replay := httptest.NewServer(mux)
	defer replay.Close()

	// The page is in a frame of a frame, behind shadow roots.
	const look = `new Promise((done) => {
		const find = (root) => {
			const proof = root.querySelector("#proof");
			if (proof) return proof;
			for (const e of root.querySelectorAll("*")) {
				let inner = e.shadowRoot;
				if (e.tagName === "IFRAME") { try { inner = e.contentDocument; } catch {} }
				const found = inner && find(inner);
				if (found) return found;
			}
		};
		const seen = () => {
			const h = find(document);
			if (!h) return "no page";
			const style = h.ownerDocument.defaultView.getComputedStyle(h);
			const wide = (id) => h.ownerDocument.getElementById(id).naturalWidth;
			return [style.color, style.borderBottomWidth, style.backgroundImage !== "none", wide("one"), wide("two"), h.dataset.acted].join(" ");
		};
		const until = Date.now() + 40000;
		const poll = () => { const got = seen(); if (got === %q || Date.now() > until) done(got); else setTimeout(poll, 100); };
		poll();
	})`
	const want = "rgb(0, 128, 0) 4px true 120 120 yes"
	shown := func() (got string, err error) {
		if err := chromedp.Do(ctx, chromedp.Navigate(replay.URL+"/")); err != nil {
			return "", err
		}
		return chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(look, want), chromedp.EvalAwaitPromise))
	}
	got, err := shown()
	for range 3 { // a service worker that starts while the machine is busy may never answer its first page: another browser has its own
		if got == want {
			break
		}
		t.Logf("seen with %q, %v: once more", got, err)
		ctx = browser.Open(t, time.Minute)
		got, err = shown()
	}
	if err != nil || got != want {
		t.Errorf("the page is seen with %q, %v, want %q", got, err, want)
	}
	if path := os.Getenv("GATECRAWL_SCREENSHOT"); path != "" {
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(path, shot, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestRowsHaveOneBodyAndOneViewHoweverTheyAreAskedFor reads a job with each choice of parts: a view
// that comes with the bytes is packed on them, and bytes that come with their record are cut out of it.
func TestRowsHaveOneBodyAndOneViewHoweverTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	site := paintedSite(t)
	seen(t, t.TempDir(), quick(site.URL+"/"), crawl.Options{}, nil, func(c *crawl.Crawl) {
		read := func(want gatecrawl.Wanted) (all []gatecrawl.Row) {
			want.Verdict = page.VerdictNew
			err := c.Job().Rows(t.Context(), want, func(r *gatecrawl.Row) error {
				all = append(all, *r)
				if want.Lent {
					kept := &all[len(all)-1]
					kept.Body, kept.Record = bytes.Clone(r.Body), bytes.Clone(r.Record)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		alone, bodies := read(gatecrawl.Wanted{Views: true}), read(gatecrawl.Wanted{Bodies: true})
		if len(alone) != 2 || len(bodies) != 2 || len(bodies[0].Body) == 0 {
			t.Fatalf("%d rows with views and %d with bodies, want 2", len(alone), len(bodies))
		}
		onBytes := false
		for _, want := range []gatecrawl.Wanted{{Views: true, Bodies: true}, {Views: true, Bodies: true, Records: true}, {Bodies: true, Records: true}, {Views: true, Bodies: true, Records: true, Lent: true}} {
			for i, r := range read(want) {
				if !bytes.Equal(r.Body, bodies[i].Body) || want.Records && !bytes.Contains(r.Record, r.Body) {
					t.Errorf("%+v: the body of %s is %q, want %q", want, r.Page.URL, r.Body, bodies[i].Body)
				}
				if !want.Views {
					continue
				}
				onBytes = onBytes || page.IsOnBytes(r.View)
				view, err := page.UnpackView(alone[i].View)
				if err != nil {
					t.Fatal(err)
				}
				got, err := page.UnpackViewOn(r.View, func() ([]byte, error) { return r.Body, nil })
				if err != nil || !reflect.DeepEqual(got, view) {
					t.Errorf("%+v: the view of %s is %+v, %v\nwant %+v", want, r.Page.URL, got, err, view)
				}
			}
		}
		if !onBytes {
			t.Error("no view is packed on its page")
		}
	})
}
