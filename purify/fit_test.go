package purify

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var fit = flag.Bool("fit", false, "fit the weights of weights.go anew (several minutes)")

// A sample is one page with what the fit needs of it.
type sample struct {
	o        *outline
	features [][]feature
	label    []bool
	weight   []float32
	truth    []string
	fold     int
	web      bool // of web-content.jsonl
}

// TestFit writes weights.go: logistic regressions, by stochastic gradient, of
// "the block belongs to the known body" on the features, and then on the looks.
// Five folds with no host in two of them say what to expect on other pages.
func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("run with -fit to write weights.go")
	}
	samples := loadSamples(t)
	var sum, web float64
	for fold := range 5 {
		first, second := fitOn(samples, func(s *sample) bool { return s.fold != fold })
		f := f1On(samples, first, second, func(s *sample) bool { return s.fold == fold })
		w := f1On(samples, first, second, func(s *sample) bool { return s.fold == fold && s.web })
		t.Logf("fold %d: word F1 %.4f, of web-content alone %.4f", fold, f, w)
		sum += f
		web += w
	}
	t.Logf("mean of folds: word F1 %.4f, of web-content alone %.4f", sum/5, web/5)
	first, second := fitOn(samples, func(*sample) bool { return true })
	if err := os.WriteFile("weights.go", weightsSource(first, second), 0o644); err != nil {
		t.Fatal(err)
	}
}

func loadSamples(t *testing.T) []*sample {
	var samples []*sample
	for _, name := range []string{"web-content.jsonl.zst", "mixed-zh-en.jsonl.zst"} {
		eachPage(t, name, func(p labelledPage) {
			if p.Host == "" {
				p.Host = strings.SplitN(p.URL+"///", "/", 4)[2]
			}
			s := newSample(p)
			s.web = strings.HasPrefix(name, "web")
			samples = append(samples, s)
		})
	}
	return samples
}

func newSample(p labelledPage) *sample {
	o := newOutline()
	o.read([]byte(p.HTML), false)
	s := &sample{o: o, truth: plainWords(p.Body), fold: int(fnv32(fnvBasis, []byte(p.Host)) >> 3 % 5)}
	inTruth := truthFinder(p.Body)
	c := o.count()
	total := float32(len(p.Body) + 200)
	for i := range o.blocks {
		s.features = append(s.features, o.features(nil, c, i))
		text := string(o.text[o.blocks[i].from:o.blocks[i].to])
		s.label = append(s.label, inTruth(text))
		s.weight = append(s.weight, min(float32(len(text)+8)/total, 0.3))
	}
	o.hintOf, o.head.markup, o.src, o.census, o.links = nil, nil, nil, census{}, nil
	return s
}

// truthFinder tells whether a block is of the known body: a short one as a
// whole, a long one by half of its runs of four words.
func truthFinder(body string) func(string) bool {
	grams := map[string]bool{}
	for _, g := range fourGrams(body) {
		grams[g] = true
	}
	words := " " + strings.Join(plainWords(body), " ") + " "
	lines := map[string]bool{}
	for line := range strings.Lines(body) {
		lines[strings.Join(plainWords(line), " ")] = true
	}
	return func(text string) bool {
		w := plainWords(text)
		if len(w) == 0 {
			return false
		}
		joined := strings.Join(w, " ")
		if len(joined) < 20 {
			return lines[joined] || len(w) > 1 && strings.Contains(words, " "+joined+" ")
		}
		if strings.Contains(words, " "+joined+" ") {
			return true
		}
		all := fourGrams(text)
		hit := 0
		for _, g := range all {
			if grams[g] {
				hit++
			}
		}
		return hit*2 >= len(all)
	}
}

func fitOn(samples []*sample, use func(*sample) bool) (first [featureCount]float32, second [lookCount]float32) {
	type place struct{ s, i int }
	var places []place
	for n, s := range samples {
		if use(s) {
			for i := range s.label {
				places = append(places, place{n, i})
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var squares [featureCount]float32
	for epoch := range 12 {
		rng.Shuffle(len(places), func(a, b int) { places[a], places[b] = places[b], places[a] })
		rate := 0.3 / float32(1+epoch)
		for _, p := range places {
			s := samples[p.s]
			var sum float32
			for _, f := range s.features[p.i] {
				sum += first[f]
			}
			g := (sigmoid(sum) - truth(s.label[p.i])) * s.weight[p.i] * 100
			for _, f := range s.features[p.i] {
				d := g + 0.0005*first[f]
				squares[f] += d * d
				first[f] -= rate * d / float32(math.Sqrt(float64(squares[f]))+1e-3)
			}
		}
	}
	looks := make([][][lookCount]float32, len(samples))
	for n, s := range samples {
		if use(s) {
			looks[n] = s.o.looks(s.alone(&first))
		}
	}
	second[lookOwn] = 1
	var squares2 [lookCount]float32
	for epoch := range 12 {
		rng.Shuffle(len(places), func(a, b int) { places[a], places[b] = places[b], places[a] })
		rate := 0.1 / float32(1+epoch)
		for _, p := range places {
			s := samples[p.s]
			x := &looks[p.s][p.i]
			var sum float32
			for j := range x {
				sum += second[j] * x[j]
			}
			g := (sigmoid(sum) - truth(s.label[p.i])) * s.weight[p.i] * 100
			for j := range x {
				d := g * x[j]
				squares2[j] += d * d
				second[j] -= rate * d / float32(math.Sqrt(float64(squares2[j]))+1e-3)
			}
		}
	}
	return first, second
}

func truth(label bool) float32 {
	if label {
		return 1
	}
	return 0
}

func (s *sample) alone(first *[featureCount]float32) []float32 {
	out := make([]float32, len(s.features))
	for i, list := range s.features {
		for _, f := range list {
			out[i] += first[f]
		}
	}
	return out
}

func f1On(samples []*sample, first [featureCount]float32, second [lookCount]float32, use func(*sample) bool) float64 {
	var sum, n float64
	for _, s := range samples {
		if !use(s) {
			continue
		}
		kept := s.o.decide(s.alone(&first), &second)
		_, _, f := score(plainWords(s.o.join(kept)), s.truth)
		sum += f
		n++
	}
	return sum / n
}

func weightsSource(first [featureCount]float32, second [lookCount]float32) []byte {
	var b bytes.Buffer
	b.WriteString("package purify\n\n// Code generated by go test ./purify -run Fit -fit; DO NOT EDIT.\n\n")
	b.WriteString("// weights are in logits, by feature.\nvar weights = [featureCount]float32{")
	for i, w := range first {
		if i%10 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%.2f, ", w)
	}
	b.WriteString("\n}\n\n// lookWeights are the weights of the second step, in the order of its inputs.\nvar lookWeights = [lookCount]float32{\n")
	for _, w := range second {
		fmt.Fprintf(&b, "%.3f, ", w)
	}
	b.WriteString("\n}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic("the generated file is not Go: " + err.Error())
	}
	return out
}
