package postscript

import (
	"errors"
	"maps"
	"math"
)

// font returns the font with this name. If the program has not defined it, font defines one with the
// name and the metrics of standard fonts.
func (m *machine) font(word string) object {
	if f := m.fonts.get(word); f.kind == dictionary {
		return f
	}
	f := newDict()
	f.put("FontName", named(word))
	f.put("FontType", whole(1))
	f.put("FontMatrix", listOf([]object{real(.001), whole(0), whole(0), real(.001), whole(0), whole(0)}))
	f.put("FontBBox", listOf([]object{whole(0), whole(-200), whole(1000), whole(900)}))
	f.put("Encoding", encodingOf(StandardEncoding()))
	if word == "Symbol" || word == "ZapfDingbats" {
		f.put("Encoding", encodingOf(symbolEncoding()))
	}
	f.put("CharStrings", object{kind: dictionary, dict: newDict()})
	o := object{kind: dictionary, dict: f}
	m.fonts.put(word, o)
	return o
}

// sized returns a font transformed by a matrix.
func sized(f *dict, by matrix) (object, error) {
	own, ok := matrixOf(f.get("FontMatrix").list)
	if !ok {
		return object{}, fault("invalidfont")
	}
	d := &dict{maps.Clone(f.of)}
	list := make([]object, 6)
	own.times(by).into(list)
	d.put("FontMatrix", listOf(list))
	if f.get(origin).kind != dictionary {
		d.put(origin, object{kind: dictionary, dict: f})
	}
	return object{kind: dictionary, dict: d}, nil
}

// origin is the key under which a font that was derived from another one has it, since widths are
// looked up there.
const origin = "%origin"

func originOf(f *dict) *dict {
	if o := f.get(origin); o.kind == dictionary {
		return o.dict
	}
	return f
}

