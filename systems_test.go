package gatecrawl_test

import (
	"os"
	"testing"

	load "golang.org/x/tools/go/packages"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// The command has files for other systems and processors, which no test here compiles. They are type-checked, with
// all packages that they import, which takes a tenth of the time that compiling them takes.
func TestAnotherSystemIsTypeChecked(t *testing.T) {
	slow.Test(t, "type-checks 660 packages")
	found, err := load.Load(&load.Config{
		Mode: load.NeedName | load.NeedFiles | load.NeedCompiledGoFiles | load.NeedImports | load.NeedDeps | load.NeedTypes | load.NeedSyntax,
		Env:  append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0"),
	}, "./cmd/crawl")
	if err != nil {
		t.Fatal(err)
	}
	load.Visit(found, nil, func(p *load.Package) {
		for _, err := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, err)
		}
	})
}
