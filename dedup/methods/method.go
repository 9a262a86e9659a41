package methods

import (
	"fmt"
	"iter"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/index"
)

// A Document is what a method may look at.
type Document struct {
	URL   string
	Title string   // "" where there is none
	Site  string   // pages of one site have one name; "" is not known
	Body  string   // the text without the page's template, one block a line
	Links []string // URLs that the page names, as in URL
}

// A Pair is two documents by their place in the collection, A before B, and the
// score of the pair.
type Pair struct {
	A, B  int
	Score float64
}

// A Method tells copies from other documents.
type Method interface {
	// Name is the word by which a user asks for the method.
	Name() string

	// Source names the publication that the method follows.
	Source() string

	// Threshold is the score from which on a pair counts as copies.
	Threshold() float64

	// Sign signs the documents of a collection.
	Sign(docs []Document) Signatures
}

// Signatures are what a method keeps of a collection. They may be read from
// many goroutines.
type Signatures interface {
	// Size is how many bytes the signatures take where they are stored packed.
	Size() int

	// Score is how alike two documents are, 0 to 1, whatever their order.
	Score(a, b int) float64

	// Pairs yields each pair whose score is least or more once, in an order
	// that depends on the collection alone. least is above 0.
	Pairs(least float64) iter.Seq[Pair]
}

// All returns every method with the constants of its publication. Methods that
// estimate the resemblance of two documents (Broder 1997) call them copies
// from the given one on, above 0 to 1.
func All(resemblance float64) []Method {
	return append(gates(resemblance), []Method{
		Jaccard{Words: 3, Least: resemblance},
		SimHash{Distance: 3},
		SimHash{Distance: 3, Plain: true},
		SimHash{Distance: 3, Links: true},
		Shingling{Words: 4, Sample: Whole, Least: resemblance},
		Shingling{Words: 4, Sample: ModP, Every: 8, Least: resemblance},
		Shingling{Words: 4, Sample: EveryNth, Every: 8, Least: resemblance},
		Shingling{Words: 4, Sample: Smallest, Every: 128, Least: resemblance},
		Containment{Words: 4, Least: resemblance},
		SuperShingles{},
		MegaShingles{},
		Bands{},
		IMatch{},
		IMatch{Lexicons: 10},
		SpotSigs{Chain: 2, Least: 0.44},
		SpotSigs{Chain: 3, Least: 0.44},
		DocView{Keywords: 5, Delta: 0.1, Digest: true},
		DocView{Keywords: 5, Delta: 0.1, Cosine: true},
		DocView{Keywords: 5, Delta: 0.1, Digest: true, Cosine: true},
		Cosine{Terms: 50, Least: 0.9},
		Segments{Share: 0.5},
		FrequentWords{N: 20, M: 16},
		WordLists{Lists: 8},
		Chunks{Share: 0.5},
		Bloom{Bits: 4096, Hashes: 2, Share: 0.7},
		Bloom{Bits: 4096, Hashes: 2, Share: 0.7, Containment: true},
	}...)
}

// gates returns the gate as it is by default, and with the least and the most of
// the distances that its k is chosen from.
func gates(least float64) []Method {
	normal := dedup.DefaultOptions().Distance
	list := []Method{Gate{Distance: normal, Least: least}}
	for _, k := range []int{3, index.MaxDistance} {
		if k != normal {
			list = append(list, Gate{Distance: k, Least: least})
		}
	}
	return list
}

// Named returns the methods of a list such as "gate,simhash", or all of them
// for "all", in the order of All.
func Named(list string, resemblance float64) ([]Method, error) {
	all := All(resemblance)
	if strings.TrimSpace(list) == "all" {
		return all, nil
	}
	wanted := make(map[string]bool)
	for name := range strings.SplitSeq(list, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	var some []Method
	for _, m := range all {
		if wanted[m.Name()] {
			some = append(some, m)
			delete(wanted, m.Name())
		}
	}
	for name := range strings.SplitSeq(list, ",") {
		if wanted[strings.TrimSpace(name)] {
			return nil, fmt.Errorf("no such method: %q; there are all, %s", strings.TrimSpace(name), strings.Join(names(all), ", "))
		}
	}
	return some, nil
}

func names(ms []Method) []string {
	list := make([]string, len(ms))
	for i, m := range ms {
		list[i] = m.Name()
	}
	return list
}
