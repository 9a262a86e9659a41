package cluster

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestPartitionsPassTheSuite: the contract of a store is kept by one partition and by many.
func TestPartitionsPassTheSuite(t *testing.T) {
	slow.Test(t, "is the suite of TestProcessesPassTheSuite, with all partitions in one process")
	for _, n := range []int{1, 3, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			suite.Run(t, func(t *testing.T, so suite.Options) (suite.Backend, func() suite.Backend) {
				return openFor(t, so, Options{Store: store.DefaultOptions(), Partitions: n})
			})
		})
	}
}

// asked returns the options of a store with what the suite asks for.
func asked(o store.Options, so suite.Options) store.Options {
	o.PerHost, o.Delay, o.HostBudget, o.NewBudget, o.Lease = so.PerHost, so.Delay, so.HostBudget, so.NewBudget, so.Lease
	o.MaxProbes = 0
	return o
}

// openFor opens a job in a temporary folder, verifies it when the test ends, and closes it.
func openFor(t *testing.T, so suite.Options, o Options) (suite.Backend, func() suite.Backend) {
	t.Helper()
	o.Store = asked(o.Store, so)
	dir := t.TempDir()
	var c *Store
	reopen := func() suite.Backend {
		t.Helper()
		if c != nil {
			closeVerified(t, c)
		}
		var err error
		if c, err = Open(dir, o); err != nil {
			t.Fatalf("Open: %v", err)
		}
		return c
	}
	t.Cleanup(func() { closeVerified(t, c) })
	return reopen(), reopen
}

// closeVerified checks the invariants of a job and closes it.
func closeVerified(t *testing.T, c *Store) {
	t.Helper()
	suite.Verify(t, c)
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
