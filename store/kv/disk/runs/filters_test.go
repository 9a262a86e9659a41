package runs

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

// threeRuns makes runs that have filters of the same size.
func threeRuns(t *testing.T) (rs []*run) {
	dir, o := t.TempDir(), Options{Part: func(key []byte) []byte { return key }}
	for i := range 3 {
		var b Batch
		for k := range 20_000 {
			b.Put(fmt.Appendf(nil, "key %d of %d", k, i), make([]byte, 50))
		}
		m, err := writeRun(dir, Meta{File: fmt.Sprint(i, ext)}, o, b.Slab().source(0), true, pace{stop: new(atomic.Bool)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := openRun(dir+"/"+m.File, m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.file.Close() })
		rs = append(rs, r)
	}
	return rs
}

func TestTheNewestFiltersAreHeldThatThereIsRoomFor(t *testing.T) {
	rs := threeRuns(t)
	size := int64(rs[0].lines * lineBytes)
	for _, c := range []struct {
		room int64
		want []bool
	}{
		{3 * size, []bool{true, true, true}},
		{3*size - 1, []bool{false, true, true}},
		{size, []bool{false, false, true}},
		{0, []bool{false, false, false}},
		{2 * size, []bool{false, true, true}},
	} {
		holdNewest(rs, c.room, new(atomic.Bool))
		var held []bool
		for _, r := range rs {
			held = append(held, r.held.Load() != nil)
		}
		if !slices.Equal(held, c.want) {
			t.Errorf("with room for %d filters and %d bytes they are held: %v; want %v", c.room/size, c.room%size, held, c.want)
		}
	}
}

func TestAFilterThatIsHeldSaysWhatItsFileSays(t *testing.T) {
	r := threeRuns(t)[0]
	ask := func() (answers []bool) {
		for i := range uint64(1000) {
			has, err := r.has(i*0x9e3779b97f4a7c15, int(i)*len(r.blocks)/1000)
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, has)
		}
		return answers
	}
	inFile := ask()
	r.hold(new(atomic.Bool))
	if r.held.Load() == nil {
		t.Fatal("the filters are not held")
	}
	if held := ask(); !slices.Equal(held, inFile) {
		t.Error("a held filter gives other answers")
	}
	if len(r.groups) < 2 || !slices.Contains(inFile, true) || !slices.Contains(inFile, false) {
		t.Errorf("%d filters, and not both answers: this tests nothing", len(r.groups))
	}
}
