// Package browser opens Chromium for the tests that look at pages.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// Open opens a browser that is closed after limit or when the test ends. If there is no Chromium,
// or long tests are skipped, the test is skipped.
func Open(t testing.TB, limit time.Duration) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed: on Debian, apt install chromium")
	}
	slow.Test(t, "starts Chromium")
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Getuid() == 0 {
		flags = append(flags, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	return ctx
}
