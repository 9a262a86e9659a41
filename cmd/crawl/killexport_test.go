package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// interrupted is the exit code of a command that Ctrl-C or SIGTERM ended.
const interrupted = 11

// TestAnExportThatIsCutShortLeavesNoFileWithItsName stops an export of each format, by SIGKILL
// and by SIGTERM, as soon as it has started to write. After SIGTERM nothing is left at all.
func TestAnExportThatIsCutShortLeavesNoFileWithItsName(t *testing.T) {
	if !slow.Wanted() {
		t.Skip("GATECRAWL_SLOW is not set")
	}
	bin, job := buildCrawl(t), jobOfManyPages(t, 400)
	stopped := 0
	for _, format := range []string{"jsonl", "csv", "parquet", "markdown", "text", "wet", "warc", "wacz", "edges"} {
		for _, out := range []string{"x." + format, "folder/"} {
			for _, by := range []os.Signal{syscall.SIGKILL, syscall.SIGTERM} {
				dir := t.TempDir()
				cmd := exec.Command(bin, "export", "--job", job, "--format", format, "-o", filepath.Join(dir, out)+strings.Repeat("/", strings.Count(out, "/")))
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				await.Until(t, time.Minute, func() error { // until the hidden file is there
					if len(folderOf(t, dir)) == 0 {
						return fmt.Errorf("%s to %s: nothing is written", format, out)
					}
					return nil
				})
				if err := cmd.Process.Signal(by); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
				if err := cmd.Wait(); err == nil {
					continue // it was faster
				} else if got := cmd.ProcessState.ExitCode(); by == syscall.SIGTERM && got != interrupted {
					t.Errorf("%s to %s after %v: exit code %d, want %d", format, out, by, got, interrupted)
				}
				stopped++
				for _, name := range folderOf(t, dir) {
					if by == syscall.SIGTERM || !strings.HasPrefix(name, ".") {
						t.Errorf("%s to %s after %v: %s is left", format, out, by, name)
					}
				}
			}
		}
	}
	if stopped < 18 {
		t.Errorf("%d of 36 exports were stopped before their end, want half of them at least", stopped)
	}
}

func folderOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// jobOfManyPages crawls a site of long pages that have nothing in common.
func jobOfManyPages(t *testing.T, pages int) (job string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n := 0
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		fmt.Fprintf(w, "<title>Page %d</title>", n)
		for range 40 {
			fmt.Fprint(w, "<p>")
			for range 60 {
				fmt.Fprintf(w, "w%d ", rng.IntN(50_000))
			}
		}
		for i := n*20 + 1; i <= n*20+20 && i < pages; i++ {
			fmt.Fprintf(w, "<a href=/%d>page %d</a> ", i, i)
		}
	}))
	t.Cleanup(site.Close)
	job = filepath.Join(t.TempDir(), "job")
	if code := run([]string{"run", "--job", job, "--delay", "0", site.URL + "/0"}, strings.NewReader(""), os.Stderr, os.Stderr); code != 0 {
		t.Fatalf("the crawl ended with %d", code)
	}
	return job
}
