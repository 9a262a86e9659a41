package fold

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/methods"
)

// How much a Folder remembers.
const (
	maxDescriptions = 1 << 16 // of some 500 bytes
	maxLists        = 256
)

// A Folder folds lists, and remembers descriptions and the last lists. New makes it.
type Folder struct {
	mu           sync.Mutex
	descriptions map[[2]uint64][]uint64 // sketches
	lists        map[[2]uint64][]Group
	hits         int // lists that were remembered
}

// New returns a Folder that remembers nothing yet.
func New() *Folder {
	return &Folder{descriptions: make(map[[2]uint64][]uint64), lists: make(map[[2]uint64][]Group)}
}

// List returns a list without its repeats: the best of each group, the repeats below it,
// groups in the order of their ranks and those of one rank in that of the list. The groups
// are the caller's, what is folded in them is shared and not to be changed. The error
// says what is wrong with the options, or which result has no URL.
func (f *Folder) List(results []Result, o Options) ([]Group, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.fill()
	if len(results) > o.MaxResults {
		return nil, fmt.Errorf("%d results: want at most %d", len(results), o.MaxResults)
	}
	results = slices.Clone(results)
	var key digest
	for i := range results {
		r := &results[i]
		r.Place = i + 1
		switch {
		case r.URL == "":
			return nil, fmt.Errorf("result %d has no url", r.Place)
		case math.IsNaN(r.Score) || math.IsInf(r.Score, 0):
			return nil, fmt.Errorf("result %d, %s: the score is no number", r.Place, r.URL)
		case r.Degree < 0:
			return nil, fmt.Errorf("result %d, %s: degree %d: want 0 or more", r.Place, r.URL, r.Degree)
		}
		key.text(r.URL, r.Title, r.Snippet, r.Of)
		key.number(math.Float64bits(r.Score), uint64(r.Degree))
	}
	key.number(math.Float64bits(o.Least), math.Float64bits(o.Weight))
	if groups, ok := f.remembered(key.sum()); ok {
		return groups, nil
	}
	sketches := make([][]uint64, len(results))
	for i, r := range results {
		sketches[i] = f.sketch(r)
	}
	groups := fold(results, sketches, o)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.lists) >= maxLists {
		clear(f.lists)
	}
	f.lists[key.sum()] = groups
	return slices.Clone(groups), nil
}

func (f *Folder) remembered(key [2]uint64) ([]Group, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	groups, ok := f.lists[key]
	if ok {
		f.hits++
	}
	return slices.Clone(groups), ok
}

// sketch returns the pairs of words of a description.
func (f *Folder) sketch(r Result) []uint64 {
	var d digest
	d.text(r.Title, r.Snippet)
	key := d.sum()
	f.mu.Lock()
	s, ok := f.descriptions[key]
	f.mu.Unlock()
	if ok {
		return s
	}
	s = shingles.Sketch(methods.Document{Body: r.Title + "\n" + r.Snippet})
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.descriptions) >= maxDescriptions {
		clear(f.descriptions)
	}
	f.descriptions[key] = s
	return s
}

// A digest is two hashes of what was written, which no two lists share by chance.
type digest struct {
	h    xxhash.Digest
	salt xxhash.Digest
	on   bool
}

func (d *digest) write(b []byte) {
	if !d.on {
		d.on = true
		d.h.Reset()
		d.salt.ResetWithSeed(0x9E3779B97F4A7C15)
	}
	d.h.Write(b)
	d.salt.Write(b)
}

func (d *digest) number(list ...uint64) {
	for _, x := range list {
		d.write(binary.LittleEndian.AppendUint64(nil, x))
	}
}

func (d *digest) text(list ...string) {
	for _, s := range list {
		d.number(uint64(len(s)))
		d.write([]byte(s))
	}
}

func (d *digest) sum() [2]uint64 { return [2]uint64{d.h.Sum64(), d.salt.Sum64()} }
