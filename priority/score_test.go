package priority_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/priority"
)

// orders are signals of which each is fetched before the next.
var orders = []struct {
	what    string
	signals []priority.Signals
}{
	{"shallow before deep", []priority.Signals{{}, {Depth: 1}, {Depth: 2}, {Depth: 63}, {Depth: 64}}},
	{"a seed's own priority", []priority.Signals{{Seed: 2}, {Seed: 1}, {}, {Seed: -1}}},
	{"the topic before depth", []priority.Signals{
		{Depth: 9, Relevance: 1, Anchor: 1}, {Depth: 5, Relevance: 0.5, Anchor: 0.5}, {Depth: 1}, {Depth: 9, Relevance: 0.5}}},
	{"link words on one page", []priority.Signals{
		{Depth: 3, Relevance: 0.4, Anchor: 0.7}, {Depth: 3, Relevance: 0.4, Anchor: 0.5}, {Depth: 3, Relevance: 0.4}}},
	{"mirrors within a level", []priority.Signals{{Depth: 2}, {Depth: 3, Degree: 1}, {Depth: 3}}},
	{"pages that many pages link to", []priority.Signals{{Depth: 2, Inlinks: 1023}, {Depth: 2, Inlinks: 7}, {Depth: 2, Inlinks: 1}, {Depth: 2}}},
	{"many mirrors lift by a level", []priority.Signals{{Depth: 1}, {Depth: 3, Degree: 7}, {Depth: 2}, {Depth: 3}}},
	{"links of copies last", []priority.Signals{{Depth: 64, Seed: -100}, {Seed: 100, Relevance: 1, Anchor: 1, Degree: 9, Copy: true}, {Depth: 2, Copy: true}}},
}

func TestTheOrderOfFetching(t *testing.T) {
	o := priority.DefaultOptions()
	o.Inlinks = .5
	for _, c := range orders {
		for i := 1; i < len(c.signals); i++ {
			first, second := c.signals[i-1], c.signals[i]
			if a, b := o.Score(first), o.Score(second); a <= b {
				t.Errorf("%s: Score(%+v) = %v, not above Score(%+v) = %v", c.what, first, a, second, b)
			}
		}
	}
}

func TestMirrorsCountUpToSeven(t *testing.T) {
	o := priority.DefaultOptions()
	want := o.Score(priority.Signals{Degree: 7})
	for _, degree := range []uint16{8, 500, math.MaxUint16} {
		if got := o.Score(priority.Signals{Degree: degree}); got != want {
			t.Errorf("degree %d scores %v, degree 7 %v", degree, got, want)
		}
	}
}

func TestTermsAddUpToTheScore(t *testing.T) {
	o := priority.DefaultOptions()
	for s := range anySignals(1, 10000) {
		var sum float32
		for _, term := range o.Terms(s) {
			sum += term.Value
			if term.Name == "" || term.Why == "" || term.Value == 0 {
				t.Errorf("Terms(%+v) holds %+v", s, term)
			}
		}
		if got := o.Score(s); sum != got {
			t.Errorf("the terms of %+v add up to %v, the score is %v", s, sum, got)
		}
	}
}

func TestTermsSayWhy(t *testing.T) {
	s := priority.Signals{Seed: 1, Depth: 2, Relevance: 0.25, Anchor: 0.5, Degree: 3, Copy: true}
	want := []priority.Term{
		{Name: "seed", Value: 1, Why: "a link hook raised it by 1"},
		{Name: "depth", Value: -2, Why: "2 links from the nearest seed"},
		{Name: "relevance", Value: 3, Why: "the linking page is 25% on the topic"},
		{Name: "anchor", Value: 6, Why: "the link's words are 50% on the topic"},
		{Name: "mirror", Value: 1, Why: "3 domains carry a copy of the linking page"},
		{Name: "copy", Value: -2048, Why: "found only on a copy of another page"},
	}
	if got := priority.DefaultOptions().Terms(s); !slices.Equal(got, want) {
		t.Errorf("Terms(%+v) = %+v, want %+v", s, got, want)
	}
	if got := priority.DefaultOptions().Terms(priority.Signals{Seed: 2}); len(got) != 1 || got[0].Why != "a seed of priority 2" {
		t.Errorf("Terms of a seed = %+v", got)
	}
	if got := priority.DefaultOptions().Terms(priority.Signals{}); len(got) != 0 {
		t.Errorf("Terms of nothing = %+v", got)
	}
}

func TestScoresAreFiniteAndCopiesAreLastAtAnyWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		weight := func(most float32) float32 { return []float32{0, most, most * random.Float32()}[random.IntN(3)] }
		o := priority.Options{Depth: weight(10), Relevance: weight(100), Anchor: weight(100), Mirror: weight(10), Inlinks: weight(10)}
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		worst, best := float32(math.MaxFloat32), float32(-math.MaxFloat32)
		for s := range anySignals(random.Uint64(), 1000) {
			got := o.Score(s)
			if s.Copy {
				best = max(best, got)
			} else {
				worst = min(worst, got)
			}
		}
		if !(best < worst) || math.IsInf(float64(best), 0) {
			t.Errorf("under %+v a copy scores %v and a page that is none %v", o, best, worst)
		}
	}
}

func TestValidateReportsEveryWeightOutOfRange(t *testing.T) {
	nan := float32(math.NaN())
	err := priority.Options{Depth: -1, Relevance: nan, Anchor: 101, Mirror: float32(math.Inf(1))}.Validate()
	if err == nil {
		t.Fatal("Validate passes")
	}
	for _, want := range []string{
		"priority weight depth is -1, not between 0 and 10", "priority weight relevance is NaN, not between 0 and 100",
		"priority weight anchor is 101,", "priority weight mirror is +Inf,",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate says\n%v\nand nothing of %s", err, want)
		}
	}
	if err := priority.DefaultOptions().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func BenchmarkScore(b *testing.B) {
	o := priority.DefaultOptions()
	s := priority.Signals{Depth: 3, Relevance: 0.3, Anchor: 0.5, Degree: 4}
	for b.Loop() {
		o.Score(s)
	}
}

// anySignals yields n signals, of which many hold what no signal should.
func anySignals(seed uint64, n int) func(func(priority.Signals) bool) {
	random := rand.New(rand.NewPCG(seed, 0))
	odd := []float32{0, 1, -1, 1e30, -1e30, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	number := func() float32 {
		if random.IntN(2) == 0 {
			return odd[random.IntN(len(odd))]
		}
		return random.Float32()
	}
	return func(yield func(priority.Signals) bool) {
		for range n {
			s := priority.Signals{
				Seed: number(), Depth: uint16(random.Uint32()), Relevance: number(), Anchor: number(),
				Degree: uint16(random.Uint32()) >> random.IntN(16), Copy: random.IntN(2) == 0,
				Inlinks: uint16(random.Uint32()) >> random.IntN(16),
			}
			if !yield(s) {
				return
			}
		}
	}
}
