package fold

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/splitmix"
)

// The sizes of a Folder's caches.
const (
	maxDescriptions = 1 << 16 // some 500 bytes each
	maxLists        = 256
)

// A Folder folds lists, and caches descriptions and the last lists. New makes one.
type Folder struct {
	seeds [2]maphash.Seed

	mu           sync.Mutex
	descriptions map[digest][]uint64 // sketches
	lists        map[digest][]Group
	hits         int // lists found in the cache
}

// New returns a Folder with empty caches.
func New() *Folder {
	return &Folder{
		seeds:        [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		descriptions: make(map[digest][]uint64), lists: make(map[digest][]Group),
	}
}

// List is the function List, but does not read descriptions again, nor fold a list again, that it
// remembers. The groups are the caller's, but their Folded results are shared and must not be changed.
func (f *Folder) List(results []Result, o Options) ([]Group, error) {
	results, err := prepare(results, &o)
	if err != nil {
		return nil, err
	}
	described := make([]digest, len(results))
	size := 16
	for i := range results {
		size += 96 + len(results[i].URL) + len(results[i].Of) + len(results[i].Snippet)
	}
	key := make([]byte, 0, size) // cache key of the list
	for i := range results {
		r := &results[i]
		described[i] = f.describe(r)
		key = numbers(key, described[i][0], described[i][1], math.Float64bits(r.Score), uint64(r.Degree))
		key = texts(key, r.URL, r.Of)
		if r.Text != nil {
			key = texts(key, r.Snippet, string(r.Text.Sketch[:]))
		}
	}
	list := f.digest(numbers(key, math.Float64bits(o.Least), math.Float64bits(o.Weight)))
	if groups, ok := f.remembered(list); ok {
		return groups, nil
	}
	groups := fold(results, sketchesOf(results, func(i int) []uint64 { return f.sketch(described[i], &results[i]) }), o)
	f.mu.Lock()
	defer f.mu.Unlock()
	limit.Put(f.lists, maxLists, list, groups)
	return slices.Clone(groups), nil
}

func (f *Folder) remembered(list digest) ([]Group, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	groups, ok := f.lists[list]
	if ok {
		f.hits++
	}
	return slices.Clone(groups), ok
}

// sketch returns the pairs of words of a description, sorted; if it is a single word, that word.
func (f *Folder) sketch(key digest, r *Result) []uint64 {
	f.mu.Lock()
	s, ok := f.descriptions[key]
	f.mu.Unlock()
	if ok {
		return s
	}
	s = pairsOf(r.description())
	f.mu.Lock()
	defer f.mu.Unlock()
	limit.Put(f.descriptions, maxDescriptions, key, s)
	return s
}

// pairsOf returns the set of pairs of neighbouring words in consecutive texts.
func pairsOf(texts ...string) []uint64 {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	words := make([]uint64, 0, size/5)
	for _, text := range texts {
		words = dedup.WordHashes(words, text)
	}
	if len(words) < 2 {
		return words
	}
	for i, next := range words[1:] { // each pair takes the place of its first word
		words[i] = splitmix.Mix(words[i]*0x9E3779B97F4A7C15 + next)
	}
	pairs := words[:len(words)-1]
	slices.Sort(pairs)
	return slices.Compact(pairs)
}

// A digest is two hashes; nothing else has both by chance.
type digest [2]uint64

func (f *Folder) digest(b []byte) digest {
	return digest{maphash.Bytes(f.seeds[0], b), maphash.Bytes(f.seeds[1], b)}
}

// describe returns the digest of a description.
func (f *Folder) describe(r *Result) (d digest) {
	title, snippet := r.description()
	for i, seed := range f.seeds {
		d[i] = maphash.String(seed, title)*0x9E3779B97F4A7C15 + maphash.String(seed, snippet)
	}
	return d
}

func numbers(b []byte, list ...uint64) []byte {
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func texts(b []byte, list ...string) []byte {
	for _, s := range list {
		b = append(numbers(b, uint64(len(s))), s...)
	}
	return b
}
