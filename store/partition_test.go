package store

import (
	"testing"

	"gatecrawl.example/gatecrawl/page"
)

// A visit that is under way while the memory of introduced pages fills up finds the page that
// it is a copy of.
func TestAPageIsRememberedWhileOthersAreIntroduced(t *testing.T) {
	p := &partition{introduced: make(map[uint64]*page.Likeness)}
	for seq := range uint64(3 * maxIntroduced) {
		p.introduce(&page.Likeness{Record: page.Record{Seq: seq}})
		for _, of := range []uint64{seq, seq - min(seq, maxIntroduced-1)} {
			if l := p.likeness(of); l == nil || l.Record.Seq != of {
				t.Fatalf("after page %d: likeness(%d) = %v", seq, of, l)
			}
		}
	}
	if n := len(p.introduced) + len(p.earlier); n > 2*maxIntroduced {
		t.Errorf("%d likenesses are remembered, want at most %d", n, 2*maxIntroduced)
	}
}
