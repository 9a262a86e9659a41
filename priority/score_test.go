package priority_test

import (
	"fmt"
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
	options priority.Options
	signals []priority.Signals
}{
	{"shallow before deep", priority.DefaultOptions(), []priority.Signals{{}, {Depth: 1}, {Depth: 2}, {Depth: 63}, {Depth: 64}}},
	{"a seed's own priority", priority.DefaultOptions(), []priority.Signals{{Seed: 2}, {Seed: 1}, {}, {Seed: -1}}},
	{"pages that many pages link to", counted(), []priority.Signals{{Depth: 2, Inlinks: 1023}, {Depth: 2, Inlinks: 7}, {Depth: 2, Inlinks: 1}, {Depth: 2}}},
	{"cash within a level", priority.DefaultOptions(), []priority.Signals{
		{Depth: 2, Cash: .4}, {Depth: 2}, {Depth: 2, Cash: .01}, {Depth: 3, Cash: .1}, {Depth: 3}}},
	{"much cash lifts by a level", priority.DefaultOptions(), []priority.Signals{{Depth: 3, Cash: 2}, {Depth: 2}}},
	{"the topic without regard to depth", focused(), []priority.Signals{
		{Depth: 9, Links: 1, Sum: 1, Relevance: 1, Anchor: 1}, {Depth: 5, Links: 1, Sum: .5, Relevance: .5, Anchor: .5}, {Depth: 9, Links: 1, Sum: .5, Relevance: .5}, {Depth: 1, Cash: 5}}},
	{"several good pages before one", focused(), []priority.Signals{
		{Links: 3, Sum: 2.4, Relevance: .8}, {Links: 1, Sum: .8, Relevance: .8}, {Links: 3, Sum: .9, Relevance: .8}}},
	{"link words on one page", focused(), []priority.Signals{
		{Links: 1, Sum: .4, Relevance: .4, Anchor: .7}, {Links: 1, Sum: .4, Relevance: .4, Anchor: .5}, {Links: 1, Sum: .4, Relevance: .4}}},
	{"beside good pages", focused(), []priority.Signals{
		{Links: 1, Sum: .4, Relevance: .4, Siblings: .5}, {Links: 1, Sum: .4, Relevance: .4}}},
	{"in doubt after what is not", focused(), []priority.Signals{
		{Links: 1, Sum: .4, Relevance: .4}, {Links: 1, Sum: 1, Relevance: 1, Anchor: 1, Doubt: 230}}},
	{"one page's doubt is little where good pages link too, and much where poor ones do", focused(), []priority.Signals{
		{Links: 5, Sum: 4.2, Relevance: 1, Anchor: .5, Doubt: 250}, {Links: 2, Sum: 1.2, Relevance: .8, Anchor: .3}, {Links: 21, Sum: 3, Relevance: 1, Anchor: .9, Doubt: 250}}},
	{"a seed before what weak pages link to", focused(), []priority.Signals{
		{Links: 2, Sum: 1.8, Relevance: .9}, {Relevance: priority.SeedRelevance}, {Depth: 1, Links: 2, Sum: .4, Relevance: .2}}},
	{"mirrors within a level without cash", withoutCash(), []priority.Signals{{Depth: 2}, {Depth: 3, Degree: 1}, {Depth: 3}}},
	{"many mirrors lift by a level without cash", withoutCash(), []priority.Signals{{Depth: 1}, {Depth: 3, Degree: 7}, {Depth: 2}, {Depth: 3}}},
	{"links of copies last", priority.DefaultOptions(), []priority.Signals{{Depth: 64, Seed: -100}, {Seed: 100, Cash: 9, Degree: 9, Copy: true}, {Depth: 2, Copy: true}}},
}

func focused() priority.Options {
	o := priority.DefaultOptions()
	o.Focused = true
	return o
}

func counted() priority.Options {
	o := withoutCash()
	o.Inlinks = .5
	return o
}

func withoutCash() priority.Options {
	o := priority.DefaultOptions()
	o.Cash = 0
	return o
}

// Links of a page of which a handful was fetched are in doubt when these brought less than three quarters of what they promised.
func TestALinkIsInDoubtWhenOthersBroughtLittle(t *testing.T) {
	for _, c := range []struct {
		links           uint64
		promised, found float32
		low, high       uint8
	}{
		{3, 3, 0, 0, 0}, // too few
		{4, 2.4, 2, 0, 0},
		{4, 2.4, .7, 180, 200}, // as it happens on good pages
		{4, 2.4, 0, 220, 250},
		{16, 9.6, 5.5, 120, 145},
		{16, 9.6, 7.2, 0, 10},
		{16, 9.6, 1.4, 235, 253},
		{200, 120, 0, 255, 255},
		{9, .2, 0, 0, 0}, // links of a portal
		{9, 0, 0, 0, 0},
		{9, 0, 3, 0, 0},
	} {
		if d := priority.Doubt(c.links, c.promised, c.found); d < c.low || d > c.high {
			t.Errorf("Doubt(%d, %v, %v) = %d, want from %d to %d", c.links, c.promised, c.found, d, c.low, c.high)
		}
	}
}

func TestTheOrderOfFetching(t *testing.T) {
	for _, c := range orders {
		for i := 1; i < len(c.signals); i++ {
			first, second := c.signals[i-1], c.signals[i]
			if a, b := c.options.Score(first), c.options.Score(second); a <= b {
				t.Errorf("%s: Score(%+v) = %v, not above Score(%+v) = %v", c.what, first, a, second, b)
			}
		}
	}
}

