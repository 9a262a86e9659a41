package dedup

import (
	"errors"
	"fmt"
	"slices"
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

// MaxDistance is the largest Options.Distance: with seven blocks of nine bits
// a bucket of the tables already holds N/512 fingerprints.
const MaxDistance = 6

// Options are the gate's settings.
type Options struct {
	// Mode says what becomes of a copy. Default discard.
	Mode Mode

	// Distance is k, the bits in which two SimHashes of one content may
	// differ, 0 to 6. Default 3 (Manku, Jain and Das Sarma 2007). At 0 only
	// edits that leave every bit alone are found; above 3 the tables take more
	// memory and a query reads more of them.
	Distance int

	// MinTokens is the number of words and CJK characters from which on a body
	// is compared by SimHash. Default 30: of a shorter body one word is more
	// than the fifth that near copies may differ in. In the hundreds, news in
	// brief is never recognised unless it is equal word for word.
	MinTokens int

	// MinSketch is how many of the 128 sketch values must agree to confirm a
	// near copy, 65 to 128, or 0 for no confirmation. Default 115, a
	// resemblance of 0.8. Where a body has fewer than 80 tokens, half as many
	// values may differ: there a page of the same template with another name,
	// date or price resembles by more than 0.8. Without confirmation every page
	// of one template may pass for one page; at 128 a changed sentence makes a
	// new page.
	MinSketch int

	// Index is the design of the tables that find near signatures. Default
	// blocks, also for "". halves takes 20 bytes a kept page in place of 48 and
	// half as much time again for a question at 1,000,000 kept pages; the
	// sorted designs take no inserts at a crawl's rate, and are for comparison.
	Index Design

	// Memory is the number of keepers whose tables are held in memory, about 105
	// bytes each, and for a moment as many again, where the gate has a folder;
	// then they move to a file there. Default 262,144. A small number makes many
	// files, which are merged again and again; a large one a long log, which is
	// read whole on opening after a crash, a million keepers in about a second.
	Memory int

	// Recent is the number of claims that are held whole in memory, about 150
	// bytes each. Default 65,536. It must exceed the number of visits that are
	// claimed and not yet committed: until then only the gate knows their
	// signatures.
	Recent int
}

// DefaultOptions returns the defaults that Options names.
func DefaultOptions() Options {
	return Options{Mode: ModeDiscard, Distance: 3, MinTokens: 30, MinSketch: 115, Index: DesignBlocks, Memory: 1 << 18, Recent: 1 << 16}
}

// shortBody is the number of tokens below which one changed word takes more than
// a tenth from the resemblance of two bodies. On the tuning data's manual three
// in four of the pairs that MinSketch alone confirmed wrongly were shorter.
const shortBody = 80

// least returns how many sketch values must agree for a pair of bodies, one of
// which is short or none.
func (o Options) least(short bool) int {
	if short && o.MinSketch > 0 {
		return sketchValues - (sketchValues-o.MinSketch)/2
	}
	return o.MinSketch
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
	if o.Distance < 0 || o.Distance > MaxDistance {
		fault("distance: want 0 to %d bits, got %d", MaxDistance, o.Distance)
	}
	if o.Index != "" && !slices.Contains(Designs(), o.Index) {
		fault("index: no such design: %q", o.Index)
	}
	if o.MinTokens < 0 {
		fault("min tokens: want 0 or more, got %d", o.MinTokens)
	}
	if o.MinSketch < 0 || o.MinSketch > sketchValues {
		fault("min sketch: want 65 to %d, or 0 for none, got %d", sketchValues, o.MinSketch)
	}
	if 0 < o.MinSketch && o.MinSketch <= sketchValues/2 {
		fault("min sketch: %d of %d values agree by chance alone; want 65 to %d, or 0 for none", o.MinSketch, sketchValues, sketchValues)
	}
	if o.Memory < 1 {
		fault("memory: want at least one kept page, got %d", o.Memory)
	}
	if o.Recent < 1 {
		fault("recent: want at least one claim, got %d", o.Recent)
	}
	return errors.Join(faults...)
}
