package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/testserver/await"
)

// TestASecondNodeInAFolderIsRefused: two engines in one folder damage each other's logs, after which
// no node can append to them, and two nodes would make the same partitions there.
func TestASecondNodeInAFolderIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no flock")
	}
	bin, dir, at := buildCrawl(t), t.TempDir(), freePort(t)
	one := exec.Command(bin, "node", "--dir", filepath.Join(dir, "one"), "--name", "one", "--listen", at)
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		one.Process.Kill()
		one.Wait() // says that it was killed
	})
	await.Until(t, time.Minute, func() error { return exec.Command(bin, "node", "list", "--cluster", at).Run() })
	for _, c := range [][]string{
		{"--name", "one", "--listen", freePort(t)},
		{"--name", "two", "--join", at},
	} {
		second := exec.Command(bin, append([]string{"node", "--dir", filepath.Join(dir, "one")}, c...)...)
		var said bytes.Buffer
		second.Stderr = &said
		if err := second.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { second.Process.Kill() })
		second.Wait()
		late.Stop()
		if code := second.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), "is that of a node that runs already") || strings.Contains(said.String(), "is up") {
			t.Errorf("crawl node %q in the folder of another = %d, %s", c, code, &said)
		}
	}
}
