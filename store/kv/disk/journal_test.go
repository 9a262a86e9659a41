package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
)

// A kept journal has what it was handed, in memory.
type keptJournal struct {
	redos  [][]byte
	before func(s *Store, n int) error // called before commit n is kept
	closed bool
}

func (j *keptJournal) Commit(s *Store, redo []byte) ([]byte, error) {
	if j.before != nil {
		if err := j.before(s, len(j.redos)); err != nil {
			return nil, err
		}
	}
	j.redos = append(j.redos, redo)
	return fmt.Appendf(nil, "commit %d", len(j.redos)), nil
}

func (j *keptJournal) Close() { j.closed = true }

// someChanges puts and deletes rows of all tables.
func someChanges(draw *rand.Rand, n int) func(tx kv.Tx) error {
	return func(tx kv.Tx) error {
		for range n {
			t := kvtest.Tables()[draw.IntN(len(kvtest.Tables()))]
			key := fmt.Appendf(nil, "key %d", draw.IntN(200))
			if draw.IntN(4) == 0 {
				tx.Delete(t, key)
			} else {
				tx.Put(t, key, bytes.Repeat([]byte{byte(n)}, draw.IntN(300)))
			}
		}
		return nil
	}
}

// rowsOf returns all rows of a store in one text.
func rowsOf(t *testing.T, s *Store) string {
	t.Helper()
	var b bytes.Buffer
	err := s.View(t.Context(), func(r kv.Reader) error {
		for _, table := range kvtest.Tables() {
			for e, err := range r.Scan(table, nil, nil) {
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, "%s %q %x\n", table.Name, e.Key, e.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markOf(t *testing.T, s *Store) string {
	t.Helper()
	b, err := s.Mark()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A dump in the middle with the commits behind it, or all commits, make a store with the same
// rows. Commits that are applied a second time change nothing.
func TestACopyIsMadeOfADumpAndTheCommitsBehindIt(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 1))
	var dumped [][]byte
	var at string
	const commits, middle = 60, 30
	j := &keptJournal{before: func(s *Store, n int) error {
		if n != middle {
			return nil
		}
		return s.Dump(context.Background(), func(mark []byte) error { at = string(mark); return nil },
			func(redo []byte) error { dumped = append(dumped, bytes.Clone(redo)); return nil })
	}}
	start := func(tx kv.Tx) error { tx.Put(kvtest.Tables()[0], []byte("first"), []byte("row")); return nil }
	s := open(t, filepath.Join(t.TempDir(), "test.db"), Options{Journal: j, Memory: 10_000, Init: start})
	for range commits {
		if err := s.Update(t.Context(), someChanges(draw, 1+draw.IntN(60))); err != nil {
			t.Fatal(err)
		}
	}
	if len(j.redos) != commits || markOf(t, s) != fmt.Sprint("commit ", commits) || at != fmt.Sprint("commit ", middle) {
		t.Fatalf("%d commits were journaled, the mark is %q, that of the dump %q", len(j.redos), markOf(t, s), at)
	}
	want := rowsOf(t, s)

	whole := open(t, filepath.Join(t.TempDir(), "test.db"), Options{Init: start})
	half := open(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	apply := func(s *Store, redos ...[]byte) {
		t.Helper()
		if err := s.Apply([]byte("applied"), redos...); err != nil {
			t.Fatal(err)
		}
	}
	apply(half, dumped...)
	for i, redo := range j.redos {
		apply(whole, redo)
		if i >= middle {
			apply(half, redo)
		}
	}
	apply(half, j.redos[middle:]...) // once more
	for name, s := range map[string]*Store{"commits": whole, "dump and commits": half} {
		if got := rowsOf(t, s); got != want {
			t.Errorf("%s make another store:\n%s\nwant\n%s", name, got, want)
		}
		if got := markOf(t, s); got != "applied" {
			t.Errorf("%s: the mark is %q", name, got)
		}
	}
	if err := s.Close(); err != nil || !j.closed {
		t.Errorf("Close = %v; the journal was told: %v", err, j.closed)
	}
}

// Nothing of a commit that the journal refuses is kept.
func TestACommitThatTheJournalRefusesEndsTheStore(t *testing.T) {
	refuses := errors.New("somebody else owns it")
	j := &keptJournal{before: func(_ *Store, n int) error {
		if n == 1 {
			return refuses
		}
		return nil
	}}
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path, Options{Journal: j})
	put := func(key string) error {
		return s.Update(t.Context(), func(tx kv.Tx) error {
			for _, table := range kvtest.Tables() {
				tx.Put(table, []byte(key), []byte("value"))
			}
			return nil
		})
	}
	if err := put("one"); err != nil {
		t.Fatal(err)
	}
	kept := rowsOf(t, s)
	for range 2 {
		if err := put("two"); !errors.Is(err, refuses) {
			t.Errorf("Update = %v, want the journal's error", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, Options{})
	if got := rowsOf(t, again); got != kept || markOf(t, again) != "commit 1" {
		t.Errorf("the store has\n%s\nand the mark %q, want\n%s", got, markOf(t, again), kept)
	}
}

func FuzzRedo(f *testing.F) {
	f.Add(appendRow(appendTable(nil, kvtest.Tables()[0], 1), []byte("key"), []byte("value")))
	f.Fuzz(func(t *testing.T, b []byte) {
		(&redoReader{b}).apply(noTx{}, kvtest.Tables()) // it returns
	})
}

// A noTx takes changes and forgets them.
type noTx struct{ kv.Tx }

func (noTx) Put(*kv.Table, []byte, []byte) {}
func (noTx) Delete(*kv.Table, []byte)      {}
