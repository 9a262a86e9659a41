package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func compareFiles(t *testing.T, got, want string) {
	t.Helper()
	a, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("training wrote %d bytes to %s that are not the %d of %s", len(a), got, len(b), want)
	}
}

// smallCorpus writes pages of three types whose bodies are known.
func smallCorpus(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, kind := range []string{"article", "forum", "product"} {
		for _, host := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			body := "The " + kind + " of " + host + " is long enough to be a body and has a full stop."
			b.WriteString(`{"id":"` + kind + host + `","host":"` + host + `.example","type":"` + kind + `","body":"` + body +
				`","html":"<nav><a href=/>home</a></nav><div class=` + kind + `><p>` + body + `</p></div><footer>imprint</footer>"}` + "\n")
		}
	}
	name := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTrainingTwiceWritesTheSame(t *testing.T) {
	corpus := smallCorpus(t)
	dir := t.TempDir()
	for _, name := range []string{"1", "2"} {
		if err := run(io.Discard, []string{corpus}, filepath.Join(dir, name+".go"), filepath.Join(dir, name+".jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	compareFiles(t, filepath.Join(dir, "1.go"), filepath.Join(dir, "2.go"))
	compareFiles(t, filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl"))
	held, err := os.ReadFile(filepath.Join(dir, "1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(held, []byte(`"corpus":"small.jsonl"`)); n != 24 {
		t.Errorf("held out bodies of %d pages, want those of all 24", n)
	}
}

func TestACorpusWithoutBodiesIsRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "none.jsonl")
	if err := os.WriteFile(name, []byte(`{"id":"1","html":"<p>text","type":"poem"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(io.Discard, []string{name}, "", ""); err == nil || !strings.Contains(err.Error(), "none.jsonl") {
		t.Errorf("run of pages without a known type says %v, want it refused by name", err)
	}
}
