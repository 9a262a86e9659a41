package configs

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A tree is a part of a YAML file: a plain value, a list, or keys with their values.
type tree struct {
	line  int
	text  string // of a plain value, without interpretation
	plain bool
	list  []tree
	keys  []keyed
}

type keyed struct {
	name string
	line int
	of   tree
}

// parseTree reads YAML. A fault has the line but never its text, which may be a password.
func parseTree(data []byte) (t tree, fault *Fault) {
	defer func() {
		if r := recover(); r != nil { // the parser has panicked on broken input
			fault = &Fault{Problem: "not YAML that can be read"}
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return t, &Fault{Line: syntaxFault(err).Line, Problem: "not YAML that can be read: are the indentation and the quotes right?"}
	}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			if len(t.list) > 0 || len(t.keys) > 0 {
				return t, &Fault{Line: lineOf(doc.Body), Problem: "a second document: want one"}
			}
			t = treeOf(doc.Body)
		}
	}
	return t, nil
}

func treeOf(n ast.Node) tree {
	t := tree{line: lineOf(n)}
	pair := func(p *ast.MappingValueNode) {
		at := p.Key.GetToken()
		t.keys = append(t.keys, keyed{at.Value, at.Position.Line, treeOf(p.Value)})
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, p := range n.Values {
			pair(p)
		}
	case *ast.MappingValueNode:
		pair(n)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			t.list = append(t.list, treeOf(v))
		}
	default:
		t.text, t.plain = scalar(n)
	}
	return t
}

// A reading collects the faults of a file while its tree is read.
type reading struct{ faults *Faults }

func newReading(file string) reading { return reading{&Faults{File: file}} }

func (r reading) fault(line int, key, format string, args ...any) {
	r.faults.List = append(r.faults.List, Fault{key, line, fmt.Sprintf(format, args...)})
}

func (r reading) err() error {
	if len(r.faults.List) == 0 {
		return nil
	}
	return r.faults
}

// hosts calls read for each entry of a file that is a list of hosts.
func (r reading) hosts(data []byte, read func(host keyed, rest []keyed)) {
	t, fault := parseTree(data)
	if fault != nil {
		r.faults.List = append(r.faults.List, *fault)
		return
	}
	if len(t.keys) > 0 || t.plain {
		r.fault(t.line, "", "want a list: each entry starts with - host: NAME")
		return
	}
	for _, e := range t.list {
		var host *keyed
		var rest []keyed
		for _, k := range e.keys {
			if k.name == "host" {
				host = &k
			} else {
				rest = append(rest, k)
			}
		}
		switch {
		case host == nil || !host.of.plain:
			r.fault(e.line, "", "want an entry that starts with - host: NAME")
		case len(rest) == 0:
			r.fault(e.line, host.of.text, "nothing is said about this host")
		default:
			read(*host, rest)
		}
	}
}

// text returns a plain value, and reports a fault for anything else.
func (r reading) text(k keyed) string {
	if !k.of.plain {
		r.fault(k.line, k.name, "want a plain value")
	}
	return k.of.text
}

// unknown reports a key that is not valid here.
func (r reading) unknown(k keyed, want ...string) {
	r.fault(k.line, k.name, "no such key: want one of %s", strings.Join(want, ", "))
}
