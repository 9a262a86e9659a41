// Package kill runs a test's work in a child process and kills that with signal 9, to check that
// what it reported as durable is there.
package kill

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// Rounds returns how many kills a test makes: the value of an environment variable, or usual if it
// is not set.
func Rounds(t *testing.T, variable string, usual int) int {
	t.Helper()
	s := os.Getenv(variable)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q: want a number of kills, 1 or more", variable, s)
	}
	return n
}

// After runs the same test in a child process with additional environment variables, kills the
// child when it has printed this many lines, and waits for it. line is called for each line that it
// printed, including those printed before the kill took effect; the last one may be cut short.
func After(t *testing.T, lines int, line func(string), environment ...string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), environment...)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	told := bufio.NewScanner(out)
	for range lines {
		if !told.Scan() {
			t.Fatalf("the child ended by itself: %v", child.Wait())
		}
		line(told.Text())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for told.Scan() {
		line(told.Text())
	}
	_ = child.Wait() // it was killed
}
