package charset

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/saintfish/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

const (
	prescan     = 64 << 10 // bytes searched for a label inside the page; 1,024 is the standard's and misses late ones
	extractSize = 8 << 10  // bytes given to the detector, which takes 0.6 ms for them, and 1.4 ms for 80 kB
	maxBroken   = 0.001    // share of U+FFFD above which a label counts as wrong
)

// Decode returns the page as UTF-8 and the name of the charset that it was in. A page that is UTF-8
// already is returned as the same slice. What can't be decoded becomes U+FFFD.
//
// The first of these that applies decides: a byte order mark; a NUL in each of the first
// characters, which only UTF-16 has; the bytes themselves, since text in other charsets is hardly
// ever valid UTF-8, and only ISO-2022-JP has its escape sequences; the labels of the header and of
// the page, if decoding confirms them, for UTF-8 that of what a reader sees; detection; and windows-1252. ISO-8859-1 means windows-1252,
// as in the WHATWG's Encoding Standard, and is accepted unless the text is clearly in another
// script.
func Decode(page []byte, contentType string) (text []byte, name string) {
	if rest, ok := bytes.CutPrefix(page, []byte("\xef\xbb\xbf")); ok {
		return validUTF8(rest), "utf-8"
	}
	if bytes.HasPrefix(page, []byte("\xfe\xff")) {
		return decodeAs(page, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)), "utf-16be"
	}
	if bytes.HasPrefix(page, []byte("\xff\xfe")) {
		return decodeAs(page, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)), "utf-16le"
	}
	if enc := wide(page); enc.name != "" {
		return decodeAs(page, enc.enc), enc.name
	}
	if utf8.Valid(page) {
		return decodeValid(page)
	}
	if mostlyUTF8(page) {
		return validUTF8(page), "utf-8"
	}
	header := label(headerCharset(contentType))
	meta := label(pageCharset(page))
	if (header.name == "utf-8" || meta.name == "utf-8") && rarelyBroken(readable(page), labelledBroken) {
		return validUTF8(page), "utf-8"
	}
	sample := highBytes(page)
	for _, l := range []labelled{header, meta} {
		if !multibyte(l.name) || brokenShare(decodeAs(sample, l.enc)) > 20*maxBroken {
			continue
		}
		if text := decodeAs(page, l.enc); brokenShare(text) < maxBroken {
			return text, l.name
		}
	}
	best := guess(sample, header, meta)
	return decodeAs(page, best.enc), best.name
}

// DecodeValid is Decode for a page that is valid UTF-8; ok is false for any other page.
func DecodeValid(page []byte) (text []byte, ok bool) {
	if !utf8.Valid(page) {
		return nil, false
	}
	if rest, ok := bytes.CutPrefix(page, []byte("\xef\xbb\xbf")); ok {
		return rest, true
	}
	if enc := wide(page); enc.name != "" {
		return decodeAs(page, enc.enc), true
	}
	text, _ = decodeValid(page)
	return text, true
}

func decodeValid(page []byte) (text []byte, name string) {
	if text, ok := iso2022JP(page); ok {
		return text, "iso-2022-jp"
	}
	return page, "utf-8"
}

// A labelled is an encoding with its canonical name; the zero one is unknown.
type labelled struct {
	enc  encoding.Encoding
	name string
}

func label(s string) labelled {
	enc, name := charset.Lookup(s)
	if enc == nil || name == "replacement" {
		return labelled{}
	}
	return labelled{enc, name}
}

func decodeAs(page []byte, enc encoding.Encoding) []byte {
	text, err := enc.NewDecoder().Bytes(page)
	if err != nil {
		return validUTF8(page)
	}
	return validUTF8(text)
}

func validUTF8(page []byte) []byte {
	if utf8.Valid(page) {
		return page
	}
	return bytes.ToValidUTF8(page, []byte("\uFFFD"))
}

// wide decodes UTF-16 without a byte order mark, whatever the labels say: each of the first four
// characters, which are those of a tag, is an ASCII character next to a NUL.
func wide(page []byte) labelled {
	const start = 8
	if len(page) < start {
		return labelled{}
	}
	ascii := func(c byte) bool { return c != 0 && c < utf8.RuneSelf }
	little, big := true, true
	for i := 0; i < start; i += 2 {
		little = little && ascii(page[i]) && page[i+1] == 0
		big = big && page[i] == 0 && ascii(page[i+1])
	}
	switch {
	case little:
		return label("utf-16le")
	case big:
		return label("utf-16be")
	}
	return labelled{}
}

// iso2022JP decodes a page of ASCII bytes whose escape sequences switch to Japanese
// letters (RFC 1468), whatever its labels say.
func iso2022JP(page []byte) (text []byte, ok bool) {
	if bytes.IndexByte(page, '\x1b') < 0 || !bytes.Contains(page, []byte("\x1b$B")) && !bytes.Contains(page, []byte("\x1b$@")) {
		return nil, false
	}
	text = decodeAs(page, japanese.ISO2022JP)
	return text, utf8.RuneCount(text) < len(text) && brokenShare(text) < maxBroken
}

