// Package kvtest is the contract of kv in statements, for every engine to pass.
package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
)

var (
	plain     = &kv.Table{Name: "plain"}
	growing   = &kv.Table{Name: "growing", Fill: 0.95}
	checkedA  = &kv.Table{Name: "checked-a", Checked: true}
	checkedB  = &kv.Table{Name: "checked-b", Checked: true, Fill: 0.95}
	scattered = &kv.Table{Name: "scattered", ID: 's'}
	filtered  = &kv.Table{Name: "filtered", ID: 'f', Filter: 3}

	undeclared = &kv.Table{Name: "undeclared"}
)

// Tables returns the tables that a store has to be opened with.
func Tables() []*kv.Table {
	return []*kv.Table{plain, growing, checkedA, checkedB, scattered, filtered}
}

// unscattered returns the Tables that can be scanned downwards.
func unscattered() []*kv.Table { return Tables()[:4] }

// An Engine is what the suite runs on.
type Engine struct {
	// Open returns an empty store with Tables, and closes it when the test ends.
	Open func(t *testing.T) kv.Store

	// Reopen closes a store and opens it again. Nil: a store keeps nothing when it is closed.
	Reopen func(t *testing.T, s kv.Store) kv.Store
}

// Run runs the suite.
func Run(t *testing.T, e Engine) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Engine)
	}{
		{"ARowThatWasPutIsThere", aRowThatWasPutIsThere},
		{"AnEmptyValueIsThereAndNoneIsNil", anEmptyValueIsThereAndNoneIsNil},
		{"AnUpdateSeesItsOwnWrites", anUpdateSeesItsOwnWrites},
		{"AScanIsNotMovedByWrites", aScanIsNotMovedByWrites},
		{"AKeyMayBeChangedOnceItWasPut", aKeyMayBeChangedOnceItWasPut},
		{"AViewIsOneSnapshot", aViewIsOneSnapshot},
		{"AViewDoesNotWaitForAnUpdate", aViewDoesNotWaitForAnUpdate},
		{"AViewOfSomeTablesHasThese", aViewOfSomeTablesHasThese},
		{"ManyUpdatesAtOnceAreAllThere", manyUpdatesAtOnceAreAllThere},
		{"HooksRunInOrder", hooksRunInOrder},
		{"AnErrorEndsTheStoreAndNothingOfItIsKept", anErrorEndsTheStore},
		{"ARowThatDoesNotFitFailsTheUpdate", aRowThatDoesNotFitFailsTheUpdate},
		{"AScatteredTableIsScannedUpwardsOnly", aScatteredTableIsScannedUpwardsOnly},
		{"ATableThatWasNotDeclaredIsRefused", aTableThatWasNotDeclaredIsRefused},
		{"AContextThatEndedIsNotServed", aContextThatEndedIsNotServed},
		{"AStoreThatIsClosedTakesNothing", aStoreThatIsClosedTakesNothing},
		{"WhatIsClosedAfterEachUpdateHasAll", whatIsClosedAfterEachUpdateHasAll},
		{"RandomOperationsDoWhatAMapDoes", randomOperationsDoWhatAMapDoes},
		{"ACounterCounts", aCounterCounts},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, e) })
	}
}

// update runs an Update that has to work.
func update(t *testing.T, s kv.Store, fn func(kv.Tx)) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx kv.Tx) error { fn(tx); return nil }); err != nil {
		t.Fatalf("Update = %v", err)
	}
}

// view runs a View that has to work.
func view(t *testing.T, s kv.Store, fn func(kv.Reader)) {
	t.Helper()
	if err := s.View(t.Context(), func(r kv.Reader) error { fn(r); return nil }); err != nil {
		t.Fatalf("View = %v", err)
	}
}

// wantGet wants a value; nil: no row.
func wantGet(t *testing.T, r kv.Reader, table *kv.Table, key string, want []byte) {
	t.Helper()
	got, err := r.Get(table, []byte(key))
	if err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
		t.Fatalf("Get(%s, %q) = %q, %v; want %q", table.Name, key, got, err, want)
	}
}

