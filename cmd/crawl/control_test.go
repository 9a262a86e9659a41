package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl"
	"gatecrawl/store"
)

// openJob begins a job that is checked and closed when the test ends.
func openJob(t *testing.T, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(dir, store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := st.Verify(bg, func(b gatecrawl.Breach) error {
			t.Errorf("breach: %s: %s", b.Invariant, b.Detail)
			return nil
		})
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return st
}

func wantAnswer(t *testing.T, dir string, q question, want string) {
	t.Helper()
	resp, err := askRunning(bg, dir, q)
	if err != nil {
		t.Fatalf("askRunning(%+v): %v", q, err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), want) {
		t.Errorf("askRunning(%+v) = %s %q, want %q in it", q, resp.Status, b.String(), want)
	}
}

func TestRunningCrawlAnswers(t *testing.T) {
	dir := t.TempDir()
	shut, err := serveControl(dir, openJob(t, dir), http.NotFound, http.NotFound)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	wantAnswer(t, dir, question{verb: "status"}, `"running":true`)
	wantAnswer(t, dir, question{verb: "why", url: "http://example.org/"}, gatecrawl.ErrUnknown.Error())
	wantAnswer(t, dir, question{verb: "sing"}, "no such question")
}

func TestJobWithALongNameAnswersToo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-name", 12))
	shut, err := serveControl(dir, openJob(t, dir), http.NotFound, http.NotFound)
	if err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, dir, question{verb: "status"}, `"running":true`)
	pointer, err := os.ReadFile(filepath.Join(dir, pointerName))
	if err != nil {
		t.Fatal(err)
	}
	shut()
	for _, path := range []string{string(pointer), filepath.Dir(string(pointer)), filepath.Join(dir, pointerName)} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("after the crawl, Stat(%q) = %v, want it gone", path, err)
		}
	}
}

func TestSocketOfAKilledCrawlDoesNotDisturb(t *testing.T) {
	dir := t.TempDir()
	st := openJob(t, dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if _, err := askRunning(bg, dir, question{verb: "status"}); err == nil {
		t.Error("askRunning of a stale socket = nil, want an error")
	}
	shut, err := serveControl(dir, st, http.NotFound, http.NotFound)
	if err != nil {
		t.Fatalf("serveControl over a stale socket: %v", err)
	}
	defer shut()
	wantAnswer(t, dir, question{verb: "status"}, `"running":true`)
}

func TestQuestionsSurviveTheirAddress(t *testing.T) {
	for _, q := range []question{
		{verb: "status"},
		{verb: "pages", verdict: gatecrawl.VerdictCopy, from: 7, limit: 9},
		{verb: "why", url: "http://example.org/?a=b&c=%20#"},
	} {
		if got, err := parseQuestion(q.verb, q.values()); err != nil || got != q {
			t.Errorf("parseQuestion of %+v = %+v, %v", q, got, err)
		}
	}
}
