package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// aTale is a text to edit: words of a language, a title, and how many.
type aTale struct {
	name  string
	words func(r *rand.Rand) []string
	join  string
}

var tales = []aTale{
	{"english", func(r *rand.Rand) []string { return strings.Fields(text(r, 80+r.IntN(200))) }, " "},
	{"brief", func(r *rand.Rand) []string { return strings.Fields(text(r, 9+r.IntN(34))) }, " "},
	{"chinese", func(r *rand.Rand) []string {
		w := make([]string, 60+r.IntN(200))
		for i := range w {
			w[i] = string(rune(0x4E00 + r.IntN(3000)))
		}
		return w
	}, ""},
}

// texts returns n tales of each kind with editions of each: the same again, one
// with the last word changed, and a chain of two more, each near the one before
// and far from the first.
func editions(r *rand.Rand, n int, chains bool) []Text {
	var all []Text
	for _, kind := range tales {
		for i := range n {
			w := kind.words(r)
			title := fmt.Sprintf("%s %d", kind.name, i)
			add := func() { all = append(all, Text{Title: title, Body: strings.Join(w, kind.join)}) }
			add()
			add()
			w = slices.Clone(w)
			w[len(w)-1] = "字"
			add()
			for range 2 {
				if w = slices.Clone(w); chains {
					w = w[len(w)/8:]
					add()
				}
			}
		}
	}
	return all
}

// claimAll claims texts that follow the document last, and keeps what is new.
// With checks, other goroutines ask about some of them before each claim.
func claimAll(t *testing.T, g *Gate, l *library, last DocID, texts []Text, checks bool) []Verdict {
	t.Helper()
	got := make([]Verdict, len(texts))
	for i := range texts {
		if checks {
			var wg sync.WaitGroup
			for w := range 2 {
				wg.Go(func() {
					asked := texts[(i+w)%len(texts)] // a copy: one goroutine may ask with a Text
					if _, err := g.Check(asked.Sign(), &asked); err != nil {
						t.Errorf("Check = %v", err)
					}
				})
			}
			wg.Wait()
		}
		got[i] = claimText(t, g, l, last+DocID(i+1), texts[i])
	}
	return got
}

func shuffled(r *rand.Rand, texts []Text) []Text {
	texts = slices.Clone(texts)
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

// Brief, Chinese and chained editions get the same answers whatever holds the
// tables, who else asks, and whenever the process ends in between.
func TestVerdictsByTextsDoNotDependOnTablesWorkersOrRestarts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	texts := shuffled(r, editions(r, 4, true))
	first, l := readingGate(t)
	want := claimAll(t, first, l, 0, texts, false)
	copies := 0
	for i, v := range want {
		if !v.Copy() {
			continue
		}
		copies++
		if kept := texts[v.Of-1]; read(&texts[i]).resemblance(read(&kept)) < first.o.Resemblance || want[v.Of-1].Copy() {
			t.Errorf("text %d is called a copy of %d: %+v", i+1, v.Of, v)
		}
	}
	if copies < len(texts)/3 || copies > len(texts)*4/5 {
		t.Errorf("%d of %d texts are copies; the test wants both kinds", copies, len(texts))
	}
	for _, design := range index.Designs() {
		t.Run(string(design), func(t *testing.T) {
			o := smallFolder(7)
			o.Index = design
			dir, l := t.TempDir(), &library{texts: make(map[DocID]Text)}
			for last := 0; last < len(texts); {
				part := texts[last:min(last+9, len(texts))]
				g := reopened(t, dir, o, l, DocID(last))
				for i, got := range claimAll(t, g, l, DocID(last), part, true) {
					if got != want[last+i] {
						t.Errorf("text %d: %+v, want %+v", last+i+1, got, want[last+i])
					}
				}
				last += len(part)
				if r.IntN(2) == 0 {
					if err := g.Commit(); err != nil {
						t.Fatal(err)
					}
				}
				if err := g.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// reopened opens the gate in a folder and enters what it lacks of a library, as
// the store does.
func reopened(t *testing.T, dir string, o Options, l *library, last DocID) *Gate {
	t.Helper()
	g, complete, err := OpenGate(Folder{Dir: dir, Last: last}, o, l)
	if err != nil {
		t.Fatal(err)
	}
	for doc := complete + 1; doc <= last; doc++ {
		if s, ok := l.m[doc]; ok {
			g.Load(doc, s)
		}
	}
	return g
}

// Where no text is near one copy and far from another, the order of arrival
// changes only which one of a group is kept.
func TestArrivalChangesOnlyWhichCopyIsKept(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	texts := editions(r, 6, false)
	var want []string
	for round := range 6 {
		arrived := shuffled(r, texts)
		g, l := readingGate(t)
		groups := map[Ref][]string{}
		for i, v := range claimAll(t, g, l, 0, arrived, false) {
			kept := v.Of
			if !v.Copy() {
				kept = Ref(i + 1)
			}
			groups[kept] = append(groups[kept], arrived[i].Title+arrived[i].Body)
		}
		var lines []string
		for _, members := range groups {
			slices.Sort(members)
			lines = append(lines, strings.Join(members, "\n"))
		}
		slices.Sort(lines)
		if round == 0 {
			want = lines
		}
		if !slices.Equal(lines, want) {
			t.Errorf("one order gives the groups %q, another %q", lines, want)
		}
	}
	if len(want) < len(texts)/4 || len(want) > len(texts)/2 {
		t.Errorf("%d groups of %d texts; the test wants a third of them", len(want), len(texts))
	}
}
