package gatecrawl_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// withoutExamples are the packages that no program would call, and why. The packages below cmd,
// bench and deploy are commands.
var withoutExamples = map[string]string{
	"cluster/engine/enginetest": "a test suite for engines",
	"frontier/queue/check":      "checks rows of a job's tables: store/integrity calls it",
	"mirror/twins":              "records of a job, which a program reads by gatecrawl.Inspector.Pairs",
	"store/integrity":           "needs all parts of an open job: a program calls store.Store.Verify",
	"store/job":                 "records of a job's settings and state, which store writes",
	"store/kv/kvtest":           "a test suite for kv.Store",
	"store/requisite":           "records of a job's files, which a program reads by gatecrawl.Inspector.Rows",
	"store/suite":               "a test suite for gatecrawl.Store",
	"testserver/await":          "waits in tests",
	"testserver/browser":        "starts Chromium for tests",
	"testserver/crossed":        "a command",
	"testserver/demo":           "compares a crawl with its test web: crawl demo prints the result",
	"testserver/env":            "reads the environment variables of tests",
	"testserver/kill":           "starts and kills programs for tests",
	"testserver/slow":           "skips long tests",
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
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte("\nfunc Example")) {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
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
		switch why, exempt := withoutExamples[pkg]; {
		case top == "cmd" || top == "bench" || top == "deploy" || strings.Contains(pkg, "/internal/"):
		case !ok && !exempt:
			t.Errorf("package %s has no example", pkg)
		case ok && exempt:
			t.Errorf("package %s has an example, and stands among those without one: %s", pkg, why)
		}
	}
	for pkg := range withoutExamples {
		if _, ok := has[pkg]; !ok {
			t.Errorf("there is no package %s", pkg)
		}
	}
}
