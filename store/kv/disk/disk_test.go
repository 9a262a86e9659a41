package disk

import (
	"context"
	"path/filepath"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
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
