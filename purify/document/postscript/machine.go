package postscript

import (
	"errors"
	"math"
)

// The bounds of a program.
const (
	maxSteps   = 30_000_000
	maxObjects = 4 << 20 // entries of arrays, and each 8 bytes of strings, that a program may make
	maxArray   = 65_535  // objects (appendix B)
	maxStack   = 100_000
	maxStates  = 1000 // graphics states that are saved
)

// A Shown is a piece of text and its position on the page, in points, with the origin at the lower
// left.
type Shown struct {
	Text       string
	X, Y       float64 // of its first character
	EndX, EndY float64 // after its last character
	Height     float64 // of the font
}

// A machine runs one program.
type machine struct {
	show    func(Shown) // called for each text, in the order of the program
	page    func()      // called at the end of each page
	steps   int
	objects int
	calls   int

	stack  []object
	dicts  []*dict
	files  []*source
	system *dict
	user   *dict
	fonts  *dict
	res    map[string]*dict // resources of other categories

	g      state
	states []state

	width  *[2]float64 // where a character of a type 3 font stores its own width
	widths map[*dict]map[byte][2]float64

	tallest float64           // height of a character of a type 3 font, as it declares it
	heights map[*dict]float64 // by font: height of its tallest character
}

// A state is the graphics state that gsave saves.
type state struct {
	ctm    matrix
	x, y   float64 // in device space
	has    bool    // there is a current point
	font   *dict
	saving bool // saved by save, not by gsave
}

// Run runs a program. It calls show for each text that the program shows, and page at the end of
// each page. The error says why the program ended early.
func Run(program []byte, show func(Shown), page func()) error {
	return newMachine(show, page).main(program)
}

func newMachine(show func(Shown), page func()) *machine {
	m := &machine{show: show, page: page, system: newDict(), user: newDict(), fonts: newDict(), res: make(map[string]*dict),
		widths: make(map[*dict]map[byte][2]float64), heights: make(map[*dict]float64)}
	m.g.ctm = unit
	m.define()
	m.dicts = []*dict{m.system, m.user}
	return m
}

// main runs the program's tokens one after the other.
func (m *machine) main(program []byte) error {
	main := sourceOf(program)
	for {
		err := m.runFile(main)
		switch {
		case err == nil, errors.Is(err, quit):
			return nil
		case errors.Is(err, endless), errors.Is(err, tooLarge):
			return err
		}
		// An error ends only the current token, not the program, since operators that are unknown
		// here seldom concern the text.
		m.files = nil
		m.calls = 0
		m.width = nil
	}
}

// made counts the memory of a new object, and returns an error if there are too many.
func (m *machine) made(o object) (object, error) {
	m.objects += len(o.bytes)/8 + len(o.list) + 1
	if m.objects > maxObjects {
		return o, tooLarge
	}
	return o, nil
}

// runFile executes the tokens of a file to its end.
func (m *machine) runFile(s *source) error {
	if m.calls++; m.calls > maxDepth {
		return limitCheck
	}
	defer func() { m.calls-- }()
	depth := len(m.files)
	m.files = append(m.files, s)
	for {
		o, ok, err := m.scan(s, 0)
		if err != nil {
			return err
		}
		if !ok {
			m.files = m.files[:depth]
			return nil
		}
		if o.kind == array { // a procedure that is read is an operand and not run
			err = m.push(o)
		} else {
			err = m.execute(o)
		}
		if err != nil {
			return err
		}
	}
}

// execute runs an object.
func (m *machine) execute(o object) error {
	if m.steps++; m.steps > maxSteps {
		return endless
	}
	if !o.exec {
		return m.push(o)
	}
	switch o.kind {
	case name:
		v, ok := m.look(o.s)
		if !ok {
			return undefined
		}
		switch {
		case v.kind == operator:
			return v.run(m)
		case v.kind == name && v.exec:
			return m.call([]object{v}) // it may refer to itself
		}
		return m.execute(v)
	case operator:
		return o.run(m)
	case array:
		return m.call(o.list)
	case text:
		return m.runFile(sourceOf(o.bytes))
	case file:
		return m.runFile(o.file)
	case null:
		return nil
	}
	return m.push(o)
}

