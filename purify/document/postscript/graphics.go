package postscript

import (
	"errors"
	"math"
	"slices"
)

func (m *machine) defineGraphics() {
	m.op("gsave", func(m *machine, _ []object) error { return m.keep(false) })
	m.op("save", func(m *machine, _ []object) error {
		if err := m.keep(true); err != nil {
			return err
		}
		return m.push(object{kind: saved, n: float64(len(m.states))})
	})
	m.op("grestore", func(m *machine, _ []object) error {
		if n := len(m.states); n > 0 {
			m.g = m.states[n-1]
			if !m.g.saving {
				m.states = m.states[:n-1]
			}
		}
		return nil
	})
	m.op("grestoreall", func(m *machine, _ []object) error {
		for n := len(m.states); n > 0; n = len(m.states) {
			if m.g = m.states[n-1]; m.g.saving {
				break
			}
			m.states = m.states[:n-1]
		}
		return nil
	})
	m.op("restore", func(m *machine, a []object) error {
		if n := int(a[0].n); n >= 1 && n <= len(m.states) {
			m.g = m.states[n-1]
			m.states = m.states[:n-1]
		}
		return nil
	}, saved)
	m.op("initgraphics", func(m *machine, _ []object) error { m.g.ctm, m.g.has = unit, false; return nil })
	m.defineMatrices()
	m.definePaths()

	m.ops(0, "stroke fill eofill clip eoclip initclip clippath flattenpath reversepath strokepath clipsave cliprestore erasepage closepath")
	m.ops(1, "setlinewidth setlinecap setlinejoin setmiterlimit setflat setstrokeadjust setgray setcolorspace settransfer "+
		"setblackgeneration setundercolorremoval sethalftone setsmoothness shfill setoverprint setcolorrendering setcachelimit ufill ueofill ustroke setcharspacing")
	m.ops(2, "setdash execform")
	m.ops(3, "setrgbcolor sethsbcolor setscreen")
	m.ops(4, "setcmykcolor setcolortransfer")
	m.ops(5, "setbbox")
	m.op("setcolor", func(m *machine, _ []object) error { // as many as its space has
		for n := len(m.stack); n > 0 && m.stack[n-1].number(); n-- {
			m.stack = m.stack[:n-1]
		}
		return nil
	})
	for _, word := range []string{"rectfill", "rectstroke", "rectclip"} {
		m.op(word, func(m *machine, a []object) error {
			if a[0].number() {
				_, err := m.numbers(3)
				return err
			}
			return nil
		}, null)
	}
	for word, o := range map[string]object{"currentlinewidth": whole(1), "currentgray": whole(0), "currentlinecap": whole(0), "currentlinejoin": whole(0),
		"currentmiterlimit": whole(10), "currentflat": whole(1), "currenthalftone": {kind: dictionary, dict: newDict()},
		"currenttransfer": {kind: array, exec: true}, "currentblackgeneration": {kind: array, exec: true}, "currentundercolorremoval": {kind: array, exec: true},
		"currentstrokeadjust": truth(false), "currentoverprint": truth(false)} {
		m.op(word, func(m *machine, _ []object) error { return m.push(o) })
	}
	m.op("currentdash", func(m *machine, _ []object) error { return m.push(listOf(nil), whole(0)) })
	m.op("currentrgbcolor", func(m *machine, _ []object) error { return m.push(whole(0), whole(0), whole(0)) })
	m.op("currentcmykcolor", func(m *machine, _ []object) error { return m.push(whole(0), whole(0), whole(0), whole(1)) })
	m.op("currentcolorspace", func(m *machine, _ []object) error { return m.push(listOf([]object{named("DeviceGray")})) })
	m.op("currentscreen", func(m *machine, _ []object) error {
		return m.push(whole(60), whole(0), object{kind: array, exec: true})
	})
	for _, word := range []string{"image", "imagemask"} {
		m.op(word, func(m *machine, a []object) error {
			if a[0].kind == dictionary {
				return m.imageOf(a[0].dict)
			}
			b, err := m.pops(float, float, null, array)
			if err != nil {
				return err
			}
			bits := 1.0
			if b[2].number() {
				bits = b[2].n
			}
			return m.image(b[0].n, b[1].n, bits, a[0])
		}, null)
	}
	m.op("colorimage", func(m *machine, a []object) error {
		parts, several := a[1].n, a[0].n != 0
		sources := 1
		if several {
			sources = int(parts)
			parts = 1
		}
		if sources < 1 || sources > 4 || len(m.stack) < sources {
			return rangeCheck
		}
		from := slices.Clone(m.stack[len(m.stack)-sources:])
		m.stack = m.stack[:len(m.stack)-sources]
		b, err := m.pops(float, float, float, array)
		if err != nil {
			return err
		}
		size := [3]float64{b[0].n, b[1].n, b[2].n * parts}
		for _, s := range from[:1] { // the others are asked with it
			if err := m.image(size[0], size[1], size[2], s); err != nil {
				return err
			}
		}
		return nil
	}, boolean, integer)
	for _, word := range []string{"showpage", "copypage"} {
		m.op(word, func(m *machine, _ []object) error { m.page(); m.g.has = false; return nil })
	}
	// The origin is that of the page.
	m.op("initmatrix", func(m *machine, _ []object) error { m.g.ctm = unit; return nil })
}

