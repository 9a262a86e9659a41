package dedup

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unsafe"
)

// variants returns n texts, of which some two in five are an earlier one with no, some or
// many of its words changed.
func variants(r *rand.Rand, n, words int) []string {
	list := make([]string, 0, n)
	for range n {
		if len(list) == 0 || r.IntN(5) < 3 {
			list = append(list, text(r, words/2+r.IntN(words)))
			continue
		}
		parts := wordsOf(list[r.IntN(len(list))])
		for range r.IntN(4) * len(parts) / 40 {
			parts[r.IntN(len(parts))] = "changed" + string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26)))
		}
		list = append(list, strings.Join(parts, " "))
	}
	return list
}

// A set is to say of each text what comparing it with every kept one says, word by word.
func TestASetSaysWhatComparingWithAllSays(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	o := DefaultOptions()
	list := variants(rand.New(rand.NewPCG(seed, 1)), 400, 120)
	s, copies, missed := NewSet(o), 0, 0
	var kept []int // of list
	runs := make([]map[string]bool, len(list))
	for i, text := range list {
		runs[i] = runsOf(text)
		before := s.Check(text)
		got := s.Add(fmt.Sprint(i), text)
		if before != got {
			t.Fatalf("text %d: Check says %+v, then Add %+v", i, before, got)
		}
		alike := make(map[string]float64) // kept texts that are copies, and how much is the same
		for _, k := range kept {
			if list[k] == text {
				alike[fmt.Sprint(k)] = 1
			} else if j := jaccard(runs[k], runs[i]); j >= o.Resemblance {
				alike[fmt.Sprint(k)] = j
			}
		}
		switch want, ok := alike[got.Of]; {
		case got.Copy() && !ok:
			t.Errorf("text %d is called a copy of %s, by %.2f; it is one of %v", i, got.Of, got.Similarity, alike)
		case got.Copy() && got.Similarity != want:
			t.Errorf("text %d is called the same as %s by %.4f, want %.4f", i, got.Of, got.Similarity, want)
		case !got.Copy() && len(alike) > 0:
			missed++
		}
		if len(alike) > 0 {
			copies++
		}
		if !got.Copy() {
			kept = append(kept, i)
		}
	}
	t.Logf("%d texts, %d copies, %d of them missed", len(list), copies, missed)
	// The tables may not bring two near texts together: Options.Bands has the measurements.
	if copies < 30 || missed > copies/20 {
		t.Errorf("of %d copies %d were missed, want 30 copies and more, and 1 in 20 missed at most", copies, missed)
	}
	if s.Len() != len(kept) {
		t.Errorf("Len = %d, want %d", s.Len(), len(kept))
	}
}

