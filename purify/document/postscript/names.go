package postscript

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// glyphs has the letters of glyphs whose names are not the letters themselves: the names of the
// Adobe Glyph List for the glyphs of Western fonts.
var glyphs = sync.OnceValue(func() map[string]string {
	m := make(map[string]string)
	for pair := range strings.FieldsSeq(`space:20 exclam:21 quotedbl:22 numbersign:23 dollar:24 percent:25 ampersand:26 quotesingle:27
parenleft:28 parenright:29 asterisk:2A plus:2B comma:2C hyphen:2D minus:2D period:2E slash:2F zero:30 one:31 two:32 three:33 four:34
five:35 six:36 seven:37 eight:38 nine:39 colon:3A semicolon:3B less:3C equal:3D greater:3E question:3F at:40 bracketleft:5B
backslash:5C bracketright:5D asciicircum:5E underscore:5F grave:60 braceleft:7B bar:7C braceright:7D asciitilde:7E exclamdown:A1
cent:A2 sterling:A3 currency:A4 yen:A5 brokenbar:A6 section:A7 dieresis:A8 copyright:A9 ordfeminine:AA guillemotleft:AB
logicalnot:AC sfthyphen:AD registered:AE macron:AF degree:B0 plusminus:B1 twosuperior:B2 threesuperior:B3 acute:B4 mu:B5 paragraph:B6
periodcentered:B7 cedilla:B8 onesuperior:B9 ordmasculine:BA guillemotright:BB onequarter:BC onehalf:BD threequarters:BE
questiondown:BF Agrave:C0 Aacute:C1 Acircumflex:C2 Atilde:C3 Adieresis:C4 Aring:C5 AE:C6 Ccedilla:C7 Egrave:C8 Eacute:C9
Ecircumflex:CA Edieresis:CB Igrave:CC Iacute:CD Icircumflex:CE Idieresis:CF Eth:D0 Ntilde:D1 Ograve:D2 Oacute:D3 Ocircumflex:D4
Otilde:D5 Odieresis:D6 multiply:D7 Oslash:D8 Ugrave:D9 Uacute:DA Ucircumflex:DB Udieresis:DC Yacute:DD Thorn:DE germandbls:DF
agrave:E0 aacute:E1 acircumflex:E2 atilde:E3 adieresis:E4 aring:E5 ae:E6 ccedilla:E7 egrave:E8 eacute:E9 ecircumflex:EA edieresis:EB
igrave:EC iacute:ED icircumflex:EE idieresis:EF eth:F0 ntilde:F1 ograve:F2 oacute:F3 ocircumflex:F4 otilde:F5 odieresis:F6 divide:F7
oslash:F8 ugrave:F9 uacute:FA ucircumflex:FB udieresis:FC yacute:FD thorn:FE ydieresis:FF dotlessi:131 Lslash:141 lslash:142
OE:152 oe:153 Scaron:160 scaron:161 Zcaron:17D zcaron:17E florin:192 circumflex:2C6 caron:2C7 breve:2D8 dotaccent:2D9 ring:2DA
ogonek:2DB tilde:2DC hungarumlaut:2DD endash:2013 emdash:2014 quoteleft:2018 quoteright:2019 quotesinglbase:201A quotedblleft:201C
quotedblright:201D quotedblbase:201E dagger:2020 daggerdbl:2021 bullet:2022 ellipsis:2026 perthousand:2030 guilsinglleft:2039
guilsinglright:203A fraction:2044 Euro:20AC trademark:2122 alpha:3B1 beta:3B2 gamma:3B3 delta:3B4 epsilon:3B5 lambda:3BB pi:3C0
sigma:3C3 theta:3B8 omega:3C9 arrowright:2192 lessequal:2264 greaterequal:2265 notequal:2260 infinity:221E element:2208 summation:2211
angleleft:27E8 angleright:27E9 mathasterisk:2217 bar:7C`) {
		word, code, _ := strings.Cut(pair, ":")
		r, _ := strconv.ParseUint(code, 16, 32) // of the list above
		m[word] = string(rune(r))
	}
	for word, letters := range map[string]string{"fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "nbspace": " ", "visiblespace": " "} {
		m[word] = letters
	}
	return m
})

