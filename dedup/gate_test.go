package dedup

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/splitmix"
)

// records is a store of signatures.
type records struct {
	mu    sync.Mutex
	m     map[DocID]Signature
	reads int
}

var errNoRecord = errors.New("no such record")

func (r *records) Signature(doc DocID) (Signature, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	s, ok := r.m[doc]
	if !ok {
		return Signature{}, errNoRecord
	}
	return s, nil
}

func (r *records) put(doc DocID, s Signature) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[DocID]Signature{}
	}
	r.m[doc] = s
}

func newGate(t testing.TB, change func(*Options)) (*Gate, *records) {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	r := new(records)
	g, err := NewGate(o, r)
	if err != nil {
		t.Fatalf("NewGate(%+v) = %v", o, err)
	}
	return g, r
}

// page returns a signature of its own: nothing of it is near another's.
func page(n uint64) Signature {
	s := Signature{SimHash: splitmix.Mix(n), Layout: splitmix.Mix(^n), Tokens: 100}
	s.Bytes = DigestOf(fmt.Append(nil, "bytes", n))
	s.Body = DigestOf(fmt.Append(nil, "body", n))
	for i := range s.Bands {
		s.Bands[i] = uint32(splitmix.Mix(n<<8 + uint64(i)))
	}
	for i := range s.Sketch {
		s.Sketch[i] = byte(splitmix.Mix(n+uint64(i)<<32) >> 8)
	}
	return s
}

// edited returns a signature near that of page n, whose sketch differs in the
// given number of values. No band brings it to the page.
func edited(n uint64, simBits, sketchBits int, as uint64) Signature {
	s, other := page(n), page(as)
	s.Bytes, s.Body, s.Bands = other.Bytes, other.Body, other.Bands
	s.SimHash ^= 1<<simBits - 1
	for i := range sketchBits {
		s.Sketch[i/8] ^= 1 << (i % 8)
	}
	return s
}

// titled gives a signature another title.
func titled(s Signature) Signature {
	s.Facts.Title++
	return s
}

func claim1(t testing.TB, g *Gate, doc DocID, s Signature, want Verdict) {
	t.Helper()
	got, err := g.Claim(doc, s, nil)
	if err != nil || got != want {
		t.Fatalf("Claim(%d) = %+v, %v, want %+v", doc, got, err, want)
	}
}

func TestTheCheapestLevelDecides(t *testing.T) {
	kept := page(1)
	sameBody := kept
	sameBody.Bytes = page(2).Bytes
	otherLayout := sameBody
	otherLayout.Layout = ^kept.Layout
	nearOtherLayout := edited(1, 2, 4, 3)
	nearOtherLayout.Layout = ^kept.Layout
	for _, c := range []struct {
		name string
		sig  Signature
		want Verdict
	}{
		{"the same bytes", kept, Verdict{1, LevelBytes, FullLayout, 0, 1}},
		{"the same body and layout", sameBody, Verdict{1, LevelBody, FullLayout, 0, 1}},
		{"the same body in another layout", otherLayout, Verdict{1, LevelBody, FullContent, 0, 1}},
		{"a near body in the same layout", edited(1, 3, 8, 3), Verdict{1, LevelNear, PartialLayout, 3, 0.875}},
		{"a near body in another layout", nearOtherLayout, Verdict{1, LevelNear, PartialContent, 2, 0.9375}},
		{"one bit too far", edited(1, 4, 0, 3), Verdict{}},
		{"a sketch that just confirms", edited(1, 0, 12, 3), Verdict{1, LevelNear, PartialLayout, 0, 0.8125}},
		{"a sketch that does not confirm", edited(1, 0, 13, 3), Verdict{}},
		{"another page", page(3), Verdict{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _ := newGate(t, nil)
			claim1(t, g, 1, kept, Verdict{})
			if got, err := g.Check(c.sig, nil); err != nil || got != c.want {
				t.Errorf("Check = %+v, %v, want %+v", got, err, c.want)
			}
			claim1(t, g, 2, c.sig, c.want)
		})
	}
}

func TestCheckBytesNeedsNoParse(t *testing.T) {
	g, _ := newGate(t, nil)
	claim1(t, g, 7, page(1), Verdict{})
	if got, err := g.CheckBytes(page(1).Bytes); err != nil || got != (Verdict{7, LevelBytes, FullLayout, 0, 1}) {
		t.Errorf("CheckBytes = %+v, %v, want a copy of 7", got, err)
	}
	for _, d := range []Digest{page(2).Bytes, {}} {
		if got, err := g.CheckBytes(d); err != nil || got.Copy() {
			t.Errorf("CheckBytes(%v) = %+v, %v, want new", d, got, err)
		}
	}
}

