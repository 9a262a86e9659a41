package body

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

// A topic has the key words of a page's titles and of its description. They help to tell the page's
// own text from that of other pages, for example the first of five stories that a page shows.
type topic struct{ named, told keySet }

// A keySet is a set of hashes with a few false positives, which do not matter for counting words.
type keySet [topicBits / 64]uint64

const (
	topicBits  = 4096
	keyLetters = 4          // of the shortest word that is a key
	maxTopic   = 400        // bytes of a title or description
	keyBasis   = 2166136261 // of FNV-1a, of 32 bits
	keyPrime   = 16777619
)

func (s *keySet) add(h uint32)      { s[h%topicBits/64] |= 1 << (h % 64) }
func (s *keySet) has(h uint32) bool { return s[h%topicBits/64]>>(h%64)&1 != 0 }

// take adds the keys of a text to the set.
func (s *keySet) take(text string) {
	k := keyReader{into: s, except: commonKeys()}
	for _, r := range words.Cut(text, maxTopic) {
		if r < utf8.RuneSelf && !markup.LetterOrDigit(byte(r)) {
			k.end()
			continue
		}
		k.rune(r)
	}
	k.end()
}

// commonKeys are words that do not characterize a title.
var commonKeys = sync.OnceValue(func() *keySet {
	var none, common keySet
	k := keyReader{into: &common, except: &none}
	for word := range words.StopWords() {
		k.ascii([]byte(word), false)
		k.end()
	}
	return &common
})

// A keyReader finds the keys of a text: its words of keyLetters letters and more in lower case, and
// each pair of neighbouring Chinese, Japanese or Korean characters.
type keyReader struct {
	into   *keySet // gathers keys, but for
	except *keySet // these, or
	topic  *topic  // counts those that are the topic's
	named  int
	told   int

	hash    uint32
	letters int
	before  rune // the CJK character just before, or 0
}

// ascii reads letters and digits. more says whether the word may continue after them.
func (k *keyReader) ascii(word []byte, more bool) {
	if k.letters > 0 || len(word) >= keyLetters || more { // else it is not a key
		hash := k.unfinished()
		for _, c := range word {
			hash = (hash ^ uint32(c|0x20)) * 16777619 // in lower case
		}
		k.hash = hash
	}
	k.letters, k.before = k.letters+len(word), 0
}

// unfinished returns the hash of the unfinished word.
func (k *keyReader) unfinished() uint32 {
	if k.letters == 0 {
		return keyBasis
	}
	return k.hash
}

// rune reads one character. A character that is not a letter ends a word.
func (k *keyReader) rune(r rune) {
	switch {
	case words.IsCJK(r):
		k.wide(r)
	case words.IsCJKPunctuation(r):
		k.end()
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		k.hash = k.unfinished()
		if r < utf8.RuneSelf {
			r |= 0x20
		} else {
			r = unicode.ToLower(r)
		}
		k.hash = (k.hash ^ uint32(r)) * 16777619
		k.letters++
		k.before = 0
	default:
		k.end()
	}
}

// wide reads a CJK character.
func (k *keyReader) wide(r rune) {
	k.word()
	if k.before != 0 {
		k.found((uint32(k.before)*16777619 ^ uint32(r)) * 16777619)
	}
	k.before = r
}

// end ends a word or a run of CJK.
func (k *keyReader) end() {
	k.word()
	k.before = 0
}

func (k *keyReader) word() {
	if k.letters >= keyLetters {
		k.found(k.hash)
	}
	k.letters = 0
}

func (k *keyReader) found(h uint32) {
	h ^= h >> 15 // the low bits choose the place
	if k.into != nil {
		if !k.except.has(h) {
			k.into.add(h)
		}
		return
	}
	if k.topic.named.has(h) {
		k.named++
	}
	if k.topic.told.has(h) {
		k.told++
	}
}
