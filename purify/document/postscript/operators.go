package postscript

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An action executes an operator with its operands, which were taken from the stack.
type action func(m *machine, a []object) error

// op defines an operator that takes operands of these kinds; null is any kind, float any number.
func (m *machine) op(word string, do action, kinds ...kind) {
	m.system.put(word, object{kind: operator, exec: true, run: func(m *machine) error {
		a, err := m.pops(kinds...)
		if err != nil {
			return err
		}
		return do(m, a)
	}})
}

// ops defines operators that only take operands, such as those that draw.
func (m *machine) ops(operands int, words string) {
	kinds := make([]kind, operands)
	for word := range strings.FieldsSeq(words) {
		m.op(word, func(*machine, []object) error { return nil }, kinds...)
	}
}

func (m *machine) define() {
	m.system.put("systemdict", object{kind: dictionary, dict: m.system})
	for word, d := range map[string]*dict{"userdict": m.user, "globaldict": m.user, "statusdict": newDict(), "errordict": newDict(),
		"$error": newDict(), "FontDirectory": m.fonts, "SharedFontDirectory": m.fonts} {
		m.system.put(word, object{kind: dictionary, dict: d})
	}
	for word, o := range map[string]object{"true": truth(true), "false": truth(false), "null": {}, "languagelevel": whole(3),
		"version": textOf([]byte("3010")), "product": textOf([]byte("gatecrawl")), "StandardEncoding": encodingOf(StandardEncoding()),
		"ISOLatin1Encoding": encodingOf(latin1Encoding())} {
		m.system.put(word, o)
	}
	m.defineStack()
	m.defineNumbers()
	m.defineControl()
	m.defineComposite()
	m.defineFiles()
	m.defineGraphics()
	m.defineText()
}

func (m *machine) defineStack() {
	m.op("pop", func(*machine, []object) error { return nil }, null)
	m.op("dup", func(m *machine, a []object) error { o := a[0]; return m.push(o, o) }, null)
	m.op("exch", func(m *machine, a []object) error { x, y := a[0], a[1]; return m.push(y, x) }, null, null)
	m.op("clear", func(m *machine, _ []object) error { m.stack = m.stack[:0]; return nil })
	m.op("count", func(m *machine, _ []object) error { return m.push(whole(len(m.stack))) })
	m.op("mark", func(m *machine, _ []object) error { return m.push(object{kind: mark}) })
	m.op("[", func(m *machine, _ []object) error { return m.push(object{kind: mark}) })
	m.op("<<", func(m *machine, _ []object) error { return m.push(object{kind: mark}) })
	m.op("index", func(m *machine, a []object) error {
		i := len(m.stack) - 1 - int(a[0].n)
		if i < 0 || i >= len(m.stack) {
			return rangeCheck
		}
		return m.push(m.stack[i])
	}, integer)
	m.op("roll", func(m *machine, a []object) error {
		n, by := int(a[0].n), int(a[1].n)
		if n < 0 || n > len(m.stack) {
			return rangeCheck
		}
		if n > 0 {
			top := m.stack[len(m.stack)-n:]
			by = ((by % n) + n) % n
			m.steps += n
			turned := append(slices.Clone(top[n-by:]), top[:n-by]...)
			copy(top, turned)
		}
		return nil
	}, integer, integer)
	m.op("cleartomark", func(m *machine, _ []object) error { _, err := m.toMark(); return err })
	m.op("counttomark", func(m *machine, _ []object) error {
		for i := len(m.stack) - 1; i >= 0; i-- {
			if m.stack[i].kind == mark {
				return m.push(whole(len(m.stack) - 1 - i))
			}
		}
		return rangeCheck
	})
	m.op("]", func(m *machine, _ []object) error {
		list, err := m.toMark()
		if err != nil {
			return err
		}
		o, err := m.made(listOf(slices.Clone(list)))
		return errors.Join(err, m.push(o))
	})
	m.op(">>", func(m *machine, _ []object) error {
		list, err := m.toMark()
		if err != nil {
			return err
		}
		d := newDict()
		for i := 0; i+1 < len(list); i += 2 {
			d.of[keyOf(list[i])] = list[i+1]
		}
		o, err := m.made(object{kind: dictionary, dict: d})
		return errors.Join(err, m.push(o))
	})
}

