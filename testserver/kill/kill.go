// Package kill runs the work of a test in a child process and kills that with signal 9, so
// that what it had said to be durable can be looked for.
package kill

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// Rounds returns how many kills a test makes: as many as a variable of the environment says,
// or usual where it is not set.
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

// After runs the same test in a child process with entries more in its environment, kills the
// child when it has printed so many lines, and waits for it. line is called for each line
// that it printed, also for those that came before the kill and were not waited for; the last
// of them may be cut short.
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