func (m *machine) defineText() {
	m.op("findfont", func(m *machine, a []object) error { return m.push(m.font(a[0].string())) }, null)
	m.op("definefont", func(m *machine, a []object) error {
		word, f := a[0].string(), a[1]
		f.dict.put("FID", named("fontID"))
		m.fonts.put(word, f)
		return m.push(f)
	}, null, dictionary)
	m.op("undefinefont", func(m *machine, a []object) error { delete(m.fonts.of, keyOf(a[0])); return nil }, null)
	m.op("scalefont", func(m *machine, a []object) error {
		f, err := sized(a[0].dict, matrix{a[1].n, 0, 0, a[1].n, 0, 0})
		return errors.Join(err, m.count(), m.push(f))
	}, dictionary, float)
	m.op("makefont", func(m *machine, a []object) error {
		by, ok := matrixOf(a[1].list)
		if !ok {
			return rangeCheck
		}
		f, err := sized(a[0].dict, by)
		return errors.Join(err, m.count(), m.push(f))
	}, dictionary, array)
	m.op("setfont", func(m *machine, a []object) error { m.g.font = a[0].dict; return nil }, dictionary)
	m.op("selectfont", func(m *machine, a []object) error {
		by, ok := matrixOf(a[1].list)
		if a[1].number() {
			by, ok = matrix{a[1].n, 0, 0, a[1].n, 0, 0}, true
		}
		if !ok {
			return rangeCheck
		}
		f, err := sized(m.font(a[0].string()).dict, by)
		if err != nil {
			return err
		}
		m.g.font = f.dict
		return m.count()
	}, null, null)
	for _, word := range []string{"currentfont", "rootfont"} {
		m.op(word, func(m *machine, _ []object) error {
			if m.g.font == nil {
				m.g.font = m.font("Courier").dict
			}
			return m.push(object{kind: dictionary, dict: m.g.font})
		})
	}
	m.op("findencoding", func(m *machine, a []object) error {
		if a[0].string() == "ISOLatin1Encoding" {
			return m.push(encodingOf(latin1Encoding()))
		}
		return m.push(encodingOf(StandardEncoding()))
	}, null)
	m.defineResources()

	m.op("show", func(m *machine, a []object) error { return m.place(a[0].bytes, nil) }, text)
	m.op("ashow", func(m *machine, a []object) error {
		x, y := a[0].n, a[1].n
		return m.place(a[2].bytes, func(int, byte) (float64, float64, bool) { return x, y, false })
	}, float, float, text)
	m.op("widthshow", func(m *machine, a []object) error {
		x, y, at := a[0].n, a[1].n, byte(int(a[2].n))
		return m.place(a[3].bytes, func(_ int, c byte) (float64, float64, bool) {
			if c != at {
				return 0, 0, false
			}
			return x, y, false
		})
	}, float, float, integer, text)
	m.op("awidthshow", func(m *machine, a []object) error {
		x, y, at, ax, ay := a[0].n, a[1].n, byte(int(a[2].n)), a[3].n, a[4].n
		return m.place(a[5].bytes, func(_ int, c byte) (float64, float64, bool) {
			if c != at {
				return ax, ay, false
			}
			return ax + x, ay + y, false
		})
	}, float, float, integer, float, float, text)
	m.op("kshow", func(m *machine, a []object) error {
		p, s := a[0], a[1].bytes
		for i := range s {
			if err := m.place(s[i:i+1], nil); err != nil {
				return err
			}
			if i+1 < len(s) {
				if err := errors.Join(m.push(whole(int(s[i])), whole(int(s[i+1]))), m.execute(p)); err != nil {
					return err
				}
			}
		}
		return nil
	}, array, text)
	list := func(word string, of int, at func(x []object, i int) (float64, float64)) {
		m.op(word, func(m *machine, a []object) error {
			moves := a[1].list
			if len(moves) < of*len(a[0].bytes) {
				return rangeCheck
			}
			return m.place(a[0].bytes, func(i int, _ byte) (float64, float64, bool) { x, y := at(moves, i); return x, y, true })
		}, text, array)
	}
	list("xshow", 1, func(x []object, i int) (float64, float64) { return x[i].n, 0 })
	list("yshow", 1, func(x []object, i int) (float64, float64) { return 0, x[i].n })
	list("xyshow", 2, func(x []object, i int) (float64, float64) { return x[2*i].n, x[2*i+1].n })
	m.op("glyphshow", func(m *machine, a []object) error {
		if m.g.font == nil || !m.g.has {
			return fault("nocurrentpoint")
		}
		by, ok := matrixOf(m.g.font.get("FontMatrix").list)
		if !ok {
			return fault("invalidfont")
		}
		from := m.g
		m.move(by.by(m.glyphWidth(m.g.font, a[0].string(), 0), 0))
		m.show(Shown{Text: Letters(a[0].string(), 0), X: from.x, Y: from.y, EndX: m.g.x, EndY: m.g.y, Height: m.height(by)})
		return nil
	}, name)
	m.op("stringwidth", func(m *machine, a []object) error {
		if m.g.font == nil {
			return fault("invalidfont")
		}
		by, _ := matrixOf(m.g.font.get("FontMatrix").list)
		x, y := 0.0, 0.0
		for _, c := range a[0].bytes {
			dx, dy := by.by(m.advance(m.g.font, c))
			x, y = x+dx, y+dy
		}
		return m.push(real(x), real(y))
	}, text)
	m.op("charpath", func(m *machine, a []object) error { return m.place(a[0].bytes, nil) }, text, boolean)
	say := func(word string, n int) {
		m.system.put(word, object{kind: operator, exec: true, run: func(m *machine) error {
			x, err := m.numbers(n)
			if err != nil {
				return err
			}
			if m.width == nil {
				return nil
			}
			m.width[0], m.width[1] = x[0], x[1]
			if n > 2 {
				m.tallest = math.Abs(x[5] - x[3])
			}
			return stopRunning // the shape of the character does not matter
		}})
	}
	say("setcharwidth", 2)
	say("setcachedevice", 6)
	say("setcachedevice2", 10)
	m.op("cachestatus", func(m *machine, _ []object) error {
		for range 7 {
			m.stack = append(m.stack, whole(0))
		}
		return nil
	})
}