// toMark takes the objects above the last mark, and the mark.
func (m *machine) toMark() ([]object, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if m.stack[i].kind == mark {
			list := m.stack[i+1:]
			m.stack = m.stack[:i]
			return list, nil
		}
	}
	return nil, rangeCheck
}

func (m *machine) defineNumbers() {
	two := func(word string, f func(x, y float64) float64) {
		m.op(word, func(m *machine, a []object) error { return m.push(num(f(a[0].n, a[1].n))) }, float, float)
	}
	one := func(word string, f func(x float64) float64) {
		m.op(word, func(m *machine, a []object) error { return m.push(num(f(a[0].n))) }, float)
	}
	two("add", func(x, y float64) float64 { return x + y })
	two("sub", func(x, y float64) float64 { return x - y })
	two("mul", func(x, y float64) float64 { return x * y })
	two("exp", math.Pow)
	two("atan", func(x, y float64) float64 { return math.Mod(math.Atan2(x, y)*180/math.Pi+360, 360) })
	m.op("div", func(m *machine, a []object) error {
		if a[1].n == 0 {
			return fault("undefinedresult")
		}
		return m.push(real(a[0].n / a[1].n))
	}, float, float)
	for word, f := range map[string]func(x, y float64) float64{"idiv": func(x, y float64) float64 { return math.Trunc(x / y) }, "mod": math.Mod} {
		m.op(word, func(m *machine, a []object) error {
			if a[1].n == 0 {
				return fault("undefinedresult")
			}
			return m.push(num(f(a[0].n, a[1].n)))
		}, float, float)
	}
	one("neg", func(x float64) float64 { return -x })
	one("abs", math.Abs)
	one("ceiling", math.Ceil)
	one("floor", math.Floor)
	one("round", func(x float64) float64 { return math.Floor(x + .5) })
	one("truncate", math.Trunc)
	one("sqrt", math.Sqrt)
	one("sin", func(x float64) float64 { return math.Sin(x * math.Pi / 180) })
	one("cos", func(x float64) float64 { return math.Cos(x * math.Pi / 180) })
	one("ln", math.Log)
	one("log", math.Log10)
	m.op("rand", func(m *machine, _ []object) error { return m.push(whole(1)) })
	m.op("rrand", func(m *machine, _ []object) error { return m.push(whole(1)) })
	m.ops(1, "srand")
	m.op("eq", func(m *machine, a []object) error { return m.push(truth(same(a[0], a[1]))) }, null, null)
	m.op("ne", func(m *machine, a []object) error { return m.push(truth(!same(a[0], a[1]))) }, null, null)
	for word, is := range map[string]func(c int) bool{"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 }} {
		m.op(word, func(m *machine, a []object) error {
			switch {
			case a[0].number() && a[1].number():
				c := 0
				if a[0].n < a[1].n {
					c = -1
				} else if a[0].n > a[1].n {
					c = 1
				}
				return m.push(truth(is(c)))
			case a[0].kind == text && a[1].kind == text:
				return m.push(truth(is(bytes.Compare(a[0].bytes, a[1].bytes))))
			}
			return typeCheck
		}, null, null)
	}
	for word, f := range map[string]func(x, y int) int{"and": func(x, y int) int { return x & y }, "or": func(x, y int) int { return x | y },
		"xor": func(x, y int) int { return x ^ y }} {
		m.op(word, func(m *machine, a []object) error {
			if a[0].kind != a[1].kind || a[0].kind != boolean && a[0].kind != integer {
				return typeCheck
			}
			return m.push(object{kind: a[0].kind, n: float64(f(int(a[0].n), int(a[1].n)))})
		}, null, null)
	}
	m.op("not", func(m *machine, a []object) error {
		switch a[0].kind {
		case boolean:
			return m.push(truth(a[0].n == 0))
		case integer:
			return m.push(whole(^int(a[0].n)))
		}
		return typeCheck
	}, null)
	m.op("bitshift", func(m *machine, a []object) error {
		x, by := uint32(int32(a[0].n)), int(a[1].n)
		if by >= 0 {
			x <<= min(by, 32)
		} else {
			x >>= min(-by, 32)
		}
		return m.push(whole(int(int32(x))))
	}, integer, integer)
	m.op("cvi", func(m *machine, a []object) error {
		x, err := toNumber(a[0])
		if err == nil && !(math.Abs(x) < 1<<31) {
			err = rangeCheck
		}
		if err != nil {
			return err
		}
		return m.push(whole(int(x)))
	}, null)
	m.op("cvr", func(m *machine, a []object) error {
		x, err := toNumber(a[0])
		if err != nil {
			return err
		}
		return m.push(real(x))
	}, null)
}

