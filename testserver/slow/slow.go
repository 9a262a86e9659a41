// Package slow skips tests that take long, and runs tests that mostly wait in parallel, so that go
// test ./... ends within a minute or two.
package slow

import (
	"flag"
	"os"
	"syscall"
	"testing"
)

// variable is the environment variable that makes all tests run, as .ci/run does.
const variable = "GATECRAWL_SLOW"

// Test skips a test that takes long, and says what takes so long, unless GATECRAWL_SLOW is set or
// -run selects tests by name. With -short it always skips it.
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

// memory is a folder in memory, on systems that have it.
const memory = "/dev/shm"

// leastFree is how many bytes must be free there. go test runs two packages at once on two
// processors: together they used at most 1 GB.
const leastFree = 2 << 30

// Tests are the tests of a package.
type Tests struct{ *testing.M }

// Run runs tests that mostly wait for disks, processes and delays: eight at once, unless -parallel
// is set. Their temporary folders are in memory, where a sync costs nothing, unless long tests
// (Wanted) or benchmarks are run, or TMPDIR is set. Crashes are tested by other tests, which
// simulate lost writes on any disk; .ci/run has all tests on the disk, except those that call
// TempDir.
func (t Tests) Run() int {
	flag.Parse()
	said := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { said[f.Name] = true })
	if !said["test.parallel"] {
		flag.Set("test.parallel", "8") // a number: it cannot fail
	}
	if !Wanted() && !said["test.bench"] && inMemory() {
		os.Setenv("TMPDIR", memory)
	}
	return t.M.Run()
}

// TempDir is t.TempDir in memory, if enough is free: for crawls of many pages that test nothing
// about the disk.
func TempDir(t testing.TB) string {
	t.Helper()
	if !inMemory() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "crawl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// inMemory reports whether enough memory is free and TMPDIR is not set.
func inMemory() bool {
	var fs syscall.Statfs_t
	_, set := os.LookupEnv("TMPDIR")
	return !set && syscall.Statfs(memory, &fs) == nil && int64(fs.Bavail)*int64(fs.Bsize) >= leastFree
}