func (m *machine) keep(saving bool) error {
	if len(m.states) >= maxStates {
		return limitCheck
	}
	g := m.g
	g.saving = saving
	m.states = append(m.states, g)
	return nil
}

// imageOf reads a picture that a dictionary describes.
func (m *machine) imageOf(d *dict) error {
	from := d.get("DataSource")
	if from.kind == array && !from.exec && len(from.list) > 0 {
		from = from.list[0]
	}
	parts := float64(max(1, len(d.get("Decode").list)/2))
	return m.image(d.get("Width").n, d.get("Height").n, max(d.get("BitsPerComponent").n, 1)*parts, from)
}

// image reads the bytes of a picture, and draws nothing.
func (m *machine) image(width, height, bits float64, from object) error {
	left := math.Ceil(width*bits/8) * height
	if !(left >= 0 && left < 1<<31) {
		return rangeCheck
	}
	switch from.kind {
	case file:
		for ; left > 0; left-- {
			if _, ok := from.file.next(); !ok {
				break
			}
		}
	case array:
		return m.loop(func() (bool, error) {
			if left <= 0 {
				return false, nil
			}
			if err := m.execute(from); err != nil {
				return false, err
			}
			o, err := m.pop()
			if err != nil || o.kind != text || len(o.bytes) == 0 {
				return false, err
			}
			left -= float64(len(o.bytes))
			return true, nil
		})
	}
	return nil
}

