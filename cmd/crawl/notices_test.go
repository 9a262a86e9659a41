package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

var updateNotices = flag.Bool("update-notices", false, "write THIRD-PARTY-NOTICES.txt anew from the module cache")

const noticesFile = "../../THIRD-PARTY-NOTICES.txt"

// testOnly are modules that tests need and the command does not link.
var testOnly = []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "golang.org/x/tools"}

// linkedModules are the modules that the command is built of, with their versions.
func linkedModules(t *testing.T) (modules []*debug.Module) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Skip("this test binary does not say what it is built of")
	}
	for _, m := range info.Deps {
		if !slices.Contains(testOnly, m.Path) {
			modules = append(modules, m)
		}
	}
	return modules
}

// isNotice reports whether a file of a module has its licence or a notice that goes with it.
var isNotice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`).MatchString

// The licences of what is linked ask for their text in what is given away.
func TestEveryModuleThatIsLinkedHasItsNotice(t *testing.T) {
	modules := linkedModules(t)
	if *updateNotices {
		writeNotices(t, modules)
	}
	b, err := os.ReadFile(noticesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		title := fmt.Sprintf("\n%s %s\n", m.Path, m.Version)
		_, text, ok := strings.Cut(string(b), title)
		if !ok {
			t.Errorf("%s %s is not in %s: go test ./cmd/crawl -run Notice -update-notices", m.Path, m.Version, filepath.Base(noticesFile))
			continue
		}
		if text, _, _ = strings.Cut(text, ruler); len(text) < 200 {
			t.Errorf("the notice of %s has %d bytes, which is no licence", m.Path, len(text))
		}
	}
}

const ruler = "\n================================================================================\n"

func writeNotices(t *testing.T, modules []*debug.Module) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	var b bytes.Buffer
	b.WriteString("The command crawl is built of gatecrawl (LICENSE) and of the modules below, whose licences follow.\n" +
		"Written by: go test ./cmd/crawl -run Notice -update-notices\n")
	add := func(name, version, dir string) {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s %s\n", ruler, name, version)
		found := false
		for _, f := range files {
			if f.IsDir() || !isNotice(f.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", f.Name(), strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
			found = true
		}
		if !found {
			t.Errorf("%s: no licence in %s", name, dir)
		}
	}
	add("The Go programming language", runtime.Version(), root)
	for _, m := range modules {
		add(m.Path, m.Version, filepath.Join(cache, escapedPath(m.Path)+"@"+m.Version))
	}
	if err := os.WriteFile(noticesFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// escapedPath is a module's path as the module cache has it: capitals behind a mark.
func escapedPath(path string) string {
	var b strings.Builder
	for _, r := range path {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
