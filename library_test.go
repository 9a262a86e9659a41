package gatecrawl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestTheProgramsOfTheDocsCompile does what docs/library.md says: a module of its own that
// points to this one.
func TestTheProgramsOfTheDocsCompile(t *testing.T) {
	slow.Test(t, "compiles programs")
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("docs", "library.md"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mods, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, needs, _ := strings.Cut(string(mods), "\n") // the go version, and what we are built of
	module, dir := modulePath(t), t.TempDir()
	write := func(name string, content []byte) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.sum", sums)
	write("go.mod", fmt.Appendf(nil, "module example.org/mine\n%s\nrequire %s v0.0.0\nreplace %[2]s => %[3]s\n", needs, module, root))
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(readme), "```go\n")[1:] {
		if snippet, _, _ := strings.Cut(block, "```"); !strings.Contains(string(text), snippet) {
			t.Errorf("README has lines that no program of docs/library.md has:\n%s", snippet)
		}
	}
	programs := 0
	for _, block := range strings.Split(string(text), "```go\n")[1:] {
		program, _, _ := strings.Cut(block, "```")
		programs++
		write(fmt.Sprintf("program%d/main.go", programs), []byte(program))
	}
	if programs < 5 {
		t.Fatalf("docs/library.md has %d programs, want 5 and more", programs)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = dir
	vet.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOPROXY=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	format := exec.Command("gofmt", "-l", ".")
	format.Dir = dir
	if out, err := format.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt would change %s, %v", out, err)
	}
}