func TestWhatTwoPagesSayOfAURL(t *testing.T) {
	a := priority.Signals{Seed: 1, Depth: 3, Links: 2, Sum: 1, Relevance: .7, Anchor: .2, Siblings: .3, Cash: .5, Degree: 1, Copy: true}
	b := priority.Signals{Depth: 2, Links: 1, Sum: .4, Relevance: .4, Anchor: .6, Siblings: .9, Cash: .25, Degree: 4}
	want := priority.Signals{Seed: 1, Depth: 2, Links: 3, Sum: 1.4, Relevance: .7, Anchor: .6, Siblings: .5, Cash: .75, Degree: 4}
	if got := a.And(b); got != want {
		t.Errorf("And = %+v, want %+v", got, want)
	}
}

func TestAPageSharesItsCash(t *testing.T) {
	if got := priority.Pay(3, 17); got != .2 {
		t.Errorf("Pay(3, 17) = %v, want .85 * 4 / 17 = .2", got)
	}
	if got := priority.Pay(1, 0); got != 0 {
		t.Errorf("Pay to no links = %v", got)
	}
}

func TestAWaitingURLMovesWhenItsCashHasDoubled(t *testing.T) {
	o := priority.DefaultOptions()
	s := priority.Signals{Depth: 3, Cash: .01}
	placed, moves := o.Score(s), 0
	for range 1023 {
		now := s
		now.Cash += .01
		if score := o.Score(now); o.Moves(s, now, placed, score) {
			placed = score
			moves++
		}
		s = now
	}
	if moves != 10 {
		t.Errorf("a URL with 1,024 links moves %d times, want 10", moves)
	}
	if now := (priority.Signals{Depth: 2, Cash: s.Cash}); !o.Moves(s, now, placed, o.Score(now)) {
		t.Error("a URL that is nearer to a seed than was known does not move")
	}
}

func TestMirrorsCountUpToSeven(t *testing.T) {
	o := withoutCash()
	want := o.Score(priority.Signals{Degree: 7})
	for _, degree := range []uint16{8, 500, math.MaxUint16} {
		if got := o.Score(priority.Signals{Degree: degree}); got != want {
			t.Errorf("degree %d scores %v, degree 7 %v", degree, got, want)
		}
	}
}

func TestTermsAddUpToTheScore(t *testing.T) {
	for _, o := range []priority.Options{priority.DefaultOptions(), focused(), withoutCash()} {
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
}

func TestTermsSayWhy(t *testing.T) {
	s := priority.Signals{Seed: 1, Depth: 2, Links: 2, Sum: .9, Relevance: .5, Anchor: .5, Siblings: .25, Cash: .25, Degree: 3, Copy: true}
	for _, c := range []struct {
		o    priority.Options
		want []string
	}{
		{withoutCash(), []string{
			"+1.00 seed: a link hook raised it by 1",
			"-2.00 depth: 2 links from the nearest seed",
			"+1.00 mirror: 3 domains carry a copy of the linking page",
			"-8192.00 copy: found only on a copy of another page",
		}},
		{priority.DefaultOptions(), []string{
			"+1.00 seed: a link hook raised it by 1",
			"-2.00 depth: 2 links from the nearest seed",
			"+0.52 cash: the pages that link here have paid 8 times what a usual link gets",
			"-8192.00 copy: found only on a copy of another page",
		}},
		{focused(), []string{
			"+1.00 seed: a link hook raised it by 1",
			"+6.00 mean: 2 pages link here, which are 25% on the topic all together",
			"+6.00 best: the best linking page is 50% on the topic",
			"+30.00 anchor: the link's words are 50% on the topic",
			"+6.00 siblings: what the linking pages' other links led to was 25% on the topic",
			"+0.66 links: 2 pages link here",
			"-8192.00 copy: found only on a copy of another page",
		}},
	} {
		var got []string
		for _, term := range c.o.Terms(s) {
			got = append(got, fmt.Sprintf("%+.2f %s: %s", term.Value, term.Name, term.Why))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Terms(%+v) =\n%s\nwant\n%s", s, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
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
		o := priority.Options{
			Focused: random.IntN(2) == 0, Depth: weight(10), Cash: weight(5), Relevance: weight(100), Anchor: weight(100),
			Mirror: weight(10), Inlinks: weight(10),
		}
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		worst, best, last := float32(math.MaxFloat32), float32(-math.MaxFloat32), float32(-math.MaxFloat32)
		for s := range anySignals(random.Uint64(), 1000) {
			got := o.Score(s)
			if s.Copy {
				best = max(best, got)
			} else {
				worst, last = min(worst, got), max(last, got)
			}
		}
		if !(best < worst-priority.Postponed && last-priority.Postponed < worst) || math.IsInf(float64(best), 0) {
			t.Errorf("under %+v a copy scores %v and a page that is none %v", o, best, worst)
		}
	}
}

func TestValidateReportsEveryWeightOutOfRange(t *testing.T) {
	nan := float32(math.NaN())
	err := priority.Options{Depth: -1, Cash: 6, Relevance: nan, Anchor: 101, Mirror: float32(math.Inf(1))}.Validate()
	if err == nil {
		t.Fatal("Validate passes")
	}
	for _, want := range []string{
		"priority weight depth is -1, not between 0 and 10", "priority weight cash is 6,", "priority weight relevance is NaN, not between 0 and 100",
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
				Links: uint16(random.Uint32()) >> random.IntN(16), Sum: number(), Siblings: number(), Cash: number(),
				Degree: uint16(random.Uint32()) >> random.IntN(16), Copy: random.IntN(2) == 0,
				Inlinks: uint16(random.Uint32()) >> random.IntN(16),
			}
			if !yield(s) {
				return
			}
		}
	}
}
