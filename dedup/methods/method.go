package methods

import (
	"iter"

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
	// Name is the word by which a user selects the method.
	Name() string

	// Source names the publication that the method follows.
	Source() string

	// Threshold is the score from which a pair counts as copies.
	Threshold() float64

	// Sign signs the documents of a collection.
	Sign(docs []Document) Signatures
}

// Signatures are what a method keeps of a collection. They may be read from
// many goroutines.
type Signatures interface {
	// Size is the size of the signatures in bytes if they are stored packed.
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
	super := SuperShingles{Words: 5, Groups: 6, Hashes: 14, Equal: 2}
	imatch := IMatch{From: 0.2, To: 0.8, Floor: 8, Left: 1.0 / 3}
	lexicons := imatch
	lexicons.Lexicons = 10
	docview := func(rule Rule) DocView {
		return DocView{Keywords: 5, Delta: 0.1, Rule: rule, Weights: LogWeights}
	}
	return append(gates(resemblance), []Method{
		Digest{},
		Jaccard{Words: 3, Least: resemblance},
		Grain{Least: resemblance},
		SimHash{Distance: 3},
		SimHash{Distance: 3, Plain: true},
		Projection{Numbers: 16, Delta: 0.6},
		Projection{Numbers: 16, Delta: 0.6, Links: true},
		Features{Words: 3, Links: 0.2, URL: 0.1, Least: resemblance},
		Shingling{Words: 4, Sample: Whole, Least: resemblance},
		Shingling{Words: 4, Sample: Whole, Rabin: 40, Least: resemblance},
		Shingling{Words: 4, Sample: ModP, Every: 8, Least: resemblance},
		Shingling{Words: 4, Sample: EveryNth, Every: 8, Least: resemblance},
		Shingling{Words: 4, Sample: Smallest, Every: 128, Least: resemblance},
		MinHash{Words: 5, Hashes: 84, Least: resemblance},
		Containment{Words: 4, Least: resemblance},
		super,
		MegaShingles{Words: super.Words, Groups: super.Groups, Hashes: super.Hashes},
		Bands{Words: 5, Bands: 14, Hashes: 8},
		imatch,
		lexicons,
		SpotSigs{Chain: 2, Least: 0.44},
		SpotSigs{Chain: 3, Least: 0.44},
		docview(Digests),
		docview(Cosines),
		docview(Either),
		docview(Both),
		Cosine{Terms: 50, Least: 0.9, Weights: LogWeights},
		Leader{Terms: 50, Least: 0.9},
		Segments{Share: 0.5},
		Segments{Lines: 3, Share: 0.5},
		FrequentWords{N: 20, M: 16},
		WordLists{Lists: 8, Equal: 1},
		WordLists{Lists: 8, Equal: 4, Edits: 0.1},
		Chunks{Cutter: eighth, Share: 0.5},
		Bloom{Cutter: eighth, Bits: 4096, Hashes: 2, Share: 0.7},
		Bloom{Cutter: eighth, Bits: 4096, Hashes: 2, Share: 0.7, Containment: true},
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
