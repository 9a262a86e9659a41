package focus

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/priority"
)

const (
	// firstFit is the number of kept pages after which a model is trained for the first time. It is
	// trained again whenever the number has doubled: more often would change the order of the queue
	// all the time.
	firstFit = 25

	// mostOfEach bounds the crawl's own pages among the examples of each side.
	mostOfEach = 180

	// usual is the least rating that counts as the best: without it a crawl that has not met its
	// topic would take noise for it.
	usual = .25

	// leastSpan is the least distance between the best rating and that of a page of which the model knows nothing: while
	// hardly any page is better, a small difference is noise.
	leastSpan = .1

	// known is the relevance from which a page has enough of the topic whatever other pages have.
	known = .5

	// names is the rating from which a link's words name the topic: one word in ten belongs to it.
	// Words like "older posts" get less from a model.
	names = .3

	// mostFollowed bounds the link texts whose visits are counted.
	mostFollowed = 1 << 16

	// mostNames bounds the words that are stored as text, to be shown.
	mostNames = 1 << 16

	// leastExamples is how many examples of each side are needed if there is no topic.
	leastExamples = 5
)

// A Judge rates pages and links.
type Judge struct {
	// Origin says which settings the judge was made from; it is saved with it.
	Origin string

	text  string          // of the topic; "": there is none
	topic *priority.Topic // nil: there is none
	ids   []uint32        // of the topic's words

	current atomic.Pointer[model]
	best    atomic.Uint64          // bits of the rating that counts as 1
	halves  atomic.Pointer[halves] // nil: the topic is one

	followMu sync.RWMutex
	salt     uint64              // of the hashes, so that no site can make two links equal
	followed map[uint64]followed // by hash of a host and a link's words

	mu      sync.Mutex
	learns  bool // from the crawl's own pages
	pages   int  // that were learned
	seq     uint64
	fits    int
	next    int       // number of pages at which the next training is due
	refused bool      // the last training had too few examples
	pending bool      // a user has labelled a page since the last training
	given   []example // examples that users gave
	top     []example // the crawl's own pages, best first by query
	rest    []example // a sample of its other pages
	held    []held    // pages that were refused, the most relevant first
	drawn   int       // number of pages that rest is a sample of
	query   histogram // ratings of kept pages by the topic's words
	scripts scripts   // the same by the words of each of its scripts
	rated   histogram // ratings before they are divided by the best
	corpus  corpus
	names   map[uint32]string
	first   []float32 // query of the first pages, by which seeds count as examples
}

// blank returns a judge that knows nothing.
func blank() *Judge {
	return &Judge{learns: true, next: firstFit, corpus: newCorpus(), names: make(map[uint32]string), salt: rand.Uint64(), followed: make(map[uint64]followed)}
}

// New returns a judge with a topic's words, examples, or both. Without words it needs five examples
// of each side.
func New(topic string, like, unlike []Doc) (*Judge, error) {
	j := blank()
	j.text = strings.TrimSpace(topic)
	if j.text != "" {
		var err error
		if j.topic, err = priority.NewTopic(j.text); err != nil {
			return nil, err
		}
		j.ids = idsOf(j.text)
		j.scripts = newScripts(j.topic)
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
		if n := inBoth(like, unlike); n > 0 {
			return nil, fmt.Errorf("%d of the examples on the topic are among those off it too", n)
		}
		return nil, errors.New("the pages that are examples have too few words to tell them apart")
	}
	return j, nil
}

// inBoth counts the pages that are examples of both kinds.
func inBoth(like, unlike []Doc) (n int) {
	for _, d := range like {
		if d.URL != "" && slices.ContainsFunc(unlike, func(u Doc) bool { return u.URL == d.URL }) {
			n++
		}
	}
	return n
}

// give adds an example of a user, or replaces an earlier one of the same page.
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

