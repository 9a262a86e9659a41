package gatecrawl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// TestEveryLinkOfTheDocumentsLeadsSomewhere follows the links of README and docs to files and
// their headings. Links to the web are not asked for.
func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := make(map[string]bool)
	for _, file := range append(files, "README.md", "CHANGELOG.md", "CONTRIBUTING.md") {
		for _, to := range linksOf(t, file) {
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			path, heading, _ := strings.Cut(to, "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", file, to, err)
				continue
			}
			if file == filepath.Join("docs", "index.md") {
				linked[target] = true
			}
			if heading != "" && !anchors(t, target)[heading] {
				t.Errorf("%s links to %s, where no heading is called so", file, to)
			}
		}
	}
	for _, file := range files {
		if file != filepath.Join("docs", "index.md") && !linked[file] {
			t.Errorf("docs/index.md has no link to %s", file)
		}
	}
}

// linksOf returns where the links and pictures of a document lead.
func linksOf(t *testing.T, file string) (all []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err = ast.Walk(doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if enter {
			switch n := n.(type) {
			case *ast.Link:
				all = append(all, string(n.Destination))
			case *ast.Image:
				all = append(all, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)

// anchors are the names by which the headings of a document are linked, as GitHub makes them.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(string(source), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		all[name] = true
	}
	return all
}
