package store_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// open opens a job in a temporary folder, verifies it when the test ends, and
// closes it.
func open(t *testing.T, so suite.Options) (suite.Backend, func() suite.Backend) {
	return openWith(t, so, store.DefaultOptions())
}

// openSpilling is open with a queue that soon writes files.
func openSpilling(t *testing.T, so suite.Options) (suite.Backend, func() suite.Backend) {
	o := store.DefaultOptions()
	o.QueueMemory = 40_000
	return openWith(t, so, o)
}

func openWith(t *testing.T, so suite.Options, o store.Options) (suite.Backend, func() suite.Backend) {
	t.Helper()
	o.PerHost, o.Delay, o.HostBudget, o.NewBudget, o.Lease = so.PerHost, so.Delay, so.HostBudget, so.NewBudget, so.Lease
	o.Filter.Capacity = 10_000
	dir := t.TempDir()
	var s *store.Store
	reopen := func() suite.Backend {
		t.Helper()
		if s != nil {
			closeVerified(t, s)
		}
		var err error
		if s, err = store.Open(dir, o); err != nil {
			t.Fatalf("Open: %v", err)
		}
		return s
	}
	t.Cleanup(func() { closeVerified(t, s) })
	return reopen(), reopen
}

// closeVerified checks the invariants of a job and closes it.
func closeVerified(t *testing.T, s *store.Store) {
	t.Helper()
	suite.Verify(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestStorePassesTheSuite(t *testing.T) { suite.Run(t, open) }

func TestStorePassesTheSuiteWithItsQueueInFiles(t *testing.T) {
	slow.Test(t, "is the suite of the other test, with a queue that is mostly on disk")
	suite.Run(t, openSpilling)
}
