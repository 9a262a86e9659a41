package sketch

import (
	"math"
	"math/rand/v2"
	"testing"

	"gatecrawl.example/gatecrawl/splitmix"
)

func TestASimHashIsTheSignOfAWeightedSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 100, 5000, 60_000} {
		features := make([]uint64, n)
		for i := range features {
			features[i] = splitmix.Mix(uint64(r.IntN(n/2 + 1)))
		}
		var got Tally
		var first []uint64 // each feature where it occurs first
		counts := map[uint64]uint32{}
		for _, f := range features {
			if counts[f]++; counts[f] == 1 {
				first = append(first, f)
			}
		}
		for range 2 { // in the room of the first
			got.Tally(features)
			if g, w := got.SimHash(), slowSimHash(counts); g != w {
				t.Errorf("SimHash of %d features = %#x, want %#x", n, g, w)
			}
		}
		for f, times := range got.All() {
			if len(first) == 0 || f != first[0] || times != counts[f] {
				t.Fatalf("of %d features %#x occurs %d times, want %d, and %#x next", n, f, times, counts[f], first)
			}
			first = first[1:]
		}
		if len(first) > 0 {
			t.Errorf("of %d features %d are not counted", n, len(first))
		}
	}
	heavy := map[uint64]uint32{splitmix.Mix(1): 1, splitmix.Mix(2): 5_000_000, splitmix.Mix(3): 4_000_000, splitmix.Mix(4): 4_000_000}
	var v Votes
	for f, n := range heavy {
		v.Add(f, weigh(n))
	}
	if g, w := v.Signs(), slowSimHash(heavy); g != w {
		t.Errorf("SimHash of heavy features = %#x, want %#x", g, w)
	}
}

func slowSimHash(counts map[uint64]uint32) (s uint64) {
	for bit := range 64 {
		sum := 0
		for f, n := range counts {
			if f>>bit&1 == 1 {
				sum += int(weigh(n))
			} else {
				sum -= int(weigh(n))
			}
		}
		if sum > 0 {
			s |= 1 << bit
		}
	}
	return s
}

func TestWeightsFollowTheirPower(t *testing.T) {
	for n := uint32(1); n < 1<<20; n += n/3 + 1 {
		got, want := float64(weigh(n)), 16*math.Pow(float64(n), 1.25)
		if got > want || got < want*15/16 {
			t.Errorf("weigh(%d) = %v, want %v or a sixteenth less", n, got, want)
		}
	}
}

// The estimate is unbiased and its error that of 128 one-bit values, for sets of
// a few shingles as for thousands.
func TestASketchEstimatesResemblance(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, size := range []int{1, 10, 40, 200, 3000} {
		for _, j := range []float64{0, 0.5, 0.8, 0.95, 1} {
			const rounds = 400
			var sum, squares, exact float64
			for range rounds {
				// Of a union of size+x, x in one set only.
				only := int(math.Round(float64(size) * (1 - j)))
				union := make([]uint64, size+only)
				for i := range union {
					union[i] = r.Uint64()
				}
				exact = float64(size-only) / float64(size+only)
				a, b := MinimaOf(union[:size]), MinimaOf(union[only:])
				e := Resemblance(Agree(a.Sketch(), b.Sketch()))
				sum += e
				squares += e * e
			}
			exact = max(0, exact)
			mean := sum / rounds
			sd := math.Sqrt(max(0, squares/rounds-mean*mean))
			p := (1 + exact) / 2
			want := 2 * math.Sqrt(p*(1-p)/Values)
			if exact > 0 && math.Abs(mean-exact) > 4*want/math.Sqrt(rounds)+0.002 {
				t.Errorf("%d shingles, resemblance %.3f: mean estimate %.3f", size, exact, mean)
			}
			if sd > 1.2*want+0.001 {
				t.Errorf("%d shingles, resemblance %.3f: deviation %.3f, want %.3f", size, exact, sd, want)
			}
		}
	}
}
