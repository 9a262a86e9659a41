// Package env reads the environment variables by which tests and benchmarks are told sizes.
// CONTRIBUTING.md lists them.
package env

import (
	"os"
	"strconv"
	"testing"
)

// Number returns the number, 1 or more, that an environment variable has, and or where it is not
// set. It fails the test if it is set to something else.
func Number(t testing.TB, name string, or int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return or
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q: want a number from 1 up", name, v)
	}
	return n
}
