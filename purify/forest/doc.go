// Package forest holds the trained trees that choose a page's body and its type, and
// evaluates them.
//
// A Forest is a sum of oblivious trees over columns of small numbers. It scores all rows
// of a Table at once, with AVX-512 or AVX2 where the processor has them, and sums whole numbers, so
// that its answer is the same on every machine. What the columns mean is package body's
// business; cmd/train-purify writes the forests to model.go.
package forest
