package document

import (
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// composite returns how to decode the characters of a composite font (Type0), and whether it is set
// vertically. It uses the font's table ToUnicode, the encoding that its CMap is named after (ISO
// 32000-1, 9.7.5.2), or the order of the characters in its collection. If a font has none of these,
// its characters are left out, which is better than the numbers of its glyphs.
func composite(v pdf.Value) (decode pdf.TextEncoding, vertical bool) {
	name := v.Key("Encoding").Name()
	name, vertical = cutDirection(name)
	switch toUnicode := v.Key("ToUnicode"); {
	case toUnicode.Kind() == pdf.Stream:
		if m := readToUnicode(toUnicode); len(m.text) > 0 {
			return m, vertical
		}
	case strings.HasPrefix(toUnicode.Name(), "Identity"):
		return charset{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}, vertical
	}
	if name == "Identity" {
		collection := v.Key("DescendantFonts").Index(0).Key("CIDSystemInfo").Key("Ordering").RawString()
		return collections[collection], vertical // the empty one decodes nothing
	}
	if of := charsetOf(name); of != nil {
		return charset{of}, vertical
	}
	return collectionOrder{}, vertical
}

// cutDirection cuts -H or -V from the name of a CMap.
func cutDirection(name string) (encoding string, vertical bool) {
	switch name {
	case "H":
		return "JIS", false
	case "V":
		return "JIS", true
	}
	if encoding, ok := strings.CutSuffix(name, "-V"); ok {
		return encoding, true
	}
	return strings.TrimSuffix(name, "-H"), false
}

// charsetOf returns the encoding of a predefined CMap without its direction; nil if it is not
// known.
func charsetOf(name string) encoding.Encoding {
	switch {
	case strings.Contains(name, "UCS2"), strings.Contains(name, "UTF16"):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case strings.Contains(name, "UTF32"):
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case strings.Contains(name, "UTF8"):
		return unicode.UTF8
	case strings.Contains(name, "RKSJ"):
		return japanese.ShiftJIS
	case name == "JIS", name == "Ext", name == "Add", name == "78":
		return sevenBits{japanese.EUCJP}
	case name == "EUC", name == "78-EUC":
		return japanese.EUCJP
	case name == "GBK2K":
		return simplifiedchinese.GB18030
	case strings.HasPrefix(name, "GB"):
		return simplifiedchinese.GBK
	case strings.Contains(name, "B5"):
		return traditionalchinese.Big5
	case strings.HasPrefix(name, "KSC"):
		return korean.EUCKR
	}
	return nil
}

// A sevenBits encoding has two bytes for each character, both without the high bit.
type sevenBits struct{ encoding.Encoding }

// A charset decodes a string in its encoding.
type charset struct{ of encoding.Encoding }

// Decode implements pdf.TextEncoding. Bytes that are not valid in the encoding are left out.
func (c charset) Decode(raw string) string {
	of := c.of
	if seven, ok := of.(sevenBits); ok {
		of = seven.Encoding
		b := []byte(raw)
		for i := range b {
			b[i] |= 0x80
		}
		raw = string(b)
	}
	s, err := of.NewDecoder().String(raw)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(s, string(utf8.RuneError), "")
}

// A collectionOrder decodes character numbers (CIDs) of two bytes, if they follow the order of a
// national standard.
type collectionOrder struct {
	runs  []cidRun
	latin []cidRun // with the character of the first CID
	rows  encoding.Encoding
}

// A cidRun is a run of characters in the order of a standard: from which place in its rows of 94
// characters.
type cidRun struct{ cid, from, count int }

// collections are the character collections of Adobe that follow a standard. The runs are those of
// Adobe's CMaps EUC-H, GB-EUC-H and KSC-EUC-H, the Korean one without Chinese characters, whose
// order differs.
var collections = map[string]collectionOrder{
	"Japan1": {
		latin: []cidRun{{1, 0x20, 95}, {231, 0x20, 95}, {327, 0xff61, 63}},
		runs: []cidRun{{633, 0, 108}, {741, 119, 8}, {749, 135, 7}, {756, 153, 15}, {771, 175, 8}, {779, 187, 1}, {780, 203, 10},
			{790, 220, 26}, {816, 252, 26}, {842, 282, 83}, {925, 376, 86}, {1011, 470, 24}, {1035, 502, 24}, {1059, 564, 33},
			{1092, 612, 33}, {1125, 1410, 2965}, {4090, 4418, 3388}, {8284, 7806, 2}},
		rows: japanese.EUCJP,
	},
	"GB1": {
		latin: []cidRun{{1, 0x20, 95}, {814, 0x21, 94}, {7716, 0x20, 1}},
		runs: []cidRun{{96, 0, 94}, {190, 110, 50}, {240, 162, 10}, {250, 174, 12}, {262, 188, 177}, {439, 376, 86}, {525, 470, 24},
			{549, 502, 48}, {602, 564, 33}, {635, 612, 33}, {668, 658, 26}, {700, 694, 37}, {738, 755, 76},
			{940, 1410, 3755}, {4695, 5170, 3008}},
		rows: simplifiedchinese.GBK,
	},
	"Korea1": {
		latin: []cidRun{{1, 0x20, 95}, {8094, 0x20, 95}},
		runs: []cidRun{{101, 0, 163}, {264, 188, 145}, {409, 334, 52}, {461, 391, 10}, {471, 408, 24}, {495, 440, 24}, {519, 470, 68},
			{587, 564, 79}, {679, 674, 255}, {934, 940, 86}, {1020, 1034, 33}, {1053, 1082, 33}, {1086, 1410, 2350}},
		rows: korean.EUCKR,
	},
}

// Decode implements pdf.TextEncoding. A character that is in no run is left out.
func (c collectionOrder) Decode(raw string) string {
	if c.rows == nil {
		return ""
	}
	var b strings.Builder
	decoder := c.rows.NewDecoder()
	for i := 0; i+1 < len(raw); i += 2 {
		cid := int(raw[i])<<8 | int(raw[i+1])
		if place, ok := placeIn(c.latin, cid); ok {
			b.WriteRune(rune(place))
			continue
		}
		place, ok := placeIn(c.runs, cid)
		if !ok {
			continue
		}
		s, err := decoder.Bytes([]byte{0xa1 + byte(place/94), 0xa1 + byte(place%94)})
		if r, _ := utf8.DecodeRune(s); err == nil && r != utf8.RuneError {
			b.Write(s)
		}
	}
	return b.String()
}

func placeIn(runs []cidRun, cid int) (place int, ok bool) {
	for _, r := range runs {
		if cid >= r.cid && cid < r.cid+r.count {
			return r.from + cid - r.cid, true
		}
	}
	return 0, false
}

// A toUnicode decodes with a font's table ToUnicode (ISO 32000-1, 9.10.3).
type toUnicode struct {
	size int // bytes of a code
	text map[uint32]string
}

// The bounds of a table.
const (
	maxCodes = 1 << 16
	maxTable = 4 << 20 // bytes
)

// readToUnicode reads a table. Parts that it does not understand are left out.
func readToUnicode(stream pdf.Value) *toUnicode {
	r := stream.Reader()
	defer r.Close()
	text, _ := io.ReadAll(io.LimitReader(r, maxTable)) // what was read before an error is valid
	return toUnicodeOf(string(text))
}

func toUnicodeOf(table string) *toUnicode {
	m := &toUnicode{size: 2, text: make(map[uint32]string)}
	var args []bfValue // since the last operator
	list := -1         // place in args of an array that is open
	for token := range cmapTokens(table) {
		switch {
		case token == "[" && list < 0:
			args, list = append(args, bfValue{}), len(args)
		case token == "]":
			list = -1
		case token[0] == '<' && list >= 0:
			args[list].list = append(args[list].list, bytesOf(token))
		case token[0] == '<':
			args = append(args, bfValue{one: bytesOf(token)})
		case token == "endcodespacerange":
			for _, v := range args {
				if n := len(v.one); n > 0 && n <= 4 {
					m.size = n
				}
			}
		case token == "endbfchar":
			for pair := range slices.Chunk(args, 2) {
				if len(pair) == 2 {
					m.put(codeOf(pair[0].one), utf16Text(pair[1].one))
				}
			}
		case token == "endbfrange":
			for three := range slices.Chunk(args, 3) {
				if len(three) == 3 {
					m.putRange(codeOf(three[0].one), codeOf(three[1].one), three[2])
				}
			}
		}
		if token[0] >= 'a' && token[0] <= 'z' {
			args, list = args[:0], -1
		}
	}
	return m
}

// A bfValue is a string or an array of strings.
type bfValue struct {
	one  string
	list []string
}

// cmapTokens yields the hexadecimal strings, the brackets and the words of a CMap. Strings in
// parentheses and comments have no codes.
func cmapTokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := 1
			switch c := text[0]; {
			case c == '[' || c == ']':
			case c == '%':
				n = max(1, strings.IndexAny(text, "\r\n"))
			case c == '(':
				n = strings.IndexByte(text, ')') + 1
			case strings.HasPrefix(text, "<<"):
				n = 2
			case c == '<':
				n = strings.IndexByte(text, '>') + 1
			case c >= 'a' && c <= 'z':
				n = strings.IndexAny(text, " \t\r\n\f\x00<>[]()/%")
				if n < 0 {
					n = len(text)
				}
			case c == '/':
				n = 1 + max(0, strings.IndexAny(text[1:], " \t\r\n\f\x00<>[]()/%"))
			}
			if n <= 0 {
				return // a string without an end
			}
			if strings.IndexByte("[]<", text[0]) >= 0 && text[:n] != "<<" || text[0] >= 'a' && text[0] <= 'z' {
				if !yield(text[:n]) {
					return
				}
			}
			text = text[n:]
		}
	}
}