// texLetters are the texts of control characters in TeX's fonts (Knuth, The TeXbook, appendix F).
// Bitmap fonts of dvips have no glyph names.
var texLetters = map[byte]string{0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl", 0x10: "i", 0x19: "ß", 0x1A: "æ", 0x1B: "œ", 0x1C: "ø"}

// Letters returns the text of a glyph; if its name does not tell, that of its code.
func Letters(glyph string, c byte) string {
	switch {
	case glyph == ".notdef":
		return ""
	case len(glyph) == 1 && (glyph[0] < ' ' || glyph[0] >= 0x7f):
		return texLetters[glyph[0]]
	case len(glyph) == 1:
		return glyph
	case glyph == "" && c >= ' ' && c < 0x7f:
		return string(rune(c))
	case glyph == "":
		return texLetters[c]
	}
	glyphs := glyphs()
	if s := glyphs[glyph]; s != "" {
		return s
	}
	base, _, _ := strings.Cut(glyph, ".") // variants have the name of their letter
	if s := glyphs[base]; s != "" {
		return s
	}
	if utf8.RuneCountInString(base) == 1 {
		return base
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(base, prefix); ok && len(digits) >= 4 {
			if r, err := strconv.ParseUint(digits, 16, 32); err == nil && utf8.ValidRune(rune(r)) && r >= ' ' {
				return string(rune(r))
			}
		}
	}
	return ""
}

// times has the widths of Times-Roman from space to tilde.
var times = [...]float64{250, 333, 408, 500, 500, 833, 778, 333, 333, 333, 500, 564, 250, 333, 250, 278,
	500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
	921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
	333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541}

// guessed returns an estimate of the width of letters in a font that is not in the file.
func guessed(font, s string) (w float64) {
	wide := 1.0
	switch {
	case strings.Contains(font, "Courier"), strings.Contains(font, "Mono"):
		return 600
	case strings.Contains(font, "Helvetica"), strings.Contains(font, "Arial"), strings.Contains(font, "Sans"):
		wide = 1.12
	case strings.Contains(font, "Bold"):
		wide = 1.06
	}
	for _, r := range s {
		if r >= ' ' && r <= '~' {
			w += wide * times[r-' ']
		} else {
			w += wide * 500
		}
	}
	return w
}

// encodingOf returns the array of an encoding.
func encodingOf(names [256]string) object {
	list := make([]object, 256)
	for i, word := range names {
		if word == "" {
			word = ".notdef"
		}
		list[i] = named(word)
	}
	return listOf(list)
}

// ascii names the characters from the space to the tilde.
const ascii = `space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma hyphen period slash
zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
bracketleft backslash bracketright asciicircum underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde`

// StandardEncoding and latin1Encoding have the glyph names of each code, "" if it has none. Every
// interpreter has them (sections E.5 and E.7). "-" is not a character.
var StandardEncoding = sync.OnceValue(func() [256]string {
	return encode(ascii, 0xA1, `exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft guilsinglleft
guilsinglright fi fl - endash dagger daggerdbl periodcentered - paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis
perthousand - questiondown - grave acute circumflex tilde macron breve dotaccent dieresis - ring cedilla - hungarumlaut ogonek caron emdash
- - - - - - - - - - - - - - - - AE - ordfeminine - - - - Lslash Oslash OE ordmasculine - - - - - ae - - - dotlessi - - lslash oslash oe germandbls`)
})

var latin1Encoding = sync.OnceValue(func() [256]string {
	return encode(ascii, 0xA0, `space exclamdown cent sterling currency yen brokenbar section dieresis copyright ordfeminine guillemotleft logicalnot
hyphen registered macron degree plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior ordmasculine guillemotright
onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adieresis Aring AE Ccedilla Egrave Eacute Ecircumflex Edieresis Igrave
Iacute Icircumflex Idieresis Eth Ntilde Ograve Oacute Ocircumflex Otilde Odieresis multiply Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn
germandbls agrave aacute acircumflex atilde adieresis aring ae ccedilla egrave eacute ecircumflex edieresis igrave iacute icircumflex idieresis eth
ntilde ograve oacute ocircumflex otilde odieresis divide oslash ugrave uacute ucircumflex udieresis yacute thorn ydieresis`)
})

// symbolEncoding has the part of the encoding of the font Symbol that is text: digits, punctuation
// and Greek letters.
var symbolEncoding = sync.OnceValue(func() [256]string {
	names := encode(ascii, 0, "")
	for i := range len(names) {
		if c := byte(i); c|0x20 >= 'a' && c|0x20 <= 'z' {
			names[i] = ""
		}
	}
	for i, r := range []rune("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ") {
		names['A'+i], names['a'+i] = string(r), strings.ToLower(string(r))
	}
	return names
})

func encode(low string, at int, high string) (names [256]string) {
	for i, word := range strings.Fields(low) {
		names[' '+i] = word
	}
	for i, word := range strings.Fields(high) {
		if word != "-" {
			names[at+i] = word
		}
	}
	return names
}
