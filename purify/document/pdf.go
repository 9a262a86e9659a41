package document

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ledongthuc/pdf"
)

// readPDF reads a PDF here.
func readPDF(content []byte) (text string, err error) {
	defer func() {
		if fault := recover(); fault != nil { // the library's way to say that a file is broken
			text, err = "", fmt.Errorf("not a PDF that can be read: %.200v", fault)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return "", err
	}
	var b lines
	left := maxPages
	eachPage(r.Trailer().Key("Root").Key("Pages"), 0, &left, func(p pdf.Page) bool {
		writePage(&b, p)
		return b.length() < MaxText
	})
	return b.out.String(), nil
}

// The bounds of the tree of pages.
const (
	maxPages = 10_000 // with the nodes of their tree
	maxTree  = 64     // from its root down
)

// eachPage calls visit for the pages of a tree, in their order, until it returns false or
// left nodes were seen: a tree can be a ring.
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

// writePage writes the lines of a page. A page that cannot be read is left out.
func writePage(b *lines, p pdf.Page) {
	defer func() {
		_ = recover() // of this page alone
		b.endPage()
	}()
	if p.V.IsNull() || p.V.Key("Contents").IsNull() {
		return
	}
	w := pageWriter{out: b, size: 1, text: identity}
	w.run(p.V.Key("Contents"), p.Resources(), 0)
}

// A matrix places text: a b c d e f of the operator Tm.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// moved returns the matrix moved by x, y in its own measure.
func (m matrix) moved(x, y float64) matrix {
	m[4], m[5] = m[4]+x*m[0]+y*m[2], m[5]+x*m[1]+y*m[3]
	return m
}

// A pageWriter follows the operators that show text.
type pageWriter struct {
	out     *lines
	font    *font
	size    float64
	leading float64
	line    matrix // of the line's start
	text    matrix // of the next character
}

// A font is what is asked of one for every character: the library parses it again each time.
type font struct {
	decode pdf.TextEncoding
	widths [256]float64 // in thousandths of the size; 0: not known
}

// maxForms bounds forms within forms.
const maxForms = 8

// run follows a stream of operators.
func (w *pageWriter) run(stream, resources pdf.Value, depth int) {
	fonts := make(map[string]*font)
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		n := stack.Len()
		args := make([]pdf.Value, n)
		for i := n - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		number := func(i int) float64 {
			if i >= n {
				return 0
			}
			return args[i].Float64()
		}
		switch op {
		case "BT":
			w.line, w.text = identity, identity
		case "Tf":
			if n == 2 {
				name := args[0].Name()
				if fonts[name] == nil {
					fonts[name] = readFont(resources.Key("Font").Key(name))
				}
				w.font, w.size = fonts[name], number(1)
			}
		case "TL":
			w.leading = number(0)
		case "Tm":
			for i := range w.line {
				w.line[i] = number(i)
			}
			w.text = w.line
		case "TD":
			w.leading = -number(1)
			fallthrough
		case "Td":
			w.line = w.line.moved(number(0), number(1))
			w.text = w.line
		case "'", "\"", "T*":
			w.line = w.line.moved(0, -w.leading)
			w.text = w.line
			if n > 0 {
				w.show(args[n-1].RawString())
			}
		case "Tj":
			if n > 0 {
				w.show(args[n-1].RawString())
			}
		case "TJ":
			if n == 0 {
				return
			}
			for i := range args[n-1].Len() {
				if x := args[n-1].Index(i); x.Kind() == pdf.String {
					w.show(x.RawString())
				} else {
					w.text = w.text.moved(-x.Float64()/1000*w.size, 0)
				}
			}
		case "Do":
			if n == 0 || depth == maxForms {
				return
			}
			if form := resources.Key("XObject").Key(args[0].Name()); form.Key("Subtype").Name() == "Form" {
				own := form.Key("Resources")
				if own.IsNull() {
					own = resources
				}
				w.run(form, own, depth+1)
			}
		}
	})
}

// readFont reads a font. Those of two bytes a character have no widths here.
func readFont(v pdf.Value) *font {
	of := pdf.Font{V: v}
	f := &font{decode: of.Encoder()}
	if v.Key("Subtype").Name() == "Type0" {
		return f
	}
	first, widths := int(v.Key("FirstChar").Int64()), v.Key("Widths")
	for i := range min(widths.Len(), len(f.widths)) {
		if code := first + i; code >= 0 && code < len(f.widths) {
			f.widths[code] = widths.Index(i).Float64()
		}
	}
	return f
}

// show writes characters at their place.
func (w *pageWriter) show(raw string) {
	if w.out.length() >= MaxText {
		panic("enough") // ends the page
	}
	if w.font == nil || raw == "" {
		return
	}
	s := w.font.decode.Decode(raw)
	x, y := w.text[4], w.text[5]
	height := math.Hypot(w.text[2], w.text[3]) * math.Abs(w.size)
	w.text = w.text.moved(w.width(raw, s)*w.size, 0)
	w.out.place(s, x, y, w.text[4], w.text[5], height)
}

// width is that of characters, in the font's size.
func (w *pageWriter) width(raw, s string) (sum float64) {
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
