package index

import (
	"testing"

	"gatecrawl.example/gatecrawl/splitmix"
)

// TestShortSessionsLeaveFewRuns opens a folder again and again, each time for fewer documents than memory holds. Closing
// writes them as a run; the next session merges what the ones before have left.
func TestShortSessionsLeaveFewRuns(t *testing.T) {
	const sessions, docs = 12, quickLog
	dir, o := t.TempDir(), Options{Design: DesignBlocks, Distance: 3, Bands: 1, Memory: 2 * docs}
	last := DocID(0)
	for range sessions {
		x, err := Open(dir, last, o)
		if err != nil {
			t.Fatal(err)
		}
		if x.Last != last {
			t.Fatalf("opened up to document %d, want %d", x.Last, last)
		}
		x.Settled()
		if n := x.Runs(); n > 4 {
			t.Fatalf("%d runs with %d documents", n, last)
		}
		for range docs {
			last++
			x.Enter(last)
			x.AddNear(last, splitmix.Mix(uint64(last)), Bands{uint32(last)}, Outline{})
		}
		if err := x.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheLogOutlivesARunThatACrashPutOff opens a folder as a crash leaves it that comes after a new log was started and
// before the old one was written as a run. The run is written by the next commit, without a new document.
func TestTheLogOutlivesARunThatACrashPutOff(t *testing.T) {
	const docs = 20
	dir, o := t.TempDir(), Options{Design: DesignBlocks, Distance: 3, Bands: 1, Memory: 10 * docs}
	open := func(last DocID) *Catalog {
		t.Helper()
		x, err := Open(dir, last, o)
		if err != nil {
			t.Fatal(err)
		}
		if x.Last != last {
			t.Fatalf("opened up to document %d, want %d", x.Last, last)
		}
		return x
	}
	commit := func(x *Catalog) {
		t.Helper()
		if err := x.Commit(); err != nil {
			t.Fatal(err)
		}
		x.Settled()
		for _, fault := range x.Check() {
			t.Error(fault)
		}
	}
	enter := func(x *Catalog, doc DocID) {
		x.Enter(doc)
		x.AddNear(doc, splitmix.Mix(uint64(doc)), Bands{uint32(doc)}, Outline{})
	}
	x := open(0)
	for doc := range DocID(docs) {
		enter(x, doc+1)
	}
	commit(x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := createLog(dir, o.Shape, docs)
	if err == nil {
		err = log.close()
	}
	if err != nil {
		t.Fatal(err)
	}

	o.Memory = docs
	x = open(docs)
	commit(x)
	if x.Runs() != 1 {
		t.Errorf("%d runs, want one", x.Runs())
	}
	enter(x, docs+1)
	commit(x)
	again := open(docs + 1) // as after a kill: x is not closed
	for _, x := range []*Catalog{x, again} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
