package methods

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// Distinct returns the documents whose bodies differ in their tokens, the first
// of each kind. Equal bodies are found by any method: they would only raise
// every figure.
func Distinct(docs []Document) []Document {
	met := make(map[dedup.Digest]bool, len(docs))
	var kept []Document
	for _, d := range docs {
		body := dedup.SignText(d.Body).Body
		if !met[body] {
			met[body] = true
			kept = append(kept, d)
		}
	}
	return kept
}

// Thin returns at most n documents, in their order: those whose URLs have
// the smallest hashes, so that the same are taken whatever the order.
func Thin(docs []Document, n int) []Document {
	if len(docs) <= n {
		return docs
	}
	type drawn struct {
		at   int
		hash uint64
	}
	draw := make([]drawn, len(docs))
	for i, d := range docs {
		draw[i] = drawn{i, splitmix.Mix(xxhash.Sum64String(d.URL))}
	}
	slices.SortFunc(draw, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	draw = draw[:n]
	slices.SortFunc(draw, func(a, b drawn) int { return cmp.Compare(a.at, b.at) })
	kept := make([]Document, n)
	for i, d := range draw {
		kept[i] = docs[d.at]
	}
	return kept
}

// Copies returns the pairs of documents whose sets of three-word shingles have a
// Jaccard coefficient of least or more, which is their score. All of them are found: the search
// leaves out only pairs that cannot have it.
func Copies(docs []Document, least float64) []Pair {
	return slices.Collect(Jaccard{Words: 3, Least: least}.Sign(docs).Pairs(least))
}

// shortTokens is the length, in tokens, below which a document is short: there
// one changed word takes more than a tenth from the resemblance.
const shortTokens = 80

// A Trait is what the figures of an exam are split by.
type Trait struct {
	Chinese bool // most of its tokens are characters of a script without spaces
	Short   bool // it has fewer than 80 tokens
}

// TraitOf tells the traits of a document.
func TraitOf(d Document) Trait {
	tokens := tokensOf(d.Body)
	single := 0
	for _, t := range tokens {
		if t.single {
			single++
		}
	}
	return Trait{Chinese: 2*single > len(tokens), Short: len(tokens) < shortTokens}
}