// keysOf collects the keys of a scan.
func keysOf(t *testing.T, rows iter.Seq2[kv.Entry, error]) (keys []string) {
	t.Helper()
	for e, err := range rows {
		if err != nil {
			t.Fatalf("scan: %v", err)
		}
		keys = append(keys, string(e.Key))
	}
	return keys
}

func aRowThatWasPutIsThere(t *testing.T, e Engine) {
	s := e.Open(t)
	for _, table := range Tables() {
		update(t, s, func(tx kv.Tx) { tx.Put(table, []byte("key-1"), []byte(table.Name)) })
	}
	check := func() {
		view(t, s, func(r kv.Reader) {
			for _, table := range Tables() {
				wantGet(t, r, table, "key-1", []byte(table.Name))
				wantGet(t, r, table, "key-2", nil)
				wantGet(t, r, table, "key", nil)
			}
		})
	}
	check()
	if e.Reopen != nil {
		s = e.Reopen(t, s)
		check()
	}
	update(t, s, func(tx kv.Tx) { tx.Delete(plain, []byte("key-1")); tx.Delete(plain, []byte("never there")) })
	view(t, s, func(r kv.Reader) { wantGet(t, r, plain, "key-1", nil) })
}

func anEmptyValueIsThereAndNoneIsNil(t *testing.T, e Engine) {
	s := e.Open(t)
	check := func(r kv.Reader) {
		for _, table := range Tables() {
			wantGet(t, r, table, "empty", []byte{})
			wantGet(t, r, table, "nil", []byte{})
			wantGet(t, r, table, "none", nil)
		}
	}
	update(t, s, func(tx kv.Tx) {
		for _, table := range Tables() {
			tx.Put(table, []byte("empty"), []byte{})
			tx.Put(table, []byte("nil"), nil)
		}
		check(tx)
	})
	view(t, s, check)
	if e.Reopen != nil {
		s = e.Reopen(t, s)
		view(t, s, check)
	}
}

func anUpdateSeesItsOwnWrites(t *testing.T, e Engine) {
	s := e.Open(t)
	for _, table := range Tables() {
		update(t, s, func(tx kv.Tx) {
			for _, k := range []string{"a", "c", "e", "g"} {
				tx.Put(table, []byte(k), []byte("old"))
			}
		})
		update(t, s, func(tx kv.Tx) {
			tx.Put(table, []byte("c"), []byte("new"))
			tx.Put(table, []byte("d"), []byte("new"))
			tx.Put(table, []byte("h"), []byte("new"))
			tx.Delete(table, []byte("e"))
			wantGet(t, tx, table, "c", []byte("new"))
			wantGet(t, tx, table, "e", nil)
			wantGet(t, tx, table, "g", []byte("old"))
			if got, want := keysOf(t, kv.All(tx, table)), []string{"a", "c", "d", "g", "h"}; !slices.Equal(got, want) {
				t.Errorf("%s: a scan of all has %q, want %q", table.Name, got, want)
			}
			if got, want := keysOf(t, tx.Scan(table, []byte("b"), []byte("g"))), []string{"c", "d"}; !slices.Equal(got, want) {
				t.Errorf("%s: a scan from b to g has %q, want %q", table.Name, got, want)
			}
			if table.Scattered() {
				return
			}
			if got, want := keysOf(t, tx.Falling(table, nil, nil)), []string{"h", "g", "d", "c", "a"}; !slices.Equal(got, want) {
				t.Errorf("%s: falling from the end has %q, want %q", table.Name, got, want)
			}
			if got, want := keysOf(t, tx.Falling(table, []byte("b"), []byte("h"))), []string{"g", "d", "c"}; !slices.Equal(got, want) {
				t.Errorf("%s: falling from h to b has %q, want %q", table.Name, got, want)
			}
		})
	}
}

