package focus

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/priority"
)

const (
	// firstFit is after how many kept pages a model is fitted for the first time; then
	// whenever there are twice as many, so that the queue is not judged by another one all the time.
	firstFit = 25

	// mostOfEach is how many of the crawl's own pages at most are examples of each side.
	mostOfEach = 180

	// usual is the least rating that counts as the best: below it a crawl that never met its
	// topic would take noise for it.
	usual = .25

	// names is from which rating on a link's words name the topic: one word in ten of it does. What a model makes
	// of "older posts" is less.
	names = .3

	// mostFollowed bounds the links' words that are counted.
	mostFollowed = 1 << 16

	// mostNames bounds the words that are remembered, to be shown.
	mostNames = 1 << 16

	// leastExamples is how many examples of each side are needed without a topic.
	leastExamples = 5
)

// A Judge rates pages and links.
type Judge struct {
	// Origin says from which settings the judge was made; it is saved with it.
	Origin string

	text  string          // of the topic; "": there is none
	topic *priority.Topic // nil: there is none
	ids   []uint32        // of the topic's words

	current atomic.Pointer[model]
	best    atomic.Uint64 // bits of the rating that counts as 1

	followMu sync.RWMutex
	seed     maphash.Seed
	followed map[uint64]uint32 // pages that were fetched, by the host and the words of a link; of this run

	mu      sync.Mutex
	learns  bool // from the crawl's own pages
	pages   int  // that were learned
	seq     uint64
	fits    int
	next    int       // pages at which the next fit is due
	refused bool      // the last fit had too few examples
	pending bool      // a user has labelled a page since the last fit
	given   []example // of users
	top     []example // the crawl's own, best first by query
	rest    []example // a sample of its others
	drawn   int       // pages that rest is a sample of
	query   histogram // of what the topic's words say of kept pages
	rated   histogram // of ratings before they are divided by the best
	corpus  corpus
	names   map[uint32]string
	first   []float32 // query of the first pages, by which seeds count as examples
}

// blank returns a judge that knows nothing.
func blank() *Judge {
	return &Judge{learns: true, next: firstFit, corpus: newCorpus(), names: make(map[uint32]string), seed: maphash.MakeSeed(), followed: make(map[uint64]uint32)}
}

// New returns a judge of a topic's words, of examples, or of both. Without words it needs five
// examples of each side.
func New(topic string, like, unlike []Doc) (*Judge, error) {
	j := blank()
	j.text = strings.TrimSpace(topic)
	if j.text != "" {
		var err error
		if j.topic, err = priority.NewTopic(j.text); err != nil {
			return nil, err
		}
		j.ids = idsOf(j.text)
	}
	for i, list := range [][]Doc{unlike, like} {
		for _, d := range list {
			j.give(d, float32(i))
		}
	}
	if j.topic == nil && (len(like) < leastExamples || len(unlike) < leastExamples) {
		return nil, fmt.Errorf("examples alone, %d on the topic and %d off it, are too few: give %d of each, or words", len(like), len(unlike), leastExamples)
	}
	j.scale()
	if len(j.given) > 0 {
		j.refit()
	}
	if j.topic == nil && j.current.Load().weight == nil {
		return nil, errors.New("the pages that are examples have too few words to tell them apart")
	}
	return j, nil
}

// give adds an example of a user, or replaces what he said of the page before.
func (j *Judge) give(d Doc, label float32) {
	ws := count(d, j.name)
	e := example{url: d.URL, label: label, given: true, words: ws, lang: d.language()}
	for i := range j.given {
		if d.URL != "" && j.given[i].url == d.URL {
			j.given[i] = e
			return
		}
	}
	j.corpus.add(ws)
	j.given = append(j.given, e)
}

func (j *Judge) name(id uint32, w []byte) {
	if _, ok := j.names[id]; !ok && len(j.names) < mostNames {
		j.names[id] = string(w)
	}
}

