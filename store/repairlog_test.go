package store_test

import (
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/store"
)

// TestARepairOfASoundJobFindsNothingInItsLog repairs a job whose queue stands in its log yet.
func TestARepairOfASoundJobFindsNothingInItsLog(t *testing.T) {
	dir, o := t.TempDir(), store.DefaultOptions()
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	queue{t, s}.add("http://a.test/", "http://b.test/")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Repair(t.Context(), dir, o, func(b gatecrawl.Breach) error {
		if b.Invariant == "the log of the queue" {
			t.Errorf("a repair of a sound job says: %+v", b)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
