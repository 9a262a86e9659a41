package token

import (
	"testing"
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
