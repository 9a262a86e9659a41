package gatecrawl_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryVariableOfTestsIsListed compares the environment variables that tests read with the
// table of CONTRIBUTING.md.
func TestEveryVariableOfTestsIsListed(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool) // false: no test reads it
	for _, row := range regexp.MustCompile(`(?m)^\| (GATECRAWL_\w+) \|`).FindAllSubmatch(text, -1) {
		listed[string(row[1])] = false
	}
	variable := regexp.MustCompile(`"((?:[A-Z]+_)+[A-Z]+)"`)
	read := regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\(|env\.Number\(|envIs\(|^(?:const\s+|\s+)\w+\s+=\s+"GATECRAWL_`)
	err = filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		isTest := strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".go") && (strings.HasPrefix(file, "testserver/") || strings.HasPrefix(file, "warc/internal/peer/"))
		if err != nil || !isTest {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(source)) {
			if !strings.Contains(line, "nv") && !strings.Contains(line, "GATECRAWL_") || !read.MatchString(line) { // nv: Getenv, env
				continue
			}
			for _, m := range variable.FindAllStringSubmatch(line, -1) {
				switch _, ok := listed[m[1]]; {
				case ok:
					listed[m[1]] = true
				case strings.Contains(m[1], "_TEST_"):
				default:
					t.Errorf("%s reads %s, which CONTRIBUTING.md does not list", file, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range listed {
		if !ok {
			t.Errorf("CONTRIBUTING.md lists %s, which no test reads", name)
		}
	}
}
