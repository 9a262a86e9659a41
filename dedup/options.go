package dedup

import (
	"errors"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// A Mode says what becomes of a copy.
type Mode uint8

// The three modes.
const (
	ModeOff     Mode = iota // nothing is a copy; the gate keeps nothing
	ModeMark                // a copy is kept and labelled
	ModeDiscard             // a copy leaves a record and no body
)

// ParseMode reads "off", "mark" or "discard".
func ParseMode(s string) (Mode, error) {
	for m := ModeOff; m <= ModeDiscard; m++ {
		if s == m.String() {
			return m, nil
		}
	}
	return ModeOff, fmt.Errorf("dedup mode %q: want off, mark or discard", s)
}

// String returns the word that ParseMode reads.
func (m Mode) String() string {
	switch m {
	case ModeOff:
		return "off"
	case ModeMark:
		return "mark"
	case ModeDiscard:
		return "discard"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// MarshalText returns the mode's word.
func (m Mode) MarshalText() ([]byte, error) {
	if m > ModeDiscard {
		return nil, fmt.Errorf("no such dedup mode: %d", uint8(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what ParseMode reads.
func (m *Mode) UnmarshalText(b []byte) error {
	v, err := ParseMode(string(b))
	if err != nil {
		return err
	}
	*m = v
	return nil
}

// Options are the gate's settings.
type Options struct {
	// Mode says what becomes of a copy. Default discard.
	Mode Mode

	// Distance is k, the bits in which two SimHashes of one content may
	// differ, 0 to 6. Default 3 (Manku, Jain and Das Sarma 2007). At 0 only
	// edits that leave every bit alone are found; above 3 the tables take more
	// memory and a query reads more of them.
	Distance int

	// Bands is how many bands of four min-wise values bring a document together
	// with those that resemble it, besides the SimHash tables: 0 to 8. Default 6.
	// Each takes some 12 bytes a kept page. With none the SimHash alone finds
	// candidates, and misses one copy in eleven of a manual's main parts, one
	// in six of a project's and most of a Chinese guide's; four miss one in
	// a hundred more than six, and eight hardly find more (docs/measurements-gate.md).
	Bands int

	// Resemblance is the Jaccard coefficient of shingles from which two bodies are one, above 0
	// to 1. Default 0.8. At 0.5 a page with half of its text from another is a copy of it; at
	// 0.95 a changed sentence makes a page.
	Resemblance float64

	// Siblings is the resemblance from which two pages are one whose titles name two things,
	// such as two functions of a reference manual: 0 to 1. Default 0.8, which is no more than
	// other pages need; if the numbers of two such pages differ too they are always two, and
	// below .95 mostly if their URLs end in the two names and they do not list the same. At 0.9
	// a manual's pages of two functions are mostly kept apart, and one in twenty of the copies
	// by Resemblance alone is kept with them; at 1 all are kept.
	Siblings float64

	// MinTokens is the number of words and CJK characters from which a body is compared at all;
	// for a page with a shorter one only the bytes decide. Default 4. At 1 all pages of a title
	// that say no more than "loading" are one; at 32 a manual's pages of one line are not found
	// in its next edition, one copy in eight (docs/measurements-gate.md). In the hundreds, news
	// in brief is never recognised in another layout.
	MinTokens int

	// Index is the design of the tables that find near signatures. Default
	// blocks, also for "". halves takes 20 bytes a kept page in place of 48 and
	// half as much time again for a question at 1,000,000 kept pages; the
	// sorted designs take no inserts at a crawl's rate, and are for comparison.
	Index index.Design

	// Memory is the number of kept pages whose tables are held in memory, 260 to 300 bytes
	// of the heap each (and up to twice that of the process's memory, as the collector has
	// it), for a moment as many again, where the gate has a folder;
	// then they move to a file there. Default 262,144. A small number makes many
	// files, which are merged again and again; a large one a long log, which is
	// read whole on opening after a crash, a million kept pages in about a second.
	Memory int

	// Recent is the number of claims that are held whole in memory, about 150
	// bytes each. Default 65,536. It must exceed the number of visits that are
	// claimed and not yet committed: until then only the gate knows their
	// signatures.
	Recent int
}

// DefaultOptions returns the defaults that Options names.
func DefaultOptions() Options {
	return Options{Mode: ModeDiscard, Distance: 3, Bands: 6, Resemblance: 0.8, Siblings: 0.8, MinTokens: 4, Index: index.DesignBlocks, Memory: 1 << 18, Recent: 1 << 16}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format, args...))
	}
	if o.Mode > ModeDiscard {
		fault("mode: no such mode: %d", uint8(o.Mode))
	}
	if o.Distance < 0 || o.Distance > index.MaxDistance {
		fault("distance: want 0 to %d bits, got %d", index.MaxDistance, o.Distance)
	}
	if o.Index != "" && !slices.Contains(index.Designs(), o.Index) {
		fault("index: no such design: %q: want one of %q", o.Index, index.Designs())
	}
	if o.MinTokens < 0 {
		fault("min tokens: want 0 or more, got %d", o.MinTokens)
	}
	if o.Bands < 0 || o.Bands > index.BandKeys {
		fault("bands: want 0 to %d, got %d", index.BandKeys, o.Bands)
	}
	if !(o.Resemblance > 0 && o.Resemblance <= 1) {
		fault("resemblance: want more than 0 and at most 1, got %g", o.Resemblance)
	}
	if !(o.Siblings >= 0 && o.Siblings <= 1) {
		fault("siblings: want 0 to 1, got %g", o.Siblings)
	}
	if o.Memory < 1 {
		fault("memory: want at least one kept page, got %d", o.Memory)
	}
	if o.Recent < 1 {
		fault("recent: want at least one claim, got %d", o.Recent)
	}
	return errors.Join(faults...)
}
