package body

import (
	"encoding/binary"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

// boiler are words that are typical of a page's frame.
var boiler = sync.OnceValue(func() *boilerWords {
	var b boilerWords
	b.Trie = hint.NewTrie(map[string]hint.Set{
		"cookie": 1, "subscribe": 1, "newsletter": 1, "sign.": 1, "log.": 1, "login": 1, "register": 1,
		"share.": 1, "facebook": 1, "twitter": 1, "linkedin": 1, "instagram": 1, "youtube": 1, "pinterest": 1, "whatsapp": 1, "privacy": 1,
		"terms.": 1, "copyright": 1, "reserved": 1, "menu.": 1, "skip.": 1, "search.": 1, "advertisement": 1,
		"related.": 1, "previous.": 1, "next.": 1, "comments.": 1, "reply.": 1, "cart.": 1, "checkout": 1, "wishlist": 1,
		"javascript": 1, "browser.": 1, "read.": 1, "load.": 1, "view.": 1, "see.": 1, "learn.": 1, "shop.": 1, "buy.": 1,
		"click.": 1, "download": 1, "print.": 1, "email.": 1, "contact.": 1, "home.": 1, "toggle.": 1, "close.": 1,
		"loading": 1, "password": 1, "account.": 1, "min.": 1, "shipping": 1, "returns.": 1, "add.": 1, "quantity": 1,
		"posted.": 1, "published.": 1, "updated.": 1, "author.": 1, "tags.": 1, "category.": 1, "categories.": 1, "views.": 1, "likes.": 1,
		"recommended": 1, "popular": 1, "trending": 1, "recent.": 1, "latest.": 1, "also.": 1, "similar.": 1, "follow.": 1, "sponsored": 1,
	})
	for x := 'a'; x <= 'z'; x++ {
		for y := 'a'; y <= 'z'; y++ {
			if b.Has(string(x) + string(y)) {
				b.starts[x&31] |= 1 << (y & 31)
			}
		}
	}
	return &b
})

// A boilerWords is a set of words. It has a bit for the second letter of each word, by the first
// one.
type boilerWords struct {
	hint.Trie
	starts [32]uint32
}

// may reports whether a word, whose first byte is a letter, starts with the two first letters of a
// word of b.
func (b *boilerWords) may(word []byte) bool {
	return len(word) > 1 && b.starts[word[0]&31]>>(word[1]&31)&1 != 0
}

// A reading has the counts of a block's characters and words.
type reading struct {
	commas, stops, digits, words, capitals, function, persons, wide int
	you, we                                                         int // words for the reader, and for the authors
	named, told                                                     int // words that are also in the page's titles and in its description
	boiler                                                          int // words of boiler, in a block of at most maxBoiler bytes
	sign, price, year, lower, numeral                               bool
	last                                                            rune
}

// maxRead is how many bytes of a block are read.
const maxRead = 1000

const maxBoiler = 200

// readBlock reads the first maxRead bytes of a block.
func readBlock(text []byte, t *topic) reading {
	var r reading
	r.last, _ = utf8.DecodeLastRune(text)
	frame, isBrief := boiler(), len(text) <= maxBoiler
	text = text[:min(len(text), maxRead)]
	r.numeral = markup.Digit(text[0])
	r.lower = text[0] >= 'a' && text[0] <= 'z'
	k := keyReader{topic: t}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case words.IsWordByte(c):
			if isBrief && markup.Letter(c) && (i == 0 || text[i-1] == ' ') && frame.may(text[i:]) && frame.Starts(text[i:]) {
				r.boiler++
			}
			i += r.word(text[i:], &k)
		case c < utf8.RuneSelf:
			k.end()
			switch c {
			case ',', ';':
				r.commas++
			case '.', '!', '?':
				if i+1 == len(text) || text[i+1] == ' ' {
					r.stops++
				}
			case '|':
				r.sign = true
			case '$':
				r.price = r.price || i+1 < len(text) && markup.Digit(text[i+1])
			}
			i++
		default:
			ru, n := utf8.DecodeRune(text[i:])
			if words.IsIdeograph(ru) {
				r.wide += n
				r.words++
				k.wide(ru)
			} else {
				r.wideRune(ru, n)
				k.rune(ru)
			}
			i += n
		}
	}
	k.end()
	r.named, r.told = k.named, k.told
	return r
}