func aScanIsNotMovedByWrites(t *testing.T, e Engine) {
	s := e.Open(t)
	for _, table := range Tables() {
		update(t, s, func(tx kv.Tx) {
			for i := range 100 {
				tx.Put(table, fmt.Appendf(nil, "%03d", 2*i), []byte("old"))
			}
		})
		update(t, s, func(tx kv.Tx) {
			tx.Put(table, []byte("050"), []byte("before"))
			n := 0
			for row, err := range kv.All(tx, table) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				key := bytes.Clone(row.Key)
				tx.Delete(table, key)
				tx.Put(table, append(key, '+'), []byte("new"))
			}
			if n != 100 {
				t.Errorf("%s: a scan that deletes and puts has %d rows, want 100", table.Name, n)
			}
			for range kv.All(tx, table) {
				n--
			}
			if n != 0 {
				t.Errorf("%s: a scan after it lacks %d rows", table.Name, n)
			}
		})
	}
}

func aKeyMayBeChangedOnceItWasPut(t *testing.T, e Engine) {
	s := e.Open(t)
	update(t, s, func(tx kv.Tx) {
		for _, table := range Tables() {
			key := []byte("000")
			for i := range 50 {
				copy(key, fmt.Sprintf("%03d", i))
				tx.Put(table, key, []byte("v"))
				wantGet(t, tx, table, string(key), []byte("v"))
			}
		}
	})
	view(t, s, func(r kv.Reader) {
		for _, table := range Tables() {
			if n := len(keysOf(t, kv.All(r, table))); n != 50 {
				t.Errorf("%s has %d rows, want 50", table.Name, n)
			}
		}
	})
}

func aViewIsOneSnapshot(t *testing.T, e Engine) {
	s := e.Open(t)
	write := func(i int) {
		update(t, s, func(tx kv.Tx) {
			for _, table := range Tables() {
				tx.Put(table, []byte("row"), fmt.Append(nil, i))
				tx.Put(table, fmt.Appendf(nil, "row %04d", i), nil)
			}
		})
	}
	write(0)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() { // ends when stop is closed
			for done := false; !done; {
				select {
				case <-stop:
					done = true
				default:
				}
				view(t, s, func(r kv.Reader) {
					var first []byte
					for i, table := range Tables() {
						got, err := r.Get(table, []byte("row"))
						if err != nil {
							t.Error(err)
						}
						if i == 0 {
							first = bytes.Clone(got)
						}
						if !bytes.Equal(got, first) {
							t.Errorf("one view has %s of %s and %s of %s", first, Tables()[0].Name, got, table.Name)
						}
						n, err := kv.Count(kv.All(r, table))
						if err != nil || fmt.Sprint(n-2) != string(first) {
							t.Errorf("a view of write %s has %d rows of %s (%v)", first, n, table.Name, err)
						}
					}
				})
			}
		})
	}
	for i := range 60 {
		write(i + 1)
		view(t, s, func(r kv.Reader) { wantGet(t, r, plain, "row", fmt.Append(nil, i+1)) })
	}
	close(stop)
	readers.Wait()
}

func aViewDoesNotWaitForAnUpdate(t *testing.T, e Engine) {
	s := e.Open(t)
	update(t, s, func(tx kv.Tx) { tx.Put(plain, []byte("k"), []byte("before")) })
	update(t, s, func(tx kv.Tx) {
		tx.Put(plain, []byte("k"), []byte("after"))
		tx.Put(scattered, []byte("k"), []byte("after"))
		seen := make(chan bool)
		go func() { // ends when its view does
			defer close(seen)
			view(t, s, func(r kv.Reader) {
				wantGet(t, r, plain, "k", []byte("before"))
				wantGet(t, r, scattered, "k", nil)
			})
		}()
		<-seen
	})
}

func aViewOfSomeTablesHasThese(t *testing.T, e Engine) {
	s := e.Open(t)
	update(t, s, func(tx kv.Tx) {
		for _, table := range Tables() {
			tx.Put(table, []byte("k"), []byte(table.Name))
		}
	})
	for _, only := range [][]*kv.Table{{scattered}, {scattered, filtered}, {plain}, {plain, scattered}} {
		err := s.View(t.Context(), func(r kv.Reader) error {
			for _, table := range only {
				wantGet(t, r, table, "k", []byte(table.Name))
			}
			return nil
		}, only...)
		if err != nil {
			t.Errorf("View of %d tables = %v", len(only), err)
		}
	}
	err := s.View(t.Context(), func(r kv.Reader) error {
		_, err := r.Get(plain, []byte("k"))
		return err
	}, scattered)
	if err == nil {
		t.Error("a view of a scattered table alone reads another")
	}
}

