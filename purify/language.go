package purify

import (
	"strings"
	"unicode"
)

// spoken returns the language that a page declares, or that of its text where it
// declares none, or one in Latin letters over a text in others: programs and themes
// say en of every page.
func spoken(declared, text string) string {
	if declared == "" {
		return languageOf(text)
	}
	declared = strings.ReplaceAll(declared, "_", "-")
	name, _, _ := strings.Cut(strings.ToLower(declared), "-")
	if latin[name] {
		return firstOf(script(text), declared)
	}
	return declared
}

// latin are the names of latinLanguages.
var latin = func() map[string]bool {
	m := map[string]bool{}
	for _, l := range latinLanguages {
		m[l.name] = true
	}
	return m
}()

// languageOf returns the language of a text, or nothing: that of its script, or
// for Latin letters the one whose small words it has.
func languageOf(text string) string {
	if lang := script(text); lang != "" {
		return lang
	}
	return byWords(text)
}

// smallWords are the words of latinLanguages that only one of them has.
var smallWords = func() map[string]int {
	m := map[string]int{}
	for i, l := range latinLanguages {
		for w := range strings.FieldsSeq(l.words) {
			if _, two := m[w]; two {
				m[w] = shared
			} else {
				m[w] = i
			}
		}
	}
	return m
}()

// shared stands for more than one language in smallWords.
const shared = -1

// latinLanguages are languages in Latin letters with their commonest words.
var latinLanguages = [...]struct{ name, words string }{
	{"en", "the and of to is that for with this are you was from have not"},
	{"de", "der die das und ist nicht ein eine auf für mit sich auch dem den von zu werden"},
	{"fr", "les des est une dans pour qui sur pas avec sont plus vous nous aux cette être"},
	{"es", "el los las por una con para del más pero como sus está muy también"},
	{"it", "il di che della per sono gli nel anche alla più dei è questo delle"},
	{"pt", "os não uma para com dos das mais ao você pelo também são à é"},
	{"nl", "het een van niet zijn voor met aan ook op dat deze wordt naar"},
	{"sv", "och att det som är inte på av för med jag den ett"},
	{"da", "og det er ikke til af jeg på har vi kan blev"},
	{"pl", "nie się jest na że do jak przez dla oraz są przy jego"},
	{"tr", "bir ve bu için ile olarak daha çok gibi kadar değil olan"},
	{"cs", "je se na že jsou jako pro nebo také podle který byl"},
	{"id", "yang dan di untuk dengan dari ini pada tidak dalam adalah"},
	{"vi", "của và là các trong được cho không một với những người"},
}

// leastWords are the small words that give a language away, and they must be
// twice as many as another's.
const leastWords = 8

// byWords counts small words.
func byWords(text string) string {
	var counts [len(latinLanguages)]int
	var r wordReader
	for r.reset(cut(text, 4<<10)); r.next(); {
		if i, ok := smallWords[string(r.word)]; ok && i != shared {
			counts[i]++
		}
	}
	best, second := 0, 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	for i, n := range counts {
		if i != best {
			second = max(second, n)
		}
	}
	if counts[best] < leastWords || counts[best] < 2*second {
		return ""
	}
	return latinLanguages[best].name
}

// script returns the language that the letters of a text give away, or
// nothing: ja by kana, ko by hangul, zh by other CJK, ru, ar, el, he and th by
// their scripts.
func script(text string) string {
	var kana, hangul, han, all int
	counts := [5]int{}
	ranges := [5]*unicode.RangeTable{unicode.Cyrillic, unicode.Arabic, unicode.Greek, unicode.Hebrew, unicode.Thai}
	for _, r := range cut(text, 4<<10) {
		if r < 0x370 {
			if r > ' ' {
				all++
			}
			continue
		}
		all += 2
		switch {
		case r >= 0x3040 && r <= 0x30ff:
			kana += 2
		case r >= 0xac00 && r <= 0xd7a3:
			hangul += 2
		case cjk(r):
			han += 2
		default:
			for i, table := range ranges {
				if unicode.Is(table, r) {
					counts[i] += 2
				}
			}
		}
	}
	switch {
	case all == 0:
		return ""
	case kana*10 > all:
		return "ja"
	case hangul*4 > all:
		return "ko"
	case han*4 > all:
		return "zh"
	}
	for i, name := range []string{"ru", "ar", "el", "he", "th"} {
		if counts[i]*4 > all {
			return name
		}
	}
	return ""
}
