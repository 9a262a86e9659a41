package gatecrawl_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport is the table of docs/design.md: which of our packages each package
// may import. A package that is not named may import nothing of ours.
var mayImport = map[string][]string{
	"frontier":         {"priority"},
	"fetch":            {"frontier"},
	"fetch/render":     {"fetch", "frontier"},
	"mirror":           {"frontier"},
	"mirror/rules":     {"frontier"},
	"dedup":            {"frontier", "purify"},
	"dedup/methods":    {"dedup", "purify"},
	".":                {"priority", "purify", "frontier", "fetch", "mirror", "mirror/rules", "dedup", "warc"},
	"store":            {".", "priority", "purify", "frontier", "fetch", "mirror", "mirror/rules", "dedup", "store/runs"},
	"store/suite":      {".", "priority", "purify", "frontier", "fetch", "mirror", "mirror/rules", "dedup"},
	"configs":          {".", "priority", "purify", "frontier", "fetch", "mirror", "mirror/rules", "dedup", "store", "testserver"},
	"cmd/train-purify": {"purify", "purify/truth", "dedup"},
	"bench":            {"purify", "purify/truth", "dedup"}, // a module of its own
	"cmd/crawl":        {".", "priority", "purify", "frontier", "fetch", "fetch/render", "mirror", "mirror/rules", "dedup", "dedup/methods", "store", "testserver", "configs", "warc"},
}

// livesIn names the one package of ours that may use a module.
var livesIn = map[string]string{
	"github.com/gocolly/colly":         "fetch",
	"github.com/temoto/robotstxt":      "fetch",
	"github.com/chromedp":              "fetch/render",
	"github.com/PuerkitoBio/goquery":   "purify",
	"github.com/bits-and-blooms/bloom": "dedup",
	"go.etcd.io/bbolt":                 "store",
	"github.com/spf13/cobra":           "cmd/crawl",
	"github.com/goccy/go-yaml":         "configs",
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	seen := make(map[string]bool)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		pkg := path.Dir(filepath.ToSlash(file))
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imp := strings.Trim(spec.Path.Value, `"`)
			if imp == "gatecrawl" || strings.HasPrefix(imp, "gatecrawl/") {
				ours := path.Clean("./" + strings.TrimPrefix(strings.TrimPrefix(imp, "gatecrawl"), "/"))
				if !slices.Contains(mayImport[pkg], ours) {
					t.Errorf("%s imports %s; the table does not allow it", file, imp)
				}
			}
			for module, home := range livesIn {
				if strings.HasPrefix(imp, module) && pkg != home {
					t.Errorf("%s imports %s, which belongs to %s", file, imp, home)
				}
			}
			if file == "crawler.go" && (imp == "os" || imp == "flag") {
				t.Errorf("crawler.go imports %s", imp)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("the table names %s, which has no file", pkg)
		}
	}
}
