package gatecrawl_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestATestSleepsBySynctestsClockOrSaysWhy holds a rule of CONTRIBUTING.md: a time.Sleep stands in
// a function that calls synctest.Test, or one of its file that does, or there is a comment behind
// it.
func TestATestSleepsBySynctestsClockOrSaysWhy(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("time.Sleep(")) {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		said := make(map[int]bool) // lines with a comment
		for _, c := range file.Comments {
			said[fset.Position(c.Pos()).Line] = true
		}
		simulates := make(map[string]bool) // functions that call synctest.Test
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && len(calls(f, func(name string) bool { return name == "synctest.Test" })) > 0 {
				simulates[f.Name.Name] = true
			}
		}
		for _, decl := range file.Decls {
			sleeps := calls(decl, func(name string) bool { return name == "time.Sleep" })
			found += len(sleeps)
			if f, ok := decl.(*ast.FuncDecl); ok && (simulates[f.Name.Name] || len(calls(f, func(name string) bool { return simulates[name] })) > 0) {
				continue
			}
			for _, at := range sleeps {
				if p := fset.Position(at); !said[p.Line] {
					t.Errorf("%s: a test sleeps by the real clock and does not say why", p)
				}
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d calls of time.Sleep found: %v", found, err)
	}
}

// calls returns where a function is called whose name, with its package in front, is one of these.
func calls(n ast.Node, is func(name string) bool) (at []token.Pos) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if is(f.Name) {
				at = append(at, call.Pos())
			}
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok && is(x.Name+"."+f.Sel.Name) {
				at = append(at, call.Pos())
			}
		}
		return true
	})
	return at
}
