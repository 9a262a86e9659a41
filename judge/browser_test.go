package judge

import (
	"fmt"
	"net"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl/control/guard"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/testserver/browser"
)

// TestInABrowserPairsAreAnsweredByKeys judges as a person would who never uses the mouse, and lets
// eval read the answers.
func TestInABrowserPairsAreAnsweredByKeys(t *testing.T) {
	m, _, _ := madeJob()
	s := draw(t, m, 12)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g, err := guard.New(l.Addr().String(), "")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "judged.jsonl")
	sheet, err := OpenSheet(name, s)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(g.Wrap(NewServer(s, sheet, g.FormToken(), nil).Handler()))
	server.Listener.Close()
	server.Listener = l
	server.Config.ReadHeaderTimeout = time.Minute
	server.Start()
	defer server.Close()

	ctx := browser.Open(t, 3*time.Minute)
	// pressed presses a key, and waits until a pair is on the page, and its script has run.
	pressed := func(key string, pair int) {
		t.Helper()
		if key != "" {
			if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
				t.Fatal(err)
			}
		}
		there := fmt.Sprintf(`document.readyState === "complete" && document.querySelector("input[name=n]")?.value === "%d"`, pair)
		for ok, err := false, error(nil); !ok; ok, err = chromedp.Run(ctx, chromedp.Evaluate[bool](there)) {
			if ctx.Err() != nil {
				html, _ := chromedp.Run(t.Context(), chromedp.Evaluate[string]("document.body.innerText"))
				t.Fatalf("after the key %q pair %d is not there: %v; %s", key, pair, err, html)
			}
		}
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")); err != nil {
		t.Fatal(err)
	}
	pressed("", 1)
	pressed("s", 2)
	pressed("n", 3)
	pressed("u", 4)
	pressed("b", 3)
	pressed("b", 2)
	pressed("s", 4) // a changed answer; 4 is the next pair without one
	pressed("f", 5)
	pressed("x", 5) // a key without a meaning
	pressed("N", 6)
	for i, want := range []Answer{Same, Same, Unsure, "", Not, ""} {
		if got := sheet.Of(&s.Pairs[i]); got != want {
			t.Errorf("pair %d is answered %q, want %q", i+1, got, want)
		}
	}
	set, err := labelled.Read(labelled.Options{Label: 1, Sample: 100, Truth: labelled.Reader, Fault: func(err error) { t.Error(err) }}, []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Test.Asked) != 3 || len(set.Test.Copies) != 2 {
		t.Errorf("eval reads %d pairs, %d of copies, want 3 and 2", len(set.Test.Asked), len(set.Test.Copies))
	}
}