func toNumber(o object) (float64, error) {
	if o.number() {
		return o.n, nil
	}
	if o.kind == text {
		if word := strings.TrimSpace(string(o.bytes)); word != "" {
			if n, ok := numberOf(word); ok {
				return n.n, nil
			}
		}
	}
	return 0, typeCheck
}

func (m *machine) defineControl() {
	m.op("exec", func(m *machine, a []object) error { return m.execute(a[0]) }, null)
	m.op("if", func(m *machine, a []object) error {
		if a[0].n == 0 {
			return nil
		}
		return m.execute(a[1])
	}, boolean, array)
	m.op("ifelse", func(m *machine, a []object) error {
		if a[0].n == 0 {
			return m.execute(a[2])
		}
		return m.execute(a[1])
	}, boolean, array, array)
	m.op("loop", func(m *machine, a []object) error {
		p := a[0]
		return m.loop(func() (bool, error) { return true, m.execute(p) })
	}, array)
	m.op("repeat", func(m *machine, a []object) error {
		p, n := a[1], int(a[0].n)
		return m.loop(func() (bool, error) {
			if n--; n < 0 {
				return false, nil
			}
			return true, m.execute(p)
		})
	}, integer, array)
	m.op("for", func(m *machine, a []object) error {
		x, by, to, p := a[0].n, a[1].n, a[2].n, a[3]
		return m.loop(func() (bool, error) {
			if by >= 0 && x > to || by < 0 && x < to {
				return false, nil
			}
			if err := m.push(num(x)); err != nil {
				return false, err
			}
			x += by
			return true, m.execute(p)
		})
	}, float, float, float, array)
	m.op("forall", func(m *machine, a []object) error { return m.forAll(a[0], a[1]) }, null, array)
	m.op("exit", func(*machine, []object) error { return exitLoop })
	m.op("stop", func(*machine, []object) error { return stopRunning })
	m.op("quit", func(*machine, []object) error { return quit })
	m.op("stopped", func(m *machine, a []object) error {
		files, dicts := len(m.files), len(m.dicts)
		err := m.execute(a[0])
		switch {
		case err == nil:
			return m.push(truth(false))
		case errors.Is(err, quit), errors.Is(err, endless), errors.Is(err, tooLarge), errors.Is(err, exitLoop):
			return err
		}
		m.files = m.files[:min(files, len(m.files))]
		m.dicts = m.dicts[:min(dicts, len(m.dicts))]
		return m.push(truth(true))
	}, null)
	m.op("bind", func(m *machine, a []object) error { return m.push(a[0]) }, null)
	m.op("type", func(m *machine, a []object) error {
		return m.push(object{kind: name, exec: true, s: kindNames[a[0].kind]})
	}, null)
	m.op("cvx", func(m *machine, a []object) error { o := a[0]; o.exec = true; return m.push(o) }, null)
	m.op("cvlit", func(m *machine, a []object) error { o := a[0]; o.exec = false; return m.push(o) }, null)
	m.op("xcheck", func(m *machine, a []object) error { return m.push(truth(a[0].exec)) }, null)
	for _, word := range []string{"rcheck", "wcheck"} {
		m.op(word, func(m *machine, _ []object) error { return m.push(truth(true)) }, null)
	}
	for _, word := range []string{"readonly", "executeonly", "noaccess"} {
		m.op(word, func(m *machine, a []object) error { return m.push(a[0]) }, null)
	}
	m.op("gcheck", func(m *machine, _ []object) error { return m.push(truth(false)) }, null)
	m.ops(1, "setglobal setpacking setobjectformat setvmthreshold vmreclaim setuserparams setsystemparams setpagedevice")
	for _, word := range []string{"currentglobal", "currentpacking"} {
		m.op(word, func(m *machine, _ []object) error { return m.push(truth(false)) })
	}
	for _, word := range []string{"currentpagedevice", "currentuserparams", "currentsystemparams"} {
		m.op(word, func(m *machine, _ []object) error { return m.push(object{kind: dictionary, dict: newDict()}) })
	}
	m.op("internaldict", func(m *machine, _ []object) error { return m.push(object{kind: dictionary, dict: newDict()}) }, integer)
	m.op("vmstatus", func(m *machine, _ []object) error { return m.push(whole(0), whole(0), whole(1<<24)) })
	for _, word := range []string{"usertime", "realtime"} {
		m.op(word, func(m *machine, _ []object) error { return m.push(whole(m.steps / 1000)) })
	}
}