// A Rating is what a judge says of a page.
type Rating struct {
	Relevance float64 // relative to the best pages of the crawl, 0 to 1
	Query     float64 // what the topic's words say, 0 to 1
	Model     float64 // what the model says, 0 to 1
	Learned   bool    // there is a model

	doc     Doc
	words   []word
	unknown float32 // the model knows not the page's language: model.usual; else 0
}

// Rate rates a page. It takes some 100 microseconds for 10 kB.
func (j *Judge) Rate(d Doc) Rating {
	has := read(d, j.topic, j.ids, nil)
	r := Rating{doc: d, words: has.words, Query: has.about * has.honest()}
	m := j.current.Load()
	switch {
	case m == nil || m.weight == nil:
	case j.topic != nil && !m.rates(d.language()):
		r.unknown = m.usual
	default:
		r.Learned = true
		r.Model = float64(m.odds(vector(nil, r.words, m.idf)))
	}
	r.Relevance = min(1, r.raw(j.topic != nil)/math.Float64frombits(j.best.Load()))
	return r
}

// Doc returns the page that was rated.
func (r *Rating) Doc() Doc { return r.doc }

// raw mixes what the words and the model say.
func (r *Rating) raw(topic bool) float64 {
	switch {
	case r.unknown > 0:
		return (r.Query + onTopic(r.Query, float64(r.unknown))) / 2
	case !r.Learned:
		return r.Query
	case !topic:
		return r.Model * rare / (r.Model*rare + (1-r.Model)*(1-rare))
	}
	return (r.Query + r.Model) / 2
}

// rare is the share of pages that a topic has before anything is known, where examples alone say what it is. They
// are as many for it as against it to the model, which says .5 of a page whose words no example has: that page
// is as likely to be on the topic as any, and not one in two (prior correction, King and Zeng 2001).
const rare = .1

// onTopic returns how far a page is on the topic by the topic's words alone, 0 to 1, where pages on it are
// usually rated so by them.
func onTopic(query, usually float64) float64 {
	x := min(1, query/usually)
	return x * x
}

// stuffed is the share of a body that the topic's words may have. In texts about a topic it is
// a word in twenty; a page that says nothing else is made to be found.
const stuffed = .15

// honest returns what share of its rating by the topic's words a page keeps.
func (r *reading) honest() float64 {
	const short = 40 // a page of few words may be a list or a title
	if r.length < short || r.topic <= stuffed*r.length {
		return 1
	}
	share := r.topic / r.length
	return float64(stuffed / share * stuffed / share)
}

// Link returns how much the words of a link and of its path are about the topic, 0 to 1.
func (j *Judge) Link(anchor, path string) float64 {
	m := j.current.Load()
	if m == nil || m.weight == nil {
		return j.topic.Words(anchor, path)
	}
	var inAnchor, inPath priority.Count
	sum, n := float32(0), float32(0)
	add := func(w []byte) {
		if len(w) == 1 && w[0] < 0x80 || number(w) {
			return // initials, numbers of pages
		}
		sum += m.says(hash(w))
		n++
	}
	j.topic.Tokens(anchor, &inAnchor, add)
	j.topic.Tokens(priority.Plain(path), &inPath, add)
	by := j.topic.WordsOf(&inAnchor, &inPath)
	if n > 0 && sum > 0 {
		by = max(by, math.Tanh(float64(sum/n)))
	}
	return by
}

// Followed takes note that a link of a host with these words was followed.
func (j *Judge) Followed(host, anchor string) {
	if anchor == "" {
		return
	}
	j.followMu.Lock()
	defer j.followMu.Unlock()
	k := maphash.Comparable(j.seed, [2]string{host, anchor})
	if _, there := j.followed[k]; there || len(j.followed) < mostFollowed {
		j.followed[k]++
	}
}

