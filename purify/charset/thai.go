package charset

import "unicode/utf8"

// The roles of a byte of windows-874 in a Thai syllable.
const (
	thaiNone      = 'x' // no character
	thaiSign      = '.' // a sign, a digit or punctuation
	thaiConsonant = 'c'
	thaiMark      = 'm' // a vowel or tone that is written after, above or below a consonant
	thaiFirst     = 'f' // a vowel that is written before its consonant
)

// thaiBytes are the bytes of windows-874 from 0x80 on. TIS-620 is a part of it.
const thaiBytes = ".xxxx.xxxxxxxxxx" + "x.......xxxxxxxx" +
	".ccccccccccccccc" + "cccccccccccccccc" +
	"ccccccccccccccc." + "mmmmmmmmmmmxxxx." +
	"fffffm.mmmmmmmm." + "............xxxx"

// thai reports whether a sample is Thai in windows-874: vowels and tones are where the script has
// them, next to a consonant or after another mark. In text of a two-byte charset about half of
// these bytes are in such places.
func thai(sample []byte) bool {
	kind := func(i int) byte {
		if i < 0 || i >= len(sample) || sample[i] < utf8.RuneSelf {
			return thaiSign
		}
		return thaiBytes[sample[i]-utf8.RuneSelf]
	}
	letters, right, wrong := 0, 0, 0
	for i := range sample {
		ok := true
		switch kind(i) {
		case thaiConsonant:
			letters++
			continue
		case thaiSign:
			continue
		case thaiNone:
			ok = false
		case thaiMark:
			before := kind(i - 1)
			ok = before == thaiConsonant || before == thaiMark
		case thaiFirst:
			ok = kind(i+1) == thaiConsonant || i+1 == len(sample)
		}
		letters++
		if ok {
			right++
		} else {
			wrong++
		}
	}
	return right >= leastThai && right*4 >= letters && wrong*20 <= right
}

// leastThai is how many vowels and tones are needed to recognise Thai: with that many, all bytes of
// another charset are in their places by chance in one case in sixty.
const leastThai = 6
