package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)

// TestAStartMakesNoLargeTable holds what each package of ours allocates before main to 400 kB:
// every command waits for it, crawl version too.
func TestAStartMakesNoLargeTable(t *testing.T) {
	const most = 400 << 10
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	ours := 0
	for _, line := range initLine.FindAllStringSubmatch(string(out), -1) {
		name, ok := strings.CutPrefix(line[1], "gatecrawl.example/gatecrawl/")
		if !ok {
			continue
		}
		ours++
		if n, err := strconv.Atoi(line[2]); err != nil || n > most {
			t.Errorf("package %s allocates %s bytes before main, want at most %d: make its tables when they are first needed", name, line[2], most)
		}
	}
	if ours == 0 {
		t.Errorf("no package of ours in the trace of the start:\n%s", out)
	}
}
