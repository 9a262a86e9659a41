package document

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// readPDF reads a PDF in this process. A file whose pages cannot all be read, since it is broken or
// encrypted, is read again as another library writes it.
func readPDF(content []byte) (string, error) {
	text, lost, err := readPages(content)
	if errors.Is(err, pdf.ErrInvalidPassword) || err == nil && lost == 0 && (hasWords(text) || !encrypted(content)) {
		return text, err
	}
	anew, errAnew := writtenAnew(content)
	if errAnew != nil {
		return text, err
	}
	again, _, errAgain := readPages(anew)
	if errAgain != nil || len(again) < len(text) || !hasWords(again) && encrypted(content) {
		return text, err
	}
	return again, nil
}

// readPages returns the text of a file's pages, and how many of them could not be read to their end.
func readPages(content []byte) (text string, lost int, err error) {
	defer func() {
		if fault := recover(); fault != nil { // the library panics if a file is broken
			text, err = "", fmt.Errorf("not a PDF that can be read: %.200v", fault)
		}
	}()
	r, err := openPDF(content)
	if err != nil {
		return "", 0, withoutBytes(err)
	}
	var b lines
	left, read := maxPages, reading{fonts: make(fonts), operators: maxOperators}
	eachPage(r.Trailer().Key("Root").Key("Pages"), 0, &left, func(p pdf.Page) bool {
		if !writePage(&b, &read, p) {
			lost++
		}
		return b.length() < MaxText && read.operators > 0
	})
	if left < 0 || read.operators < 0 {
		return "", 0, errPages
	}
	return b.out.String(), lost, nil
}

// openPDF opens a PDF, even if it has other bytes before its header. In some such files, offsets of
// objects count from the header, in others from the first byte.
func openPDF(content []byte) (*pdf.Reader, error) {
	at := startOfPDF(content)
	if at < 0 {
		at = 0 // the library says what is missing
	}
	open := func(file []byte) (*pdf.Reader, error) {
		file = asTheLibraryWants(file)
		return pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	}
	r, err := open(content[at:])
	if err != nil && at >= len(pdfStart) {
		if again, errAgain := open(slices.Concat([]byte(pdfStart), content[len(pdfStart):])); errAgain == nil {
			return again, nil
		}
	}
	return r, err
}

const utf8Mark = "\ufeff"

// pdfStart is the start of a PDF's header.
const pdfStart = "%PDF-"

// startOfPDF returns the offset of a PDF's header; -1 if there is none in the first 1,024 bytes,
// where Acrobat looks for it (Adobe PDF Reference 1.7, appendix H, note 13).
func startOfPDF(content []byte) int {
	return bytes.Index(content[:min(len(content), 1024)], []byte(pdfStart))
}

// isPDF reports whether a file is a PDF, judged by its bytes. If there are other bytes than a mark of UTF-8 before the
// header, it must be on a line of its own and the end of the file where it should be, since a text
// may quote a header.
func isPDF(content []byte) bool {
	at := startOfPDF(content)
	if at <= 0 || at == len(utf8Mark) && bytes.HasPrefix(content, []byte(utf8Mark)) {
		return at >= 0
	}
	return strings.IndexByte("\r\n", content[at-1]) >= 0 && bytes.Contains(content[max(0, len(content)-1024):], []byte("startxref"))
}

// withoutBytes returns an error of the library without the bytes of the file that it quotes.
func withoutBytes(err error) error {
	const missing = "cross-reference table not found"
	if said, _, found := strings.Cut(err.Error(), missing); found {
		return errors.New(said + missing)
	}
	return err
}

// asTheLibraryWants returns a file with a header of version 1 and a line break after it, and
// without bytes after its end. The library refuses files of version 2.0, a space after the version,
// and bytes that a server or a mail program has added (ISO 32000-2, 7.5.2; Acrobat looks for the
// end in the last 1,024 bytes). If a file ends with the offset of its table but has no mark of the
// end, the mark is added.
func asTheLibraryWants(content []byte) []byte {
	const header, end = "%PDF-1.7\n", "%%EOF"
	if i := bytes.LastIndex(content, []byte(end)); i >= max(0, len(content)-1024) {
		content = content[:i+len(end)]
	} else if i := bytes.LastIndex(content, []byte("startxref")); i >= max(0, len(content)-64) {
		content = slices.Concat(bytes.TrimRight(content, "\x00\r\n "), []byte("\n"+end))
	}
	if len(content) > len(header) && bytes.HasPrefix(content, []byte(pdfStart)) {
		content = append([]byte(header), content[len(header):]...)
	}
	return content
}