// loop repeats once until it returns false or the program leaves the loop.
func (m *machine) loop(once func() (more bool, err error)) error {
	for {
		if m.steps++; m.steps > maxSteps {
			return endless
		}
		more, err := once()
		if errors.Is(err, exitLoop) {
			return nil
		}
		if err != nil || !more {
			return err
		}
	}
}

func (m *machine) forAll(of, p object) error {
	i := 0
	each := func(n int, item func(i int) object) error {
		return m.loop(func() (bool, error) {
			if i >= n {
				return false, nil
			}
			if err := m.push(item(i)); err != nil {
				return false, err
			}
			i++
			return true, m.execute(p)
		})
	}
	switch of.kind {
	case array:
		return each(len(of.list), func(i int) object { return of.list[i] })
	case text:
		return each(len(of.bytes), func(i int) object { return whole(int(of.bytes[i])) })
	case dictionary:
		keys := make([]key, 0, len(of.dict.of))
		for k := range of.dict.of {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b key) int { return strings.Compare(a.s, b.s) })
		return each(len(keys), func(i int) object {
			k := keys[i]
			o := object{kind: k.kind, n: k.n, s: k.s}
			m.stack = append(m.stack, o)
			return of.dict.of[k]
		})
	}
	return typeCheck
}

func (m *machine) defineComposite() {
	m.op("array", func(m *machine, a []object) error { return m.makeList(a[0].n) }, integer)
	m.op("packedarray", func(m *machine, a []object) error { return m.gather(int(a[0].n)) }, integer)
	m.op("string", func(m *machine, a []object) error {
		if a[0].n < 0 || a[0].n > maxObjects {
			return rangeCheck
		}
		o, err := m.made(textOf(make([]byte, int(a[0].n))))
		return errors.Join(err, m.push(o))
	}, integer)
	m.op("dict", func(m *machine, _ []object) error {
		o, err := m.made(object{kind: dictionary, dict: newDict()})
		return errors.Join(err, m.push(o))
	}, integer)
	m.op("begin", func(m *machine, a []object) error {
		if len(m.dicts) > maxStates {
			return limitCheck
		}
		m.dicts = append(m.dicts, a[0].dict)
		return nil
	}, dictionary)
	m.op("end", func(m *machine, _ []object) error {
		if len(m.dicts) > 2 {
			m.dicts = m.dicts[:len(m.dicts)-1]
		}
		return nil
	})
	m.op("currentdict", func(m *machine, _ []object) error {
		return m.push(object{kind: dictionary, dict: m.dicts[len(m.dicts)-1]})
	})
	m.op("countdictstack", func(m *machine, _ []object) error { return m.push(whole(len(m.dicts))) })
	m.op("cleardictstack", func(m *machine, _ []object) error { m.dicts = m.dicts[:2]; return nil })
	m.op("def", func(m *machine, a []object) error {
		m.dicts[len(m.dicts)-1].of[keyOf(a[0])] = a[1]
		return m.count()
	}, null, null)
	m.op("store", func(m *machine, a []object) error {
		k := keyOf(a[0])
		for i := len(m.dicts) - 1; i >= 0; i-- {
			if _, ok := m.dicts[i].of[k]; ok {
				m.dicts[i].of[k] = a[1]
				return nil
			}
		}
		m.dicts[len(m.dicts)-1].of[k] = a[1]
		return m.count()
	}, null, null)
	m.op("load", func(m *machine, a []object) error {
		v, ok := m.look(a[0].string())
		if !ok {
			return undefined
		}
		return m.push(v)
	}, null)
	m.op("where", func(m *machine, a []object) error {
		k := keyOf(a[0])
		for i := len(m.dicts) - 1; i >= 0; i-- {
			if _, ok := m.dicts[i].of[k]; ok {
				return m.push(object{kind: dictionary, dict: m.dicts[i]}, truth(true))
			}
		}
		return m.push(truth(false))
	}, null)
	m.op("known", func(m *machine, a []object) error {
		_, ok := a[0].dict.of[keyOf(a[1])]
		return m.push(truth(ok))
	}, dictionary, null)
	m.op("undef", func(m *machine, a []object) error { delete(a[0].dict.of, keyOf(a[1])); return nil }, dictionary, null)
	m.op("maxlength", func(m *machine, a []object) error { return m.push(whole(len(a[0].dict.of) + 100)) }, dictionary)
	m.op("length", func(m *machine, a []object) error {
		switch o := a[0]; o.kind {
		case array:
			return m.push(whole(len(o.list)))
		case text:
			return m.push(whole(len(o.bytes)))
		case name:
			return m.push(whole(len(o.s)))
		case dictionary:
			return m.push(whole(len(o.dict.of)))
		}
		return typeCheck
	}, null)
	m.op("get", func(m *machine, a []object) error {
		of, at := a[0], a[1]
		i := int(at.n)
		switch {
		case of.kind == dictionary:
			v, ok := of.dict.of[keyOf(at)]
			if !ok {
				return undefined
			}
			return m.push(v)
		case at.kind != integer:
			return typeCheck
		case of.kind == array && i >= 0 && i < len(of.list):
			return m.push(of.list[i])
		case of.kind == text && i >= 0 && i < len(of.bytes):
			return m.push(whole(int(of.bytes[i])))
		}
		return rangeCheck
	}, null, null)
	m.op("put", func(m *machine, a []object) error {
		of, at, v := a[0], a[1], a[2]
		i := int(at.n)
		switch {
		case of.kind == dictionary:
			of.dict.of[keyOf(at)] = v
			return m.count()
		case of.kind == array && at.kind == integer && i >= 0 && i < len(of.list):
			of.list[i] = v
			return nil
		case of.kind == text && at.kind == integer && i >= 0 && i < len(of.bytes) && v.number():
			of.bytes[i] = byte(int(v.n))
			return nil
		}
		return rangeCheck
	}, null, null, null)
	m.op("getinterval", func(m *machine, a []object) error {
		o, i, n := a[0], int(a[1].n), int(a[2].n)
		switch {
		case o.kind == array && i >= 0 && n >= 0 && i+n <= len(o.list):
			o.list = o.list[i : i+n]
			return m.push(o)
		case o.kind == text && i >= 0 && n >= 0 && i+n <= len(o.bytes):
			o.bytes = o.bytes[i : i+n]
			return m.push(o)
		}
		return rangeCheck
	}, null, integer, integer)
	m.op("putinterval", func(m *machine, a []object) error {
		to, i, from := a[0], int(a[1].n), a[2]
		m.steps += len(from.list) + len(from.bytes)/8
		switch {
		case to.kind == array && from.kind == array && i >= 0 && i+len(from.list) <= len(to.list):
			copy(to.list[i:], from.list)
			return nil
		case to.kind == text && from.kind == text && i >= 0 && i+len(from.bytes) <= len(to.bytes):
			copy(to.bytes[i:], from.bytes)
			return nil
		}
		return rangeCheck
	}, null, integer, null)
	m.op("aload", func(m *machine, a []object) error {
		o := a[0]
		return m.push(append(slices.Clone(o.list), o)...)
	}, array)
	m.op("astore", func(m *machine, a []object) error {
		o := a[0]
		n := len(m.stack) - len(o.list)
		if n < 0 {
			return stackUnderflow
		}
		copy(o.list, m.stack[n:])
		m.stack = m.stack[:n]
		return m.push(o)
	}, array)
	m.op("copy", func(m *machine, a []object) error { return m.copy(a[0]) }, null)
	m.op("cvn", func(m *machine, a []object) error {
		return m.push(object{kind: name, exec: a[0].exec, s: string(a[0].bytes)})
	}, text)
	m.op("cvs", func(m *machine, a []object) error {
		into := a[1]
		into.bytes = into.bytes[:copy(into.bytes, a[0].string())]
		return m.push(into)
	}, null, text)
	m.op("cvrs", func(m *machine, a []object) error {
		base, into := int(a[1].n), a[2]
		s := a[0].string()
		if base != 10 && base >= 2 && base <= 36 {
			s = strings.ToUpper(strconv.FormatUint(uint64(uint32(int32(a[0].n))), base))
		}
		into.bytes = into.bytes[:copy(into.bytes, s)]
		return m.push(into)
	}, float, integer, text)
	m.op("search", func(m *machine, a []object) error {
		o, what := a[0], a[1]
		i := bytes.Index(o.bytes, what.bytes)
		if i < 0 {
			return m.push(o, truth(false))
		}
		n := len(what.bytes)
		return m.push(textOf(o.bytes[i+n:]), textOf(o.bytes[i:i+n]), textOf(o.bytes[:i]), truth(true))
	}, text, text)
	m.op("anchorsearch", func(m *machine, a []object) error {
		o, what := a[0], a[1]
		if !bytes.HasPrefix(o.bytes, what.bytes) {
			return m.push(o, truth(false))
		}
		n := len(what.bytes)
		return m.push(textOf(o.bytes[n:]), textOf(o.bytes[:n]), truth(true))
	}, text, text)
}

