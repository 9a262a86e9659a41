package live_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/testserver/browser"
)

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// eval evaluates an expression in the page.
func eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestInABrowserThePageLivesAndItsButtonsWork(t *testing.T) {
	s := serve(t, true)
	ctx := browser.Open(t, 5*time.Minute)
	css := func(selector string) chromedp.CSS { return chromedp.CSS(selector) }
	do(t, ctx, chromedp.Navigate(s.URL+"/"), chromedp.WaitReady(css(`body[data-live="on"]`))) // an event has come
	do(t, ctx, chromedp.Click(css(`button[value="pause"]`)), chromedp.WaitVisible(css(`button[value="resume"]`)))
	if !s.crawl.Controls().Paused {
		t.Error("the button Pause was pressed, and the crawl is not paused")
	}
	do(t, ctx, chromedp.Click(css(`button[value="resume"]`)), chromedp.WaitVisible(css(`button[value="pause"]`)))
	do(t, ctx, chromedp.Navigate(s.URL+"/"), chromedp.Click(css("summary")), chromedp.SendKeys(css(`input[name="pattern"]`), "/private/"),
		chromedp.Click(css(`button[value="exclude"]`)), chromedp.WaitVisible(css(".said")))
	if d := s.crawl.Controls(); d.Paused || len(d.Exclude) != 1 || d.Exclude[0] != "/private/" {
		t.Errorf("after Resume and a pattern the crawl is set %+v", d)
	}
	// Each other form, as the page shows it.
	fill := func(form, field, text string) {
		do(t, ctx, chromedp.Navigate(s.URL+"/"))
		eval[bool](t, ctx, `document.querySelector("details").open = true`)
		if field != "" {
			eval[bool](t, ctx, fmt.Sprintf(`document.querySelector('[name=%q]').value = "", true`, field))
			do(t, ctx, chromedp.SendKeys(css(fmt.Sprintf(`[name=%q]`, field)), text))
		}
		do(t, ctx, chromedp.Click(css(fmt.Sprintf(`button[value=%q]`, form))), chromedp.WaitVisible(css(".said")))
	}
	before := s.crawl.Controls()
	fill("slower", "", "")
	if d := s.crawl.Controls(); d.Delay <= before.Delay && d.Workers >= before.Workers {
		t.Errorf("after Slower the crawl is set %+v, and was %+v", d, before)
	}
	fill("delay", "delay", "3s")
	fill("faster", "", "")
	if d := s.crawl.Controls(); d.Delay >= 3*time.Second {
		t.Errorf("after a delay of 3s and Faster the delay is %v", d.Delay)
	}
	fill("workers", "workers", "7")
	fill("include", "only", "127[.]0")
	fill("seeds", "urls", s.site+"/new")
	fill("park", "host", strings.TrimPrefix(s.site, "http://"))
	if d := s.crawl.Controls(); d.Workers != 7 || len(d.Include) != 1 || d.Include[0] != "127[.]0" {
		t.Errorf("after forms of workers and of a pattern the crawl is set %+v", d)
	}
	if w, err := s.crawl.Job().Why(t.Context(), s.site+"/new"); err != nil || w.Host == nil || w.Host.Parked == nil {
		t.Errorf("after forms of a seed and a host to park the seed is %+v, %v", w, err)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/hosts?by=parked"), chromedp.Click(css(`button[value="unpark"]`)), chromedp.WaitVisible(css(".said")))
	if w, err := s.crawl.Job().Why(t.Context(), s.site+"/new"); err != nil || w.Host == nil || w.Host.Parked != nil {
		t.Errorf("after Resume of its host the seed is %+v, %v", w, err)
	}
	// What a page said has run nowhere, and what somebody put into the page would not either.
	for _, path := range s.paths() {
		do(t, ctx, chromedp.Navigate(s.URL+path))
		if eval[bool](t, ctx, `(() => { const s = document.createElement("script"); s.textContent = "window.pwned = 1";
			document.body.append(s); return window.pwned === 1; })()`) {
			t.Errorf("%s runs scripts that are not its own", path)
		}
	}
	// By keys alone: the first stop is the way past the menu, and each stop is seen.
	do(t, ctx, chromedp.Navigate(s.URL+"/"), chromedp.KeyEvent("\t"))
	if seen := eval[string](t, ctx, `document.activeElement.className + " " + getComputedStyle(document.activeElement).outlineStyle`); seen != "skip solid" {
		t.Errorf("the first stop of the keyboard is %q, want the link past the menu, outlined", seen)
	}
}

// TestInABrowserStopEndsTheRun presses Stop of a crawl that is paused: the box next to it has to be ticked first.
func TestInABrowserStopEndsTheRun(t *testing.T) {
	ctx := browser.Open(t, 5*time.Minute) // where there is none it skips, and no run may be under way then
	s := opened(t, true, func(*configs.Settings) {})
	s.crawl.Pause() // so that the run lasts until it is stopped
	ended, failed := make(chan gatecrawl.Ended, 1), make(chan error, 1)
	go func() { // ends with the run, which is stopped or cancelled below
		end, err := s.crawl.Run(t.Context())
		ended <- end
		failed <- err
	}()
	css := func(selector string) chromedp.CSS { return chromedp.CSS(selector) }
	do(t, ctx, chromedp.Navigate(s.URL+"/"))
	eval[bool](t, ctx, `document.querySelector("details").open = true`)
	do(t, ctx, chromedp.Click(css(`button[value="stop"]`)))
	if asks := eval[bool](t, ctx, `document.querySelector("input[type=checkbox][required]:invalid") !== null && !document.querySelector(".said")`); !asks {
		t.Error("Stop was sent without a tick in its box")
	}
	select {
	case end := <-ended:
		t.Fatalf("the run ended with %q before Stop was sent", end)
	default:
	}
	do(t, ctx, chromedp.Click(css(`input[type="checkbox"][required]`)), chromedp.Click(css(`button[value="stop"]`)), chromedp.WaitVisible(css(".said")))
	if said := eval[string](t, ctx, `document.querySelector(".said").textContent`); !strings.Contains(said, "stops once") {
		t.Errorf("after Stop the page says %q", said)
	}
	select {
	case end := <-ended:
		if err := <-failed; end != gatecrawl.Interrupted || err != nil {
			t.Errorf("after Stop the run ended with %q, %v", end, err)
		}
	case <-time.After(time.Minute):
		t.Error("the run goes on a minute after Stop")
	}
}

// TestNothingIsCutOnANarrowScreen looks at each page on a telephone: none is wider than the screen,
// and the table of busy hosts shows its last column.
func TestNothingIsCutOnANarrowScreen(t *testing.T) {
	s := serve(t, true)
	ctx := browser.Open(t, 5*time.Minute)
	do(t, ctx, chromedp.EmulateViewport(360, 800))
	for _, path := range s.paths() {
		do(t, ctx, chromedp.Navigate(s.URL+path))
		if wide := eval[int](t, ctx, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%s is %d wide on a screen of 360", path, wide)
		}
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/"), chromedp.WaitReady(chromedp.CSS(`[aria-label="Busy hosts"]`)))
	if cut := eval[int](t, ctx, `(() => { const e = document.querySelector('[aria-label="Busy hosts"]'); return e.scrollWidth - e.clientWidth; })()`); cut > 0 {
		t.Errorf("of the table of busy hosts %d pixels are cut off", cut)
	}
}

// TestAccessibility runs axe-core over each page. Its file is named by the environment:
// npm install axe-core; GATECRAWL_AXE=node_modules/axe-core/axe.min.js.
func TestAccessibility(t *testing.T) {
	file := os.Getenv("GATECRAWL_AXE")
	if file == "" {
		t.Skip("GATECRAWL_AXE does not name the file axe.min.js: npm install axe-core has it")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, true)
	ctx := browser.Open(t, 5*time.Minute)
	do(t, ctx, chromedp.Navigate(s.URL+"/"))
	for scheme, width := range map[string]int64{"light": 1300, "dark": 400} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		do(t, ctx, chromedp.EmulateViewport(width, 900))
		for _, path := range append(s.paths(), "/hosts?by=luck") {
			do(t, ctx, chromedp.Navigate(s.URL+path))
			eval[bool](t, ctx, `document.querySelectorAll("details").forEach((d) => { d.open = true; }), true`)
			eval[bool](t, ctx, string(axe)+";true")
			faults := eval[string](t, ctx, `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")).join("\n"))`)
			if faults != "" {
				t.Errorf("%s, %s, %d wide: %.700s", path, scheme, width, faults)
			}
		}
	}
}