// The bounds of what is read.
const (
	maxPages     = 10_000 // with the nodes of their tree
	maxTree      = 64     // depth of the tree of pages; what is deeper is left out
	maxOperators = 10_000_000
)

var errPages = fmt.Errorf("it has more than %d pages or %d operators", maxPages, maxOperators)

// A reading has what the pages of a file have in common.
type reading struct {
	fonts     fonts
	operators int // how many may still be executed
}

// eachPage calls visit with the pages of a tree, in their order, until visit returns false or the
// bound on nodes is reached: a broken tree may have cycles.
func eachPage(v pdf.Value, depth int, left *int, visit func(pdf.Page) bool) bool {
	if *left--; *left < 0 || depth > maxTree {
		return false
	}
	if v.Key("Type").Name() == "Page" {
		return visit(pdf.Page{V: v})
	}
	kids := v.Key("Kids")
	for i := range kids.Len() {
		if !eachPage(kids.Index(i), depth+1, left, visit) {
			return false
		}
	}
	return true
}

// writePage writes the lines of a page, and reports whether all of it could be read.
func writePage(b *lines, read *reading, p pdf.Page) (all bool) {
	defer func() {
		fault := recover() // only the rest of this page is lost
		all = fault == nil || fault == enoughOfThePage
		b.endPage()
	}()
	if p.V.IsNull() || p.V.Key("Contents").IsNull() {
		return true
	}
	w := pageWriter{out: b, read: read, page: identity, text: identity, style: style{size: 1, scale: 1}}
	w.run(p.V.Key("Contents"), p.Resources(), 0)
	return true
}

// A matrix places text: the operands a b c d e f of the operator Tm.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// moved returns the matrix moved by x, y in its own coordinates.
func (m matrix) moved(x, y float64) matrix {
	m[4], m[5] = m[4]+x*m[0]+y*m[2], m[5]+x*m[1]+y*m[3]
	return m
}

// times returns the matrix that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// A pageWriter executes the operators that show text.
type pageWriter struct {
	out  *lines
	read *reading
	page matrix // from the coordinates of the operators to those of the page: browsers have y grow downwards
	line matrix // start of the line
	text matrix // position of the next character
	style
	saved []saved
}

// A style says how characters are shown.
type style struct {
	font    *font
	size    float64
	leading float64
	apart   float64 // more space after each character
	words   float64 // and after each space
	scale   float64 // of the widths
}

// A saved state is what q saves for Q.
type saved struct {
	page  matrix
	style style
}

const maxSaved = 256

// A font has what is needed of a font for every character: the library would parse it again each
// time.
type font struct {
	decode pdf.TextEncoding
	widths [256]float64       // in thousandths of the size; 0: not known
	wide   map[uint16]float64 // in a font with two bytes a character; nil: not known
	usual  float64            // width of characters that wide does not have

	composite bool // one or more bytes a character
	vertical  bool // characters stand below each other
}

// leavePage stops the reading of a page of which enough was read. The only way to stop
// pdf.Interpret is a panic, from which writePage recovers.
func leavePage() { panic(enoughOfThePage) }

const enoughOfThePage = "enough of the page"

// operands are the operands of an operator; missing ones are 0.
type operands []pdf.Value

