package replay

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Web is the pages of a job with their links. The zero Web is empty.
type Web struct {
	urls  map[string]int32
	pages []page
}

type page struct {
	seed  bool
	links []string
}

// Add adds the next page that the job fetched: its URL, whether it is a seed, and the URLs that it
// links or redirects to. For a URL that was added before, the links are added to its own.
func (w *Web) Add(url string, seed bool, links []string) {
	if w.urls == nil {
		w.urls = make(map[string]int32)
	}
	if i, ok := w.urls[url]; ok {
		w.pages[i].links = append(w.pages[i].links, links...)
		return
	}
	w.urls[url] = int32(len(w.pages))
	w.pages = append(w.pages, page{seed, links})
}

// Len returns the number of pages.
func (w *Web) Len() int { return len(w.pages) }

// Topic returns which pages are on the topic, by index, and how many. on reports it for a URL.
func (w *Web) Topic(on func(url string) bool) (topic []bool, n int) {
	topic = make([]bool, len(w.pages))
	for url, i := range w.urls {
		if on(url) {
			topic[i] = true
			n++
		}
	}
	return topic, n
}

// An Order is the indexes of all pages in the order of their visits.
type Order []int32

// Crawled returns the order in which the pages were added.
func (w *Web) Crawled() Order {
	o := make(Order, len(w.pages))
	for i := range o {
		o[i] = int32(i)
	}
	return o
}

// A walk is a replay in progress.
type walk struct {
	links [][]int32
	seen  []bool // fetched
	order Order
}

func (w *Web) walk() *walk {
	x := &walk{links: make([][]int32, len(w.pages)), seen: make([]bool, len(w.pages))}
	for i, p := range w.pages {
		for _, url := range p.links {
			if to, ok := w.urls[url]; ok {
				x.links[i] = append(x.links[i], to)
			}
		}
	}
	return x
}

func (x *walk) fetch(i int32) {
	x.seen[i] = true
	x.order = append(x.order, i)
}

// rest appends the pages that no link leads to.
func (x *walk) rest() Order {
	for i := range x.seen {
		if !x.seen[i] {
			x.fetch(int32(i))
		}
	}
	return x.order
}

// seeds returns the seeds, or the first page if there are none.
func (w *Web) seeds() (all []int32) {
	for i, p := range w.pages {
		if p.seed {
			all = append(all, int32(i))
		}
	}
	if all == nil && len(w.pages) > 0 {
		all = []int32{0}
	}
	return all
}

// BreadthFirst returns the order of a crawl that fetches pages in the order in which it finds links
// to them, and the number of pages that no link leads to.
func (w *Web) BreadthFirst() (o Order, stray int) {
	x := w.walk()
	queue := w.seeds()
	queued := make([]bool, len(w.pages))
	for _, i := range queue {
		queued[i] = true
	}
	for n := 0; n < len(queue); n++ {
		x.fetch(queue[n])
		for _, to := range x.links[queue[n]] {
			if !queued[to] {
				queued[to] = true
				queue = append(queue, to)
			}
		}
	}
	stray = len(w.pages) - len(x.order)
	return x.rest(), stray
}

// Ideal returns the order of a crawl that knows which pages are on the topic.
func (w *Web) Ideal(topic []bool) Order {
	x := w.walk()
	roots := w.seeds() // what may be fetched now, and everything before it
	for {
		way := x.nearest(roots, topic)
		if way == nil {
			break
		}
		for _, i := range way {
			x.fetch(i)
			roots = append(roots, x.links[i]...)
		}
		roots = slices.DeleteFunc(roots, func(i int32) bool { return x.seen[i] })
		slices.Sort(roots)
		roots = slices.Compact(roots)
	}
	for n := 0; n < len(roots); n++ { // all pages on the topic are fetched
		if i := roots[n]; !x.seen[i] {
			x.fetch(i)
			roots = append(roots, x.links[i]...)
		}
	}
	return x.rest()
}