// jaccard is the share of two sets that is in both.
func jaccard(a, b map[string]bool) float64 {
	both := 0
	for run := range a {
		if b[run] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

func runsOf(text string) map[string]bool {
	words, runs := wordsOf(text), make(map[string]bool)
	for i := range len(words) - 2 {
		runs[strings.Join(words[i:i+3], " ")] = true
	}
	return runs
}

func TestASetTellsHowItKnowsACopy(t *testing.T) {
	s := NewSet(DefaultOptions())
	for _, c := range []struct {
		what, text string
		want       Match
	}{
		{"a story", story, Match{}},
		{"the same", story, Match{Of: "a story", Level: LevelBytes, Class: FullLayout, Similarity: 1}},
		{"the same words", strings.ToUpper(strings.ReplaceAll(story, ",", "")), Match{Of: "a story", Level: LevelBody, Class: FullLayout, Similarity: 1}},
		{"another", posting, Match{}},
		{"too short to compare", "No.", Match{}},
		{"too short, again", "No.", Match{Of: "too short to compare", Level: LevelBytes, Class: FullLayout, Similarity: 1}},
		{"too short, another", "Yes.", Match{}},
		{"nothing", "", Match{}},
		{"nothing, again", "", Match{Of: "nothing", Level: LevelBytes, Class: FullLayout, Similarity: 1}},
	} {
		if got := s.Add(c.what, c.text); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
	got := s.Add("a word more", story+"Tickets are free.\n")
	if got.Of != "a story" || got.Level != LevelNear || got.Class != PartialLayout || got.Similarity < 0.8 || got.Similarity == 1 {
		t.Errorf("a story with a sentence more: %+v, want a near copy of it", got)
	}
	if s.Len() != 5 {
		t.Errorf("Len = %d, want 5: copies are not kept", s.Len())
	}
}

func TestTitlesTellTextsOfOneFormApart(t *testing.T) {
	s := NewSet(DefaultOptions())
	job := func(town string, pay, day int) Text {
		return Text{Title: "Nurse in " + town, Body: fmt.Sprintf(posting, town, pay, day)}
	}
	if m := s.AddText("kent", job("Kent", 28400, 3)); m.Copy() {
		t.Errorf("the first is %+v", m)
	}
	if m := s.CheckText(job("Surrey", 29100, 17)); m.Copy() {
		t.Errorf("a job elsewhere is %+v, want new", m)
	}
	if m := s.CheckText(job("Kent", 28400, 3)); m.Of != "kent" {
		t.Errorf("the same job is %+v, want a copy", m)
	}
}

func TestASetWithTheGateOffKeepsNothing(t *testing.T) {
	o := DefaultOptions()
	o.Mode = ModeOff
	s := NewSet(o)
	for range 2 {
		if m := s.Add("a", story); m.Copy() || s.Len() != 0 {
			t.Errorf("%+v, Len %d, want new and 0", m, s.Len())
		}
	}
}

func TestNewSetPanicsForOptionsThatAreAtFault(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "distance: want 0 to 6 bits") {
			t.Errorf("panics with %v, want the fault", r)
		}
	}()
	NewSet(Options{Distance: 99})
}

// However many goroutines add, of each content one text is kept and all others name it.
func TestOfManyGoroutinesOneHasTheTextKept(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = text(r, 120)
	}
	s := NewSet(DefaultOptions())
	var mu sync.Mutex
	of := make(map[string][]string) // kept text: ids that name it
	fresh := make(map[string]string)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i, text := range texts {
				id := fmt.Sprintf("%d/%d", i, worker)
				m := s.Add(id, text)
				s.Check(text)
				mu.Lock()
				if m.Copy() {
					of[m.Of] = append(of[m.Of], id)
				} else {
					fresh[id] = text
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(fresh) != len(texts) || s.Len() != len(texts) {
		t.Errorf("%d texts are new and %d kept, want %d", len(fresh), s.Len(), len(texts))
	}
	for id, copies := range of {
		content, _, _ := strings.Cut(id, "/")
		if len(copies) != 7 || slices.ContainsFunc(copies, func(c string) bool { return !strings.HasPrefix(c, content+"/") }) {
			t.Errorf("copies of %s: %v, want the 7 others of %s", id, copies, content)
		}
	}
}

// What a set takes is what its comment says.
func TestAKeptTextTakesAsMuchMemoryAsIsDocumented(t *testing.T) {
	const texts, documented = 25_000, 1250
	r := rand.New(rand.NewPCG(5, 5))
	list := make([]string, texts)
	for i := range list {
		list[i] = text(r, 40)
	}
	before := heap()
	s := NewSet(DefaultOptions())
	for _, text := range list {
		s.Add("id", text)
	}
	each := (heap() - before) / texts
	runtime.KeepAlive(list)
	if s.Len() < texts*9/10 || each > documented {
		t.Errorf("%d texts take %d bytes each, want %d at most", s.Len(), each, documented)
	}
	t.Logf("%d bytes a text, of which %d are the record of it", each, unsafe.Sizeof(keptText{}))
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkSet reports how fast texts are added to a set until it has so many, and how fast
// it then answers for others.
func BenchmarkSet(b *testing.B) {
	for _, kept := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d-texts-of-200-words", kept), func(b *testing.B) {
			r := rand.New(rand.NewPCG(9, 9))
			list := make([]string, kept+2000)
			for i := range list {
				list[i] = text(r, 200)
			}
			s, start := NewSet(DefaultOptions()), time.Now()
			for _, text := range list[:kept] {
				s.Add("", text)
			}
			adds := float64(kept) / time.Since(start).Seconds()
			more := list[kept:]
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				s.Check(more[n%len(more)])
				n++
			}
			b.ReportMetric(adds, "adds/s")
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "checks/s")
		})
	}
}
