package gatecrawl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// withoutExamples are the packages that programs have no use for, and why.
var withoutExamples = map[string]string{
	"bench":                "a module of its own",
	"cmd":                  "commands",
	"corpus/labelled":      "a truth to judge methods by",
	"dedup/index/lab":      "a laboratory",
	"deploy":               "what a release is made with",
	"dedup/group":          "a part of a job, which programs open by crawl",
	"dedup/mainpart":       "a reader to judge the gate by",
	"durable":              "what other packages stand on",
	"frontier/queue/check": "a part of a job, which programs open by crawl",
	"mirror/twins":         "a part of a job, which programs open by crawl",
	"store/archive":        "a part of a job, which programs open by crawl",
	"store/folder":         "a part of a job, which programs open by crawl",
	"store/integrity":      "a part of a job, which programs open by crawl",
	"store/job":            "a part of a job, which programs open by crawl",
	"store/letter":         "a part of a job, which programs open by crawl",
	"store/mail":           "a part of a job, which programs open by crawl",
	"store/query":          "a part of a job, which programs open by crawl",
	"store/requisite":      "a part of a job, which programs open by crawl",
	"mmap":                 "what other packages stand on",
	"purify/forest":        "what purify/body stands on",
	"purify/hint":          "what purify/blocks stands on",
	"purify/template":      "a part of a job, which programs open by crawl",
	"purify/truth":         "for training",
	"store/kv/disk/runs":   "what store/kv/disk stands on",
	"store/kv/kvtest":      "a test suite",
	"store/kv/mem":         "see store/kv",
	"store/revisit":        "a part of a job, which programs open by crawl",
	"store/suite":          "a test suite",
	"testserver":           "webs for tests",

	"cluster/engine":            "a contract: see cluster/jetstream and cluster/owner",
	"cluster/engine/enginetest": "a test suite",
	"cluster/engine/mem":        "see cluster/owner",
	"cluster/node":              "what crawl node runs",
}

func TestEveryPackageThatProgramsImportHasAnExample(t *testing.T) {
	has := make(map[string]bool)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		pkg := path.Dir(filepath.ToSlash(file))
		has[pkg] = has[pkg] || false
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
				has[pkg] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, ok := range has {
		top, _, _ := strings.Cut(pkg, "/")
		if !ok && !strings.Contains(pkg, "/internal/") && withoutExamples[pkg] == "" && withoutExamples[top] == "" {
			t.Errorf("package %s has no example", pkg)
		}
	}
}
