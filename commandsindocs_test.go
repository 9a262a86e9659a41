package gatecrawl_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryTestThatTheDocumentsRunIsThere looks for the tests, benchmarks and fuzz targets that the documents name in
// a go test command: a figure whose command runs nothing cannot be measured again.
func TestEveryTestThatTheDocumentsRunIsThere(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, file := range append(files, "README.md", "CONTRIBUTING.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(string(b), "\\\n", " "), `\|`, "|") // a bar in a table
		for _, command := range commandsOfTests(text) {
			kinds := map[string]string{"run": "Test", "bench": "Benchmark", "fuzz": "Fuzz"}
			for flag, kind := range kinds {
				for _, pattern := range alternatives(command.flags[flag]) {
					named++
					if !namesOne(t, command.packages, kind, pattern) {
						t.Errorf("%s: no %s of %s matches %q of go test %s", file, kind, command.packages, pattern, command.text)
					}
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d patterns were found in the documents", named)
	}
}

// A testCommand is a go test command of a document.
type testCommand struct {
	text     string
	packages []string
	flags    map[string]string
}

var (
	goTest = regexp.MustCompile(`\x60[^\x60]*?go test ([^\x60]*)\x60|(?m)^ {4}.*go test (.*)$`)
	word   = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
)

// commandsOfTests returns the go test commands of a text: in backquotes, where they may go on in a second line, or in a line
// of code.
func commandsOfTests(text string) (all []testCommand) {
	for _, m := range goTest.FindAllStringSubmatch(text, -1) {
		c := testCommand{text: m[1] + m[2], flags: map[string]string{}}
		words := word.FindAllString(c.text, -1)
	words:
		for i, w := range words {
			flag := strings.TrimLeft(w, "-")
			switch {
			case w == "-args", strings.HasPrefix(w, "|"), strings.HasPrefix(w, ">"), w == ";", w == "#":
				break words
			case w == "." || strings.HasPrefix(w, "./"):
				c.packages = append(c.packages, strings.TrimRight(w, ",;"))
			case strings.HasPrefix(w, "-") && (flag == "run" || flag == "bench" || flag == "fuzz") && i+1 < len(words):
				c.flags[flag] = strings.Trim(words[i+1], `'"`)
			}
		}
		if c.packages == nil {
			c.packages = []string{"."}
		}
		all = append(all, c)
	}
	return all
}

// alternatives returns the parts of a pattern that name a test each. A pattern for none has none, nor has a word
// that stands for a name.
func alternatives(pattern string) (all []string) {
	top, _, _ := strings.Cut(strings.Trim(pattern, "()"), "/")
	for p := range strings.SplitSeq(top, "|") {
		if p != "" && p != "xxx" && p != "^$" && p != "NONE" && p != "NAME" && p != "FUZZER" {
			all = append(all, p)
		}
	}
	return all
}

// namesOne reports whether a function of a kind in a test file of the packages has a name that the pattern matches.
func namesOne(t *testing.T, packages []string, kind, pattern string) bool {
	t.Helper()
	is, err := regexp.Compile(pattern)
	if err != nil {
		t.Errorf("pattern %q: %v", pattern, err)
		return false
	}
	for _, p := range packages {
		dir, below := strings.CutSuffix(p, "...")
		for _, name := range testNames(t, filepath.Clean(dir), below) {
			if strings.HasPrefix(name, kind) && is.MatchString(name) || kind == "Test" && strings.HasPrefix(name, "Example") && is.MatchString(name) {
				return true
			}
		}
	}
	return false
}

var testName = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)

// testNames returns the names of the test functions of a folder, and of those below it.
func testNames(t *testing.T, dir string, below bool) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (!below || slices.Contains([]string{".git", "testdata"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range testName.FindAllSubmatch(b, -1) {
			all = append(all, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return all
}

// TestTheDesignNamesEveryRuleOfTheGate looks for the names of dedup/rule.go in docs/design-gate.md.
func TestTheDesignNamesEveryRuleOfTheGate(t *testing.T) {
	rules, err := os.ReadFile("dedup/rule.go")
	if err != nil {
		t.Fatal(err)
	}
	design, err := os.ReadFile("docs/design-gate.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t([A-Z]\w+) +Rule = "`).FindAllSubmatch(rules, -1)
	for _, m := range names {
		if !regexp.MustCompile(`\b` + string(m[1]) + `\b`).Match(design) {
			t.Errorf("docs/design-gate.md does not name the rule %s", m[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("dedup/rule.go has %d rules", len(names))
	}
}
