package document

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"

	"gatecrawl.example/gatecrawl/purify/document/postscript"
)

// A simpleFont has the text of each code of a font with one byte a character.
type simpleFont [256]string

// Decode implements pdf.TextEncoding.
func (f *simpleFont) Decode(raw string) string {
	var b strings.Builder
	for i := range len(raw) {
		b.WriteString(f[raw[i]])
	}
	return b.String()
}

// simple returns the text of each code of a simple font (ISO 32000-1, 9.10.2 and 9.6.6). It uses,
// in this order, the font's table ToUnicode, the glyph names of Differences, the encoding on which
// these are based, the names in the font itself, and the library's decoding. The library alone
// would use only the first of these that the file has; but TeX's fonts say only in themselves that
// code 12 is fi.
func simple(v pdf.Value) *simpleFont {
	of := pdf.Font{V: v}
	library, encoding := of.Encoder(), v.Key("Encoding")
	var said *toUnicode
	if table := v.Key("ToUnicode"); table.Kind() == pdf.Stream {
		said = readToUnicode(table)
	}
	names := differences(encoding.Key("Differences"))
	var base *charmap.Charmap
	var own map[byte]string
	switch encoding.Key("BaseEncoding").Name() {
	case "WinAnsiEncoding":
		base = charmap.Windows1252
	case "MacRomanEncoding":
		base = charmap.Macintosh
	default:
		if encoding.Kind() != pdf.Name {
			own = type1Names(v.Key("FontDescriptor").Key("FontFile"))
		}
	}
	var f simpleFont
	for i := range f {
		code := byte(i)
		if said != nil {
			if f[i] = said.text[uint32(i)]; tells(f[i]) {
				continue
			}
		}
		name, differs := names[code]
		if !differs {
			if name = own[code]; name != "" {
				differs = true
			}
		}
		switch f[i] = library.Decode(string([]byte{code})); {
		case differs:
			if text := postscript.Letters(name, 0); tells(text) {
				f[i] = text
			}
		case base != nil:
			f[i] = string(base.DecodeByte(code))
		case i >= 0x80 && i < 0xa0 && !tells(f[i]):
			f[i] = string(charmap.Windows1252.DecodeByte(code)) // a control character is not text
		}
	}
	return &f
}

// tells reports whether people can read a text: a table may map codes to control characters, or to
// characters that only one font knows.
func tells(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Co, r)
	})
}

// differences returns the names that an encoding gives to codes. The list has first codes, each
// followed by names for it and the next ones.
func differences(list pdf.Value) map[byte]string {
	names := make(map[byte]string)
	code := int64(-1)
	for i := range min(list.Len(), maxNames) {
		switch x := list.Index(i); x.Kind() {
		case pdf.Integer:
			code = x.Int64()
		case pdf.Name:
			if code >= 0 && code < 256 {
				names[byte(code)] = x.Name()
			}
			code++
		}
	}
	return names
}

// The bounds of what is read of an encoding.
const (
	maxNames     = 1024
	maxClearText = 64 << 10 // bytes before the encrypted part of a font
)

// type1Names returns the names that a Type 1 font gives to its codes (Adobe Type 1 Font Format,
// section 2.2): lines "dup 12 /fi put" between /Encoding and def, in the part of the font that is
// not encrypted.
func type1Names(file pdf.Value) map[byte]string {
	if file.Kind() != pdf.Stream {
		return nil
	}
	r := file.Reader()
	defer r.Close()
	clear, _ := io.ReadAll(io.LimitReader(r, maxClearText)) // what was read before an error is valid
	_, list, found := strings.Cut(string(clear), "/Encoding")
	if !found {
		return nil
	}
	names := make(map[byte]string)
	if strings.HasPrefix(strings.TrimSpace(list), "StandardEncoding") {
		for code, name := range postscript.StandardEncoding() {
			names[byte(code)] = name
		}
		return names
	}
	list, _, _ = strings.Cut(list, "eexec")
	words := strings.Fields(strings.ReplaceAll(list, "/", " /"))
	for i := 0; i+3 < len(words); i++ {
		switch words[i] {
		case "def", "readonly":
			return names
		case "dup":
			if code, ok := codeOfWord(words[i+1]); ok && words[i+2][0] == '/' && words[i+3] == "put" {
				names[code] = words[i+2][1:]
				i += 3
			}
		}
	}
	return names
}

// codeOfWord reads a PostScript number, which may have a base: 8#101.
func codeOfWord(word string) (code byte, ok bool) {
	base := 10
	if radix, digits, found := strings.Cut(word, "#"); found {
		n, err := strconv.Atoi(radix)
		if err != nil || n < 2 || n > 36 {
			return 0, false
		}
		base, word = n, digits
	}
	n, err := strconv.ParseUint(word, base, 8)
	return byte(n), err == nil
}
