package configs

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxFileBytes bounds a settings file; one with every key and long lists of patterns has a few kB.
const MaxFileBytes = 1 << 20

// Load reads the YAML file at path over base: keys that are not in the file keep their values. The
// error of a bad file is a *Faults.
func Load(path string, base Settings) (Settings, error) {
	info, err := os.Stat(path)
	if err != nil {
		return base, fmt.Errorf("reading settings: %w", err)
	}
	if info.IsDir() {
		return base, &Faults{File: path, List: []Fault{{Problem: "a folder, not a file of settings"}}}
	}
	if info.Size() > MaxFileBytes {
		return base, &Faults{File: path, List: []Fault{{Problem: fmt.Sprintf("%d bytes are too many for a file of settings", info.Size())}}}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return base, fmt.Errorf("reading settings: %w", err)
	}
	return Parse(data, path, base)
}

// Parse reads YAML over base. The name identifies the file in messages. Every fault is reported
// with its line; the settings are valid if the error is nil.
func Parse(data []byte, name string, base Settings) (Settings, error) {
	faults := &Faults{File: name}
	given, err := entries(data)
	if err != nil {
		faults.List = []Fault{*err}
		return base, faults
	}
	s, lines := base, make(map[string]int)
	for _, e := range given {
		lines[e.key] = e.line
		if e.fault == "" {
			if err := s.Set(e.key, e.values...); err != nil {
				e.fault = err.Error()
			}
		}
		if e.fault != "" {
			faults.List = append(faults.List, Fault{e.key, e.line, e.fault})
		}
	}
	var more *Faults
	if errors.As(s.Validate(), &more) {
		for _, f := range more.List {
			f.Line = lines[f.Key]
			faults.List = append(faults.List, f)
		}
	}
	if len(faults.List) > 0 {
		slices.SortStableFunc(faults.List, func(a, b Fault) int { return a.Line - b.Line })
		return base, faults
	}
	return s, nil
}

// An entry is one key of a file with its values as text.
type entry struct {
	key    string
	line   int
	values []string
	fault  string
}

// entries returns the keys on the top level of a document. A key without a value is skipped, as if
// it were in a comment.
func entries(data []byte) (all []entry, fault *Fault) {
	defer func() {
		// The parser has panicked on broken input; a bad file must be reported and not end the
		// process with a trace.
		if r := recover(); r != nil {
			all, fault = nil, &Fault{Problem: "not YAML that can be read"}
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, syntaxFault(err)
	}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if i > 0 && len(all) > 0 {
			return nil, &Fault{Line: lineOf(doc.Body), Problem: "a second document: want one"}
		}
		var pairs []*ast.MappingValueNode
		switch body := doc.Body.(type) {
		case *ast.MappingNode:
			pairs = body.Values
		case *ast.MappingValueNode:
			pairs = []*ast.MappingValueNode{body}
		case *ast.CommentGroupNode, *ast.NullNode:
		default:
			return nil, &Fault{Line: lineOf(body), Problem: "want lines of the form key: value"}
		}
		for _, p := range pairs {
			if e := entryOf(p); e.fault != "" || e.values != nil {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

func entryOf(p *ast.MappingValueNode) entry {
	e := entry{key: p.Key.GetToken().Value, line: p.Key.GetToken().Position.Line}
	switch v := p.Value.(type) {
	case *ast.NullNode:
	case *ast.SequenceNode:
		e.values = []string{}
		for _, item := range v.Values {
			text, ok := scalar(item)
			if !ok {
				e.fault = "want a list of plain values"
				return e
			}
			e.values = append(e.values, text)
		}
	default:
		text, ok := scalar(v)
		if !ok {
			e.fault = "want a plain value or a list of them"
			return e
		}
		e.values = []string{text}
	}
	return e
}

// scalar returns a plain value with its quotes and escapes resolved.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func syntaxFault(err error) *Fault {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil {
		return &Fault{Line: y.GetToken().Position.Line, Problem: y.GetMessage()}
	}
	return &Fault{Problem: err.Error()}
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil {
		return t.Position.Line
	}
	return 0
}
