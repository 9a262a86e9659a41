package rules

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// A Kind is what a rule takes for unimportant.
type Kind string

// The kinds of rules. The argument of each stands behind it.
const (
	Param     Kind = "parameter" // a parameter of the query, whatever its value: its name
	Value     Kind = "value"     // one value of a parameter: name=value
	Order     Kind = "order"     // the order of the parameters
	Index     Kind = "index"     // the name of a folder's first page: index.html
	Slash     Kind = "slash"     // a slash at the end
	Case      Kind = "case"      // upper and lower case in the path
	Extension Kind = "extension" // two endings of a file's name: .htm|.html; one may be empty
	Segment   Kind = "segment"   // a segment of the path that was drawn and not written: its place, from 1; with ? behind it, it may be missing
	Prefix    Kind = "prefix"    // the folders in which a path begins: /~{s}|/people/{s}, or two of which one may be empty
	View      Kind = "view"      // another view of the page: print, amp
	Scheme    Kind = "scheme"    // http and https
	WWW       Kind = "www"       // www. before the host
	Endless   Kind = "endless"   // all addresses that are made alike: they lead to copies, and these to more of them
)

// Kinds are all kinds.
var Kinds = []Kind{Param, Value, Order, Index, Slash, Case, Extension, Segment, Prefix, View, Scheme, WWW, Endless}

// A Rule takes one difference between two addresses of its scope for nothing.
type Rule struct {
	Kind  Kind   `json:"kind"`
	Scope string `json:"scope"` // a host without www., or a host and a path's template
	Arg   string `json:"arg,omitempty"`
}

// An ID names a rule in 64 bits. Two of a million rules share one with a
// probability below 1e-7, and then share their counts.
type ID uint64

// ID returns the rule's name.
func (r Rule) ID() ID {
	h := fnv.New64a()
	h.Write([]byte(r.Kind))
	h.Write([]byte{0})
	h.Write([]byte(r.Scope))
	h.Write([]byte{0})
	h.Write([]byte(r.Arg))
	return ID(scatter(h.Sum64()))
}

// scatter spreads what FNV leaves alike: the last step of SplitMix64.
func scatter(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// String returns the ID as users write it, 16 hexadecimal digits.
func (id ID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// ParseID reads what String wrote.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 16, 64)
	if err != nil || len(s) != 16 {
		return 0, fmt.Errorf("%q is no rule's id: want 16 hexadecimal digits, as crawl rules list shows", s)
	}
	return ID(n), nil
}

// String returns the rule in words.
func (r Rule) String() string {
	on := " on " + r.Scope
	switch r.Kind {
	case Param:
		return "parameter " + r.Arg + " does not matter" + on
	case Value:
		return "parameter " + r.Arg + " is as if it were not there" + on
	case Order:
		return "the order of parameters does not matter" + on
	case Index:
		return r.Arg + " is its folder" + on
	case Slash:
		return "a slash at the end does not matter" + on
	case Case:
		return "upper and lower case are one" + on
	case Extension:
		return "the endings " + r.Arg + " are one" + on
	case Segment:
		if n, ok := strings.CutSuffix(r.Arg, missing); ok {
			return "segment " + n + " of the path may be missing" + on
		}
		return "segment " + r.Arg + " of the path does not matter" + on
	case Prefix:
		from, to, _ := strings.Cut(r.Arg, "|")
		return "what is below " + from + "/ is below " + to + "/ too" + on
	case Endless:
		return "addresses like " + r.Scope + " lead to nothing new"
	case View:
		return "the view " + r.Arg + " has the same text" + on
	case Scheme:
		return "http and https are one" + on
	case WWW:
		return "www. before the host does not matter" + on
	}
	return string(r.Kind) + " " + r.Arg + on
}