func popOperands(stack *pdf.Stack) operands {
	args := make(operands, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	return args
}

func (a operands) number(i int) float64 {
	if i >= len(a) {
		return 0
	}
	return a[i].Float64()
}

func (a operands) matrix() (m matrix) {
	for i := range m {
		m[i] = a.number(i)
	}
	return m
}

// last returns the last operand, the null object if there is none.
func (a operands) last() pdf.Value {
	if len(a) == 0 {
		return pdf.Value{}
	}
	return a[len(a)-1]
}

// maxForms bounds how deep forms are nested.
const maxForms = 8

// run executes a stream of operators.
func (w *pageWriter) run(stream, resources pdf.Value, depth int) {
	named := fontNames{of: resources.Key("Font")}
	below := len(w.saved)
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		if w.read.operators--; w.read.operators < 0 {
			leavePage()
		}
		args := popOperands(stack)
		switch op {
		case "q":
			if len(w.saved) < maxSaved {
				w.saved = append(w.saved, saved{w.page, w.style})
			}
		case "Q":
			if last := len(w.saved) - 1; last >= below {
				w.page, w.style, w.saved = w.saved[last].page, w.saved[last].style, w.saved[:last]
			}
		case "cm":
			w.page = args.matrix().times(w.page)
		case "Tc":
			w.apart = args.number(0)
		case "Tw":
			w.words = args.number(0)
		case "Tz":
			w.scale = args.number(0) / 100
		case "BT":
			w.line, w.text = identity, identity
		case "Tf":
			if len(args) == 2 {
				w.font, w.size = w.read.fonts.get(&named, args[0].Name()), args.number(1)
			}
		case "TL":
			w.leading = args.number(0)
		case "Tm":
			w.line = args.matrix()
			w.text = w.line
		case "TD":
			w.leading = -args.number(1)
			fallthrough
		case "Td":
			w.line = w.line.moved(args.number(0), args.number(1))
			w.text = w.line
		case "'", "\"", "T*":
			w.line = w.line.moved(0, -w.leading)
			w.text = w.line
			w.showString(args.last())
		case "Tj":
			w.showString(args.last())
		case "TJ":
			w.showSpaced(args.last())
		case "Do":
			if depth < maxForms {
				w.runForm(args, resources, depth)
			}
		}
	})
}

// fonts has the fonts that were read, by their objects, since each page names them anew.
type fonts map[string]*font

const maxFonts = 1024

// fontNames has the fonts of a stream of operators, by name.
type fontNames struct {
	of    pdf.Value
	text  string           // of, with the numbers of its objects
	known map[string]*font // by name
}

func (read fonts) get(names *fontNames, name string) *font {
	if f := names.known[name]; f != nil {
		return f
	}
	if names.known == nil {
		names.known, names.text = make(map[string]*font), names.of.String()
	}
	object := ""
	if _, after, ok := strings.Cut(names.text, "/"+name+" "); ok {
		number, rest, _ := strings.Cut(after, " ")
		generation, rest, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(rest, "R") && strings.Trim(number+generation, "0123456789") == "" {
			object = number + " " + generation
		}
	}
	f := read[object]
	if f == nil {
		f = readFont(names.of.Key(name))
		if object != "" && len(read) < maxFonts {
			read[object] = f
		}
	}
	names.known[name] = f
	return f
}

// readFont reads a font. The widths of a font with two bytes a character are known only if these
// bytes are the numbers of glyphs, as browsers and office programs write them.
func readFont(v pdf.Value) *font {
	if v.Key("Subtype").Name() == "Type0" {
		f := &font{composite: true}
		f.decode, f.vertical = composite(v)
		if strings.HasPrefix(v.Key("Encoding").Name(), "Identity") {
			f.readWide(v.Key("DescendantFonts").Index(0))
		}
		return f
	}
	f := &font{decode: simple(v)}
	first, widths := int(v.Key("FirstChar").Int64()), v.Key("Widths")
	for i := range min(widths.Len(), len(f.widths)) {
		if code := first + i; code >= 0 && code < len(f.widths) {
			f.widths[code] = widths.Index(i).Float64()
		}
	}
	return f
}

