package dedup

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// shopPage returns the words of a page: a frame, one thing that it says often, and 80 words of its own.
func shopPage(r *rand.Rand, frame []string, times int) (words []string, own int) {
	words = append(slices.Clone(frame), slices.Repeat([]string{"Add", "to", "cart"}, times)...)
	return append(words, different(r, 80)...), len(words)
}

// different returns n different words.
func different(r *rand.Rand, n int) []string {
	return strings.FieldsFunc(text(r, n), func(c rune) bool { return c < 'a' })
}

// However many pages have one SimHash, no question looks at more than some of them, wherever the tables
// are. All sketches agree here, so that a page that is looked at is a candidate.
func TestManyPagesWithOneSimHashMakeNoQuestionSlow(t *testing.T) {
	const n = 3 * maxWithin
	in := func(change func(*Options)) func(*testing.T) (*Gate, *records) {
		return func(t *testing.T) (*Gate, *records) { return newGate(t, change) }
	}
	for _, c := range []struct {
		tables  string
		open    func(*testing.T) (*Gate, *records)
		revised bool
	}{
		{"blocks", in(nil), false},
		{"halves", in(func(o *Options) { o.Index = index.DesignHalves }), false},
		{"blocks, of revised pages", in(nil), true},
		{"runs", func(t *testing.T) (*Gate, *records) {
			o, r := DefaultOptions(), new(records)
			o.Memory = maxWithin / 2
			g, _, err := OpenGate(Folder{Dir: t.TempDir()}, o, r)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			})
			return g, r
		}, false},
	} {
		t.Run(c.tables, func(t *testing.T) {
			g, r := c.open(t)
			load := func(doc DocID) {
				s := edited(1, 0, 0, uint64(doc)+1)
				r.put(doc, s)
				if c.revised {
					was := page(uint64(doc) + 100*n)
					was.Bytes = s.Bytes
					g.Load(doc, was)
					g.LoadRevised(doc, s)
				} else {
					g.Load(doc, s)
				}
				if err := g.Commit(); err != nil {
					t.Fatal(err)
				}
			}
			for doc := DocID(1); doc <= n; doc++ {
				load(doc)
			}
			sig := edited(1, 0, 0, 10*n)
			q := query{sig, outlineOf(sig), nil, maxReads}
			var l lookup
			if found := len(g.candidates(&q, &l)); found != maxWithin {
				t.Errorf("a page is compared with %d of %d that have its SimHash, want %d", found, n, maxWithin)
			}
			l.gate, l.after = g, g.tables.Last
			for doc := DocID(n + 1); doc <= n+10; doc++ {
				load(doc)
			}
			if found := len(g.candidates(&q, &l)); found != maxWithin {
				t.Errorf("asked again it is compared with %d, want %d", found, maxWithin)
			}
		})
	}
}

// Retired pages with its SimHash hide a page only if there are very many.
func TestFewRetiredPagesWithOneSimHashHideNoOther(t *testing.T) {
	for _, c := range []struct {
		retired DocID
		found   bool
	}{{16*maxWithin - 1, true}, {16 * maxWithin, false}} {
		g, r := newGate(t, nil)
		for doc := DocID(1); doc <= c.retired+1; doc++ {
			s := edited(1, 0, 0, uint64(doc)+1)
			r.put(doc, s)
			g.Load(doc, s)
			if doc <= c.retired {
				g.Retire(doc)
			}
		}
		if v, err := g.Check(edited(1, 0, 4, 100_000), nil); err != nil || v.Copy() != c.found {
			t.Errorf("behind %d retired pages: %+v, %v, want a copy: %v", c.retired, v, err, c.found)
		}
	}
}

// Copies of pages with one SimHash beyond those that a question looks at are found by their bands.
func TestCopiesAmongManyPagesWithOneSimHashAreFound(t *testing.T) {
	n := 4000
	if slow.Wanted() {
		n = 20_000
	}
	const planted = 1000
	for _, c := range []struct {
		kind         string
		frame, times int
		titled       bool      // each page has a title of its own, which takes the place of a band
		found        []float64 // the least share of the copies, by the number of words that are changed
	}{
		{"untitled", 0, 12, false, []float64{1, .99, .98, .9}},
		{"each with another title", 0, 12, true, []float64{1, .99, .96, .85}},
		{"with a frame that no template takes out", 120, 40, true, []float64{1, .98, .95, .9, .85, .8, .75}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(56, 56))
			g, l := readingGate(t)
			frame := different(r, c.frame)
			title := func() string {
				if !c.titled {
					return ""
				}
				return strings.Join(different(r, 3), " ")
			}
			pages, own, within := make([][]string, n), 0, 0
			for i := range pages {
				pages[i], own = shopPage(r, frame, c.times)
				text := Text{Title: title(), Body: strings.Join(pages[i], " ")}
				s, doc := text.Sign(), DocID(i+1)
				l.put(doc, s)
				l.texts[doc] = text
				g.Load(doc, s)
				if bits.OnesCount64(s.SimHash^l.m[1].SimHash) <= g.o.Distance {
					within++
				}
			}
			t.Logf("%d of %d pages are near the first", within, n)
			if within < n/2 {
				t.Fatalf("%d of %d pages are near the first: the test wants most", within, n)
			}
			for edits, want := range c.found {
				copies, found, sum := 0, 0, 0.
				for i := range planted {
					at := maxWithin + 1 + r.IntN(n-maxWithin-1)
					words := slices.Clone(pages[at])
					for e := range edits {
						words[own+80*e/edits+r.IntN(80/edits)] = fmt.Sprintf("other%dof%d", e, i)
					}
					was, is := l.texts[DocID(at+1)], Text{Title: title(), Body: strings.Join(words, " ")}
					j := read(&was).resemblance(read(&is))
					if j < g.o.Resemblance {
						continue
					}
					v, err := g.Check(is.Sign(), &is)
					if err != nil {
						t.Fatal(err)
					}
					copies, sum = copies+1, sum+j
					if v.Of == Ref(at+1) {
						found++
					}
				}
				t.Logf("%d words changed: %d copies, resemblance %.3f on average, %d found", edits, copies, sum/float64(copies), found)
				if float64(found) < want*float64(copies) {
					t.Errorf("%d words changed: %d of %d copies are found, want %.0f%%", edits, found, copies, 100*want)
				}
			}
		})
	}
}
