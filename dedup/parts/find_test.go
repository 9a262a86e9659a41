package parts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// The pages that meet are those that a comparison of all samples with all finds.
func TestPagesMeetAsInAComparisonOfAllSamples(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s, err := mem.Open(Tables())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	samples := make(map[uint64][]uint32)
	for seq := uint64(1); seq <= 300; seq++ {
		sample := make([]uint32, leastSample+random.IntN(30))
		for i := range sample {
			sample[i] = random.Uint32()
			switch random.IntN(3) {
			case 0:
				sample[i] = uint32(random.IntN(14))<<16 | uint32(random.IntN(14)) // that other pages have
			case 1:
				sample[i] = uint32(random.IntN(4)) << 30 // that too many pages have
			}
		}
		if seq%3 == 0 {
			copy(sample, samples[seq-1-random.Uint64N(2)])
		}
		slices.Sort(sample)
		samples[seq] = sample
		if err := s.Update(context.Background(), func(tx kv.Tx) error { AddSample(tx, seq, sample); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for seq := uint64(1); seq <= 100; seq++ { // that were compared before
		if err := s.Update(context.Background(), func(tx kv.Tx) error { tx.Delete(TablePending, page.Key(seq)); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	count := func(sample []uint32, value uint32) (n int) {
		for _, v := range sample {
			if v == value {
				n++
			}
		}
		return n
	}
	having := make(map[uint32]int) // pages
	for _, sample := range samples {
		for _, v := range slices.Compact(slices.Clone(sample)) {
			having[v] += count(sample, v)
		}
	}
	var want []pair
	for seq := uint64(1); seq <= 300; seq++ {
		var pairs []pair
		for other := uint64(1); other < seq; other++ {
			n := 0
			for _, v := range samples[seq] {
				if having[v] <= maxPagesOf {
					n += count(samples[other], v)
				}
			}
			if seq <= 100 || n < leastShared || float64(n) < leastEstimated*float64(min(len(samples[seq]), len(samples[other]))) {
				continue
			}
			pairs = append(pairs, pair{seq, other, n})
		}
		slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.b, b.b)) })
		want = append(want, pairs[:min(len(pairs), maxCandidates)]...)
	}
	for _, few := range []int{fewNew, 0} {
		m := newMeeting(t.TempDir())
		m.fewNew = few
		var got []pair
		err := errors.Join(m.collect(t.Context(), s), m.each(t.Context(), func(pairs []pair) error { got = append(got, pairs...); return nil }), m.close())
		if len(want) < 20 || !slices.Equal(got, want) || err != nil {
			t.Errorf("%d pairs meet if %d new pages are few, want %d: %v, want %v (%v)", len(got), few, len(want), got, want, err)
		}
	}
}

// More numbers than there is room for in memory come back sorted, each in its partition.
func TestASorterReturnsAllNumbersSorted(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const shift = 20
	s := newSorter(t.TempDir(), shift)
	defer s.close()
	want := make(map[uint64][]uint64)
	for range 5 * chunkLength {
		x := random.Uint64N(1 << (shift + partitionBits))
		if random.IntN(2) == 0 {
			x = 7<<shift | x&(1<<shift-1) // half of them are in one partition
		}
		want[x>>shift] = append(want[x>>shift], x)
		if err := s.add(x); err != nil {
			t.Fatal(err)
		}
	}
	if s.n < 2 {
		t.Fatalf("%d chunks are in the file, want some", s.n)
	}
	var list []uint64
	for p := range partitions {
		var err error
		if list, err = s.sorted(p, list); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want[uint64(p)])
		if !slices.Equal(list, want[uint64(p)]) {
			t.Errorf("partition %d has %d numbers, want %d: %x, want %x", p, len(list), len(want[uint64(p)]), list, want[uint64(p)])
		}
	}
}

// pairSharing returns the values of a text of size words, and of one of half as many more that has a
// share of them. They are drawn in their order: to sort thousands of them takes ten times as long.
func pairSharing(random *rand.Rand, size int, share float64) (part, whole []uint32) {
	foreign := size - int(share*float64(size)) + size/2 // of whole
	step := math.MaxUint32 / uint32(size+foreign+1)
	for v := uint32(0); len(part) < size || foreign > 0; {
		v += 1 + random.Uint32N(step)
		if left := size - len(part); random.IntN(left+foreign) >= left {
			whole, foreign = append(whole, v), foreign-1
			continue
		}
		if part = append(part, v); random.Float64() < share {
			whole = append(whole, v)
		}
	}
	return part, whole
}

// Texts that have leastShare in common are read by what their samples say, those of strangers with a
// subject in common are not, whether their samples are whole or cut off.
func TestSamplesSayWhichTextsAreRead(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const most = 2048 // values of a sample
	for _, size := range []int{40, 200, 1500, 3 * most} {
		for share, want := range map[float64]float64{leastShare: .99, .7: 1, .12: 0} {
			read := 0
			const rounds = 300
			for range rounds {
				part, whole := pairSharing(random, size, share)
				if mayShare(part[:min(len(part), most)], whole[:min(len(whole), most)]) {
					read++
				}
			}
			got := float64(read) / rounds
			if want > .5 && got < want || want == 0 && size >= 200 && got > .01 {
				t.Errorf("of pairs with %g of %d values in common %g are read, want %g", share, size, got, want)
			}
		}
	}
}

// A text is read once while there is room for it, and the one that was asked for longest ago goes.
func TestTextsThatAreHeldAreBounded(t *testing.T) {
	asked := make(map[dedup.Ref]int)
	l := newTexts(textsOf(func(of dedup.Ref) (dedup.Text, bool, error) {
		asked[of]++
		return dedup.Text{Body: strings.Repeat("many words of a text ", maxText/63)}, of != 9, nil // a third of the room
	}), nil)
	for _, seq := range []uint64{1, 2, 9, 1, 3, 1, 2, 9} {
		if text, err := l.of(seq); err != nil || (text == nil) != (seq == 9) {
			t.Fatalf("text of page %d: %v, %v", seq, text, err)
		}
		if l.bytes > maxText+maxText/3+64 {
			t.Errorf("%d bytes are held, want at most %d and a text", l.bytes, maxText)
		}
	}
	if want := map[dedup.Ref]int{1: 1, 2: 2, 3: 1, 9: 2}; !maps.Equal(asked, want) {
		t.Errorf("texts are read %v times, want %v", asked, want)
	}
}

type textsOf func(of dedup.Ref) (dedup.Text, bool, error)

func (f textsOf) PartText(of dedup.Ref) (*dedup.PartText, error) {
	t, ok, err := f(of)
	if err != nil || !ok {
		return nil, err
	}
	return t.ForParts(), nil
}

// A share is kept in four bytes, and pages with the same share are in one order whichever of them came first.
func TestPagesWithTheSameShareAreInTheirOrder(t *testing.T) {
	var rows [2][]byte
	for i, order := range [][]uint64{{1, 2, 3}, {3, 2, 1}} {
		var list []shared
		for _, other := range order {
			var err error
			if list, err = decode(encode(join(list, shared{other: other, share: 2. / 3}))); err != nil {
				t.Fatal(err)
			}
		}
		rows[i] = encode(list)
	}
	if !bytes.Equal(rows[0], rows[1]) {
		t.Errorf("pages that come in turn are kept as %x, in reverse as %x", rows[0], rows[1])
	}
}

// noSite is the template of sites without one.
func noSite(uint64) (*purify.Template, error) { return nil, nil }

// hasText reports whether a text of a page is there, and what it is.
func hasText(t *testing.T, r *Recent, seq uint64) (string, bool) {
	t.Helper()
	text, err := r.of(seq)
	if err != nil {
		t.Fatal(err)
	}
	if text == nil {
		return "", false
	}
	return text.String(), true
}

// Of the texts that were added, those that fit into the blocks are there, each as it was added last.
func TestRecentTextsAreBounded(t *testing.T) {
	const blocks, length = 4, 100
	r := newRecent(t.TempDir(), noSite, blocks, length)
	defer r.Close()
	random := rand.New(rand.NewPCG(7, 7))
	last, order := make(map[uint64]string), []uint64{}
	for i := range 500 {
		seq := random.Uint64N(40)
		text := strings.Repeat(string(rune('a'+i%26)), 1+random.IntN(length-1))
		r.add(seq, &dedup.Text{Body: text})
		last[seq] = text
		order = append(slices.DeleteFunc(order, func(s uint64) bool { return s == seq }), seq)
		held := 0
		for seq, want := range last {
			got, ok := hasText(t, r, seq)
			if ok && got != want {
				t.Fatalf("after %d texts that of page %d is %q, want %q", i+1, seq, got, want)
			}
			if ok {
				held += len(got)
			}
		}
		if held > blocks*length {
			t.Fatalf("%d bytes are held, want at most %d", held, blocks*length)
		}
		for bytes, at := 0, len(order)-1; at >= 0; at-- { // a block is left half empty at worst
			if bytes += 1 + len(last[order[at]]); bytes > (blocks-1)*length/2 {
				break
			}
			if _, ok := hasText(t, r, order[at]); !ok {
				t.Fatalf("after %d texts that of page %d is not there, with %d bytes since", i+1, order[at], bytes)
			}
		}
		if len(r.texts) > blocks*length {
			t.Fatalf("%d texts are noted", len(r.texts))
		}
	}
	r.add(41, &dedup.Text{Body: "short"})
	r.add(41, &dedup.Text{Body: strings.Repeat("x", length)})
	if _, ok := hasText(t, r, 41); ok {
		t.Error("a page has a text that it had before one that is longer than a block")
	}
}

func TestWithoutAFileOnlyTheNewestTextsAreRecent(t *testing.T) {
	r := newRecent(t.TempDir()+"/none", noSite, 4, 100)
	defer r.Close()
	text := dedup.Text{Body: strings.Repeat("x", 60)}
	r.add(1, &text)
	if got, ok := hasText(t, r, 1); !ok || got != text.Body {
		t.Errorf("a text of the first block: %q, %v", got, ok)
	}
	for seq := uint64(2); seq < 5; seq++ {
		r.add(seq, &text)
	}
	for seq := uint64(1); seq < 5; seq++ {
		if got, ok := hasText(t, r, seq); ok {
			t.Errorf("text of page %d is %q, although it could not be written", seq, got)
		}
	}
}

// A text is there as long as the template of its site leaves the same of its page, and again when it was renewed.
func TestARecentTextIsThatOfTheTemplateOfNow(t *testing.T) {
	pageOf := func(i int) *purify.DocView {
		b := strings.Builder{}
		fmt.Fprintf(&b, "<html><head><title>Kite %d</title></head><body><div class=top><a href=/>The kite club</a></div><article><h1>Kite %d</h1>", i, i)
		for j := range 6 {
			fmt.Fprintf(&b, "<p>%s</p>", strings.Repeat(fmt.Sprintf("w%dx%d ", i, j), 12))
		}
		b.WriteString("</article><p>All of us meet at the old pier on Sundays, whatever the wind says.</p></body></html>")
		return purify.Purify([]byte(b.String()), "text/html")
	}
	var site purify.Site
	var early, late *purify.Template
	for i := range 30 {
		if made := site.Learn(pageOf(i).Names()); made != nil {
			if late = made; early == nil {
				early = made
			}
		}
	}
	view := pageOf(40)
	view.Template = 1
	now := early
	r := NewRecent(t.TempDir(), func(uint64) (*purify.Template, error) { return now, nil })
	defer r.Close()
	for _, c := range []struct {
		name        string
		added, then *purify.Template
		want        bool
	}{
		{"the same", late, late, true},
		{"none any more", late, nil, false},
		{"one where there was none", nil, late, false},
		{"none", nil, nil, true},
	} {
		now = c.then
		text := dedup.TextOf(view, c.added)
		r.add(1, &text)
		again := dedup.TextOf(view, c.then)
		if (text.Body == again.Body) != c.want {
			t.Fatalf("%s: the texts are %q and %q", c.name, text.Body, again.Body)
		}
		if got, ok := hasText(t, r, 1); ok != c.want || ok && got != again.Body {
			t.Errorf("%s: the text is %q, %v; want %q, %v", c.name, got, ok, again.Body, c.want)
		}
		r.Renew(1, &again)
		if got, ok := hasText(t, r, 1); !ok || got != again.Body {
			t.Errorf("%s, renewed: the text is %q, %v; want %q", c.name, got, ok, again.Body)
		}
	}
	if dedup.TextOf(view, early).Body == dedup.TextOf(view, late).Body {
		t.Log("both templates leave the same")
	}
}
