package category

import (
	"cmp"
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/priority"
)

const (
	longest     = 16 << 10 // bytes of a body that count: the rest says little more about its subject
	titleWeight = 3        // how many times a word of the title counts
	maxWords    = 1 << 15  // of a model, those that most examples have
	leastMet    = 3        // examples that have a word which counts
	leastKnown  = 10       // words that a page must share with the model
)

// counted returns how often a page has each word.
func counted(title, body string) map[string]float32 {
	n := make(map[string]float32)
	priority.Tokens(title, func(w []byte) { n[string(w)] += titleWeight })
	priority.Tokens(body[:min(len(body), longest)], func(w []byte) { n[string(w)]++ })
	return n
}

// A vocabulary has the words that count.
type vocabulary struct {
	Words    []string
	IDF      []float32
	Examples int

	place map[string]int32
}

// A weight is a word of a vocabulary and its weight on a page.
type weight struct {
	word int32
	x    float32
}

// learnWords makes the vocabulary of examples.
func learnWords(examples []Example) *vocabulary {
	met := make(map[string]int)
	for _, e := range examples {
		for w := range e.words {
			met[w]++
		}
	}
	v := &vocabulary{Examples: len(examples)}
	for w, n := range met {
		if n >= leastMet {
			v.Words = append(v.Words, w)
		}
	}
	slices.SortFunc(v.Words, func(a, b string) int { return cmp.Or(cmp.Compare(met[b], met[a]), cmp.Compare(a, b)) })
	v.Words = v.Words[:min(len(v.Words), maxWords)]
	for _, w := range v.Words {
		v.IDF = append(v.IDF, max(.01, float32(math.Log(float64(1+len(examples))/float64(1+met[w])))))
	}
	v.index()
	return v
}

func (v *vocabulary) index() {
	v.place = make(map[string]int32, len(v.Words))
	for i, w := range v.Words {
		v.place[w] = int32(i)
	}
}

// vector returns the weights of a page's words, (1 + ln n) idf, in the order of the
// vocabulary, scaled to length 1.
func (v *vocabulary) vector(n map[string]float32) []weight {
	list, _ := v.weigh(n)
	return scaled(list, 0)
}

// weigh returns the weights of the words that the model knows, and the sum of the squares of 1 + ln n of the others.
func (v *vocabulary) weigh(n map[string]float32) (list []weight, unknown float64) {
	list = make([]weight, 0, len(n))
	for w, times := range n {
		x := 1 + float32(math.Log(float64(times)))
		if at, ok := v.place[w]; ok {
			list = append(list, weight{at, x * v.IDF[at]})
		} else {
			unknown += float64(x) * float64(x)
		}
	}
	slices.SortFunc(list, func(a, b weight) int { return cmp.Compare(a.word, b.word) })
	return list, unknown
}

// scaled scales weights so that the sum of their squares and of what is not among them is 1.
func scaled(list []weight, rest float64) []weight {
	sum := rest
	for _, w := range list {
		sum += float64(w.x) * float64(w.x)
	}
	norm := float32(1 / math.Sqrt(max(sum, 1e-12)))
	for i := range list {
		list[i].x *= norm
	}
	return list
}
