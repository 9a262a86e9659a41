package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/testserver/await"
)

// TestCtrlCLeavesNoPartOfAFileOfSketches: each interrupted run left a hidden file next to the one that was to be
// written.
func TestCtrlCLeavesNoPartOfAFileOfSketches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	cmd := exec.Command(buildCrawl(t), "dedup", "-", "--method", "shingling", "--sketches", "pages.sketches")
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	fmt.Fprintln(in, `{"url":"http://a.example/1","text":"a page with some words in it"}`)
	await.Until(t, time.Minute, func() error {
		if len(files()) == 0 {
			return errors.New("no file is written")
		}
		return nil
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for i := 2; ; i++ { // until it has noticed the signal and ends
		if _, err := fmt.Fprintf(in, `{"url":"http://a.example/%d","text":"another page with some words in it"}`+"\n", i); err != nil {
			break
		}
	}
	if code := exitCode(cmd.Wait()); code != 11 || len(files()) != 0 {
		t.Errorf("exit code %d, files %q; want 11 and none; it said:\n%s", code, files(), said.String())
	}
}