func TestCheckChangesNothing(t *testing.T) {
	g, _ := newGate(t, nil)
	for range 2 {
		if got, err := g.Check(page(1), nil); err != nil || got.Copy() {
			t.Errorf("Check = %+v, %v, want new", got, err)
		}
	}
}

func TestClaimOfTheSameDocumentIsNotACopy(t *testing.T) {
	for _, recent := range []int{1, 100} {
		g, r := newGate(t, func(o *Options) { o.Recent = recent })
		for n := range DocID(10) {
			r.put(n+1, page(uint64(n)))
			claim1(t, g, n+1, page(uint64(n)), Verdict{})
		}
		rows := g.Rows()
		for n := range DocID(10) {
			claim1(t, g, n+1, page(uint64(n)), Verdict{})
		}
		if g.Rows() != rows {
			t.Errorf("recent %d: claiming again grew the tables", recent)
		}
	}
}

func TestAClaimedCopyStaysACopyOfTheSameKeeper(t *testing.T) {
	g, _ := newGate(t, nil)
	claim1(t, g, 1, page(1), Verdict{})
	copied := edited(1, 3, 8, 2)
	want := Verdict{1, LevelNear, PartialLayout, 3, 0.875}
	claim1(t, g, 2, copied, want)
	nearer := edited(1, 0, 14, 3) // refused as a copy of 1, and nearer to 2 than 1 is
	nearer.SimHash = copied.SimHash ^ 1<<60
	claim1(t, g, 3, nearer, Verdict{})
	claim1(t, g, 2, copied, want)
}

func TestADocumentHasOneSignature(t *testing.T) {
	g, _ := newGate(t, nil)
	claim1(t, g, 1, page(1), Verdict{})
	if v, err := g.Claim(1, page(2), nil); err == nil {
		t.Errorf("Claim(1) with another signature = %+v, want an error", v)
	}
}

func TestDocumentZeroNamesNone(t *testing.T) {
	g, _ := newGate(t, nil)
	g.Load(0, page(1))
	if v, err := g.Claim(0, page(1), nil); err == nil {
		t.Errorf("Claim(0) = %+v, want an error", v)
	}
	claim1(t, g, 1, page(1), Verdict{})
}

func TestTheNearestKeeperIsNamed(t *testing.T) {
	// All four are near the query and, with no confirmation, would be copies of
	// each other: so they are loaded.
	query := page(1)
	at := func(simBits, sketchBits int, as uint64) Signature { return edited(1, simBits, sketchBits, as) }
	for _, c := range []struct {
		name  string
		kept  map[DocID]Signature
		want  DocID
		level Level
	}{
		{"the same title", map[DocID]Signature{4: titled(at(0, 0, 4)), 5: at(3, 8, 5), 6: titled(at(2, 0, 6))}, 5, LevelNear},
		{"then the greatest similarity", map[DocID]Signature{4: at(1, 8, 4), 5: at(2, 7, 5), 6: at(1, 9, 6)}, 5, LevelNear},
		{"then the oldest", map[DocID]Signature{6: at(1, 8, 4), 5: at(1, 8, 5), 7: at(1, 8, 6)}, 5, LevelNear},
		{"an equal body before all", map[DocID]Signature{4: at(0, 0, 4), 5: {Bytes: page(5).Bytes, Body: query.Body, Tokens: 100}}, 5, LevelBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, r := newGate(t, nil)
			for doc, s := range c.kept {
				r.put(doc, s)
				g.Load(doc, s)
			}
			got, err := g.Claim(9, query, nil)
			if err != nil || got.Of != Ref(c.want) || got.Level != c.level {
				t.Errorf("Claim = %+v, %v, want a copy of %d by level %d", got, err, c.want, c.level)
			}
		})
	}
}

func TestOfAShortBodyTheBytesDecideAlone(t *testing.T) {
	g, _ := newGate(t, nil)
	short := func(s Signature) Signature { s.Tokens = uint32(DefaultOptions().MinTokens) - 1; return s }
	claim1(t, g, 1, short(page(1)), Verdict{})
	claim1(t, g, 2, short(edited(1, 0, 0, 2)), Verdict{})
	claim1(t, g, 3, edited(1, 0, 0, 3), Verdict{})
	again := short(page(1))
	again.Bytes = page(4).Bytes
	claim1(t, g, 4, again, Verdict{})
	claim1(t, g, 5, short(page(1)), Verdict{1, LevelBytes, FullLayout, 0, 1})
}

