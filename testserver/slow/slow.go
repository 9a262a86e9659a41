// Package slow tells tests that take long from the others, and has those that mostly wait
// wait less, so that go test ./... ends within a minute or two.
package slow

import (
	"flag"
	"os"
	"syscall"
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

// memory is a file system in memory, where there is one.
const memory = "/dev/shm"

// room is how much of memory has to be free. go test runs two packages at once on two
// processors: they had 1 GB there at most.
const room = 2 << 30

// Tests are a package's, as testing.M has them.
type Tests struct{ *testing.M }

// Run runs tests that mostly wait, for a disk's syncs, other processes and delays: eight at
// once unless -parallel says otherwise. Their temporary folders are in memory, where a sync
// costs nothing, unless tests may take long (Wanted), benchmarks are run, or TMPDIR says
// where they are to be. What a crash leaves of files is shown by tests that take a file's
// writes apart, on whatever disk; and .ci/run has all tests on the disk but for those that ask
// for TempDir.
func (t Tests) Run() int {
	flag.Parse()
	said := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { said[f.Name] = true })
	if !said["test.parallel"] {
		flag.Set("test.parallel", "8") // which is a number: it cannot fail
	}
	if !Wanted() && !said["test.bench"] && inMemory() {
		os.Setenv("TMPDIR", memory)
	}
	return t.M.Run()
}

// TempDir is t.TempDir in memory, where there is room: for crawls of many pages of which
// something is tested that no disk has to do with.
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

// inMemory reports whether there is room in memory, and TMPDIR does not say where temporary
// folders are to be.
func inMemory() bool {
	var fs syscall.Statfs_t
	_, set := os.LookupEnv("TMPDIR")
	return !set && syscall.Statfs(memory, &fs) == nil && int64(fs.Bavail)*int64(fs.Bsize) >= room
}