// A Rating is the rating of a page by a Judge.
type Rating struct {
	Relevance float64 // relative to the best pages of the crawl, 0 to 1
	Query     float64 // rating by the topic's words, 0 to 1
	Model     float64 // rating by the model, 0 to 1
	Learned   bool    // there is a model

	doc     Doc
	words   []word
	all     float64           // Query by all words of the topic together
	by      priority.ByScript // and by those of each script
	unknown float32           // model.usual if the model does not know the page's language; else 0
	given   bool              // model.given
}

// Rate rates a page. It takes some 100 microseconds for 10 kB.
func (j *Judge) Rate(d Doc) Rating {
	has := read(d, j.topic, j.ids, nil)
	r := Rating{doc: d, words: has.words, all: has.about * has.unstuffed(), by: has.by}
	for i := range r.by {
		r.by[i] *= has.unstuffed()
	}
	j.rate(&r, d.language())
	return r
}

// rate rates a page in a language by its words and by what the topic's words say of it.
func (j *Judge) rate(r *Rating, lang string) {
	r.Query = j.halves.Load().query(r.all, r.by)
	m := j.current.Load()
	switch {
	case m == nil || m.weight == nil:
	case j.topic != nil && !m.rates(lang):
		r.unknown = m.usual
	default:
		r.Learned = true
		r.Model = float64(m.odds(vector(nil, r.words, m.idf)))
		r.given = m.given
	}
	r.Relevance = j.relative(r, m)
}

// relative returns how far a page is on the topic, 0 to 1, relative to the best pages of the crawl. A page of which the model knows
// nothing has 0: the model gives it what it gives the mean of its examples, which says nothing about the topic. From half of
// the best on nothing is changed.
func (j *Judge) relative(r *Rating, m *model) float64 {
	best := math.Float64frombits(j.best.Load())
	x := min(1, r.raw(j.topic != nil)/best)
	if !r.Learned {
		return x
	}
	unknown := Rating{Learned: true, Model: float64(m.odds(nil)), given: r.given}
	none := unknown.raw(j.topic != nil) / best
	if x >= known || none <= 0 {
		return x
	}
	return known * max(0, x-none) / max(leastSpan, known-none)
}

// Doc returns the page that was rated.
func (r *Rating) Doc() Doc { return r.doc }

// raw returns the rating before it is divided by that of the best pages.
func (r *Rating) raw(topic bool) float64 {
	switch {
	case r.unknown > 0:
		return (r.Query + onTopic(r.Query, float64(r.unknown))) / 2
	case !r.Learned:
		return r.Query
	case !topic:
		return r.amongAll()
	case r.given:
		return (r.Query + r.amongAll()) / 2
	}
	return (r.Query + r.Model) / 2
}

// rare is the share of pages on the topic that is assumed where users' examples alone train the model. It
// is trained with as many examples for the topic as against it, so it says .5 for a page whose
// words are in no example. Such a page is on the topic as often as any other page, not half of the
// time (prior correction, King and Zeng 2001). Where the crawl's own pages are examples too, most of what
// its pages are made of is known.
const rare = .1

// amongAll returns the rating by the model where rare pages are on the topic.
func (r *Rating) amongAll() float64 {
	return r.Model * rare / (r.Model*rare + (1-r.Model)*(1-rare))
}

// onTopic returns how far a page is on the topic by the topic's words alone, 0 to 1; usually is
// what these words give a page on the topic.
func onTopic(query, usually float64) float64 {
	x := min(1, query/usually)
	return x * x
}

// maxDensity is the share of a body up to which the topic's words count in full. In a text about a
// topic one word in twenty is the topic's; a page with far more is stuffed with keywords.
const maxDensity = .15

// unstuffed returns the share of its rating by the topic's words that a page keeps: less for a page
// stuffed with keywords.
func (r *reading) unstuffed() float64 {
	const short = 40 // a page with fewer words may be a list or a title
	if r.length < short || r.topic <= maxDensity*r.length {
		return 1
	}
	share := r.topic / r.length
	return float64(maxDensity / share * maxDensity / share)
}

