package dedup

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestAKeptPageTakesTheMemoryThatIsDocumented compares what Options.Memory says with the heap:
// the tables of a kept page, and its part of the claims that are held whole.
func TestAKeptPageTakesTheMemoryThatIsDocumented(t *testing.T) {
	slow.Test(t, "makes a quarter of a million claims")
	const documents, documented = 250_000, 300
	g, _, err := OpenGate(Folder{Dir: t.TempDir()}, DefaultOptions(), signatures(func(DocID) Signature { return Signature{} }))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	rng := rand.New(rand.NewPCG(1, 2))
	for doc := DocID(1); doc <= documents; doc++ {
		s := Signature{SimHash: rng.Uint64(), Layout: rng.Uint64(), Tokens: 300}
		for i := range s.Bytes {
			s.Bytes[i], s.Body[i], s.Sketch[i] = byte(rng.Uint32()), byte(rng.Uint32()), byte(rng.Uint32())
		}
		for i := range s.Bands {
			s.Bands[i] = rng.Uint32()
		}
		if _, err := g.Claim(doc, s, nil); err != nil {
			t.Fatal(err)
		}
		if doc%64 == 0 {
			if err := g.Commit(); err != nil {
				t.Fatal(err)
			}
		}
	}
	each := (live() - before) / documents
	t.Logf("%d bytes of the heap a kept page", each)
	if each > documented {
		t.Errorf("a kept page takes %d bytes, and %d are documented", each, documented)
	}
}