func (m *machine) defineMatrices() {
	put := func(a matrix, into object) object { a.into(into.list); return into }
	fill := func(word string, of func(m *machine) matrix) {
		m.op(word, func(m *machine, a []object) error {
			if len(a[0].list) != 6 {
				return rangeCheck
			}
			return m.push(put(of(m), a[0]))
		}, array)
	}
	m.op("matrix", func(m *machine, _ []object) error {
		o, err := m.made(listOf(make([]object, 6)))
		return errors.Join(err, m.push(put(unit, o)))
	})
	fill("currentmatrix", func(m *machine) matrix { return m.g.ctm })
	fill("identmatrix", func(*machine) matrix { return unit })
	fill("defaultmatrix", func(*machine) matrix { return unit })
	m.op("setmatrix", func(m *machine, a []object) error { return m.setMatrix(a[0], unit) }, array)
	m.op("concat", func(m *machine, a []object) error { return m.setMatrix(a[0], m.g.ctm) }, array)

	// translate, scale and rotate change the matrix of the page, or one that is given.
	change := func(word string, n int, of func(x []float64) matrix) {
		m.system.put(word, object{kind: operator, exec: true, run: func(m *machine) error {
			if top := len(m.stack) - 1; top >= 0 && m.stack[top].kind == array {
				into := m.stack[top]
				m.stack = m.stack[:top]
				x, err := m.numbers(n)
				if err != nil {
					return err
				}
				if len(into.list) != 6 {
					return rangeCheck
				}
				return m.push(put(of(x), into))
			}
			x, err := m.numbers(n)
			if err != nil {
				return err
			}
			m.g.ctm = of(x).times(m.g.ctm)
			return nil
		}})
	}
	change("translate", 2, func(x []float64) matrix { return matrix{1, 0, 0, 1, x[0], x[1]} })
	change("scale", 2, func(x []float64) matrix { return matrix{x[0], 0, 0, x[1], 0, 0} })
	change("rotate", 1, func(x []float64) matrix {
		sin, cos := math.Sincos(x[0] * math.Pi / 180)
		return matrix{cos, sin, -sin, cos, 0, 0}
	})
	m.op("concatmatrix", func(m *machine, a []object) error {
		x, ok := matrixOf(a[0].list)
		y, ok2 := matrixOf(a[1].list)
		if !ok || !ok2 || len(a[2].list) != 6 {
			return rangeCheck
		}
		return m.push(put(x.times(y), a[2]))
	}, array, array, array)
	m.op("invertmatrix", func(m *machine, a []object) error {
		x, ok := matrixOf(a[0].list)
		inverse, ok2 := x.inverse()
		if !ok || !ok2 || len(a[1].list) != 6 {
			return rangeCheck
		}
		return m.push(put(inverse, a[1]))
	}, array, array)
	point := func(word string, of func(by matrix, x, y float64) (float64, float64)) {
		m.system.put(word, object{kind: operator, exec: true, run: func(m *machine) error {
			by := m.g.ctm
			if top := len(m.stack) - 1; top >= 0 && m.stack[top].kind == array {
				var ok bool
				if by, ok = matrixOf(m.stack[top].list); !ok {
					return rangeCheck
				}
				m.stack = m.stack[:top]
			}
			p, err := m.numbers(2)
			if err != nil {
				return err
			}
			x, y := of(by, p[0], p[1])
			return m.push(real(x), real(y))
		}})
	}
	point("transform", matrix.at)
	point("dtransform", matrix.by)
	point("itransform", func(by matrix, x, y float64) (float64, float64) {
		inverse, _ := by.inverse()
		return inverse.at(x, y)
	})
	point("idtransform", func(by matrix, x, y float64) (float64, float64) {
		inverse, _ := by.inverse()
		return inverse.by(x, y)
	})
}

func (m *machine) setMatrix(o object, on matrix) error {
	a, ok := matrixOf(o.list)
	if !ok {
		return rangeCheck
	}
	m.g.ctm = a.times(on)
	return nil
}

func (m *machine) definePaths() {
	m.op("newpath", func(m *machine, _ []object) error { m.g.has = false; return nil })
	m.op("currentpoint", func(m *machine, _ []object) error {
		if !m.g.has {
			return fault("nocurrentpoint")
		}
		inverse, _ := m.g.ctm.inverse()
		x, y := inverse.at(m.g.x, m.g.y)
		return m.push(real(x), real(y))
	})
	// to moves to the last of some points, by a way that does not matter.
	to := func(word string, points int, relative bool) {
		m.system.put(word, object{kind: operator, exec: true, run: func(m *machine) error {
			p, err := m.numbers(2 * points)
			if err != nil {
				return err
			}
			x, y := p[2*points-2], p[2*points-1]
			if relative {
				if !m.g.has {
					return fault("nocurrentpoint")
				}
				dx, dy := m.g.ctm.by(x, y)
				m.g.x, m.g.y = m.g.x+dx, m.g.y+dy
				return nil
			}
			m.g.x, m.g.y = m.g.ctm.at(x, y)
			m.g.has = true
			return nil
		}})
	}
	to("moveto", 1, false)
	to("lineto", 1, false)
	to("curveto", 3, false)
	to("rmoveto", 1, true)
	to("rlineto", 1, true)
	to("rcurveto", 3, true)
	m.ops(5, "arc arcn arct")
	m.op("arcto", func(m *machine, _ []object) error { return m.push(whole(0), whole(0), whole(0), whole(0)) }, float, float, float, float, float)
	m.op("pathbbox", func(m *machine, _ []object) error { return m.push(whole(0), whole(0), whole(612), whole(792)) })
	m.ops(4, "pathforall")
}