// nearest returns the shortest path from the pages that may be fetched to an unfetched page on the
// topic.
func (x *walk) nearest(roots []int32, topic []bool) (way []int32) {
	from := make(map[int32]int32, len(roots))
	queue := make([]int32, 0, len(roots))
	for _, i := range roots {
		if _, met := from[i]; !met && !x.seen[i] {
			from[i] = -1
			queue = append(queue, i)
		}
	}
	for n := 0; n < len(queue); n++ {
		i := queue[n]
		if topic[i] {
			for at := i; at >= 0; at = from[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for _, to := range x.links[i] {
			if _, met := from[to]; !met && !x.seen[to] {
				from[to] = i
				queue = append(queue, to)
			}
		}
	}
	return nil
}

// An Interval is a share with its 95 % confidence interval.
type Interval struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Marks say how well an order finds a topic.
type Marks struct {
	R5         Interval `json:"r5"`   // share of the topic's pages among the first 5 % of all pages
	R10        Interval `json:"r10"`  // among the first 10 %
	R20        Interval `json:"r20"`  // among the first 20 %
	H100       Interval `json:"h100"` // share of the first 100 pages that is on the topic
	H200       Interval `json:"h200"` // of the first 200 pages
	QuarterHad float64  `json:"t25"`  // number of pages fetched until a quarter of the topic's pages is found
}

// Mark returns the marks of an order; all are 0 if no page is on the topic.
func (o Order) Mark(topic []bool) (m Marks) {
	had := make([]int, len(o)+1) // had[n]: pages on the topic among the first n
	for n, i := range o {
		had[n+1] = had[n]
		if topic[i] {
			had[n+1]++
		}
	}
	all := had[len(o)]
	if all == 0 {
		return m
	}
	recall := func(share float64) Interval {
		return wilson(had[int(math.Ceil(share*float64(len(o))))], all)
	}
	harvest := func(n int) Interval {
		n = min(n, len(o))
		return wilson(had[n], n)
	}
	m = Marks{R5: recall(.05), R10: recall(.1), R20: recall(.2), H100: harvest(100), H200: harvest(200)}
	for had[int(m.QuarterHad)]*4 < all {
		m.QuarterHad++
	}
	return m
}

// wilson returns the Wilson score interval of k in n (Wilson 1927).
func wilson(k, n int) Interval {
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	mid, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	d := 1 + z*z/m
	return Interval{p, max(0, (mid-half)/d), min(1, (mid+half)/d)}
}

// Mean returns the means over several topics, with confidence intervals for other topics of this
// kind: 2,000 resamples of the topics (bootstrap, Efron 1979). For one topic it returns its marks.
func Mean(all []Marks) (m Marks) {
	if len(all) == 1 {
		return all[0]
	}
	over := func(of func(*Marks) float64) Interval {
		random := rand.New(rand.NewPCG(1, 2)) // a fixed seed, so that equal topics get equal intervals
		mean := func(draw func(i int) int) (sum float64) {
			for i := range all {
				sum += of(&all[draw(i)])
			}
			return sum / float64(len(all))
		}
		means := make([]float64, 2000)
		for i := range means {
			means[i] = mean(func(int) int { return random.IntN(len(all)) })
		}
		slices.Sort(means)
		return Interval{mean(func(i int) int { return i }), means[50], means[1949]}
	}
	if len(all) == 0 {
		return m
	}
	return Marks{
		R5: over(func(m *Marks) float64 { return m.R5.Share }), R10: over(func(m *Marks) float64 { return m.R10.Share }),
		R20: over(func(m *Marks) float64 { return m.R20.Share }), H100: over(func(m *Marks) float64 { return m.H100.Share }),
		H200: over(func(m *Marks) float64 { return m.H200.Share }), QuarterHad: over(func(m *Marks) float64 { return m.QuarterHad }).Share,
	}
}
