// Package slow tells tests that take long from the others, so that go test ./... ends
// within a minute or two.
package slow

import (
	"flag"
	"os"
	"testing"
)

// variable has all tests run, as .ci/run does.
const variable = "GATECRAWL_SLOW"

// Test skips a test that takes long, and says what it does all that time, unless
// GATECRAWL_SLOW is set or -run asks for tests by name. Under -short it never runs.
func Test(t testing.TB, what string) {
	t.Helper()
	if !Wanted() {
		t.Skipf("it %s: %s=1 or -run runs it", what, variable)
	}
}

// Wanted reports whether tests may take long.
func Wanted() bool {
	if testing.Short() {
		return false
	}
	run := flag.Lookup("test.run")
	return os.Getenv(variable) != "" || run != nil && run.Value.String() != ""
}
