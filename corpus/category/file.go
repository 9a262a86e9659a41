package category

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// form is the form of a saved model: zstd over one value of encoding/gob.
const form = 1

// A file is a model as it is saved.
type file struct {
	Form       int
	Categories []string
	Words      []string
	IDF        []float32
	Weight     []float32
	Bias       []float32
}

// Save writes a model.
func (m *Model) Save(w io.Writer) error {
	z, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	f := file{form, m.Categories, m.words.Words, m.words.IDF, m.weight, m.bias}
	return errors.Join(gob.NewEncoder(z).Encode(f), z.Close())
}

// largestFile bounds the unpacked size of a saved model that is read. A model with the most
// words and categories has 7 MB.
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
	case n < 2 || len(f.IDF) != len(f.Words) || len(f.Weight) != n*len(f.Words) || len(f.Bias) != n:
		return nil, errors.New("a model of categories whose parts do not fit together: make it again")
	}
	m := &Model{Categories: f.Categories, words: &vocabulary{Words: f.Words, IDF: f.IDF}, weight: f.Weight, bias: f.Bias}
	m.words.index()
	return m, nil
}