func (m *machine) defineResources() {
	of := func(category string) *dict {
		if m.res[category] == nil && len(m.res) < maxStates {
			m.res[category] = newDict()
		}
		return m.res[category]
	}
	m.op("findresource", func(m *machine, a []object) error {
		word, category := a[0], a[1].string()
		switch category {
		case "Font":
			return m.push(m.font(word.string()))
		case "Encoding":
			if word.string() == "ISOLatin1Encoding" {
				return m.push(encodingOf(latin1Encoding()))
			}
			if word.string() == "StandardEncoding" {
				return m.push(encodingOf(StandardEncoding()))
			}
		}
		if d := of(category); d != nil {
			if v, ok := d.of[keyOf(word)]; ok {
				return m.push(v)
			}
		}
		return fault("undefinedresource")
	}, null, null)
	m.op("defineresource", func(m *machine, a []object) error {
		word, v, category := a[0], a[1], a[2].string()
		if category == "Font" && v.kind == dictionary {
			m.fonts.of[keyOf(word)] = v
		} else if d := of(category); d != nil {
			d.of[keyOf(word)] = v
		}
		return errors.Join(m.count(), m.push(v))
	}, null, null, null)
	m.op("resourcestatus", func(m *machine, a []object) error {
		word, category := a[0], a[1].string()
		known := false
		if category == "Font" {
			known = m.fonts.get(word.string()).kind == dictionary
		} else if d := of(category); d != nil {
			_, known = d.of[keyOf(word)]
		}
		if !known {
			return m.push(truth(false))
		}
		return m.push(whole(0), whole(0), truth(true))
	}, null, null)
	m.ops(2, "undefineresource")
	m.ops(4, "resourceforall")
}

// advance returns the width of a character, in the font's own units.
func (m *machine) advance(f *dict, c byte) (x, y float64) {
	from := originOf(f)
	if w, ok := m.widths[from][c]; ok {
		return w[0], w[1]
	}
	var w [2]float64
	if f.get("FontType").n == 3 {
		w = m.drawn(f, c)
	} else {
		w[0] = m.glyphWidth(f, glyphOf(f, c), c)
	}
	if m.widths[from] == nil {
		m.widths[from] = make(map[byte][2]float64)
	}
	m.widths[from][c] = w
	return w[0], w[1]
}

// drawn runs the procedure that draws a character of a type 3 font, to get its width.
func (m *machine) drawn(f *dict, c byte) (w [2]float64) {
	stack, dicts, files, states, g, before := len(m.stack), len(m.dicts), len(m.files), len(m.states), m.g, m.width
	m.width, m.tallest = &w, 0
	draw, what := f.get("BuildGlyph"), named(glyphOf(f, c))
	if draw.kind != array {
		draw, what = f.get("BuildChar"), whole(int(c))
	}
	err := m.push(object{kind: dictionary, dict: f}, what)
	if err == nil {
		err = m.execute(draw)
	}
	m.width, m.g = before, g
	from := originOf(f)
	m.heights[from] = max(m.heights[from], m.tallest)
	m.stack = m.stack[:min(stack, len(m.stack))]
	m.dicts, m.files, m.states = m.dicts[:min(dicts, len(m.dicts))], m.files[:min(files, len(m.files))], m.states[:min(states, len(m.states))]
	if err != nil && !errors.Is(err, stopRunning) && w[0] == 0 {
		w[0] = 500
	}
	return w
}

// glyphWidth returns the width of a glyph, in thousandths of the font size or in the font's own
// units.
func (m *machine) glyphWidth(f *dict, glyph string, c byte) float64 {
	if v := f.get("Metrics"); v.kind == dictionary {
		switch w := v.dict.get(glyph); {
		case w.number():
			return w.n
		case w.kind == array && len(w.list) == 2:
			return w.list[1].n
		}
	}
	if v := f.get("CharStrings"); v.kind == dictionary {
		if code := v.dict.get(glyph); code.kind == text {
			skip := 4
			if p := f.get("Private"); p.kind == dictionary && p.dict.get("lenIV").kind == integer {
				skip = int(p.dict.get("lenIV").n)
			}
			if w, ok := charWidth(code.bytes, skip); ok {
				return w
			}
		}
	}
	w := guessed(f.get("FontName").string(), Letters(glyph, c))
	if f.get("FontType").n == 42 {
		w /= 1000
	}
	return w
}

