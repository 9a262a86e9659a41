package dedup

import (
	"errors"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// A Mode says what is done with a copy.
type Mode uint8

// The three modes.
const (
	ModeOff     Mode = iota // no document is a copy; the gate keeps nothing
	ModeMark                // a copy is kept and marked as one
	ModeDiscard             // only the record of a copy is kept, not its body
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
	// Mode says what is done with a copy. Default discard.
	Mode Mode

	// Distance is k, the number of bits in which the SimHashes of two near copies may differ, 0 to
	// 6. Default 3 (Manku, Jain and Das Sarma 2007). At 0 only edits that change no bit are found;
	// above 3 the tables take more memory and a query reads more of them.
	Distance int

	// Bands is how many bands of four min-wise values find candidates in addition to the SimHash
	// tables: 0 to 8. Default 6. Each takes some 12 bytes a kept page. With 0 only the SimHash
	// finds candidates, and misses one copy in eleven of a manual's main parts, one in six of a
	// project's and most of a Chinese guide's; four bands miss one in a hundred more than six, and
	// eight find hardly more (docs/measurements-gate.md).
	Bands int

	// Resemblance is the Jaccard coefficient of shingles from which two bodies are one document,
	// above 0 to 1. Default 0.82: pages near 0.8 have less by another reader of their texts as often
	// as not (docs/measurements-gate.md). At 0.5 a page that took half of its text from another is a copy of
	// it; at 0.95 one changed sentence makes a new document.
	Resemblance float64

	// Siblings is the resemblance from which two pages are one document although their titles name
	// two things, such as two functions of a reference manual: 0 to 1. Default 0.82, which is no
	// more than other pages need. If the numbers of two such pages differ too, they are always two
	// documents; below .95 they mostly are if their URLs end in the two names and they do not list
	// the same. At 0.9 a manual's pages of two functions are mostly told apart, and one in twenty
	// of the copies by Resemblance alone is kept with them; at 1 all are kept.
	Siblings float64

	// MinTokens is the number of words and CJK characters from which a body is compared; a page
	// with a shorter body is a copy only if its bytes are equal, or if it is in a manual at the same
	// place as the kept page and of another version, and says the same. Default 4. At 1 all pages under
	// one title that say only "loading" are one document; at 32 a manual's pages of one line, one
	// copy in eight, are not found in its next edition (docs/measurements-gate.md). In the
	// hundreds, short news is never recognised in another layout.
	MinTokens int

	// Index is the design of the tables that find near signatures. Default blocks, also for "".
	// halves takes 20 bytes a kept page in place of 48, and half as much time again for a query at
	// 1,000,000 kept pages. The sorted designs are for comparison only: they can't insert at a
	// crawl's rate.
	Index index.Design

	// Memory is how many kept pages a gate with a folder holds in memory before it moves them to a
	// file there, and for a moment twice as many. Default 262,144. Each takes 260 to 300 bytes of
	// the heap, and up to twice that of the process's memory, as the garbage collector needs it. A
	// small number makes many files, which are merged again and again. A large one makes a long
	// log, which is read whole when a job is opened after a crash: a million kept pages take about
	// a second.
	Memory int

	// Recent is how many claims are held in memory, at about 150 bytes each. Default 65,536. It
	// must exceed the number of visits that are claimed and not yet committed: until they are
	// committed only the gate knows their signatures.
	Recent int
}

// DefaultOptions returns the defaults that Options names.
func DefaultOptions() Options {
	return Options{Mode: ModeDiscard, Distance: 3, Bands: 6, Resemblance: 0.82, Siblings: 0.82, MinTokens: 4, Index: index.DesignBlocks, Memory: 1 << 18, Recent: 1 << 16}
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
