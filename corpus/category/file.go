package category

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// form is the form of a saved model: zstd over one value of encoding/gob.
const form = 2

// A file is a model as it is saved.
type file struct {
	Form       int
	Categories []string
	Words      []string
	IDF        []float32
	Weight     []float32
	Bias       []float32
	Floor      []float32
	Examples   int
	Of         []int32   // category of each example that pages are compared with
	Lengths    []int32   // the number of its words
	Near       []int32   // its words, of one example after the other
	NearWeight []float32 // their weights
}

// Save writes a model.
func (m *Model) Save(w io.Writer) error {
	z, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	f := file{Form: form, Categories: m.Categories, Words: m.words.Words, IDF: m.words.IDF, Weight: m.weight, Bias: m.bias, Floor: m.floor, Examples: m.words.Examples}
	for _, n := range m.near {
		f.Of, f.Lengths = append(f.Of, int32(n.of)), append(f.Lengths, int32(len(n.vector)))
		for _, w := range n.vector {
			f.Near, f.NearWeight = append(f.Near, w.word), append(f.NearWeight, w.x)
		}
	}
	return errors.Join(gob.NewEncoder(z).Encode(f), z.Close())
}

// largestFile bounds the unpacked size of a saved model that is read. A model with the most
// words, categories and examples has 13 MB.
const largestFile = 64 << 20

// Open reads a model from a file.
func Open(name string) (*Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Load reads a model that Save wrote.
func Load(r io.Reader) (*Model, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var f file
	if err := gob.NewDecoder(io.LimitReader(z, largestFile)).Decode(&f); err != nil {
		return nil, fmt.Errorf("not a model of categories: %w", err)
	}
	n := len(f.Categories)
	switch {
	case f.Form != form:
		return nil, fmt.Errorf("a model of form %d; this version reads %d: make it again", f.Form, form)
	case n < 2 || len(f.IDF) != len(f.Words) || len(f.Weight) != n*len(f.Words) || len(f.Bias) != n || len(f.Floor) != n || !f.compared():
		return nil, errors.New("a model of categories whose parts do not fit together: make it again")
	}
	m := &Model{Categories: f.Categories, words: &vocabulary{Words: f.Words, IDF: f.IDF, Examples: f.Examples}, weight: f.Weight, bias: f.Bias, floor: f.Floor}
	m.words.index()
	at := 0
	for i, of := range f.Of {
		list := make([]weight, f.Lengths[i])
		for k := range list {
			list[k] = weight{f.Near[at], f.NearWeight[at]}
			at++
		}
		m.near = append(m.near, near{int(of), list})
	}
	return m, nil
}

// compared reports whether the examples that pages are compared with fit together.
func (f *file) compared() bool {
	left := len(f.Near)
	for i, of := range f.Of {
		if of < 0 || int(of) >= len(f.Categories) || i >= len(f.Lengths) || f.Lengths[i] < 0 || int(f.Lengths[i]) > left {
			return false
		}
		left -= int(f.Lengths[i])
	}
	unknown := func(w int32) bool { return w < 0 || int(w) >= len(f.Words) }
	return left == 0 && len(f.Lengths) == len(f.Of) && len(f.NearWeight) == len(f.Near) && f.Examples >= 0 && !slices.ContainsFunc(f.Near, unknown)
}
