package index

import (
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
	"gatecrawl.example/gatecrawl/splitmix"
)

func TestAnOpenedFolderIsReadAhead(t *testing.T) {
	dir, o := t.TempDir(), Options{Design: DesignBlocks, Distance: 3, Bands: 4, Memory: 100}
	x, err := Open(dir, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	for doc := DocID(1); doc <= 1000; doc++ {
		x.Enter(doc)
		x.AddHead(BytesHeads, splitmix.Mix(uint64(doc)), doc)
		x.AddHead(BodyHeads, splitmix.Mix(uint64(doc)+1<<40), doc)
		x.AddNear(doc, splitmix.Mix(uint64(doc)+1<<41), Bands{uint32(doc), 2, 3, uint32(splitmix.Mix(uint64(doc)))}, Outline{byte(doc)})
		if doc%16 == 0 || doc == 1000 {
			if err := x.Commit(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(dir, 1000, o); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.Settled()
	runs := x.view.Load().runs
	if len(runs) == 0 {
		t.Fatal("there are no runs")
	}
	for _, r := range runs {
		for i := range 2 * lanes.Segments {
			if s := r.h.unreadSegment(i); s != nil && s.unread.Load() != nil {
				t.Fatalf("%s: segment %d was not read", r.path, i)
			}
		}
		for i := range r.heads {
			for j := range r.heads[i].parts.state {
				if r.heads[i].parts.state[j].Load() != shardIntact {
					t.Fatalf("%s: part %d of table %d was not read", r.path, j, i)
				}
			}
		}
		for j := range r.known.parts.state {
			if r.known.parts.state[j].Load() != shardIntact {
				t.Fatalf("%s: part %d of the outlines was not read", r.path, j)
			}
		}
	}
}
