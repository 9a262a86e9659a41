package dust

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/splitmix"
)

// A Kind says which difference a rule ignores.
type Kind string

// The kinds of rules, each with its argument.
const (
	Param     Kind = "parameter" // a parameter of the query, whatever its value: its name
	Value     Kind = "value"     // one value of a parameter: name=value
	Order     Kind = "order"     // the order of the parameters
	Index     Kind = "index"     // name of a folder's first page: index.html
	Slash     Kind = "slash"     // a slash at the end
	Case      Kind = "case"      // upper and lower case in the path
	Extension Kind = "extension" // two extensions of a file: .htm|.html; one may be empty
	Segment   Kind = "segment"   // a generated segment of the path: its index, from 1; followed by ? if it may be missing
	Prefix    Kind = "prefix"    // the folders at the start of a path: /~{s}|/people/{s}; one may be empty
	View      Kind = "view"      // another view of the page: print, amp
	Scheme    Kind = "scheme"    // http and https
	WWW       Kind = "www"       // www. before the host
	Endless   Kind = "endless"   // all URLs of one pattern: they lead to copies, which lead to more copies
	Query     Kind = "query"     // all queries of one pattern: they have the bytes of one page
)

// Kinds are all kinds.
var Kinds = []Kind{Param, Value, Order, Index, Slash, Case, Extension, Segment, Prefix, View, Scheme, WWW, Endless, Query}

// A Rule says that one difference between two URLs of its scope does not matter.
type Rule struct {
	Kind  Kind   `json:"kind"`
	Scope string `json:"scope"` // a host without www., or a host and a path's template
	Arg   string `json:"arg,omitempty"`
}

// Validate returns what is wrong with a rule from a file or a request.
func (r Rule) Validate() error {
	host, _, _ := strings.Cut(r.Scope, "/")
	pair := strings.Count(r.Arg, "|") == 1
	switch {
	case !slices.Contains(Kinds, r.Kind):
		return fmt.Errorf("kind %q is not one of %v", r.Kind, Kinds)
	case host == "" || host != strings.ToLower(host):
		return fmt.Errorf("scope %q is not a host, nor a host and a path's template", r.Scope)
	case len(r.Arg) > 2*maxArg+1:
		return fmt.Errorf("arg has %d bytes, want at most %d", len(r.Arg), 2*maxArg+1)
	case (r.Kind == Prefix || r.Kind == Extension) && !pair:
		return fmt.Errorf("arg %q of kind %s is not two parts with | between them", r.Arg, r.Kind)
	case r.Kind == Value && !strings.Contains(r.Arg, "="):
		return fmt.Errorf("arg %q of kind %s is not name=value", r.Arg, r.Kind)
	case r.Kind == Param || r.Kind == Index || r.Kind == View || r.Kind == Segment:
		if r.Arg == "" {
			return fmt.Errorf("kind %s has no arg", r.Kind)
		}
	}
	return nil
}

// An ID identifies a rule in 64 bits. Among a million rules two have the same ID with a probability
// below 1e-7; then they share their counts.
type ID uint64

// ID returns the rule's ID.
func (r Rule) ID() ID {
	h := fnv.New64a()
	h.Write([]byte(r.Kind))
	h.Write([]byte{0})
	h.Write([]byte(r.Scope))
	h.Write([]byte{0})
	h.Write([]byte(r.Arg))
	return ID(splitmix.Finish(h.Sum64()))
}

// String returns the ID as users write it, 16 hexadecimal digits.
func (id ID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// ParseID reads what String wrote.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 16, 64)
	if err != nil || len(s) != 16 {
		return 0, fmt.Errorf("invalid rule ID %q: want 16 hexadecimal digits, as in the output of crawl rules list", s)
	}
	return ID(n), nil
}

// String returns the rule as text.
func (r Rule) String() string {
	on := " on " + r.Scope
	switch r.Kind {
	case Param:
		return "parameter " + r.Arg + " does not matter" + on
	case Value:
		return "parameter " + r.Arg + " does not matter" + on
	case Order:
		return "the order of parameters does not matter" + on
	case Index:
		return r.Arg + " is the same page as its folder" + on
	case Slash:
		return "a slash at the end does not matter" + on
	case Case:
		return "upper and lower case are the same" + on
	case Extension:
		return "the extensions " + r.Arg + " are the same" + on
	case Segment:
		if n, ok := strings.CutSuffix(r.Arg, missing); ok {
			return "segment " + n + " of the path may be missing" + on
		}
		return "segment " + r.Arg + " of the path does not matter" + on
	case Prefix:
		from, to, _ := strings.Cut(r.Arg, "|")
		return "pages below " + from + "/ are also below " + to + "/" + on
	case Endless:
		return "URLs like " + r.Scope + " lead to nothing new"
	case Query:
		return "the query does not matter" + on
	case View:
		return "the view " + r.Arg + " has the same text" + on
	case Scheme:
		return "http and https are the same" + on
	case WWW:
		return "www. before the host does not matter" + on
	}
	return string(r.Kind) + " " + r.Arg + on
}