// call runs a procedure. Procedures inside it are operands.
func (m *machine) call(body []object) error {
	if m.calls++; m.calls > maxDepth {
		return limitCheck
	}
	defer func() { m.calls-- }()
	for _, o := range body {
		var err error
		if o.kind == array {
			if m.steps++; m.steps > maxSteps {
				return endless
			}
			err = m.push(o)
		} else {
			err = m.execute(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// look returns the value of a name.
func (m *machine) look(s string) (object, bool) {
	k := key{kind: name, s: s}
	for i := len(m.dicts) - 1; i >= 0; i-- {
		if v, ok := m.dicts[i].of[k]; ok {
			return v, true
		}
	}
	return object{}, false
}

func (m *machine) push(list ...object) error {
	if len(m.stack)+len(list) > maxStack {
		return limitCheck
	}
	m.stack = append(m.stack, list...)
	return nil
}

func (m *machine) pop() (object, error) {
	n := len(m.stack)
	if n == 0 {
		return object{}, stackUnderflow
	}
	o := m.stack[n-1]
	m.stack = m.stack[:n-1]
	return o, nil
}

// pops takes operands of these kinds; the last kind is that of the top of the stack. A number may
// be of either kind, and null stands for any.
func (m *machine) pops(kinds ...kind) ([]object, error) {
	n := len(m.stack) - len(kinds)
	if n < 0 {
		return nil, stackUnderflow
	}
	args := m.stack[n:]
	for i, k := range kinds {
		if k != null && args[i].kind != k && !(k == float && args[i].number()) {
			return nil, typeCheck
		}
	}
	m.stack = m.stack[:n]
	return args, nil // valid until the next push
}

// numbers takes n numbers.
func (m *machine) numbers(n int) ([]float64, error) {
	at := len(m.stack) - n
	if at < 0 {
		return nil, stackUnderflow
	}
	list := make([]float64, n)
	for i, o := range m.stack[at:] {
		if !o.number() {
			return nil, typeCheck
		}
		list[i] = o.n
	}
	m.stack = m.stack[:at]
	return list, nil
}

func (m *machine) input() *source {
	if len(m.files) == 0 {
		return &source{closed: true}
	}
	return m.files[len(m.files)-1]
}

// A matrix has the elements a b c d tx ty of a PostScript matrix.
type matrix [6]float64

var unit = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that applies a first, and then b.
func (a matrix) times(b matrix) matrix {
	return matrix{
		a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3],
		a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
		a[4]*b[0] + a[5]*b[2] + b[4], a[4]*b[1] + a[5]*b[3] + b[5],
	}
}

func (a matrix) at(x, y float64) (float64, float64) {
	return x*a[0] + y*a[2] + a[4], x*a[1] + y*a[3] + a[5]
}

func (a matrix) by(x, y float64) (float64, float64) { return x*a[0] + y*a[2], x*a[1] + y*a[3] }

func (a matrix) inverse() (matrix, bool) {
	d := a[0]*a[3] - a[1]*a[2]
	if d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
		return unit, false
	}
	b := matrix{a[3] / d, -a[1] / d, -a[2] / d, a[0] / d, 0, 0}
	b[4], b[5] = -(a[4]*b[0] + a[5]*b[2]), -(a[4]*b[1] + a[5]*b[3])
	return b, true
}

func matrixOf(list []object) (a matrix, ok bool) {
	if len(list) != 6 {
		return unit, false
	}
	for i, o := range list {
		if !o.number() {
			return unit, false
		}
		a[i] = o.n
	}
	return a, true
}

func (a matrix) into(list []object) {
	for i, x := range a {
		list[i] = real(x)
	}
}
