package methods

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"gatecrawl.example/gatecrawl/splitmix"
)

// IMatch hashes the set of a document's words that are neither common nor rare
// in the collection. With Lexicons it does so once more for each of several
// lexicons from which a third of the words was left out: a word that slipped
// in or out of the set is missing from some of them, and one equal hash is
// enough.
type IMatch struct {
	Lexicons int // beside the main one; 10 with Kolcz
}

// The band of the lexicon in idf over the largest idf there can be, and the
// floor on the words of a document: below it a hash says little. Published
// bands reach from a tenth to nine tenths; in a small collection a fifth takes
// out the words of all documents and those of one.
const (
	lexiconFrom  = 0.2
	lexiconTo    = 0.8
	lexiconFloor = 8
	leftOut      = 1.0 / 3
)

func (m IMatch) Name() string {
	if m.Lexicons > 0 {
		return "imatch-lexicons"
	}
	return "imatch"
}

func (m IMatch) Source() string {
	if m.Lexicons > 0 {
		return fmt.Sprintf("Kolcz, Chowdhury, Alspector 2004; %d lexicons without a third", m.Lexicons)
	}
	return "Chowdhury, Frieder, Grossman, McCabe 2002; idf .2 to .8"
}

func (m IMatch) Threshold() float64 { return 1 / float64(m.Lexicons+1) }

// Sign builds the lexicon of the collection and hashes each document.
func (m IMatch) Sign(docs []Document) Signatures {
	tallies := talliesOf(docs)
	df := frequencies(tallies)
	whole := math.Log(float64(len(docs)))
	digests := make(imatches, len(docs))
	for i, d := range tallies {
		var words []uint64
		for _, t := range d {
			if idf := math.Log(float64(len(docs))/float64(df[t.term])) / whole; lexiconFrom <= idf && idf <= lexiconTo {
				words = append(words, t.term)
			}
		}
		digests[i] = make([][sha1.Size]byte, m.Lexicons+1)
		for lexicon := range digests[i] {
			digests[i][lexicon] = digestOf(words, lexicon)
		}
	}
	return digests
}

// digestOf returns the digest of the sorted words that a lexicon has, or zero
// for too few. Lexicon 0 has all.
func digestOf(words []uint64, lexicon int) (d [sha1.Size]byte) {
	text := make([]byte, 0, 8*len(words))
	for _, w := range words {
		if lexicon > 0 && float64(splitmix.Mix(chain(uint64(lexicon), w))) < leftOut*math.MaxUint64 {
			continue
		}
		text = binary.LittleEndian.AppendUint64(text, w)
	}
	if len(text)/8 < lexiconFloor {
		return d
	}
	return sha1.Sum(text)
}

// imatches are the digests of each document, by lexicon.
type imatches [][][sha1.Size]byte

func (s imatches) Size() int {
	size := 0
	for _, d := range s {
		size += sha1.Size * len(d)
	}
	return size
}

func (s imatches) Score(a, b int) float64 {
	n := 0
	for i, d := range s[a] {
		if d != [sha1.Size]byte{} && d == s[b][i] {
			n++
		}
	}
	return float64(n) / float64(len(s[a]))
}

func (s imatches) Pairs(least float64) iter.Seq[Pair] {
	keys := make([][]uint64, len(s))
	for i, digests := range s {
		for lexicon, d := range digests {
			if d != [sha1.Size]byte{} {
				keys[i] = append(keys[i], chain(uint64(lexicon), binary.LittleEndian.Uint64(d[:])))
			}
		}
	}
	return scored(sharing(keys), least, s.Score)
}