func manyUpdatesAtOnceAreAllThere(t *testing.T, e Engine) {
	s := e.Open(t)
	const callers, each = 16, 25
	count := kv.Counter{Table: plain, Key: []byte("count")}
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range each {
				err := s.Update(t.Context(), func(tx kv.Tx) error {
					n, err := count.Next(tx)
					tx.Put(scattered, fmt.Appendf(nil, "%d of %d", i, c), nil)
					tx.Put(growing, fmt.Appendf(nil, "%08d", n), nil)
					return err
				})
				if err != nil {
					t.Errorf("Update = %v", err)
				}
				err = s.View(t.Context(), func(r kv.Reader) error {
					ok, err := kv.Has(r, scattered, fmt.Appendf(nil, "%d of %d", i, c))
					if err == nil && !ok {
						t.Error("a view after an update lacks what it wrote")
					}
					return err
				})
				if err != nil {
					t.Errorf("View = %v", err)
				}
			}
		})
	}
	all.Wait()
	if e.Reopen != nil {
		s = e.Reopen(t, s)
	}
	view(t, s, func(r kv.Reader) {
		for _, table := range []*kv.Table{scattered, growing} {
			if n := len(keysOf(t, kv.All(r, table))); n != callers*each {
				t.Errorf("%s has %d rows, want %d", table.Name, n, callers*each)
			}
		}
	})
}

func hooksRunInOrder(t *testing.T, e Engine) {
	s := e.Open(t)
	var ran []string
	note := func(what string) { ran = append(ran, what) }
	for i := range 3 {
		update(t, s, func(tx kv.Tx) {
			note(fmt.Sprint("fn ", i))
			tx.OnCommit(func() { note(fmt.Sprint("durable ", i)) })
			tx.BeforeCommit(func() error {
				note(fmt.Sprint("before ", i))
				wantGet(t, tx, plain, "late", map[bool][]byte{true: []byte("v")}[i > 0])
				tx.Put(plain, []byte("late"), []byte("v"))
				tx.BeforeCommit(func() error { note(fmt.Sprint("last ", i)); return nil })
				tx.OnCommit(func() { note(fmt.Sprint("all ", i)) })
				return nil
			})
		})
		note(fmt.Sprint("returned ", i))
	}
	var want []string
	for i := range 3 {
		for _, what := range []string{"fn", "before", "last", "durable", "all", "returned"} {
			want = append(want, fmt.Sprint(what, " ", i))
		}
	}
	if !slices.Equal(ran, want) {
		t.Errorf("it ran %q, want %q", ran, want)
	}
	view(t, s, func(r kv.Reader) { wantGet(t, r, plain, "late", []byte("v")) })
}

func anErrorEndsTheStore(t *testing.T, e Engine) {
	for _, late := range []bool{false, true} {
		s := e.Open(t)
		update(t, s, func(tx kv.Tx) { tx.Put(plain, []byte("k"), []byte("kept")) })
		fault := errors.New("fault")
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(plain, []byte("k"), []byte("not kept"))
			tx.Put(scattered, []byte("k"), []byte("not kept"))
			tx.OnCommit(func() { t.Error("OnCommit ran of a commit that failed") })
			if late {
				tx.BeforeCommit(func() error { return fault })
				return nil
			}
			return fault
		})
		if !errors.Is(err, fault) {
			t.Errorf("Update = %v, want %v", err, fault)
		}
		if err := s.Update(t.Context(), func(kv.Tx) error { return nil }); !errors.Is(err, fault) {
			t.Errorf("the next Update = %v, want %v", err, fault)
		}
		check := func(r kv.Reader) {
			wantGet(t, r, plain, "k", []byte("kept"))
			wantGet(t, r, scattered, "k", nil)
		}
		view(t, s, check)
		if e.Reopen != nil {
			view(t, e.Reopen(t, s), check)
		}
	}
}

