package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/export"
)

func TestSQLiteReadsTheLines(t *testing.T) {
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 here")
	}
	lines := printed(t, export.Options{Format: export.JSONL}, rows(t))
	file := filepath.Join(t.TempDir(), "pages.json")
	list := "[" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",") + "]" // no text has a line end
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	query := `select json_extract(value, '$.verdict'), json_extract(value, '$.lang'), count(*)
from json_each(readfile('pages.json')) where json_extract(value, '$.verdict') = 'new' group by 1, 2 order by 2`
	cmd := exec.Command(sqlite, ":memory:", query)
	cmd.Dir = filepath.Dir(file)
	got, err := cmd.CombinedOutput()
	if want := "new|de-CH|1\nnew|en|1\n"; err != nil || string(got) != want {
		t.Errorf("sqlite3 says %q, %v; want %q", got, err, want)
	}
}
