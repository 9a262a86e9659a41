package page

import (
	"maps"
	"math"
	"strings"
)

// window is how many of the latest answers a Harvest covers.
const window = 100

// A Harvest is what a focused crawl has found of its topic. An answer that is not a document, or a
// copy of a page that the job has, counts as not on the topic.
type Harvest struct {
	Answers int64   `json:"answers"`   // URLs that a server answered
	OnTopic int64   `json:"on_topic"`  // new documents on the topic among them
	From    float64 `json:"from"`      // the relevance from which they count as on it
	Last    float64 `json:"last"`      // share on the topic of the last 100 answers
	Low     float64 `json:"last_low"`  // a 95% interval of it (Wilson 1927)
	High    float64 `json:"last_high"` //
	Mean    float64 `json:"mean"`      // mean relevance of the last 100 answers
	Gain    float64 `json:"gain"`      // how far their relevance is above that of pages off the topic, on average, 0 to 1
	Best    float64 `json:"best_gain"` // the highest Gain of 100 answers in a row

	// Languages counts the documents that are kept, or refused as off the topic, by the primary subtag of
	// their language (BCP 47); "" has those of which it is not known.
	Languages map[string]int64 `json:"languages,omitempty"`
}

// AddDocument counts the language of a document that is kept, or refused as off the topic.
func (h *Harvest) AddDocument(lang string) {
	primary, _, _ := strings.Cut(lang, "-")
	if h.Languages = maps.Clone(h.Languages); h.Languages == nil { // the old map is part of a state that others read
		h.Languages = make(map[string]int64)
	}
	h.Languages[strings.ToLower(primary)]++
}

// Share returns the share of all answers that are on the topic.
func (h *Harvest) Share() float64 { return float64(h.OnTopic) / float64(max(1, h.Answers)) }

const (
	// offTopic is the relevance up to which a page adds nothing to Gain. Pages off the topic have
	// .1 to .4 on average, since they share words with it, so that the mean relevance of a crawl
	// that is long past its topic is still a third of its best (docs/measurements-focus.md).
	offTopic = .3

	// leastBest is the lowest gain of 100 answers from which a fall can be told from noise: two
	// pages wholly on the topic.
	leastBest = .02
)

// Fall returns the gain of the last 100 answers as a share of that of the best 100; 1 while there
// are not as many yet, or none of them was on the topic.
func (h *Harvest) Fall() float64 {
	if h.Answers < 2*window || h.Best < leastBest {
		return 1
	}
	return h.Gain / h.Best
}

// Tail reports whether the crawl is past the best of its topic: Fall is below this share.
func (h *Harvest) Tail(share float64) bool {
	return h.Fall() < share
}

// A Recent has the relevance of the latest answers, in steps of 1/255: a ring of 100.
type Recent struct {
	Ring []byte `json:"ring"`
	At   int    `json:"at"`
}

// Add counts an answer in h. A document counts as on the topic from the relevance onTopic on.
func (h *Harvest) Add(r *Recent, relevance, onTopic float64) {
	h.From = onTopic
	h.Answers++
	if relevance >= onTopic {
		h.OnTopic++
	}
	// A step counts as on the topic if the answer did: rounding must not carry it over the threshold.
	least := math.Ceil(255 * onTopic)
	step := math.Round(255 * min(max(relevance, 0), 1))
	if relevance >= onTopic {
		step = max(step, least)
	} else {
		step = min(step, least-1)
	}
	b := byte(step)
	ring := append([]byte(nil), r.Ring...) // the old ring is part of a state that others read
	if len(ring) < window {
		ring = append(ring, b)
	} else {
		ring[r.At%window] = b
	}
	r.Ring, r.At = ring, (r.At+1)%window
	h.measure(ring)
	if len(ring) == window {
		h.Best = max(h.Best, h.Gain)
	}
}

// measure computes what h says of the latest answers.
func (h *Harvest) measure(ring []byte) {
	least := math.Ceil(255 * h.From)
	n, on, sum, gain := float64(max(1, len(ring))), 0., 0., 0.
	for _, b := range ring {
		sum += float64(b) / 255
		gain += max(0, float64(b)/255-offTopic) / (1 - offTopic)
		if float64(b) >= least {
			on++
		}
	}
	h.Last, h.Mean, h.Gain = on/n, sum/n, gain/n
	h.Low, h.High = wilson(on, n)
}

// wilson returns the 95% Wilson interval of the share k in n.
func wilson(k, n float64) (low, high float64) {
	const z = 1.96
	p := k / n
	mid := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	d := 1 + z*z/n
	return max(0, (mid-half)/d), min(1, (mid+half)/d)
}
