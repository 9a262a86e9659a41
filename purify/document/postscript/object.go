package postscript

import (
	"fmt"
	"math"
	"strconv"
)

// A kind is the type of an object (section 3.3).
type kind uint8

const (
	null kind = iota
	boolean
	integer
	float
	name
	text // a string
	array
	dictionary
	operator
	mark
	file
	saved
)

var kindNames = [...]string{"nulltype", "booleantype", "integertype", "realtype", "nametype", "stringtype", "arraytype", "dicttype",
	"operatortype", "marktype", "filetype", "savetype"}

// An object is a value of the language. Strings, arrays and dictionaries are shared by copies.
type object struct {
	kind  kind
	exec  bool    // executable: a name is looked up, an array is a procedure
	n     float64 // of numbers; 1 for true
	s     string  // of names
	bytes []byte  // of strings
	list  []object
	dict  *dict
	run   func(m *machine) error
	file  *source
}

// A key is the key of a value in a dictionary. A string is equal to the name with its characters.
type key struct {
	kind kind
	n    float64
	s    string
	at   any
}

type dict struct {
	of map[key]object
}

func newDict() *dict { return &dict{make(map[key]object)} }

func (d *dict) get(s string) object    { return d.of[key{kind: name, s: s}] }
func (d *dict) put(s string, o object) { d.of[key{kind: name, s: s}] = o }

func keyOf(o object) key {
	switch o.kind {
	case text:
		return key{kind: name, s: string(o.bytes)}
	case name:
		return key{kind: name, s: o.s}
	case integer, float:
		return key{kind: integer, n: o.n}
	case dictionary:
		return key{kind: dictionary, at: o.dict}
	}
	return key{kind: o.kind, n: o.n}
}

func num(x float64) object {
	if x == math.Trunc(x) && math.Abs(x) < 1<<31 {
		return object{kind: integer, n: x}
	}
	return object{kind: float, n: x}
}

func whole(i int) object       { return object{kind: integer, n: float64(i)} }
func real(x float64) object    { return object{kind: float, n: x} }
func named(s string) object    { return object{kind: name, s: s} }
func textOf(b []byte) object   { return object{kind: text, bytes: b} }
func listOf(l []object) object { return object{kind: array, list: l} }

func truth(is bool) object {
	if is {
		return object{kind: boolean, n: 1}
	}
	return object{kind: boolean}
}

func (o object) number() bool { return o.kind == integer || o.kind == float }

// string returns what the operator cvs writes.
func (o object) string() string {
	switch o.kind {
	case integer:
		return strconv.FormatInt(int64(o.n), 10)
	case float:
		return strconv.FormatFloat(o.n, 'g', 6, 32)
	case boolean:
		return strconv.FormatBool(o.n != 0)
	case name:
		return o.s
	case text:
		return string(o.bytes)
	}
	return "--nostringval--"
}

func same(a, b object) bool {
	switch {
	case a.number() && b.number():
		return a.n == b.n
	case a.kind == text || b.kind == text || a.kind == name && b.kind == name:
		return (a.kind == text || a.kind == name) && (b.kind == text || b.kind == name) && a.string() == b.string()
	case a.kind != b.kind:
		return false
	case a.kind == array:
		return len(a.list) == len(b.list) && (len(a.list) == 0 || &a.list[0] == &b.list[0])
	case a.kind == dictionary:
		return a.dict == b.dict
	}
	return a.n == b.n
}

// A fault is an error of the language, which a program may catch.
type fault string

func (f fault) Error() string { return string(f) }

const (
	stackUnderflow = fault("stackunderflow")
	typeCheck      = fault("typecheck")
	rangeCheck     = fault("rangecheck")
	undefined      = fault("undefined")
	limitCheck     = fault("limitcheck")
)

// A signal is not an error: it ends loops and procedures.
type signal string

func (s signal) Error() string { return fmt.Sprintf("postscript: %s", string(s)) }

const (
	exitLoop    = signal("exit")
	stopRunning = signal("stop")
	quit        = signal("quit")
	endless     = signal("it takes too many steps")
	tooLarge    = signal("it makes too many objects")
)
