package focus

import (
	"math"
	"math/rand/v2"
	"slices"

	"gatecrawl.example/gatecrawl/priority"
)

// An example is a page with a label.
type example struct {
	url   string
	label float32 // 1: on the topic, 0: not; between: how far it is by the topic's words
	given bool    // a user gave it; else the crawl did
	seed  bool    // it is a user's seed
	query float32 // rating by the topic's words, 0 to 1
	by    priority.ByScript
	lang  string // "": not known
	words []word
}

// A model rates a page by its words. It never changes.
type model struct {
	weight []float32 // by bucket; nil: it was never trained
	idf    []float32
	bias   float32
	strong float32  // weight of a strong word: the mean of the fifty highest weights for the topic
	used   [2]int   // number of examples against the topic and for it
	usual  float32  // what the topic's words give a page on the topic, 0 to 1; 0: not known
	given  bool     // users gave all of its examples
	langs  []string // languages that it cannot rate, since fewer than three examples for the topic are in them
}

// rates reports whether the model can rate pages of a language.
func (m *model) rates(lang string) bool {
	return m != nil && m.weight != nil && !slices.Contains(m.langs, lang)
}

// unrated returns the languages of examples in which fewer than three are for the topic, if another
// language has three. From such examples a model could only learn to tell the languages apart.
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

// The settings of the training.
const (
	rounds   = 30
	step     = 2. // learning rate of the first round; the last has a quarter of it
	decay    = 1e-3
	leastSum = 3 // effective positive examples
	leastMet = 3 // examples in which a word must occur: a rarer one only identifies single pages
)

// fit returns a model trained on examples, or nil if fewer than three are for the topic. Both sides
// have the same total weight, however many examples each has. Method: logistic loss, stochastic
// gradient descent in 30 rounds, in an order whose seed is the number of the training, from 1.
func fit(examples []example, idf []float32, number int) *model {
	var sum [2]float64
	m := &model{weight: make([]float32, buckets), idf: idf}
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

// vector returns the weights of a page's words as a vector of length 1: (1 + ln n) idf.
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

// often returns the weight of a word that occurs n times in a page: 1 + ln n.
func often(n float32) float32 {
	if i := int(n); i < len(logs) && i >= 1 && float32(i) == n {
		return logs[i]
	}
	return 1 + float32(math.Log(float64(max(n, 1))))
}

// logs are the first values of often: computing the logarithm would be most of the time.
var logs = func() (t [32]float32) {
	for n := 1; n < len(t); n++ {
		t[n] = 1 + float32(math.Log(float64(n)))
	}
	return t
}()

// odds returns the probability, by the model, that a page with such a vector is on the topic.
func (m *model) odds(v []word) float32 {
	sum := m.bias
	for _, w := range v {
		sum += m.weight[w.id] * w.n
	}
	return float32(1 / (1 + math.Exp(-float64(sum))))
}

// mostly returns the mean of the fifty highest weights for the topic.
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

// says returns the weight of a word for the topic, below 0 against it; a strong word has 1.
func (m *model) says(id uint32) float32 { return m.weight[id] * m.idf[id] / m.strong }