// Worn returns which share of its worth a link of a host keeps. Where its words name the topic that falls as
// pages are fetched by links of the very same words: a calendar names its subject on each of its
// days. After four such pages a quarter is left, after sixteen a 25th. "Read more" does not wear.
func (j *Judge) Worn(host, anchor string) float64 {
	if anchor == "" {
		return 1
	}
	j.followMu.RLock()
	n := j.followed[maphash.Comparable(j.seed, [2]string{host, anchor})]
	j.followMu.RUnlock()
	if n == 0 || j.Link(anchor, "") < names {
		return 1
	}
	left := 4 / (4 + float64(n))
	return left * left
}

// Learn takes in a page that is kept and is no copy, as the record with that number. Seed says
// that a user began with it. It reports whether the model was fitted anew by it.
func (j *Judge) Learn(r Rating, seq uint64, seed bool) (refit bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq = max(j.seq, seq)
	j.pages++
	j.corpus.add(r.words)
	j.query.add(r.Query)
	j.rated.add(r.raw(j.topic != nil))
	if len(j.first) < firstFit {
		j.first = append(j.first, float32(r.Query))
	}
	if j.topic != nil && j.learns {
		j.sample(r, seed)
	}
	j.scale()
	if j.pages < j.next && !j.pending {
		return false
	}
	for j.pages >= j.next {
		j.next *= 2
	}
	if !j.learns && !j.pending {
		return false
	}
	j.refit()
	return true
}

// sample keeps a page among the best, or as one of the others.
func (j *Judge) sample(r Rating, seed bool) {
	e := example{url: r.doc.URL, query: float32(r.Query), seed: seed, words: r.words, lang: r.doc.language()}
	at, _ := slices.BinarySearchFunc(j.top, e, func(a, b example) int { return cmp.Compare(b.query, a.query) })
	if at < mostOfEach && e.query > 0 {
		count(r.doc, j.name)
		j.top = slices.Insert(j.top, at, e)
		if len(j.top) <= mostOfEach {
			return
		}
		e = j.top[mostOfEach]
		j.top = j.top[:mostOfEach]
	}
	// One of as many as there were, each with the same chance (Vitter's algorithm R); which
	// place it takes depends on its words alone.
	j.drawn++
	if len(j.rest) < mostOfEach {
		count(r.doc, j.name)
		j.rest = append(j.rest, e)
		return
	}
	h := uint64(j.drawn) * 0x9e3779b97f4a7c15
	if place := int(h >> 33 % uint64(j.drawn)); place < mostOfEach {
		count(r.doc, j.name)
		j.rest[place] = e
	}
}

// scale says which rating counts as 1.
func (j *Judge) scale() {
	best := max(usual, j.rated.quantile(.95))
	j.best.Store(math.Float64bits(best))
}

// refit fits the model anew, where there are examples enough.
func (j *Judge) refit() {
	j.pending = false
	q95 := max(usual, j.query.quantile(.95))
	median := float32(0)
	if n := len(j.first); n > 0 {
		sorted := slices.Sorted(slices.Values(j.first))
		median = sorted[n/2]
	}
	all := slices.Clone(j.given)
	for _, list := range [][]example{j.top, j.rest} {
		for _, e := range list {
			e.label = float32(onTopic(float64(e.query), q95))
			if e.seed && e.query > median {
				e.label = 1
			}
			all = append(all, e)
		}
	}
	var langs []string
	if j.topic != nil {
		langs = unrated(all)
	}
	m := fit(slices.DeleteFunc(slices.Clone(all), func(e example) bool { return slices.Contains(langs, e.lang) }), j.corpus.idf(), j.fits+1)
	if m != nil {
		m.usual, m.langs = float32(q95), langs
	} else {
		m = fit(all, j.corpus.idf(), j.fits+1) // the others are too few
	}
	j.refused = m == nil
	if m == nil {
		if j.current.Load() == nil {
			j.current.Store(&model{})
		}
		return
	}
	j.fits++
	j.current.Store(m)
	j.rated.fade()
}

// Label makes a page an example from the next page on: on the topic, or not.
func (j *Judge) Label(d Doc, on bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	label := float32(0)
	if on {
		label = 1
	}
	j.give(d, label)
	j.pending = true
}

