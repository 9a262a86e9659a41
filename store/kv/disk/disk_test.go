package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// open opens a store that is checked and closed when the test ends.
func open(t *testing.T, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, kvtest.Tables(), o)
	if err != nil {
		t.Fatalf("Open(%s) = %v", path, err)
	}
	t.Cleanup(func() { closeSound(t, s) })
	return s
}

// closeSound closes a store, and checks it unless it has ended.
func closeSound(t *testing.T, s *Store) {
	t.Helper()
	s.failedMu.Lock()
	ended := s.failed != nil // known before the call that failed returns; the writer may still be about to stop
	s.failedMu.Unlock()
	select {
	case <-s.stopped: // it was closed, or a test ended it
		ended = true
	default:
	}
	if !ended {
		if err := s.Check(context.Background(), func(err error) error { return err }); err != nil {
			t.Errorf("Check = %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	checkFolder(t, s.path)
}

// checkFolder checks a store that nobody has open.
func checkFolder(t *testing.T, path string) {
	t.Helper()
	s, err := Open(path, kvtest.Tables(), Options{ReadOnly: true})
	if err != nil {
		t.Errorf("Open(%s) to be checked = %v", path, err)
		return
	}
	if err := s.Check(context.Background(), func(err error) error { return err }); err != nil {
		t.Errorf("Check(%s) = %v", path, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// The suite is run as users have it, and with so little memory that sorted files are
// written and merged all the time.
func TestContract(t *testing.T) {
	for name, memory := range map[string]int{"Usual": 0, "LittleMemory": 1000} {
		t.Run(name, func(t *testing.T) {
			o := Options{Memory: memory}
			kvtest.Run(t, kvtest.Engine{
				Open: func(t *testing.T) kv.Store { return open(t, filepath.Join(t.TempDir(), "test.db"), o) },
				Reopen: func(t *testing.T, s kv.Store) kv.Store {
					closeSound(t, s.(*Store))
					return open(t, s.(*Store).path, o)
				},
			})
		})
	}
}

// put writes rows of a scattered table, whose values no compression makes small.
func put(t *testing.T, s *Store, rng *rand.Rand, n int) {
	t.Helper()
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		for range n {
			tx.Put(kvtest.Tables()[4], fmt.Appendf(nil, "%016x", rng.Uint64()), fmt.Appendf(nil, "%016x", rng.Uint64()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a store was closed with is in a file, where it would take long to replay; a few rows are
// not worth one.
func TestAClosedStoreHasLittleToReplay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "test.db")
	for _, c := range []struct {
		rows    int
		replays bool
	}{{rows: 100, replays: true}, {rows: 30_000}} {
		s := open(t, path, Options{})
		put(t, s, rng, c.rows)
		closeSound(t, s)
		s = open(t, path, Options{ReadOnly: true})
		if left := s.table.Unwritten(); (left > 0) != c.replays {
			t.Errorf("of %d rows a store that is opened replays %d bytes", c.rows, left)
		}
		err := s.View(t.Context(), func(r kv.Reader) error {
			n, err := kv.Count(kv.All(r, kvtest.Tables()[4]))
			if int(n) < c.rows || err != nil {
				t.Errorf("it has %d rows, %v; want %d or more", n, err, c.rows)
			}
			return err
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A file of each closing is merged by who opens the store next.
func TestFilesOfClosingsAreMerged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "test.db")
	const closings = 40
	for range closings {
		s := open(t, path, Options{Memory: 1000})
		put(t, s, rng, 20)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files := func() int {
		names, err := filepath.Glob(filepath.Join(runsBeside(path), "*.run"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	open(t, path, Options{Memory: 1000})
	await.Until(t, 20*time.Second, func() error {
		if n := files(); n >= closings/4 {
			return fmt.Errorf("after %d closings there are %d files", closings, n)
		}
		return nil
	})
}

// TestARefusalOfTheSystemIsNoDamage: a repair could change nothing about it, and needs the same file.
func TestARefusalOfTheSystemIsNoDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	for _, why := range []syscall.Errno{syscall.ENOMEM, syscall.EMFILE, syscall.ENOSPC, syscall.ENOLCK} {
		for _, fault := range []error{why, &fs.PathError{Op: "open", Path: path, Err: why}} {
			_, err := Open(path, kvtest.Tables(), Options{open: func(string, int, os.FileMode) (*os.File, error) { return nil, fault }})
			if !errors.Is(err, why) || errors.As(err, new(*kv.DamageError)) || strings.Count(err.Error(), path) != 1 {
				t.Errorf("Open = %v; want %v of the file, named once, and no damage", err, why)
			}
		}
	}
}

func TestGetAllocatesNothingAfterTheFirst(t *testing.T) {
	plain := kvtest.Tables()[0]
	s := open(t, filepath.Join(t.TempDir(), "test.db"), Options{})
	key := func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) }
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		for i := range uint64(3000) {
			tx.Put(plain, key(2*i), key(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(r kv.Reader) error {
		for i := range uint64(6001) { // those between the rows, and after the last, are not there
			v, err := r.Get(plain, key(i))
			if want := i%2 == 0 && i < 6000; err != nil || (v != nil) != want || want && !bytes.Equal(v, key(i/2)) {
				t.Errorf("Get(%d) = %x, %v; want a value: %v", i, v, err, want)
			}
		}
		k := key(100)
		if n := testing.AllocsPerRun(100, func() { r.Get(plain, k) }); n != 0 {
			t.Errorf("Get allocates %v times, want none", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
