package runs_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// oneRun makes a table of one file with n entries.
func oneRun(t *testing.T, n int) *owner {
	t.Helper()
	o := newOwner(t, 1)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var b runs.Batch
	for i := range n {
		k := fmt.Sprintf("host%03d/%05d", i/50, i)
		v := fmt.Sprintf("the value of %x, of %x, which is long", rng.IntN(9), rng.Uint64())
		b.Put([]byte(k), []byte(v))
		o.want[k] = v
	}
	o.commit(&b)
	o.take(<-o.table.Done())
	if len(o.metas) != 1 || len(o.log) != 0 {
		t.Fatalf("%d runs and %d entries of the log, want one and none", len(o.metas), len(o.log))
	}
	return o
}

func TestEveryFlippedByteOfARunIsNoticed(t *testing.T) {
	o := oneRun(t, 40)
	path := filepath.Join(o.dir, o.metas[0].File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := runs.Check(o.dir, o.metas[0], o.o); err != nil {
		t.Fatalf("Check of a sound run = %v", err)
	}
	for at := range whole {
		b := bytes.Clone(whole)
		b[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := runs.Check(o.dir, o.metas[0], o.o); !errors.As(err, new(*runs.DamageError)) {
			t.Fatalf("byte %d of %d: Check = %v, want a DamageError", at, len(whole), err)
		}
	}
}

func TestWhatIsLeftOfARunIsSaved(t *testing.T) {
	const n, inBlock = 8000, 150 // more than a block has; there are more than 64 blocks
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		most   int // entries that may be lost
	}{
		{"a block", func(b []byte) []byte { b[len(b)/3] ^= 1; return b }, inBlock},
		{"the index", func(b []byte) []byte { b[len(b)-40] ^= 1; return b }, 0},
		{"a block that ends early, and the index", func(b []byte) []byte { b[len(b)-40] ^= 1; return append(b[:len(b)/3], b[len(b)/3+5:]...) }, inBlock},
		{"the tail", func(b []byte) []byte { b[len(b)-20] ^= 1; return b }, 0},
		{"the second half", func(b []byte) []byte { return b[:len(b)/2] }, n/2 + inBlock},
		{"all", func([]byte) []byte { return nil }, n},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := oneRun(t, n)
			path := filepath.Join(o.dir, o.metas[0].File)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.damage(b), 0o644); err != nil {
				t.Fatal(err)
			}
			name, err := runs.NextName(o.dir, o.metas)
			if err != nil {
				t.Fatal(err)
			}
			left, err := runs.Salvage(o.dir, o.metas[0], name, o.o)
			if err != nil {
				t.Fatal(err)
			}
			if lost := n - int(left.Entries); lost < 0 || lost > c.most {
				t.Errorf("%d of %d entries are lost, want at most %d", lost, n, c.most)
			}
			if left.Entries == 0 {
				return
			}
			if err := runs.Check(o.dir, left, o.o); err != nil {
				t.Errorf("what was saved: %v", err)
			}
			table, err := runs.Open(o.dir, []runs.Meta{left}, o.o)
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			s := table.Snapshot()
			defer s.Release()
			if err := s.Range(nil, nil, func(k, v []byte) bool {
				if o.want[string(k)] != string(v) {
					t.Fatalf("%q is %q, and was %q", k, v, o.want[string(k)])
				}
				return true
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Whatever stands in the place of a file, saving what is left of it ends, and the
// file that it writes is sound.
func FuzzSalvage(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{5, 0x0c, 0, 2, 2, 'a', '1', 1, 1, 1, 'b', 'c'})
	f.Add([]byte{9, 0x01, 0, 0x15, 0, 200, 3, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "00000001.run"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		o := runs.Options{Part: part}
		left, err := runs.Salvage(dir, runs.Meta{File: "00000001.run", Age: 1, Bytes: int64(len(b))}, "00000002.run", o)
		if err != nil {
			t.Fatal(err)
		}
		if left.Entries > 0 {
			if err := runs.Check(dir, left, o); err != nil {
				t.Error(err)
			}
		}
	})
}
