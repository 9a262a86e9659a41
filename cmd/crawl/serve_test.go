package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// TestASuspendedCrawlIsNotWaitedFor: its socket takes questions and never answers them.
func TestASuspendedCrawlIsNotWaitedFor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not say who is suspended")
	}
	t.Parallel()
	bin, job := buildCrawl(t), filepath.Join(t.TempDir(), "job")
	cmd := exec.Command(bin, "run", "--job", job, newNewsSite(t).URL+"/", "--delay", "30s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // says that it was killed
	})
	await.Until(t, time.Minute, func() error {
		if out, err := exec.Command(bin, "status", "--job", job).CombinedOutput(); err != nil || !strings.Contains(string(out), "running") {
			return fmt.Errorf("crawl status: %v, %s", err, out)
		}
		return nil
	})
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	await.Until(t, 20*time.Second, func() error { // it is stopped a moment after the signal
		out, _ := exec.CommandContext(ctx, bin, "stop", "--job", job).CombinedOutput()
		if want := fmt.Sprintf("process %d, is suspended", cmd.Process.Pid); !strings.Contains(string(out), want) {
			return fmt.Errorf("crawl stop of a suspended crawl says %q, want %s", out, want)
		}
		return nil
	})
}

// TestServeLetsGoOfTheJob changes and crawls a job that crawl serve shows, which keeps nobody out and
// shows the job again afterwards.
func TestServeLetsGoOfTheJob(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no flock")
	}
	t.Parallel()
	n := newNewsSite(t)
	job := filepath.Join(t.TempDir(), "job")
	crawls := commandsOn(t, job)
	crawls("run", n.URL+"/", "--delay", "0", "--max-pages", "1")

	var said lockedBuffer
	root := newRoot()
	root.SetArgs([]string{"serve", "--job", job, "--at", "127.0.0.1:0"})
	root.SetErr(&said)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(t.Context()) }() // ends with the test
	shown := regexp.MustCompile(`the job is shown at (http://127.0.0.1:\d+)/ until`)
	var at string
	await.Until(t, time.Minute, func() error {
		found := shown.FindStringSubmatch(said.String())
		if found == nil {
			return errors.New("crawl serve does not say where it serves")
		}
		at = found[1]
		return nil
	})
	pages := func(want string) {
		t.Helper()
		await.Until(t, time.Minute, func() error {
			select {
			case err := <-ended:
				t.Fatalf("crawl serve ended: %v\n%s", err, said.String())
			default:
			}
			r, err := http.Get(at + "/api/v1/status")
			if err != nil {
				return err // it changes from one to the other
			}
			defer r.Body.Close()
			body, err := io.ReadAll(r.Body)
			if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
				return fmt.Errorf("GET /api/v1/status = %s, %s, %v", r.Status, body, err)
			}
			return nil
		})
	}
	pages(`"pages":1,`)
	crawls("seeds", "add", n.URL+"/listed/100")
	pages(`"pages":1,`)
	if out := crawls("check", "--repair"); !strings.Contains(out, "0 breaches") {
		t.Errorf("crawl check --repair says\n%s", out)
	}
	pages(`"pages":1,`)
	crawls("run", "--max-pages", "2")
	pages(`"pages":2,`)
	fed := newRoot() // a list on standard input, which can be read once
	fed.SetArgs([]string{"run", "--job", job, "--seeds", "-", "--delay", "0", "--max-pages", "3"})
	fed.SetIn(strings.NewReader(n.URL + "/listed/101\n"))
	fed.SetErr(io.Discard)
	if err := fed.ExecuteContext(t.Context()); cli.IsLocked(err) {
		t.Errorf("crawl run --seeds -: %v", err)
	}
	pages(`"pages":3,`)
	await.Until(t, time.Minute, func() error { // it says so after it answers
		if got, want := strings.Count(said.String(), "the job is shown again"), 4; got != want {
			return fmt.Errorf("crawl serve says\n%s, want that the job is shown again %d times", said.String(), want)
		}
		return nil
	})
}

// A port may be somebody's for a moment in which nobody listens at it.
func TestAnAddressThatWasServedIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := serving{addr: "127.0.0.1:0"}
	l, err := s.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	first := serving{addr: s.addr}
	if _, err := first.listen(t.Context()); err == nil {
		t.Error("an address in use was listened at")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.listen(ended); err == nil {
		t.Error("an address in use was listened at")
	}
	go func() {
		time.Sleep(50 * time.Millisecond) // while the other listens
		l.Close()
	}()
	again, err := s.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestMemoryIsProfiledWhereProfilesAreServed: other commands take no samples of what they allocate.
func TestMemoryIsProfiledWhereProfilesAreServed(t *testing.T) {
	t.Parallel()
	job := filepath.Join(t.TempDir(), "job")
	commandsOn(t, job)("run", newNewsSite(t).URL+"/", "--delay", "0", "--max-pages", "1")
	ctx, cancel := context.WithCancel(t.Context())
	var said lockedBuffer
	cmd := exec.CommandContext(ctx, buildCrawl(t), "serve", "--job", job, "--at", "127.0.0.1:0", "--serve-pprof")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		cmd.Wait() // says that it was killed
	})
	shown := regexp.MustCompile(`the job is shown at (http://127.0.0.1:\d+)/ until`)
	await.Until(t, time.Minute, func() error {
		at := shown.FindStringSubmatch(said.String())
		if at == nil {
			return fmt.Errorf("crawl serve says %s", said.String())
		}
		r, err := http.Get(at[1] + "/debug/pprof/heap?debug=1")
		if err != nil {
			return err
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		line, _, _ := strings.Cut(string(body), "\n")
		if want := fmt.Sprintf("@ heap/%d", 2*memorySampled); err != nil || !strings.HasSuffix(line, want) {
			return fmt.Errorf("the profile of memory starts with %q, %v, want %s", line, err, want)
		}
		return nil
	})
}