// guess returns the charset of a page that is neither UTF-8 nor in the multi-byte charset of a
// label, from the sample of its high bytes.
func guess(sample []byte, header, meta labelled) labelled {
	var latin1 labelled
	for _, l := range []labelled{header, meta} {
		switch {
		case l.name == "" || multibyte(l.name) || l.name == "utf-8" || strings.HasPrefix(l.name, "utf-16"):
		case l.name == "windows-1252":
			latin1 = l
		case l.name == "windows-1251" || l.name == "koi8-r":
			// Servers mix these two up, and the bytes tell them apart.
			return label(cmp.Or(cyrillic(sample), l.name))
		default:
			return l
		}
	}
	// The rest has no label, a label that the bytes refute, or Latin-1, which some servers send by
	// default.
	latin := accents(sample)
	if latin1.name != "" && (latin || len(sample) < leastForeign) {
		return latin1
	}
	if latin {
		return label(cmp.Or(singleByte(sample, true), "windows-1252"))
	}
	if thai(sample) {
		return label("windows-874")
	}
	if name := cyrillic(sample); name != "" {
		return label(cmp.Or(singleByte(sample, false), name)) // Greek and Hebrew letters have the same bytes
	}
	l := detect(sample)
	if multibyte(l.name) {
		return l
	}
	if name := singleByte(sample, false); name != "" {
		return label(name)
	}
	if l.name != "" && !latinLetters[l.name] {
		return l
	}
	return label("windows-1252")
}

// leastForeign is the size in bytes from which a sample may overrule a declared ISO-8859-1.
const leastForeign = 24

func multibyte(name string) bool {
	switch name {
	case "gbk", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "iso-2022-jp":
		return true
	}
	return false
}

// mostlyUTF8 reports whether a page is UTF-8 except for a few broken characters, such as one that
// was cut in the middle.
func mostlyUTF8(page []byte) bool { return rarelyBroken(page, 20) }

// labelledBroken is how many good characters of UTF-8 a page whose label says UTF-8 has for each broken one. In
// text of another charset hardly any are good: an accent is followed by a letter, a Cyrillic letter by another one, and
// of two bytes of a Chinese or Korean character one in ten pairs is.
const labelledBroken = 2

