package dedup

import (
	"errors"
	"os"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
)

func TestDamageIsFoundBeforeItIsMet(t *testing.T) {
	dir, o := t.TempDir(), smallFolder(100)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 200)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	path := only(t, dir, "*.run")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-3] ^= 1 // of an outline
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	g = gateAt(t, dir, o, 200, 200)
	g.tables.Settled()
	if err := g.Commit(); !errors.As(err, new(*index.DamageError)) {
		t.Errorf("Commit() = %v, want a DamageError", err)
	}
}
