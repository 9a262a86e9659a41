package focus

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gatecrawl.example/gatecrawl/priority"
)

// fileForm is the version of a saved judge: gzip over one JSON object.
const fileForm = 1

// largestFile bounds the unpacked size of a saved judge.
const largestFile = 256 << 20

// A file is a saved judge. Words are bucket numbers.
type file struct {
	Form     int               `json:"form"`
	Buckets  int               `json:"buckets"`
	Origin   string            `json:"origin,omitempty"`
	Topic    string            `json:"topic"`
	Learns   bool              `json:"learns"`
	Pages    int               `json:"pages"`
	Seq      uint64            `json:"seq"`
	Fits     int               `json:"fits"`
	Next     int               `json:"next"`
	Pending  bool              `json:"pending,omitempty"`
	Drawn    int               `json:"drawn"`
	First    []float32         `json:"first"`
	Query    map[int]float32   `json:"query"`
	Rated    map[int]float32   `json:"rated"`
	Scripts  []map[int]float32 `json:"scripts,omitempty"` // Query by the words of each script of the topic, if it has several
	On       int               `json:"on_script,omitempty"`
	Both     int               `json:"on_both,omitempty"`
	Corpus   uint32            `json:"corpus"`
	With     map[uint32]uint32 `json:"with"`
	Names    map[uint32]string `json:"names"`
	Given    []fileExample     `json:"given"`
	Top      []fileExample     `json:"top"`
	Rest     []fileExample     `json:"rest"`
	Held     []fileExample     `json:"held,omitempty"` // refused pages; the label is their relevance
	Salt     uint64            `json:"salt,omitempty"`
	Followed map[uint64]uint32 `json:"followed,omitempty"` // links that led to two pages and more, or to a copy
	Copied   map[uint64]uint32 `json:"copied,omitempty"`   // of these pages, the copies
	Model    *fileModel        `json:"model,omitempty"`
}

type fileExample struct {
	URL   string    `json:"url"`
	Label float32   `json:"label"`
	Seed  bool      `json:"seed,omitempty"`
	Query float32   `json:"query"`
	By    []float64 `json:"by_script,omitempty"`
	Lang  string    `json:"lang,omitempty"`
	Words []uint32  `json:"words"`
	Times []float32 `json:"times"`
}

type fileModel struct {
	Bias   float32            `json:"bias"`
	Used   [2]int             `json:"used"`
	Weight map[uint32]float32 `json:"weight"`
	IDF    map[uint32]float32 `json:"idf"`   // of words in the corpus
	Unmet  float32            `json:"unmet"` // of all other words
	Usual  float32            `json:"usual,omitempty"`
	Given  bool               `json:"given,omitempty"`
	Langs  []string           `json:"unrated,omitempty"`
}

// Save writes the judge: its words, its examples and its model.
func (j *Judge) Save(w io.Writer) error {
	j.mu.Lock()
	f := j.file()
	j.mu.Unlock()
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(f); err != nil {
		return fmt.Errorf("save the topic's model: %w", err)
	}
	return z.Close()
}

func (j *Judge) file() *file {
	f := &file{
		Form: fileForm, Buckets: buckets, Origin: j.Origin, Topic: j.text, Learns: j.learns, Pages: j.pages, Seq: j.seq, Fits: j.fits, Next: j.next, Pending: j.pending,
		Drawn: j.drawn, First: append([]float32(nil), j.first...), Query: j.query.sparse(), Rated: j.rated.sparse(), Corpus: j.corpus.pages,
		With: make(map[uint32]uint32), Names: make(map[uint32]string, len(j.names)),
		Given: filed(j.given, len(j.scripts.rated)), Top: filed(j.top, len(j.scripts.rated)), Rest: filed(j.rest, len(j.scripts.rated)),
	}
	for _, h := range j.held {
		f.Held = append(f.Held, filed([]example{h.page}, len(j.scripts.rated))...)
		f.Held[len(f.Held)-1].Label = float32(h.relevance)
	}
	f.On, f.Both = j.scripts.on, j.scripts.both
	for i := range j.scripts.rated {
		f.Scripts = append(f.Scripts, j.scripts.rated[i].sparse())
	}
	for id, n := range j.corpus.with {
		if n > 0 {
			f.With[uint32(id)] = n
		}
	}
	for id, name := range j.names {
		f.Names[id] = name
	}
	if m := j.current.Load(); m != nil && m.weight != nil {
		f.Model = m.file()
	}
	j.followMu.RLock()
	defer j.followMu.RUnlock()
	f.Salt, f.Followed, f.Copied = j.salt, make(map[uint64]uint32), make(map[uint64]uint32)
	for k, n := range j.followed {
		if n.pages > 1 || n.copies > 0 {
			f.Followed[k] = n.pages
		}
		if n.copies > 0 {
			f.Copied[k] = n.copies
		}
	}
	return f
}

func (m *model) file() *fileModel {
	f := &fileModel{Bias: m.bias, Used: m.used, Weight: make(map[uint32]float32), IDF: make(map[uint32]float32), Usual: m.usual, Given: m.given, Langs: m.langs}
	for _, x := range m.idf {
		f.Unmet = max(f.Unmet, x)
	}
	for id, x := range m.idf {
		if x != f.Unmet {
			f.IDF[uint32(id)] = x
		}
		if w := m.weight[id]; w != 0 {
			f.Weight[uint32(id)] = w
		}
	}
	return f
}