// readWide reads the widths of glyphs (ISO 32000-1, 9.7.4.3): lists of a first glyph and an array of
// widths, or of a first, a last and one width for all.
func (f *font) readWide(v pdf.Value) {
	f.wide, f.usual = make(map[uint16]float64), 1000
	if w := v.Key("DW"); !w.IsNull() {
		f.usual = w.Float64()
	}
	list := v.Key("W")
	for i := 0; i+1 < list.Len(); {
		first, second := list.Index(i).Int64(), list.Index(i+1)
		if second.Kind() == pdf.Array {
			for k := range min(second.Len(), 1<<16) {
				f.wide[uint16(first+int64(k))] = second.Index(k).Float64()
			}
			i += 2
			continue
		}
		if i+2 < list.Len() {
			width := list.Index(i + 2).Float64()
			for glyph := first; glyph <= min(second.Int64(), 1<<16-1); glyph++ {
				f.wide[uint16(glyph)] = width
			}
		}
		i += 3
	}
}

// runForm executes the operators of a form, which is a page within the page with a position of its
// own.
func (w *pageWriter) runForm(args operands, resources pdf.Value, depth int) {
	if len(args) == 0 {
		return
	}
	form := resources.Key("XObject").Key(args[0].Name())
	if form.Key("Subtype").Name() != "Form" {
		return
	}
	if own := form.Key("Resources"); !own.IsNull() {
		resources = own
	}
	page, style := w.page, w.style
	if m := form.Key("Matrix"); m.Len() == len(page) {
		var place matrix
		for i := range place {
			place[i] = m.Index(i).Float64()
		}
		w.page = place.times(w.page)
	}
	w.run(form, resources, depth+1)
	w.page, w.style = page, style
}

// showSpaced shows the strings of an array. The number between two strings is the distance between
// them.
func (w *pageWriter) showSpaced(array pdf.Value) {
	for i := range array.Len() {
		if x := array.Index(i); x.Kind() == pdf.String {
			w.show(x.RawString())
		} else {
			w.text = w.text.moved(-x.Float64()/1000*w.size*w.scale, 0)
		}
	}
}

// showString shows a string; the null object is an empty one.
func (w *pageWriter) showString(x pdf.Value) {
	if !x.IsNull() {
		w.show(x.RawString())
	}
}

// show writes characters at their position.
func (w *pageWriter) show(raw string) {
	if w.out.length() >= MaxText {
		leavePage()
	}
	if w.font == nil || raw == "" {
		return
	}
	s := w.font.decode.Decode(raw)
	from := w.text.times(w.page)
	height := math.Hypot(from[2], from[3]) * math.Abs(w.size)
	if w.font.vertical {
		n := float64(utf8.RuneCountInString(s))
		w.text = w.text.moved(0, -n*(w.size+w.apart))
		to := w.text.times(w.page)
		w.out.place(s, -from[5], from[4], -to[5], to[4], height) // on a page that is rotated a column is a line
		return
	}
	w.text = w.text.moved((w.width(raw, s)*w.size+w.spaced(raw, s))*w.scale, 0)
	if strings.Trim(s, unknown+" ") == "" {
		s = strings.ReplaceAll(s, unknown, "") // the bullet of a list, in a symbol font
	}
	to := w.text.times(w.page)
	w.out.place(s, from[4], from[5], to[4], to[5], height)
}

// unknown is how the library decodes a character that the font does not explain.
const unknown = string(utf8.RuneError)

// spaced returns the space that characters get in addition to their widths.
func (w *pageWriter) spaced(raw, s string) float64 {
	switch {
	case w.font.wide != nil:
		return w.apart * float64(len(raw)/2)
	case w.font.composite:
		return w.apart * float64(utf8.RuneCountInString(s))
	}
	return w.apart*float64(len(raw)) + w.words*float64(strings.Count(raw, " "))
}

// width returns the width of characters, in units of the font's size.
func (w *pageWriter) width(raw, s string) (sum float64) {
	if w.font.wide != nil {
		for i := 0; i+1 < len(raw); i += 2 {
			width, ok := w.font.wide[uint16(raw[i])<<8|uint16(raw[i+1])]
			if !ok {
				width = w.font.usual
			}
			sum += width / 1000
		}
		return sum
	}
	for i := range len(raw) {
		sum += w.font.widths[raw[i]] / 1000
	}
	if sum > 0 {
		return sum
	}
	for _, r := range s { // no widths are known
		if r >= 0x2e80 {
			sum++
		} else {
			sum += .5
		}
	}
	return sum
}
