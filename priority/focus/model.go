package focus

import (
	"math"
	"math/rand/v2"
	"slices"
)

// An example is a page with what is known of it.
type example struct {
	url   string
	label float32 // 1: on the topic, 0: not; between: as far as the topic's words say so
	given bool    // a user says so; else the crawl's own pages do
	seed  bool    // a user began with it
	query float32 // what the topic's words say, 0 to 1
	lang  string  // "": not known
	words []word
}

// A model rates a page by its words. It never changes.
type model struct {
	fit    int       // how often it was fitted
	weight []float32 // by bucket; nil: it was never fitted
	idf    []float32
	bias   float32
	strong float32  // what a word weighs that says much: the mean of the fifty that say most for the topic
	used   [2]int   // examples that count against the topic and for it
	usual  float32  // what of the topic's words a page on it has, 0 to 1; 0: not known
	langs  []string // languages whose pages it cannot rate: those for the topic are too few
}

// rates reports whether the model knows the words of a language.
func (m *model) rates(lang string) bool {
	return m != nil && m.weight != nil && !slices.Contains(m.langs, lang)
}

// unrated returns the languages of examples in which those for the topic do not come to three, where
// in another they do. All that a model could learn of such a language is that it is not the other one.
func unrated(examples []example) (langs []string) {
	sum := make(map[string]float32)
	for _, e := range examples {
		sum[e.lang] += e.label
	}
	known := false
	for lang, x := range sum {
		if x >= leastSum {
			known = true
		} else if lang != "" {
			langs = append(langs, lang)
		}
	}
	if !known {
		return nil
	}
	slices.Sort(langs)
	return langs
}

// The settings of the fit.
const (
	rounds   = 30
	step     = 2. // of the first round; the last takes a quarter of it
	decay    = 1e-3
	leastSum = 3 // effective positive examples
	leastMet = 3 // examples that have a word which counts: a rarer one says of single pages what they are
)

// fit returns a model fitted on examples, nil where those for the topic do not come to three.
// Both sides weigh the same, however many each has. Method: logistic loss, stochastic gradient
// descent in 30 rounds.
func fit(examples []example, idf []float32, number int) *model {
	var sum [2]float64
	m := &model{fit: number, weight: make([]float32, buckets), idf: idf}
	for _, e := range examples {
		sum[1] += float64(e.label)
		sum[0] += float64(1 - e.label)
		if e.label >= .5 {
			m.used[1]++
		} else {
			m.used[0]++
		}
	}
	if sum[1] < leastSum || sum[0] < leastSum {
		return nil
	}
	total := float64(len(examples))
	share := [2]float32{float32(total / 2 / sum[0]), float32(total / 2 / sum[1])}
	rows := make([][]word, len(examples))
	met := make([]uint16, buckets)
	for i, e := range examples {
		rows[i] = vector(nil, e.words, idf)
		for _, w := range rows[i] {
			met[w.id]++
		}
	}
	for i := range rows {
		rows[i] = slices.DeleteFunc(rows[i], func(w word) bool { return met[w.id] < leastMet })
	}
	random := rand.New(rand.NewPCG(1, uint64(number)))
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	for round := range rounds {
		rate := float32(step / (1 + .1*float64(round)))
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			p, y := m.odds(rows[i]), examples[i].label
			g := (1-y)*share[0]*p - y*share[1]*(1-p)
			for _, w := range rows[i] {
				m.weight[w.id] -= rate * (g*w.n + decay*m.weight[w.id])
			}
			m.bias -= rate * .1 * g
		}
	}
	m.strong = m.mostly()
	return m
}

// vector returns the weights of a page's words, of length 1 together: (1 + ln n) idf.
func vector(buf, ws []word, idf []float32) []word {
	v, sum := buf[:0], float32(0)
	for _, w := range ws {
		x := often(w.n) * idf[w.id]
		sum += x * x
		v = append(v, word{w.id, x})
	}
	if sum == 0 {
		return v
	}
	norm := 1 / float32(math.Sqrt(float64(sum)))
	for i := range v {
		v[i].n *= norm
	}
	return v
}

// often returns what a word counts that a page has n times: 1 + ln n.
func often(n float32) float32 {
	if i := int(n); i < len(logs) && i >= 1 && float32(i) == n {
		return logs[i]
	}
	return 1 + float32(math.Log(float64(max(n, 1))))
}

// logs are the first values of often: a logarithm is most of what a word costs.
var logs = func() (t [32]float32) {
	for n := 1; n < len(t); n++ {
		t[n] = 1 + float32(math.Log(float64(n)))
	}
	return t
}()

// odds returns how likely a page with such a vector is on the topic, by the examples.
func (m *model) odds(v []word) float32 {
	sum := m.bias
	for _, w := range v {
		sum += m.weight[w.id] * w.n
	}
	return float32(1 / (1 + math.Exp(-float64(sum))))
}

// mostly returns the mean of the fifty weights that say most for the topic.
func (m *model) mostly() float32 {
	var top []float32
	for id, w := range m.weight {
		if w > 0 {
			top = append(top, w*m.idf[id])
		}
	}
	slices.Sort(top)
	top = top[max(0, len(top)-50):]
	if len(top) == 0 {
		return 1
	}
	sum := float32(0)
	for _, w := range top {
		sum += w
	}
	return sum / float32(len(top))
}

// says returns what a word says for the topic, or against it below 0: 1 is as much as strong words.
func (m *model) says(id uint32) float32 { return m.weight[id] * m.idf[id] / m.strong }
