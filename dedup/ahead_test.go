package dedup

import (
	"errors"
	"os"
	"testing"
)

func TestAnOpenedFolderIsReadAhead(t *testing.T) {
	dir, o := t.TempDir(), smallFolder(100)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 1000)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	g = gateAt(t, dir, o, 1000, 1000)
	<-g.tables.ahead
	runs := g.tables.view.Load().runs
	if len(runs) == 0 {
		t.Fatal("there are no runs")
	}
	for _, r := range runs {
		for i := range 2 * segments {
			if s := r.h.unreadSegment(i); s != nil && s.unread.Load() != nil {
				t.Fatalf("%s: segment %d was not read", r.path, i)
			}
		}
		for i := range r.heads {
			for j := range r.heads[i].parts.state {
				if r.heads[i].parts.state[j].Load() != shardIntact {
					t.Fatalf("%s: part %d of table %d was not read", r.path, j, i)
				}
			}
		}
		for j := range r.known.parts.state {
			if r.known.parts.state[j].Load() != shardIntact {
				t.Fatalf("%s: part %d of the outlines was not read", r.path, j)
			}
		}
	}
}

func TestDamageIsFoundBeforeItIsMet(t *testing.T) {
	dir, o := t.TempDir(), smallFolder(100)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 200)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	path := only(t, dir, "*"+runSuffix)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-3] ^= 1 // of an outline
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	g = gateAt(t, dir, o, 200, 200)
	<-g.tables.ahead
	if err := g.Commit(); !errors.As(err, new(*DamageError)) {
		t.Errorf("Commit() = %v, want a DamageError", err)
	}
}