func aRowThatDoesNotFitFailsTheUpdate(t *testing.T, e Engine) {
	for _, bad := range []struct {
		what       string
		table      *kv.Table
		key, value []byte
	}{
		{"an empty key", plain, nil, []byte("v")},
		{"a long key", plain, make([]byte, kv.MaxKey+1), nil},
		{"a long row of a scattered table", scattered, []byte("k"), make([]byte, kv.MaxScattered)},
		{"an empty key of a scattered table", scattered, nil, nil},
	} {
		s := e.Open(t)
		if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(bad.table, bad.key, bad.value); return nil }); err == nil {
			t.Errorf("Update that puts %s = nil", bad.what)
		}
	}
	s := e.Open(t)
	long := bytes.Repeat([]byte("long"), 1<<20)
	update(t, s, func(tx kv.Tx) {
		tx.Put(plain, make([]byte, kv.MaxKey), long)
		tx.Put(scattered, []byte("k"), make([]byte, kv.MaxScattered-1))
	})
	view(t, s, func(r kv.Reader) {
		wantGet(t, r, plain, string(make([]byte, kv.MaxKey)), long)
		wantGet(t, r, scattered, "k", make([]byte, kv.MaxScattered-1))
	})
}

func aScatteredTableIsScannedUpwardsOnly(t *testing.T, e Engine) {
	s := e.Open(t)
	fall := func(r kv.Reader) {
		for _, err := range r.Falling(scattered, nil, nil) {
			if errors.Is(err, kv.ErrScattered) {
				return
			}
		}
		t.Error("Falling of a scattered table does not yield ErrScattered")
	}
	view(t, s, fall)
	update(t, s, func(tx kv.Tx) { tx.Put(scattered, []byte("k"), nil); fall(tx) })
}

func aTableThatWasNotDeclaredIsRefused(t *testing.T, e Engine) {
	s := e.Open(t)
	view(t, s, func(r kv.Reader) {
		if _, err := r.Get(undeclared, []byte("k")); err == nil {
			t.Error("Get of an undeclared table = nil")
		}
		for _, err := range kv.All(r, undeclared) {
			if err == nil {
				t.Error("a scan of an undeclared table has rows")
			}
		}
	})
	if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(undeclared, []byte("k"), nil); return nil }); err == nil {
		t.Error("Update that puts into an undeclared table = nil")
	}
}