// Link returns how much the words of a link and of its path are about the topic, 0 to 1.
func (j *Judge) Link(anchor, path string) float64 {
	m, h := j.current.Load(), j.halves.Load()
	var inAnchor, inPath priority.Count
	if m == nil || m.weight == nil {
		j.topic.Count(anchor, &inAnchor)
		j.topic.Count(priority.Plain(path), &inPath)
		return h.words(j.topic.WordsOf(&inAnchor, &inPath))
	}
	sum, n := float32(0), float32(0)
	add := func(w []byte) {
		if len(w) == 1 && w[0] < 0x80 || number(w) {
			return // initials, page numbers
		}
		sum += m.says(hash(w))
		n++
	}
	j.topic.Tokens(anchor, &inAnchor, add)
	j.topic.Tokens(priority.Plain(path), &inPath, add)
	by := h.words(j.topic.WordsOf(&inAnchor, &inPath))
	if n > 0 && sum > 0 {
		by = max(by, math.Tanh(float64(sum/n)))
	}
	return by
}

// followed counts the pages that the crawl fetched by links of a host with the same words.
type followed struct{ pages, copies uint32 }

// Followed counts a page that was fetched by a link of a host with these words; copied says that it is
// a copy of another one.
func (j *Judge) Followed(host, anchor string, copied bool) {
	if anchor == "" {
		return
	}
	j.followMu.Lock()
	defer j.followMu.Unlock()
	k := j.linkHash(host, anchor)
	n, there := j.followed[k]
	if !there && len(j.followed) == mostFollowed {
		return
	}
	n.pages++
	if copied {
		n.copies++
	}
	j.followed[k] = n
}

// linkHash returns the hash of a host and a link's words (FNV-1a, which starts at the salt).
func (j *Judge) linkHash(host, anchor string) uint64 {
	const prime = 1099511628211
	h := j.salt
	for i := range len(host) {
		h = (h ^ uint64(host[i])) * prime
	}
	h *= prime
	for i := range len(anchor) {
		h = (h ^ uint64(anchor[i])) * prime
	}
	return h
}

// Decay returns the share of its rating that a link of a host keeps. If its words name the topic,
// the share falls with each page fetched by a link with exactly these words: a calendar names its
// subject on each of its days. After four such pages it is a quarter, after sixteen 1/25. Links
// like "Read more" do not decay. Whatever the words, the share is less if pages fetched by such links were copies, such as
// those behind "Print" or "Show source": the square of the share of those that were not, as if two more had not
// been. After two copies of two pages it is a quarter.
func (j *Judge) Decay(host, anchor string) float64 {
	if anchor == "" {
		return 1
	}
	j.followMu.RLock()
	n := j.followed[j.linkHash(host, anchor)]
	j.followMu.RUnlock()
	left := float64(n.pages-n.copies+2) / float64(n.pages+2)
	if n.pages > 0 && j.Link(anchor, "") >= names {
		left *= 4 / (4 + float64(n.pages))
	}
	return left * left
}