// rarelyBroken reports whether a text has no broken character of UTF-8, or more than a number of good ones for each.
func rarelyBroken(page []byte, times int) bool {
	good, bad := 0, 0
	for i := 0; i < len(page); {
		if page[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(page[i:])
		if r == utf8.RuneError && n == 1 {
			if bad++; times*bad >= good+(len(page)-i)/2 {
				return false // whatever follows: a good one has two bytes or more
			}
		} else {
			good++
		}
		i += n
	}
	return bad == 0 || good > times*bad
}

// readable returns a page without its tags, comments, scripts and style sheets, which may have bytes that
// no reader sees: a virus of 2010 appended itself to pages as a script and a comment of random bytes,
// banners are comments in the charset of who sold them, and a program that saves sites cuts characters in
// the addresses of links.
func readable(page []byte) []byte {
	out := make([]byte, 0, len(page))
	for {
		i := bytes.IndexByte(page, '<')
		if i < 0 {
			return append(out, page...)
		}
		out, page = append(out, page[:i]...), page[i:]
		end := ""
		for _, u := range unseen {
			if len(page) >= len(u.start) && bytes.EqualFold(page[:len(u.start)], []byte(u.start)) {
				end = u.end
			}
		}
		switch {
		case end != "":
		case len(page) > 1 && (page[1]|0x20 >= 'a' && page[1]|0x20 <= 'z' || page[1] == '/'):
			end = ">"
		default:
			out, page = append(out, '<'), page[1:]
			continue
		}
		if page = behind(page[1:], end); page == nil {
			return out
		}
	}
}

// unseen are the elements that readable leaves out.
var unseen = [...]struct{ start, end string }{{"<!--", "-->"}, {"<script", "</script"}, {"<style", "</style"}}

// behind returns what follows an end, whatever the case of its letters; nil if the page does not have it.
func behind(page []byte, end string) []byte {
	for {
		i := bytes.IndexByte(page, end[0])
		if i < 0 || len(page) < i+len(end) {
			return nil
		}
		if page = page[i:]; bytes.EqualFold(page[:len(end)], []byte(end)) {
			return page[len(end):]
		}
		page = page[1:]
	}
}

// brokenShare returns the share of characters that a charset could not read.
func brokenShare(text []byte) float64 {
	if len(text) == 0 {
		return 0
	}
	return float64(bytes.Count(text, []byte("\uFFFD"))) / float64(utf8.RuneCount(text))
}

// highBytes returns the regions of a page around bytes above 0x7f, at most extractSize bytes in
// all. Two ASCII bytes end a region; one may be the second half of a character.
func highBytes(page []byte) []byte {
	out := make([]byte, 0, extractSize)
	quiet := 2
	for _, c := range page {
		if len(out) >= extractSize-1 {
			break
		}
		if c >= utf8.RuneSelf {
			quiet = 0
			out = append(out, c)
			continue
		}
		if quiet >= 2 {
			continue
		}
		if quiet++; quiet == 2 || c == '<' || c == '>' {
			quiet, c = 2, ' '
		}
		out = append(out, c)
	}
	return out
}

// accents reports whether the bytes above 0x7f are accented letters and signs in a text of Latin
// letters: at least a third of them stand alone between ASCII bytes, or there are almost none.
// Repeats of one byte count once, for the sake of ruled lines and the long vowels of Finnish, and
// so does ß after a vowel. The first bytes of Japanese letters in Shift_JIS also stand alone if the
// second is ASCII.
func accents(sample []byte) bool {
	high, alone, japanese := 0, 0, 0
	run := 0
	for i, c := range sample {
		if c < utf8.RuneSelf {
			run = 0
			continue
		}
		if run > 0 && (c == sample[i-1] || c == 0xdf) {
			continue
		}
		high++
		switch run++; run {
		case 1:
			alone++
		case 2:
			alone--
		}
		if c >= 0x81 && c <= 0x83 {
			japanese++
		}
	}
	return high < 4 || alone*3 >= high && japanese*3 < high
}

// cyrillic returns the Cyrillic charset whose small letters make up most of
// the sample, or nothing. chardet knows both, but found neither on four Russian pages without a label.
func cyrillic(sample []byte) string {
	high, row12, row14 := 0, 0, 0
	for _, c := range sample {
		if c >= utf8.RuneSelf {
			high++
		}
		if c >= 0xe0 {
			row14++
		} else if c >= 0xc0 {
			row12++
		}
	}
	if (row12+row14)*10 < high*9 {
		return ""
	}
	if row14*10 >= high*7 {
		return "windows-1251"
	}
	if row12*10 >= high*7 {
		return "koi8-r"
	}
	return ""
}

// detect calls chardet, and accepts only a charset that decodes the sample.
func detect(sample []byte) labelled {
	found, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil {
		return labelled{}
	}
	// The order of equal results depends on the scheduler.
	slices.SortStableFunc(found, func(a, b chardet.Result) int {
		if a.Confidence != b.Confidence {
			return b.Confidence - a.Confidence
		}
		return strings.Compare(a.Charset, b.Charset)
	})
	for _, f := range found {
		l := label(strings.Replace(f.Charset, "GB-18030", "gb18030", 1))
		if l.name == "" || l.name == "utf-8" || f.Confidence < 10 || strings.HasPrefix(l.name, "utf-16") {
			continue
		}
		if brokenShare(decodeAs(sample, l.enc)) < 20*maxBroken {
			return l
		}
	}
	return labelled{}
}

// headerCharset returns the charset parameter of a Content-Type.
func headerCharset(contentType string) string {
	_, after, ok := strings.Cut(strings.ToLower(contentType), "charset")
	if !ok {
		return ""
	}
	return unquoted(after)
}

// pageCharset returns the charset that the page declares in a meta element or an XML declaration
// near its start.
func pageCharset(page []byte) string {
	head := page[:min(len(page), prescan)]
	if bytes.HasPrefix(head, []byte("<?xml")) {
		declaration, _, _ := bytes.Cut(head, []byte("?>"))
		if _, after, ok := bytes.Cut(declaration, []byte("encoding")); ok {
			if name := unquoted(string(after[:min(len(after), 64)])); label(name).name != "" {
				return name
			}
		}
	}
	for {
		i := bytes.IndexByte(head, '<')
		if i < 0 {
			return ""
		}
		head = head[i+1:]
		if after, ok := bytes.CutPrefix(head, []byte("!--")); ok {
			_, head, _ = bytes.Cut(after, []byte("-->"))
			continue
		}
		if len(head) < 4 || !bytes.EqualFold(head[:4], []byte("meta")) {
			continue
		}
		tag, _, _ := bytes.Cut(head[:min(len(head), 1024)], []byte(">"))
		_, after, ok := strings.Cut(strings.ToLower(string(tag)), "charset")
		if !ok {
			continue
		}
		name := unquoted(after)
		if strings.HasPrefix(name, "utf-16") {
			name = "utf-8" // a label that could be read as ASCII is not in UTF-16
		}
		if label(name).name != "" {
			return name
		}
	}
}

// unquoted reads the value after the name of a parameter: ="value".
func unquoted(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	s, ok := strings.CutPrefix(s, "=")
	if !ok {
		return ""
	}
	s = strings.TrimLeft(s, " \t\r\n\"'")
	if i := strings.IndexAny(s, " \t\r\n\"';,/>"); i >= 0 {
		s = s[:i]
	}
	return s
}
