package disk_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// TestWhoComesAloneSoonWaitsNoMore has one caller while the store thinks that others are busy:
// what those wait for need not be a commit. The clock moves where all wait, and nowhere else.
func TestWhoComesAloneSoonWaitsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		update, _ := openBusy(t)
		start := time.Now()
		for n := range 100 {
			update(n)
		}
		if took := time.Since(start) - 100*diskTime; took > 60*time.Millisecond {
			t.Errorf("100 commits of one function each waited %v for others, want at most 60ms", took)
		}
	})
}

// TestFunctionsThatComeOneAfterTheOtherShareACommit has a caller every three milliseconds, after one
// alone for whom pauses became short.
func TestFunctionsThatComeOneAfterTheOtherShareACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		update, commits := openBusy(t)
		for n := range 10 {
			update(n)
		}
		before := *commits
		var g sync.WaitGroup
		for n := range 200 {
			g.Go(func() { update(100 + n) })
			time.Sleep(3 * time.Millisecond)
		}
		g.Wait()
		if n := *commits - before; n > 40 {
			t.Errorf("200 functions, one in 3ms, took %d commits, want at most 40", n)
		}
	})
}

// diskTime is what a commit takes by the clock of these tests.
const diskTime = 5 * time.Millisecond

// openBusy opens a store whose callers are always busy, and closes it when the test ends. It
// counts commits.
func openBusy(t *testing.T) (update func(n int), commits *int) {
	t.Helper()
	rows := &kv.Table{Name: "rows"}
	s, err := disk.Open(filepath.Join(t.TempDir(), "busy.db"), []*kv.Table{rows}, disk.Options{Busy: func() bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Check(context.WithoutCancel(t.Context()), func(err error) error { t.Error(err); return nil }); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	commits = new(int)
	var last kv.Tx // the writer's
	return func(n int) {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			if tx != last {
				last = tx
				*commits++
				tx.OnCommit(func() { time.Sleep(diskTime) }) // of synctest's clock
			}
			tx.Put(rows, fmt.Append(nil, n), []byte("is there"))
			return nil
		}); err != nil {
			t.Error(err)
		}
	}, commits
}
