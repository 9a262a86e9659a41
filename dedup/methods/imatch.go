package methods

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl/splitmix"
)

// IMatch hashes the set of a document's words that are neither common nor rare
// in the collection. With Lexicons it does so once more for each of several
// lexicons from which a share of the words was left out: a word that slipped
// in or out of the set is missing from some of them, and one equal hash is
// enough.
//
// The band is one of idf over the largest idf there can be. Published bands reach from a
// tenth to nine tenths; in a small collection a fifth takes out the words of all documents
// and those of one. Kolcz leaves out a third of a lexicon; others advise a very small share.
type IMatch struct {
	Lexicons int     `option:"lexicons" range:"0,100" about:"lexicons in addition to the main one"`
	From     float64 `option:"from" range:"0,1" about:"least idf of a word, as a share of the largest"`
	To       float64 `option:"to" range:"0,1" about:"largest idf of a word, as a share of the largest"`
	Floor    int     `option:"floor" range:"1,1000" about:"words that a document must have in the band"`
	Left     float64 `option:"left" range:"0.001,0.9" about:"share of the words that a further lexicon leaves out"`
}

func (m IMatch) Name() string {
	if m.Lexicons > 0 {
		return "imatch-lexicons"
	}
	return "imatch"
}

func (m IMatch) Source() string {
	if m.Lexicons > 0 {
		return fmt.Sprintf("Kolcz, Chowdhury, Alspector 2004; %d lexicons without %.2g of the words", m.Lexicons, m.Left)
	}
	return fmt.Sprintf("Chowdhury, Frieder, Grossman, McCabe 2002; idf %g to %g", m.From, m.To)
}

func (m IMatch) Threshold() float64 { return 1 / float64(m.Lexicons+1) }
func (IMatch) needs() need          { return needTerms }

func (m IMatch) check() error {
	if m.From >= m.To {
		return fmt.Errorf("from=%g and to=%g: want a band, from below to", m.From, m.To)
	}
	return nil
}

// Sign builds the lexicon of the collection and hashes each document.
func (m IMatch) Sign(docs []Document) Signatures { return sign(m, docs) }

// digestWords is how many words of a sketch hold a SHA-1.
const digestWords = (sha1.Size + 7) / 8

// Scheme keeps a SHA-1 for each lexicon, zero where a document has too few of its words.
func (m IMatch) Scheme(c *Collection) Scheme {
	whole := math.Log(c.size())
	return Scheme{
		Sketch: func(d Document) []uint64 {
			var words []uint64
			for _, t := range c.tallies(d.Body) {
				if idf := math.Log(c.size()/c.frequency(t.term)) / whole; m.From <= idf && idf <= m.To {
					words = append(words, t.term)
				}
			}
			if len(words) < m.Floor {
				return nil
			}
			var digests []uint64
			for lexicon := range m.Lexicons + 1 {
				digests = append(digests, m.digest(words, lexicon)...)
			}
			return digests
		},
		Keys: func(s []uint64, _ float64, _ func(uint64) int) []uint64 {
			var keys []uint64
			for lexicon := range m.Lexicons + 1 {
				if x := s[lexicon*digestWords]; x != 0 {
					keys = append(keys, chain(uint64(lexicon), x))
				}
			}
			return keys
		},
		Score: func(a, b []uint64) float64 {
			n := 0
			for i := 0; i < len(a); i += digestWords {
				if a[i] != 0 && a[i] == b[i] && a[i+1] == b[i+1] && a[i+2] == b[i+2] {
					n++
				}
			}
			return float64(n) / float64(m.Lexicons+1)
		},
		Bytes: func(s []uint64) int { return sha1.Size * len(s) / digestWords },
	}
}

// digest returns the SHA-1 of the sorted words that a lexicon has, or zero
// for too few. Lexicon 0 has all.
func (m IMatch) digest(words []uint64, lexicon int) []uint64 {
	text := make([]byte, 0, 8*len(words))
	for _, w := range words {
		if lexicon > 0 && float64(splitmix.Mix(chain(uint64(lexicon), w))) < m.Left*math.MaxUint64 {
			continue
		}
		text = binary.LittleEndian.AppendUint64(text, w)
	}
	d := make([]uint64, digestWords)
	if len(text)/8 < m.Floor {
		return d
	}
	sum := sha1.Sum(text)
	var padded [8 * digestWords]byte
	copy(padded[:], sum[:])
	for i := range d {
		d[i] = binary.LittleEndian.Uint64(padded[8*i:])
	}
	return d
}