// count counts an entry of a dictionary.
func (m *machine) count() error {
	_, err := m.made(object{})
	return err
}

func (m *machine) makeList(n float64) error {
	if n < 0 || n > maxArray {
		return rangeCheck
	}
	o, err := m.made(listOf(make([]object, int(n))))
	return errors.Join(err, m.push(o))
}

// gather makes an array of the n topmost objects.
func (m *machine) gather(n int) error {
	at := len(m.stack) - n
	if n < 0 || at < 0 {
		return rangeCheck
	}
	o, err := m.made(listOf(slices.Clone(m.stack[at:])))
	m.stack = m.stack[:at]
	return errors.Join(err, m.push(o))
}

// copy is the operator of many operands: of the stack, or of what two objects hold.
func (m *machine) copy(top object) error {
	if top.kind == integer {
		at := len(m.stack) - int(top.n)
		if top.n < 0 || at < 0 {
			return rangeCheck
		}
		m.steps += int(top.n)
		return m.push(slices.Clone(m.stack[at:])...)
	}
	from, err := m.pop()
	if err != nil {
		return err
	}
	m.steps += len(from.list) + len(from.bytes)/8
	switch {
	case top.kind == array && from.kind == array && len(from.list) <= len(top.list):
		top.list = top.list[:copy(top.list, from.list)]
	case top.kind == text && from.kind == text && len(from.bytes) <= len(top.bytes):
		top.bytes = top.bytes[:copy(top.bytes, from.bytes)]
	case top.kind == dictionary && from.kind == dictionary:
		for k, v := range from.dict.of {
			top.dict.of[k] = v
		}
		if m.objects += len(from.dict.of); m.objects > maxObjects {
			return tooLarge
		}
	default:
		return typeCheck
	}
	return m.push(top)
}

