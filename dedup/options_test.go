package dedup

import (
	"strings"
	"testing"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Errorf("DefaultOptions().Validate() = %v, want nil", err)
	}
}

func TestValidateReportsEveryFaultAtOnce(t *testing.T) {
	err := Options{Mode: 9, Distance: 7, MinTokens: -1, Bands: 9, Resemblance: 2, Siblings: -1, Index: "trees"}.Validate()
	if err == nil {
		t.Fatal("Validate() = nil, want eight faults")
	}
	for _, want := range []string{"mode", "distance: want 0 to 6 bits, got 7", "min tokens", "bands: want 0 to 8, got 9", "resemblance: want more than 0 and at most 1, got 2", "siblings: want 0 to 1, got -1", "recent", `"trees": want one of ["halves" "blocks"]`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %q, which does not say %q", err, want)
		}
	}
}

func TestAModeIsReadAsItIsWritten(t *testing.T) {
	for _, m := range []Mode{ModeOff, ModeMark, ModeDiscard} {
		text, err := m.MarshalText()
		if err != nil {
			t.Fatalf("%v.MarshalText() = %v", m, err)
		}
		var got Mode
		if err := got.UnmarshalText(text); err != nil || got != m {
			t.Errorf("UnmarshalText(%q) = %v, %v, want %v", text, got, err, m)
		}
	}
	if m, err := ParseMode("Discard"); err == nil {
		t.Errorf(`ParseMode("Discard") = %v, want an error`, m)
	}
	if _, err := Mode(7).MarshalText(); err == nil {
		t.Error("Mode(7).MarshalText() = nil error, want one")
	}
}