// word reads a run of ASCII letters and digits, hands it to k, and returns its
// length.
func (r *reading) word(text []byte, k *keyReader) int {
	n, digits := 0, 0
	for n < len(text) && words.InPlainWord(text[n]) {
		digits += digitOf(text[n])
		n++
	}
	k.ascii(text[:n], n < len(text) && text[n] >= utf8.RuneSelf)
	r.words++
	r.digits += digits
	if text[0] >= 'A' && text[0] <= 'Z' {
		r.capitals++
	}
	if digits == 4 && n == 4 && century(text) {
		r.year = true
	}
	if n <= shortWord {
		switch shortWords.find(shortKey(text, n)) {
		case functionWord:
			r.function++
		case personWord:
			r.persons++
		case youWord:
			r.persons++
			r.you++
		case weWord:
			r.persons++
			r.we++
		}
	}
	return n
}

// A wordKind says of a short word what it counts as.
type wordKind uint8

const (
	plainWord wordKind = iota
	functionWord
	personWord
	youWord
	weWord
)

// shortWord is how many letters a word of shortWords has at most.
const shortWord = 4

// shortKey returns the first n bytes of a text in lower case as a number, at most shortWord.
func shortKey(text []byte, n int) uint32 {
	const lower = 0x20202020
	if len(text) >= shortWord {
		return (binary.LittleEndian.Uint32(text) | lower) & (1<<(8*n) - 1)
	}
	key := uint32(0)
	for i := range n {
		key |= uint32(text[i]|0x20) << (8 * i)
	}
	return key
}

// shortWords are words by their shortKey: a table of 4 times as many places as words.
var shortWords = func() *wordTable {
	var t wordTable
	for kind, list := range map[wordKind]string{
		functionWord: "the of and to in is a for that it on with as was are be this by at or from an but not have has if can will when de la und der die den el en les des que",
		personWord:   "i my me",
		youWord:      "you your",
		weWord:       "we our",
	} {
		for word := range strings.FieldsSeq(list) {
			t.add(shortKey([]byte(word), len(word)), kind)
		}
	}
	return &t
}()

type wordTable [1 << wordBits]struct {
	key  uint32 // 0: the place is empty
	kind wordKind
}

const wordBits = 8

func (t *wordTable) add(key uint32, kind wordKind) {
	i := placeOfWord(key)
	for t[i].key != 0 {
		i = (i + 1) % len(t)
	}
	t[i].key, t[i].kind = key, kind
}

func (t *wordTable) find(key uint32) wordKind {
	i := placeOfWord(key)
	for t[i].key != key {
		if t[i].key == 0 {
			return plainWord
		}
		i = (i + 1) % len(t)
	}
	return t[i].kind
}

func placeOfWord(key uint32) int { return int(key * 2654435761 >> (32 - wordBits)) }

// digitOf returns 1 for a digit and 0 for other bytes, without a branch.
func digitOf(c byte) int { return int(uint32(uint32(c-'0')-10) >> 31) }

// wideRune reads one rune of n bytes that is not ASCII.
func (r *reading) wideRune(ru rune, n int) {
	switch ru {
	case '，', '、', '；':
		r.commas++
	case '。', '！', '？':
		r.stops++
	case '©', '»', '«', '›', '·', '•', '→', '®', '™', '▼', '▾', '×':
		r.sign = true
	case '€', '£', '¥', '￥', '₹':
		r.price = true
	default:
		switch {
		case words.IsCJK(ru):
			r.wide += n
			r.words++
		case unicode.IsUpper(ru):
			r.capitals++
		}
	}
}