// Labelled reports whether a user has said of a page what it is.
func (j *Judge) Labelled(url string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.given, func(e example) bool { return e.url == url })
}

// LearnNothing keeps the crawl's own pages from becoming examples.
func (j *Judge) LearnNothing() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.learns = false
}

// Seq returns the highest number of a record that was learned.
func (j *Judge) Seq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// An About says what a judge goes by.
type About struct {
	Topic   string `json:"topic,omitempty"`
	Model   int    `json:"model"`             // how often it was fitted; 0: there is none yet
	Like    int    `json:"like"`              // examples that users gave for the topic
	Unlike  int    `json:"unlike"`            // and against it
	Pages   int    `json:"pages"`             // kept pages of the crawl that it has met
	For     int    `json:"for"`               // examples for the topic in the last fit, those of users counted in
	Against int    `json:"against"`           // and against it
	Next    int    `json:"next_fit"`          // it is fitted anew when so many pages are kept
	TooFew  bool   `json:"too_few,omitempty"` // the last fit had fewer than three examples for the topic, and was not made
}

// About returns what the judge goes by.
func (j *Judge) About() About {
	j.mu.Lock()
	defer j.mu.Unlock()
	a := About{Topic: j.text, Model: j.fits, Pages: j.pages, Next: j.next, TooFew: j.refused}
	for _, e := range j.given {
		if e.label > .5 {
			a.Like++
		} else {
			a.Unlike++
		}
	}
	if m := j.current.Load(); m != nil {
		a.Against, a.For = m.used[0], m.used[1]
	}
	return a
}

// A Word is a word with what it says for the topic, or against it below 0. 1 is as much as the words that say
// most do in the mean.
type Word struct {
	Word   string  `json:"word"`
	Weight float64 `json:"weight"`
}

// Words returns the n words that say most for the topic, and the n that say most against it. Of
// a judge without a model there are none.
func (j *Judge) Words(n int) (most, least []Word) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m := j.current.Load()
	if m == nil || m.weight == nil {
		return nil, nil
	}
	var all []Word
	for id, name := range j.names {
		if w := m.says(id); w != 0 {
			all = append(all, Word{name, float64(w)})
		}
	}
	slices.SortFunc(all, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Word, b.Word))
	})
	for i := range min(n, len(all)) {
		if w := all[i]; w.Weight > 0 {
			most = append(most, w)
		}
		if w := all[len(all)-1-i]; w.Weight < 0 {
			least = append(least, w)
		}
	}
	return most, least
}

// Why returns the n words of a page that say most, either way, the strongest first.
func (j *Judge) Why(d Doc, n int) []Word {
	m := j.current.Load()
	if m == nil || m.weight == nil {
		return nil
	}
	names := make(map[uint32]string)
	ws := count(d, func(id uint32, w []byte) { names[id] = string(w) })
	var all []Word
	for _, w := range vector(nil, ws, m.idf) {
		all = append(all, Word{names[w.id], float64(m.weight[w.id] * w.n)})
	}
	slices.SortFunc(all, func(a, b Word) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), strings.Compare(a.Word, b.Word))
	})
	return all[:min(n, len(all))]
}

// A histogram counts numbers from 0 to 1.
type histogram struct {
	counts [200]float32
	total  float32
}

func (h *histogram) add(x float64) {
	h.counts[min(len(h.counts)-1, int(max(0, x)*float64(len(h.counts))))]++
	h.total++
}

// quantile returns below which number a share of those that were added are; 0 of none.
func (h *histogram) quantile(share float32) float64 {
	sum := float32(0)
	for i, n := range h.counts {
		if sum += n; n > 0 && sum >= share*h.total {
			return float64(i+1) / float64(len(h.counts))
		}
	}
	return 0
}

// fade halves what was counted, so that what comes counts more.
func (h *histogram) fade() {
	for i := range h.counts {
		h.counts[i] /= 2
	}
	h.total /= 2
}
