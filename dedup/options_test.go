package dedup

import (
	"strings"
	"testing"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Errorf("DefaultOptions().Validate() = %v, want nil", err)
	}
	if err := DefaultFilterOptions().Validate(); err != nil {
		t.Errorf("DefaultFilterOptions().Validate() = %v, want nil", err)
	}
}

func TestValidateReportsEveryFaultAtOnce(t *testing.T) {
	err := Options{Mode: 9, Distance: 7, MinTokens: -1, MinSketch: 60}.Validate()
	if err == nil {
		t.Fatal("Validate() = nil, want five faults")
	}
	for _, want := range []string{"mode", "distance: want 0 to 6 bits, got 7", "min tokens", "60 of 128 values agree by chance", "recent"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %q, which does not say %q", err, want)
		}
	}
	err = FilterOptions{Rate: 1}.Validate()
	for _, want := range []string{"capacity", "rate"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("FilterOptions.Validate() = %v, which does not say %q", err, want)
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
