package document

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

const rtfMagic = "{\\rtf"

// readRTF reads the text of a Rich Text file (RTF specification 1.9.1): control words start with a
// backslash, and groups are in braces. The content of a destination, such as a font table or a
// picture, is not part of the text.
func readRTF(content []byte) (string, error) {
	r := rtf{in: content, fonts: make(map[int]encoding.Encoding)}
	r.base = charmap.Windows1252
	r.group.fallback = 1
	for r.at < len(r.in) && r.out.Len() < MaxText {
		if err := r.step(); err != nil {
			return "", err
		}
	}
	r.flush()
	return r.out.String(), nil
}

// An rtf is a Rich Text file that is being read.
type rtf struct {
	in    []byte
	at    int
	out   strings.Builder
	base  encoding.Encoding // of the file
	fonts map[int]encoding.Encoding

	group  rtfGroup
	outer  []rtfGroup
	font   int    // the last that the table of fonts named
	bytes  []byte // of characters that are not decoded yet
	high   rune   // the first half of a pair of UTF-16
	ignore int    // characters to skip, which stand for the last one of Unicode
}

// An rtfGroup has the state that ends with the group's closing brace.
type rtfGroup struct {
	skip     bool // it is not of the text
	fontList bool
	font     int
	fallback int // how many characters after one of Unicode stand for it
}

// maxGroups bounds how deep groups are nested; Office programs write some ten levels.
const maxGroups = 10_000

func (r *rtf) step() error {
	c := r.in[r.at]
	r.at++
	switch c {
	case '{':
		if len(r.outer) >= maxGroups {
			return errors.New("too many groups within each other")
		}
		r.flush()
		r.outer = append(r.outer, r.group)
		r.ignore = 0
	case '}':
		r.flush()
		if n := len(r.outer); n > 0 {
			r.group, r.outer = r.outer[n-1], r.outer[:n-1]
		}
		r.ignore = 0
	case '\\':
		r.control()
	case '\r', '\n', 0:
	default:
		r.char(c)
	}
	return nil
}

// control reads what follows a backslash.
func (r *rtf) control() {
	if r.at >= len(r.in) {
		return
	}
	c := r.in[r.at]
	if !isASCIILetter(c) {
		r.at++
		r.symbol(c)
		return
	}
	from := r.at
	for r.at < len(r.in) && isASCIILetter(r.in[r.at]) {
		r.at++
	}
	word := string(r.in[from:r.at])
	from = r.at
	if r.at < len(r.in) && r.in[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.in) && r.in[r.at] >= '0' && r.in[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.Atoi(string(r.in[from:r.at]))
	if r.at < len(r.in) && r.in[r.at] == ' ' {
		r.at++
	}
	r.word(word, n, err == nil)
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// symbol reads a control that is not a word.
func (r *rtf) symbol(c byte) {
	switch c {
	case '\\', '{', '}':
		r.char(c)
	case '\'':
		if r.at+2 > len(r.in) {
			r.at = len(r.in)
			return
		}
		n, err := strconv.ParseUint(string(r.in[r.at:r.at+2]), 16, 8)
		if err != nil {
			return
		}
		r.at += 2
		r.char(byte(n))
	case '*':
		r.group.skip = true // a destination that a reader need not know
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	case '\r', '\n':
		r.write(paragraphEnds)
	}
}

// destinations are groups that are not part of the text.
var destinations = set("fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header", "headerl", "headerr", "headerf",
	"footer", "footerl", "footerr", "footerf", "footnote", "annotation", "fldinst", "listtable", "listoverridetable", "revtbl",
	"rsidtbl", "generator", "xmlnstbl", "themedata", "colorschememapping", "latentstyles", "datastore", "filetbl",
	"bkmkstart", "bkmkend", "pntext", "listtext", "xe", "tc", "nonshppict", "template", "pnseclvl")

// rtfMarks are the texts that control words stand for.
var rtfMarks = map[string]string{
	"par": paragraphEnds, "sect": paragraphEnds, "page": paragraphEnds, "row": paragraphEnds, "nestrow": paragraphEnds,
	"line": "\n", "column": "\n", "softline": "\n",
	"cell": " ", "nestcell": " ", "tab": " ", "enspace": " ", "emspace": " ", "qmspace": " ",
	"emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// word executes a control word, with the number after it if has is true.
func (r *rtf) word(word string, n int, has bool) {
	switch {
	case destinations[word]:
		r.group.skip = true
		r.group.fontList = r.group.fontList || word == "fonttbl"
		return
	case rtfMarks[word] != "":
		r.write(rtfMarks[word])
		return
	}
	switch word {
	case "u":
		r.unicode(n)
	case "uc":
		r.group.fallback = max(n, 0)
	case "ansicpg":
		if e := codePages[n]; e != nil {
			r.base = e
		}
	case "mac":
		r.base = charmap.Macintosh
	case "pc", "pca":
		r.base = charmap.CodePage437
	case "f":
		r.flush()
		r.font = n
		r.group.font = n
	case "fcharset":
		if e := fontCharsets[n]; e != nil && r.group.fontList && len(r.fonts) < 1<<16 {
			r.fonts[r.font] = e
		}
	case "plain":
		r.flush()
		r.group.font = 0
	case "bin":
		if has && n > 0 {
			r.at = min(len(r.in), r.at+n)
		}
	}
}

// unicode writes a unit of UTF-16, and skips the characters that stand for it.
func (r *rtf) unicode(n int) {
	r.flush()
	r.ignore = r.group.fallback
	c := rune(uint16(n))
	switch {
	case r.high != 0 && utf16.IsSurrogate(c):
		r.write(string(utf16.DecodeRune(r.high, c)))
		r.high = 0
	case utf16.IsSurrogate(c):
		r.high = c
	case c >= ' ':
		r.write(string(c))
	}
}

// char reads a byte of the text, in the charset of its font.
func (r *rtf) char(c byte) {
	if r.ignore > 0 {
		r.ignore--
		return
	}
	if !r.group.skip {
		r.bytes = append(r.bytes, c)
	}
}

// write puts text out that is decoded.
func (r *rtf) write(text string) {
	r.flush()
	if !r.group.skip {
		r.out.WriteString(text)
	}
}

// flush decodes the bytes that were read before.
func (r *rtf) flush() {
	if len(r.bytes) == 0 {
		return
	}
	e := r.fonts[r.group.font]
	if e == nil {
		e = r.base
	}
	if text, err := e.NewDecoder().Bytes(r.bytes); err == nil {
		r.out.Write(text)
	}
	r.bytes = r.bytes[:0]
}

// codePages are those of Windows by their numbers.
var codePages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 866: charmap.CodePage866,
	874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253,
	1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257,
	1258: charmap.Windows1258, 10000: charmap.Macintosh, 54936: simplifiedchinese.GB18030,
}

// fontCharsets are the code pages of font charsets ([MS-WMF], section 2.1.1.5). Western and default
// charsets use the code page of the file.
var fontCharsets = map[int]encoding.Encoding{
	77: charmap.Macintosh, 128: japanese.ShiftJIS, 129: korean.EUCKR, 134: simplifiedchinese.GBK, 136: traditionalchinese.Big5,
	161: charmap.Windows1253, 162: charmap.Windows1254, 163: charmap.Windows1258, 177: charmap.Windows1255, 178: charmap.Windows1256,
	186: charmap.Windows1257, 204: charmap.Windows1251, 222: charmap.Windows874, 238: charmap.Windows1250,
}
