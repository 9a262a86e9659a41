package gatecrawl_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each threat of docs/security.md names tests that hold what keeps it off.
func TestEachThreatNamesATestThatExists(t *testing.T) {
	there := make(map[string]bool)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([A-Za-z]+)(?:/([a-z]+))?`")
	rows := 0
	for line := range strings.Lines(string(document)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || strings.HasPrefix(line, "| who ") || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		tests := named.FindAllStringSubmatch(cells[3], -1)
		if len(tests) == 0 {
			t.Errorf("no test holds what keeps off:%s", cells[1])
		}
		for _, m := range tests {
			if !there[m[1]] {
				t.Errorf("there is no test %s, which is to keep off:%s", m[1], cells[1])
			}
			if script := filepath.Join("cmd", "crawl", "testdata", m[2]+".txtar"); m[2] != "" {
				if _, err := os.Stat(script); err != nil {
					t.Errorf("%s/%s: %v", m[1], m[2], err)
				}
			}
		}
	}
	if rows < 25 {
		t.Errorf("%d threats are read, want those of three tables", rows)
	}
}
