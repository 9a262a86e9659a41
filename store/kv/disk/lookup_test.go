package disk

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
)

// sparseRows makes a store whose tables have rows of all sizes, from none to several pages, and returns
// its path and what is in it.
func sparseRows(t *testing.T) (path string, rows map[*kv.Table]map[string][]byte) {
	rng := rand.New(rand.NewPCG(5, 7))
	path, rows = filepath.Join(t.TempDir(), "test.db"), make(map[*kv.Table]map[string][]byte)
	s := open(t, path, Options{})
	sizes := []int{0, 1, 20, 300, 3000, 30_000}
	for i, n := range []int{3000, 1, 0, 40, 500} { // the rows of small tables are with those of bbolt's buckets
		table := kvtest.Tables()[i]
		rows[table] = make(map[string][]byte)
		for range n {
			v := make([]byte, sizes[rng.IntN(len(sizes)-rng.IntN(len(sizes)))])
			for b := range v {
				v[b] = byte(rng.Uint32())
			}
			rows[table][fmt.Sprintf("%0*x", 1+rng.IntN(40), rng.Uint32())] = v
		}
	}
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		for table, of := range rows {
			for k, v := range of {
				tx.Put(table, []byte(k), v)
			}
		}
		return nil
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return path, rows
}

// A store that is asked for a few rows has those that it was given, and no others; they are good until the
// view ends.
func TestASparseStoreHasTheSameRows(t *testing.T) {
	path, rows := sparseRows(t)
	s := open(t, path, Options{ReadOnly: true, Sparse: true, sparseFrom: 1})
	err := s.View(t.Context(), func(r kv.Reader) error {
		got := make(map[*kv.Table]map[string][]byte)
		for table, of := range rows {
			got[table] = make(map[string][]byte)
			for k := range of {
				v, err := r.Get(table, []byte(k))
				if err != nil {
					return err
				}
				got[table][k] = v
				for _, absent := range []string{k + "0", k[:len(k)-1], "\x00", "\xff" + k} {
					v, err := r.Get(table, []byte(absent))
					if want := of[absent]; err != nil || !bytes.Equal(v, want) || (v == nil) != (want == nil) {
						t.Fatalf("Get(%s, %q) = %d bytes, %v; want %d", table.Name, absent, len(v), err, len(want))
					}
				}
			}
		}
		for table, of := range rows {
			for k, want := range of {
				if v := got[table][k]; v == nil || !bytes.Equal(v, want) {
					t.Errorf("Get(%s, %q) = %d bytes, nil: %v; want %d", table.Name, k, len(v), v == nil, len(want))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A page that is altered is an error, wherever it is: bbolt, which follows it, ends the process.
func TestASparseStoreTellsOfDamagedPages(t *testing.T) {
	path, rows := sparseRows(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, filepath.Base(path))
	damaged, table := 0, kvtest.Tables()[0]
	rng := rand.New(rand.NewPCG(8, 9))
	for range 12 {
		b := bytes.Clone(whole)
		for range 40 { // in the heads of pages and entries, where references are
			at := (2+rng.IntN(len(b)/4096-2))*4096 + rng.IntN(120)
			b[at] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, b, fileMode); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, kvtest.Tables(), Options{ReadOnly: true, Sparse: true, sparseFrom: 1})
		if err != nil {
			continue // the page is one that is read on opening
		}
		err = s.guarded(func() error { // the buckets themselves are bbolt's
			return s.View(t.Context(), func(r kv.Reader) error {
				for k := range rows[table] {
					if _, err := r.Get(table, []byte(k)); err != nil {
						if _, ok := errors.AsType[*kv.DamageError](err); !ok {
							t.Errorf("Get = %v, want a *kv.DamageError", err)
						}
						damaged++
					}
				}
				return nil
			})
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Log(err)
		}
	}
	if damaged == 0 {
		t.Error("no damaged page was told of")
	}
}

// BenchmarkGet1000Of100000 opens a store, reads rows that are far apart, and closes it.
func BenchmarkGet1000Of100000(b *testing.B) {
	path, table := filepath.Join(b.TempDir(), "test.db"), kvtest.Tables()[1]
	s, err := Open(path, kvtest.Tables(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	err = s.Update(b.Context(), func(tx kv.Tx) error {
		for i := range 100_000 {
			tx.Put(table, fmt.Appendf(nil, "%08d", i), make([]byte, 350))
		}
		return nil
	})
	if err = errors.Join(err, s.Close()); err != nil {
		b.Fatal(err)
	}
	for name, sparse := range map[string]bool{"map": false, "sparse": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := Open(path, kvtest.Tables(), Options{ReadOnly: true, Sparse: sparse, sparseFrom: 1})
				if err != nil {
					b.Fatal(err)
				}
				err = s.View(b.Context(), func(r kv.Reader) (err error) {
					for i := 0; err == nil && i < 100_000; i += 100 {
						_, err = r.Get(table, fmt.Appendf(nil, "%08d", i))
					}
					return err
				})
				if err = errors.Join(err, s.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