func TestABriefBodyNeedsTheSameTitle(t *testing.T) {
	equal := page(1)
	equal.Bytes = page(2).Bytes
	near := edited(1, 0, 2, 3)
	for _, c := range []struct {
		name        string
		sig         Signature
		kept, title uint32
		layout      uint64
		want        Level
	}{
		{"an equal body in another layout", equal, 7, 7, 0xff, LevelBody},
		{"an equal body under another title, as its digest says", equal, 7, 8, 0, 0},
		{"a near body in another layout", near, 7, 7, 0xff, LevelNear},
		{"a near body in the same layout under another title", near, 7, 8, 0, 0},
		{"a near body in the same layout without the title", near, 7, 0, 0, 0},
		{"a near body in the same layout, both without a title", near, 0, 0, 0b111, LevelNear},
		{"a near body in another layout, both without a title", near, 0, 0, 0b1111, 0},
	} {
		brief := func(s Signature, title uint32, layout uint64) Signature {
			s.Tokens, s.Facts.Title, s.Layout = briefBody-1, title, layout
			return s
		}
		g, _ := newGate(t, nil)
		claim1(t, g, 1, brief(page(1), c.kept, 0), Verdict{})
		if v, err := g.Check(brief(c.sig, c.title, c.layout), nil); err != nil || v.Level != c.want {
			t.Errorf("%s: %+v, %v, want level %d", c.name, v, err, c.want)
		}
	}
}

// Of pages that have one brief body and a title each, no more than some are
// looked at for one question.
func TestManyBriefBodiesMakeNoQuestionSlow(t *testing.T) {
	g, r := newGate(t, func(o *Options) { o.Recent = 1 })
	for n := range uint64(100) {
		s := page(1)
		s.Bytes, s.Layout, s.Facts.Title, s.Tokens = page(n).Bytes, splitmix.Mix(n), uint32(n+1), briefBody-1
		r.put(DocID(n+1), s)
		g.Load(DocID(n+1), s)
	}
	s := page(1)
	s.Bytes, s.Layout, s.Facts.Title, s.Tokens, s.Sketch = page(1000).Bytes, splitmix.Mix(1000), 1001, briefBody-1, page(7).Sketch
	claim1(t, g, 1000, s, Verdict{})
	if r.reads > maxHolders {
		t.Errorf("one question read %d signatures, want at most %d", r.reads, maxHolders)
	}
}

func TestShortBodiesMustResembleMore(t *testing.T) {
	for _, c := range []struct {
		kept, asked uint32
		differ      int
		copied      bool
	}{{80, 80, 12, true}, {79, 79, 7, false}, {79, 79, 6, true}, {80, 79, 7, false}, {79, 80, 7, false}} {
		g, _ := newGate(t, nil)
		kept, asked := page(1), edited(1, 0, c.differ, 2)
		kept.Tokens, asked.Tokens = c.kept, c.asked
		claim1(t, g, 1, kept, Verdict{})
		if v, err := g.Check(asked, nil); err != nil || v.Copy() != c.copied {
			t.Errorf("%d tokens against %d, %d values differ: %+v, %v, want a copy: %v", c.asked, c.kept, c.differ, v, err, c.copied)
		}
	}
}

func TestPagesWithoutABodyAreCopiesByBytesAlone(t *testing.T) {
	g, _ := newGate(t, func(o *Options) { o.MinTokens = 0 })
	claim1(t, g, 1, Signature{Bytes: page(1).Bytes}, Verdict{})
	claim1(t, g, 2, Signature{Bytes: page(2).Bytes}, Verdict{})
	claim1(t, g, 3, Signature{Bytes: page(1).Bytes}, Verdict{1, LevelBytes, FullLayout, 0, 1})
}

func TestNothingIsACopyWhenTheGateIsOff(t *testing.T) {
	g, _ := newGate(t, func(o *Options) { o.Mode = ModeOff })
	g.Load(1, page(1))
	for doc := range DocID(3) {
		claim1(t, g, doc+1, page(1), Verdict{})
	}
}

func TestAnEqualHeadIsNotAnEqualDigest(t *testing.T) {
	g, _ := newGate(t, nil)
	a, b := page(1), page(2)
	copy(b.Bytes[:8], a.Bytes[:8])
	copy(b.Body[:8], a.Body[:8])
	claim1(t, g, 1, a, Verdict{})
	claim1(t, g, 2, b, Verdict{})
	b.Bytes = page(3).Bytes
	b.Layout = ^b.Layout
	claim1(t, g, 3, b, Verdict{2, LevelBody, FullContent, 0, 1})
}