func aContextThatEndedIsNotServed(t *testing.T, e Engine) {
	s := e.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.View(ctx, func(kv.Reader) error { t.Error("View ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("View = %v", err)
	}
	if err := s.Update(ctx, func(kv.Tx) error { t.Error("Update ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Update = %v", err)
	}
	if err := s.Check(ctx, func(err error) error { return err }); !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %v", err)
	}
	update(t, s, func(tx kv.Tx) {}) // and it goes on
}

func aStoreThatIsClosedTakesNothing(t *testing.T, e Engine) {
	s := e.Open(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	if err := s.Update(t.Context(), func(kv.Tx) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Update after Close = %v, want %v", err, kv.ErrClosed)
	}
}

func whatIsClosedAfterEachUpdateHasAll(t *testing.T, e Engine) {
	if e.Reopen == nil {
		t.Skip("nothing outlives a store of this engine")
	}
	s := e.Open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	model := make(Model)
	for i := range 25 {
		update(t, s, func(tx kv.Tx) { model.Change(rng, tx) })
		s = e.Reopen(t, s)
		view(t, s, func(r kv.Reader) {
			if d, err := model.Differs(r); d != "" || err != nil {
				t.Fatalf("after it was closed %d times: %s (%v)", i+1, d, err)
			}
		})
	}
}

func aCounterCounts(t *testing.T, e Engine) {
	s := e.Open(t)
	c := kv.Counter{Table: plain, Key: []byte("counter")}
	for i := range uint64(3) {
		update(t, s, func(tx kv.Tx) {
			for j := range uint64(2) {
				if n, err := c.Next(tx); n != 2*i+j+1 || err != nil {
					t.Errorf("Next = %d, %v, want %d", n, err, 2*i+j+1)
				}
			}
		})
	}
	update(t, s, func(tx kv.Tx) { c.Set(tx, 40) })
	view(t, s, func(r kv.Reader) {
		if n, err := c.Get(r); n != 40 || err != nil {
			t.Errorf("Get = %d, %v, want 40", n, err)
		}
	})
	update(t, s, func(tx kv.Tx) { tx.Put(plain, []byte("counter"), []byte("short")) })
	view(t, s, func(r kv.Reader) {
		if _, err := c.Get(r); err == nil {
			t.Error("Get of a counter of 5 bytes = nil")
		}
	})
}

// randomOperationsDoWhatAMapDoes compares everything that can be read with a map, within
// transactions and after them, also after the store was opened again.
func randomOperationsDoWhatAMapDoes(t *testing.T, e Engine) {
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	s := e.Open(t)
	model := make(Model)
	for range 150 {
		update(t, s, func(tx kv.Tx) {
			for range 1 + rng.IntN(4) {
				model.Change(rng, tx)
				compareSome(t, rng, model, tx)
			}
		})
		view(t, s, func(r kv.Reader) { compareSome(t, rng, model, r) })
		if e.Reopen != nil && rng.IntN(30) == 0 {
			s = e.Reopen(t, s)
		}
	}
	view(t, s, func(r kv.Reader) {
		if d, err := model.Differs(r); d != "" || err != nil {
			t.Errorf("%s (%v)", d, err)
		}
	})
	if err := s.Check(t.Context(), func(err error) error { return err }); err != nil {
		t.Errorf("Check = %v", err)
	}
}

// compareSome reads a random part of a random table.
func compareSome(t *testing.T, rng *rand.Rand, m Model, r kv.Reader) {
	t.Helper()
	table := Tables()[rng.IntN(len(Tables()))]
	from, to := fmt.Appendf(nil, "%03d", rng.IntN(300)), fmt.Appendf(nil, "%03d", rng.IntN(300))
	rows, name := r.Scan(table, from, to), "Scan"
	want := m.between(table, from, to)
	switch rng.IntN(4) {
	case 0:
		to, want = nil, m.between(table, from, nil)
		rows = r.Scan(table, from, nil)
	case 1:
		from = fmt.Appendf(nil, "%03d/", rng.IntN(20))
		to = kv.After(from)
		rows, want = kv.Prefix(r, table, from), m.between(table, from, to)
	case 2:
		table = unscattered()[rng.IntN(len(unscattered()))]
		rows, name = r.Falling(table, from, to), "Falling"
		want = m.between(table, from, to)
		slices.Reverse(want)
	}
	for e, err := range rows {
		if err != nil {
			t.Fatalf("%s(%s, %q, %q): %v", name, table.Name, from, to, err)
		}
		if len(want) == 0 || !bytes.Equal(e.Key, want[0].Key) || !bytes.Equal(e.Value, want[0].Value) {
			t.Fatalf("%s(%s, %q, %q) yields %q, want %s", name, table.Name, from, to, e.Key, next(want))
		}
		want = want[1:]
	}
	if len(want) > 0 {
		t.Fatalf("%s(%s, %q, %q) ends, want %s", name, table.Name, from, to, next(want))
	}
	for _, table := range Tables() {
		key := fmt.Sprintf("%03d", rng.IntN(300))
		if table.Filter > 0 {
			key = fmt.Sprintf("%03d/%03d", rng.IntN(20), rng.IntN(20))
		}
		value, there := m[table][key]
		got, err := r.Get(table, []byte(key))
		if err != nil || there != (got != nil) || string(got) != value {
			t.Fatalf("Get(%s, %q) = %d bytes, %v; want %d, %v", table.Name, key, len(got), err, len(value), there)
		}
	}
}
