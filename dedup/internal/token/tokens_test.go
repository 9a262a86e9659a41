package token

import (
	"slices"
	"testing"
	"unicode"
)

func TestTokensOf(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"nothing", " \t\n--- ... ", ""},
		{"words and digits", "Two words, 3 digits_in one.", "two words 3 digits_in one "},
		{"an apostrophe inside a word", "don't DON’T 'quoted' rock 'n' roll'", "dont dont quoted rock n roll "},
		{"points inside numbers", "3.14 1,000 end.Next 5. a,b", "3.14 1,000 end next 5 a b "},
		{"letters of other scripts", "Ünïcode ПРИВЕТ Ωmega", "ünïcode привет ωmega "},
		{"letters that grow in lower case", "ȺȺȺ Ⱥ", "ⱥⱥⱥ ⱥ "},
		{"full width", "ＨＴＭＬ５　ｃａｆｅ！ＯＫ", "html5 cafe ok "},
		{"half-width kana", "ｶﾞｲﾄﾞ", "ガイド"},
		{"combining marks", "cafe\u0301 e\u0301te\u0301", "café été "},
		{"a mark on nothing", "\u0301 x", "\u0301 x "},
		{"soft hyphens and joiners", "hy\u00adphen zero\u200bwidth \ufeffbom", "hyphen zerowidth bom "},
		{"Han without spaces", "中文，网页。\n去重", "中文网页去重"},
		{"Han and words", "用Go写crawler程序", "用go 写crawler 程序"},
		{"kana and Hangul", "カタカナ・ひらがな 한국어 문서", "カタカナひらがな한국어문서"},
		{"Hangul letters", "\u1112\u1161\u11ab", "한"},
		{"Thai", "ภาษา ไทย", "ภาษาไทย"},
		{"Devanagari", "हिन्दी भाषा", "हिन्दी भाषा "},
		{"broken bytes", "a\xffb\xe4\xb8c", "a b c "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got List
			got.Read(c.body)
			if string(got.Text) != c.want {
				t.Errorf("tokens of %q = %q, want %q", c.body, got.Text, c.want)
			}
		})
	}
}

func TestACharacterWithoutSpacesIsAToken(t *testing.T) {
	for body, want := range map[string]int{"中文 go": 3, "two words": 2, "한국어": 3, "カナkana": 3, "": 0} {
		var got List
		got.Read(body)
		if len(got.Hashes) != want {
			t.Errorf("%q has %d tokens, want %d", body, len(got.Hashes), want)
		}
	}
}

func TestCharactersOfThreeBytesAreDecodedAsOthers(t *testing.T) {
	for r := rune(0); r <= 0x11000; r++ {
		s := string(r) + "x"
		if got := threeBytes(s); got != 0 && got != r || got == 0 && r >= 0x1000 && r <= 0xCFFF {
			t.Fatalf("threeBytes(%q) = %x, want %x", s, got, r)
		}
	}
	for _, s := range []string{"", "\xe4", "\xe4\xb8", "\xe4\xb8x", "\xe4x\xad", "\xed\xa0\x80", "\xe0\x80\x80"} {
		if got := threeBytes(s); got != 0 {
			t.Errorf("threeBytes(%q) = %x", s, got)
		}
	}
}

func TestShinglesAreChainsOfTheirTokens(t *testing.T) {
	var l List
	for _, body := range []string{"", "one", "one two", "one two three four five 1.5 7", "一二三四五六七", "one 一 two 二三 three four 四五六七八 five", "一二 three four five six"} {
		l.Read(body)
		var want []uint64
		for i := range l.Hashes {
			weight, end := 0, i
			for ; weight < shingleWeight && end < len(l.Hashes); end++ {
				weight += l.Sorts[end].Weight()
			}
			if weight >= shingleWeight {
				want = append(want, Chain(l.Hashes[i:end]))
			}
		}
		if want == nil && len(l.Hashes) > 0 {
			want = []uint64{Chain(l.Hashes)}
		}
		if got := Shingles(nil, &l); !slices.Equal(got, want) {
			t.Errorf("Shingles of %q = %x, want %x", body, got, want)
		}
	}
}

func TestLettersOfTwoBytesAreFoldedAsByPackageUnicode(t *testing.T) {
	for r := rune(0x80); r < 0x800; r++ {
		var want string
		switch kindOf(r) {
		case letter:
			want = "a" + string(unicode.ToLower(r)) + "b "
		case separator:
			want = "a b "
		case invisible:
			want = "ab "
		default:
			continue // it is composed with the letter before it
		}
		var got List
		if got.Read("a" + string(r) + "b"); string(got.Text) != want {
			t.Errorf("Read of a, %U and b: %q, want %q", r, got.Text, want)
		}
	}
}