// The gate is a table of what the store knows: filled again, it answers as
// before.
func TestALoadedGateAnswersLikeTheOneThatWasFilled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for k := range index.MaxDistance + 1 {
		first, store := newGate(t, func(o *Options) { o.Distance = k })
		for doc := DocID(1); doc <= 500; doc++ {
			s := edited(uint64(r.IntN(60)), r.IntN(k+2), r.IntN(14), uint64(r.IntN(400)+1000))
			v, err := first.Claim(doc, s, nil)
			if err != nil {
				t.Fatalf("Claim(%d) = %v", doc, err)
			}
			if !v.Copy() {
				store.put(doc, s)
			}
		}
		second, err := NewGate(first.o, store)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range r.Perm(501) { // the order must not matter, nor a second time
			if s, ok := store.m[DocID(doc)]; ok {
				second.Load(DocID(doc), s)
				second.Load(DocID(doc), s)
			}
		}
		for range 500 {
			s := edited(uint64(r.IntN(60)), r.IntN(k+2), r.IntN(14), uint64(r.IntN(400)+1000))
			want, err1 := first.Check(s, nil)
			got, err2 := second.Check(s, nil)
			if err1 != nil || err2 != nil || got != want {
				t.Fatalf("k=%d: loaded gate says %+v, %v, the first %+v, %v", k, got, err2, want, err1)
			}
		}
	}
}

func TestAStoreThatFailsIsAnErrorAndChangesNothing(t *testing.T) {
	g, r := newGate(t, nil)
	g.Load(1, page(1)) // and the store has no such record
	for _, s := range []Signature{page(1), edited(1, 1, 1, 2), {Bytes: page(3).Bytes, Body: page(1).Body, Tokens: 100}} {
		if v, err := g.Claim(2, s, nil); !errors.Is(err, errNoRecord) {
			t.Errorf("Claim = %+v, %v, want %v", v, err, errNoRecord)
		}
	}
	r.put(1, page(1))
	claim1(t, g, 2, page(1), Verdict{1, LevelBytes, FullLayout, 0, 1})
}

// Of many workers with the same page one becomes the kept page, and all others
// name it, before any store has heard of it.
func TestOneOfManyClaimsKeeps(t *testing.T) {
	g, _ := newGate(t, nil)
	const workers, pages = 8, 300
	verdicts := make([][pages]Verdict, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for n := range pages {
				doc := DocID(1 + w + n*workers)
				s := page(uint64(n))
				if w%2 == 1 {
					s = edited(uint64(n), w%3, w, uint64(1000+w+n*workers))
				}
				if _, err := g.Check(s, nil); err != nil {
					t.Errorf("Check = %v", err)
				}
				v, err := g.Claim(doc, s, nil)
				if err != nil {
					t.Errorf("Claim(%d) = %v", doc, err)
				}
				verdicts[w][n] = v
			}
		})
	}
	wg.Wait()
	for n := range pages {
		var kept []DocID
		named := map[DocID]bool{}
		for w := range workers {
			if v := verdicts[w][n]; v.Copy() {
				named[DocID(v.Of)] = true
			} else {
				kept = append(kept, DocID(1+w+n*workers))
			}
		}
		if len(kept) != 1 || len(named) != 1 || !named[kept[0]] {
			t.Fatalf("page %d has the kept pages %v and its copies name %v", n, kept, named)
		}
	}
}

func BenchmarkClaim1000000(b *testing.B) {
	const n = 1_000_000
	pages := make([]Signature, 2*n) // the second half is new
	for i := range pages {
		pages[i] = page(uint64(i))
	}
	g, r := newGate(b, nil)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			g, r = newGate(b, nil)
			for i, s := range pages[:n] {
				g.Load(DocID(i+1), s)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n/float64(b.N), "ns/Load")
	})
	r.m = make(map[DocID]Signature, n)
	for i, s := range pages[:n] {
		r.m[DocID(i+1)] = s
	}
	next := n
	claim := func(b *testing.B, s func(i int) Signature, want Level) {
		for b.Loop() {
			next++
			if v, err := g.Claim(DocID(next), s(next), nil); err != nil || v.Level != want {
				b.Fatalf("Claim(%d) = %+v, %v, want level %d", next, v, err, want)
			}
		}
	}
	b.Run("bytes", func(b *testing.B) { claim(b, func(i int) Signature { return pages[i%n] }, LevelBytes) })
	b.Run("near", func(b *testing.B) {
		claim(b, func(i int) Signature {
			s := pages[i%n]
			s.Bytes, s.Body = pages[n+i%n].Bytes, pages[n+i%n].Body
			s.SimHash ^= 0b111
			s.Sketch[0] ^= 0xFF
			return s
		}, LevelNear)
	})
	first := next
	b.Run("new", func(b *testing.B) { claim(b, func(i int) Signature { return pages[n+i-first] }, 0) })
}