// charWidth reads the width at the start of a charstring (Adobe Type 1 Font Format, sections 6.4
// and 7.3).
func charWidth(code []byte, skip int) (float64, bool) {
	plain := make([]byte, 0, 32)
	r := uint16(4330)
	for i, c := range code[:min(len(code), 32)] {
		if skip >= 0 {
			p := c ^ byte(r>>8)
			r = (uint16(c)+r)*52845 + 22719
			if i < skip {
				continue
			}
			c = p
		}
		plain = append(plain, c)
	}
	var n []float64
	for i := 0; i < len(plain); i++ {
		switch c := int(plain[i]); {
		case c >= 32 && c <= 246:
			n = append(n, float64(c-139))
		case c >= 247 && c <= 254 && i+1 < len(plain):
			i++
			if c <= 250 {
				n = append(n, float64((c-247)*256+int(plain[i])+108))
			} else {
				n = append(n, float64(-(c-251)*256-int(plain[i])-108))
			}
		case c == 255 && i+4 < len(plain):
			n = append(n, float64(int32(uint32(plain[i+1])<<24|uint32(plain[i+2])<<16|uint32(plain[i+3])<<8|uint32(plain[i+4]))))
			i += 4
		case c == 13 && len(n) >= 2:
			return n[1], true
		case c == 12 && i+1 < len(plain):
			i++
			switch k := len(n); {
			case plain[i] == 12 && k >= 2 && n[k-1] != 0:
				n = append(n[:k-2], n[k-2]/n[k-1])
			case plain[i] == 7 && k >= 4:
				return n[2], true
			default:
				return 0, false
			}
		default:
			return 0, false
		}
	}
	return 0, false
}

// glyphOf returns the name of a character's glyph in the font's encoding.
func glyphOf(f *dict, c byte) string {
	e := f.get("Encoding")
	if e.kind != array || int(c) >= len(e.list) {
		return ""
	}
	return e.list[c].s
}

// place shows characters one after the other. moves returns how far to go in addition to a
// character's width or, if instead is set, in place of it.
func (m *machine) place(s []byte, moves func(i int, c byte) (x, y float64, instead bool)) error {
	f := m.g.font
	if f == nil {
		f = m.font("Courier").dict
	}
	if !m.g.has {
		return fault("nocurrentpoint")
	}
	if f.get("FontType").n == 0 || f.get("FMapType").kind != null || len(s) == 0 {
		return nil // it has two bytes a character, and their letters are not known
	}
	by, ok := matrixOf(f.get("FontMatrix").list)
	if !ok {
		return fault("invalidfont")
	}
	if m.steps += len(s); m.steps > maxSteps {
		return endless
	}
	for _, c := range s {
		m.advance(f, c) // this finds the height
	}
	height := m.height(by)
	from, pending := m.g, ""
	flush := func() {
		if pending != "" && m.width == nil {
			m.show(Shown{Text: pending, X: from.x, Y: from.y, EndX: m.g.x, EndY: m.g.y, Height: height})
		}
		pending = ""
	}
	for i, c := range s {
		dx, dy := by.by(m.advance(f, c))
		if pending == "" {
			from = m.g
		}
		pending += Letters(glyphOf(f, c), c)
		m.move(dx, dy)
		if moves == nil {
			continue
		}
		ex, ey, instead := moves(i, c)
		if instead {
			ex, ey = ex-dx, ey-dy
		}
		if wx, wy := m.g.ctm.by(ex, ey); c != ' ' && math.Hypot(wx, wy) > height/20 {
			flush()
		}
		m.move(ex, ey)
	}
	flush()
	return nil
}

// move moves the current point, in user space.
func (m *machine) move(x, y float64) {
	dx, dy := m.g.ctm.by(x, y)
	m.g.x, m.g.y = m.g.x+dx, m.g.y+dy
}

// height returns the height of a font's letters on the page. The units of a type 3 font may be
// anything, so the box around its letters is used, or the tallest letter that was shown.
func (m *machine) height(by matrix) float64 {
	em := 1000.0
	if f := m.g.font; f != nil && f.get("FontType").n == 3 {
		em = 0
		if box := f.get("FontBBox").list; len(box) == 4 {
			em = math.Abs(box[3].n - box[1].n)
		}
		if em == 0 {
			em = m.heights[originOf(f)]
		}
	}
	return math.Hypot(m.g.ctm.by(by.by(0, em)))
}