// filed returns examples as they are saved; scripts is the number of those of the topic if it has several.
func filed(es []example, scripts int) []fileExample {
	fs := make([]fileExample, len(es))
	for i, e := range es {
		f := fileExample{URL: e.url, Label: e.label, Seed: e.seed, Query: e.query, Lang: e.lang, By: e.by[:scripts]}
		for _, w := range e.words {
			f.Words, f.Times = append(f.Words, w.id), append(f.Times, w.n)
		}
		fs[i] = f
	}
	return fs
}

func (h *histogram) sparse() map[int]float32 {
	m := make(map[int]float32)
	for i, n := range h.counts {
		if n != 0 {
			m[i] = n
		}
	}
	return m
}

// Load reads a saved judge, which can go on learning.
func Load(r io.Reader) (*Judge, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a topic model of crawl focus train: %w", err)
	}
	var f file
	if err := json.NewDecoder(io.LimitReader(z, largestFile)).Decode(&f); err != nil {
		return nil, fmt.Errorf("topic model is damaged: %w", err)
	}
	if f.Form != fileForm || f.Buckets != buckets {
		return nil, fmt.Errorf("topic model of form %d with %d buckets: this version reads form %d with %d", f.Form, f.Buckets, fileForm, buckets)
	}
	j := blank()
	j.Origin, j.text, j.learns, j.pending = f.Origin, f.Topic, f.Learns, f.Pending
	j.pages, j.seq, j.fits, j.next, j.drawn, j.first = f.Pages, f.Seq, f.Fits, max(firstFit, f.Next), f.Drawn, f.First
	if f.Names != nil {
		j.names = f.Names
	}
	if err := j.read(&f); err != nil {
		return nil, fmt.Errorf("topic model is damaged: %w", err)
	}
	j.scale()
	return j, nil
}

func (j *Judge) read(f *file) (err error) {
	if j.text != "" {
		if j.topic, err = priority.NewTopic(j.text); err != nil {
			return err
		}
		j.ids = idsOf(j.text)
		j.scripts = newScripts(j.topic)
	}
	if len(f.Scripts) == len(j.scripts.rated) {
		j.scripts.on, j.scripts.both = f.On, f.Both
		for i, m := range f.Scripts {
			j.scripts.rated[i].read(m)
		}
	}
	if f.Followed != nil && len(f.Followed) <= mostFollowed {
		j.salt = f.Salt
		for k, n := range f.Followed {
			j.followed[k] = followed{n, min(f.Copied[k], n)}
		}
	}
	j.query.read(f.Query)
	j.rated.read(f.Rated)
	j.corpus.pages = f.Corpus
	for id, n := range f.With {
		if id >= buckets {
			return errBucket
		}
		j.corpus.with[id] = n
	}
	var refused []example
	for _, l := range []struct {
		from  []fileExample
		to    *[]example
		given bool
	}{{f.Given, &j.given, true}, {f.Top, &j.top, false}, {f.Rest, &j.rest, false}, {f.Held, &refused, false}} {
		for _, e := range l.from {
			if len(e.Words) != len(e.Times) {
				return errors.New("an example has words without a number")
			}
			x := example{url: e.URL, label: e.Label, given: l.given, seed: e.Seed, query: e.Query, lang: e.Lang}
			copy(x.by[:], e.By)
			for i, id := range e.Words {
				if id >= buckets || !finite(e.Times[i]) {
					return errBucket
				}
				x.words = append(x.words, word{id, e.Times[i]})
			}
			*l.to = append(*l.to, x)
		}
	}
	for _, e := range refused {
		j.hold(held{e, float64(e.label)})
	}
	if f.Model == nil {
		return nil
	}
	m := &model{bias: f.Model.Bias, used: f.Model.Used, usual: f.Model.Usual, given: f.Model.Given, langs: f.Model.Langs, weight: make([]float32, buckets), idf: make([]float32, buckets)}
	for id := range m.idf {
		m.idf[id] = f.Model.Unmet
	}
	for _, l := range []struct {
		from map[uint32]float32
		to   []float32
	}{{f.Model.IDF, m.idf}, {f.Model.Weight, m.weight}} {
		for id, x := range l.from {
			if id >= buckets || !finite(x) {
				return errBucket
			}
			l.to[id] = x
		}
	}
	m.strong = m.mostly()
	j.current.Store(m)
	return nil
}

var errBucket = errors.New("a word has no number below the buckets, or no finite weight")

func finite(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }

func (h *histogram) read(m map[int]float32) {
	for i, n := range m {
		if i >= 0 && i < len(h.counts) && n > 0 && finite(n) {
			h.counts[i] = n
			h.total += n
		}
	}
}

// Lend makes a judge for another job: the examples of this one become examples of users. With words
// the other judge has a topic of its own.
func (j *Judge) Lend(topic string) (*Judge, error) {
	if topic == "" {
		topic = j.text
	}
	n, err := New(topic, nil, nil)
	if err != nil {
		if topic != "" {
			return nil, err
		}
		n = blank()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	q95 := j.usually()
	for _, list := range [][]example{j.given, j.top, j.rest} {
		for _, e := range list {
			if !e.given {
				e.label, e.given = float32(onTopic(j.queryOf(&e), q95)), true
			}
			n.given = append(n.given, e)
		}
	}
	n.corpus = corpus{pages: j.corpus.pages, with: append([]uint32(nil), j.corpus.with...)}
	for id, name := range j.names {
		n.names[id] = name
	}
	n.scale()
	n.refit()
	if m := n.current.Load(); m.weight == nil && n.topic == nil {
		return nil, errors.New("the model has too few examples, and no words")
	}
	return n, nil
}
