package purify

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// eachPage calls do with the pages of a file of the data folder. The test is
// skipped where there is no such folder.
func eachPage(tb testing.TB, name string, do func(*truth.Page)) {
	tb.Helper()
	err := truth.EachPage(filepath.Join("..", "..", "shared", "data", "purify", name), do)
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("%s is not there: real pages live outside the repository", name)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