// bytesOf returns the bytes of a string in hexadecimal digits (ISO 32000-1, 7.3.4.3).
func bytesOf(token string) string {
	var b []byte
	high, half := byte(0), false
	for i := range len(token) {
		d, ok := digitOf(token[i])
		switch {
		case !ok:
		case half:
			b, half = append(b, high<<4|d), false
		default:
			high, half = d, true
		}
	}
	if half {
		b = append(b, high<<4)
	}
	return string(b)
}

func digitOf(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

func (m *toUnicode) put(code uint32, text string) {
	if len(m.text) < maxCodes {
		m.text[code] = text
	}
}

// putRange maps the codes of a range to the texts of an array, or to one text whose last character
// is incremented.
func (m *toUnicode) putRange(first, last uint32, to bfValue) {
	if last < first {
		return
	}
	last = min(last, first+maxCodes)
	for i, text := range to.list[:min(len(to.list), int(last)-int(first)+1)] {
		m.put(first+uint32(i), utf16Text(text))
	}
	text := []rune(utf16Text(to.one))
	if len(text) == 0 {
		return
	}
	for code := first; code <= last && len(m.text) < maxCodes; code++ {
		m.put(code, string(text))
		text[len(text)-1]++
	}
}

// Decode implements pdf.TextEncoding. A code that is not in the table is left out.
func (m *toUnicode) Decode(raw string) string {
	var b strings.Builder
	for i := 0; i+m.size <= len(raw); i += m.size {
		b.WriteString(m.text[codeOf(raw[i:i+m.size])])
	}
	return b.String()
}

func codeOf(raw string) (code uint32) {
	for i := range min(len(raw), 4) {
		code = code<<8 | uint32(raw[i])
	}
	return code
}

func utf16Text(raw string) string {
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return string(utf16.Decode(units))
}
