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