func (m *machine) defineFiles() {
	m.op("currentfile", func(m *machine, _ []object) error { return m.push(object{kind: file, file: m.input()}) })
	m.op("closefile", func(m *machine, a []object) error { a[0].file.closed = true; return nil }, file)
	m.op("flushfile", func(m *machine, a []object) error {
		for ok := true; ok; {
			_, ok = a[0].file.next()
		}
		return nil
	}, file)
	m.op("status", func(m *machine, a []object) error { return m.push(truth(a[0].file != nil && !a[0].file.closed)) }, null)
	m.op("bytesavailable", func(m *machine, _ []object) error { return m.push(whole(-1)) }, file)
	m.op("read", func(m *machine, a []object) error {
		c, ok := a[0].file.next()
		if !ok {
			return m.push(truth(false))
		}
		return m.push(whole(int(c)), truth(true))
	}, file)
	m.op("readstring", func(m *machine, a []object) error { return m.fillFrom(a[0].file, a[1]) }, file, text)
	m.op("readhexstring", func(m *machine, a []object) error {
		return m.fillFrom(newSource(&unhexed{s: a[0].file}), a[1])
	}, file, text)
	m.op("readline", func(m *machine, a []object) error {
		from, into := a[0].file, a[1]
		n := 0
		for {
			c, ok := from.next()
			if !ok || c == '\n' || c == '\r' {
				if c == '\r' {
					if d, ok := from.next(); ok && d != '\n' {
						from.back()
					}
				}
				into.bytes = into.bytes[:n]
				return m.push(into, truth(ok))
			}
			if n == len(into.bytes) {
				return rangeCheck
			}
			into.bytes[n] = c
			n++
		}
	}, file, text)
	m.op("token", func(m *machine, a []object) error {
		s := a[0].file
		if a[0].kind == text {
			s = sourceOf(a[0].bytes)
		}
		if s == nil {
			return typeCheck
		}
		o, ok, err := m.scan(s, 0)
		if err != nil || !ok {
			return errors.Join(err, m.push(truth(false)))
		}
		if a[0].kind == text {
			left := a[0].bytes[len(a[0].bytes)-s.in.Buffered():]
			return m.push(textOf(left), o, truth(true))
		}
		return m.push(o, truth(true))
	}, null)
	m.op("filter", func(m *machine, a []object) error {
		filter := a[0].string()
		// The operands of a filter are between its source and its name.
		for {
			o, err := m.pop()
			if err != nil {
				return err
			}
			switch o.kind {
			case file:
				return m.push(object{kind: file, file: decoded(filter, o.file)})
			case text:
				return m.push(object{kind: file, file: decoded(filter, sourceOf(o.bytes))})
			case array:
				return typeCheck // a procedure: pictures alone have one
			}
		}
	}, name)
	m.op("eexec", func(m *machine, a []object) error {
		s := a[0].file
		if a[0].kind == text {
			s = sourceOf(a[0].bytes)
		}
		if s == nil {
			return typeCheck
		}
		dicts := len(m.dicts)
		m.dicts = append(m.dicts, m.system)
		err := m.runFile(newSource(&deciphered{s: s}))
		m.dicts = m.dicts[:min(dicts, len(m.dicts))]
		return err
	}, null)
	m.op("run", func(*machine, []object) error { return fault("undefinedfilename") }, null)
	m.op("file", func(*machine, []object) error { return fault("undefinedfilename") }, null, null)
	m.op("deletefile", func(*machine, []object) error { return fault("undefinedfilename") }, null)
	m.ops(0, "flush pstack stack prompt echo")
	m.ops(1, "print = == resetfile")
	m.ops(2, "write writestring writehexstring")
}

// fillFrom reads as many bytes as a string has.
func (m *machine) fillFrom(from *source, into object) error {
	n := 0
	for n < len(into.bytes) {
		c, ok := from.next()
		if !ok {
			break
		}
		into.bytes[n] = c
		n++
	}
	m.steps += n / 8
	full := n == len(into.bytes)
	into.bytes = into.bytes[:n]
	return m.push(into, truth(full))
}