// Learn takes in a kept page that is not a copy; seq is the number of its record, and seed says
// that it is a user's seed. It reports whether the model was trained again.
func (j *Judge) Learn(r Rating, seq uint64, seed bool) (refit bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq = max(j.seq, seq)
	j.pages++
	j.corpus.add(r.words)
	j.query.add(r.all)
	j.scripts.add(r.by)
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

// sample keeps a page among the best, or in the sample of the others.
func (j *Judge) sample(r Rating, seed bool) {
	e := example{url: r.doc.URL, query: float32(r.all), by: r.by, seed: seed, words: r.words, lang: r.doc.language()}
	query := j.queryOf(&e)
	at, _ := slices.BinarySearchFunc(j.top, query, func(a example, query float64) int { return cmp.Compare(query, j.queryOf(&a)) })
	if at < mostOfEach && query > 0 {
		count(r.doc, j.name)
		j.top = slices.Insert(j.top, at, e)
		if len(j.top) <= mostOfEach {
			return
		}
		e = j.top[mostOfEach]
		j.top = j.top[:mostOfEach]
	}
	// Reservoir sampling (Vitter's algorithm R): each page has the same chance. The place depends
	// on the page's words alone, so that it is the same in every run.
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

// scale sets the rating that counts as 1.
func (j *Judge) scale() {
	best := max(usual, j.rated.quantile(.95))
	j.best.Store(math.Float64bits(best))
	j.compareHalves()
}

// refit trains the model again if there are enough examples.
func (j *Judge) refit() {
	j.pending = false
	q95 := j.usually()
	median := float32(0)
	if n := len(j.first); n > 0 {
		sorted := slices.Sorted(slices.Values(j.first))
		median = sorted[n/2]
	}
	all := slices.Clone(j.given)
	given := make(map[string]bool)
	for _, e := range j.given {
		given[e.url] = true
	}
	for _, list := range [][]example{j.top, j.rest} {
		for _, e := range list {
			if e.url != "" && given[e.url] {
				continue // what the user says counts
			}
			query := j.queryOf(&e)
			e.label = float32(onTopic(query, q95))
			if e.seed && query > float64(median) {
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
		m = fit(all, j.corpus.idf(), j.fits+1) // nil: the others are too few
	}
	j.refused = m == nil
	if m == nil {
		if j.current.Load() == nil {
			j.current.Store(&model{})
		}
		return
	}
	m.given = len(j.top)+len(j.rest) == 0
	j.fits++
	j.current.Store(m)
	j.rated.fade()
}

// Label makes a page an example of a user, for the topic or against it; it counts from the next
// page on.
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

// Labelled reports whether a user has labelled a page.
func (j *Judge) Labelled(url string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.given, func(e example) bool { return e.url == url })
}

// LearnNothing stops the judge from using the crawl's own pages as examples.
func (j *Judge) LearnNothing() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.learns = false
}

// Seq returns the highest record number that was passed to Learn.
func (j *Judge) Seq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// An About describes a judge.
type About struct {
	Topic   string `json:"topic,omitempty"`
	Model   int    `json:"model"`             // how often it was trained; 0: there is none yet
	Like    int    `json:"like"`              // examples that users gave for the topic
	Unlike  int    `json:"unlike"`            // and against it
	Pages   int    `json:"pages"`             // kept pages that the judge has learned from or counted
	For     int    `json:"for"`               // examples for the topic in the last training, including those of users
	Against int    `json:"against"`           // and against it
	Next    int    `json:"next_fit"`          // number of kept pages at which it is trained again
	TooFew  bool   `json:"too_few,omitempty"` // the last training had fewer than three examples for the topic, and was skipped
}

// About describes the judge.
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

// A Word is a word with its weight: above 0 for the topic, below 0 against it. 1 is the mean weight
// of the strongest words for the topic.
type Word struct {
	Word   string  `json:"word"`
	Weight float64 `json:"weight"`
}

// Words returns the n words with the highest weights for the topic, and the n against it. Without a
// model there are none.
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

// Why returns the n words of a page with the highest weights for or against the topic, the
// strongest first.
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

// quantile returns the number below which a share of the added numbers are; 0 if none was added.
func (h *histogram) quantile(share float32) float64 {
	sum := float32(0)
	for i, n := range h.counts {
		if sum += n; n > 0 && sum >= share*h.total {
			return float64(i+1) / float64(len(h.counts))
		}
	}
	return 0
}

// fade halves all counts, so that later numbers count more.
func (h *histogram) fade() {
	for i := range h.counts {
		h.counts[i] /= 2
	}
	h.total /= 2
}
