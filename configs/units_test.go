package configs

import (
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "500": 500, "500B": 500, "10MB": 10e6, "10mb": 10e6, "10M": 10e6, "2GiB": 2 << 30, "2 GiB": 2 << 30,
		"1.5kB": 1500, "64KiB": 64 << 10, "1TB": 1e12, "3TiB": 3 << 40, "9007199254740993": 9007199254740993,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("UnmarshalText(%q) = %d, %v, want %d", text, s, err, want)
		}
		var again Size
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("UnmarshalText(%q) = %d, %v, want %d", s, again, err, s)
		}
	}
	for _, text := range []string{"", "MB", "-1", "10XB", "1e3", "1.2.3", "9999999TB", "ten", "10MB5"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("UnmarshalText(%q) = %d, want an error", text, s)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "1m30s": 90 * time.Second, "250ms": 250 * time.Millisecond, "2h": 2 * time.Hour,
	} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil || time.Duration(d) != want {
			t.Errorf("UnmarshalText(%q) = %v, %v, want %v", text, d, err, want)
		}
	}
	for _, text := range []string{"", "-1s", "-5", "soon", "1y", "NaN", "1e300"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("UnmarshalText(%q) = %v, want an error", text, d)
		}
	}
	for d, want := range map[time.Duration]string{0: "0", time.Minute: "1m", time.Hour: "1h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 10 * time.Second: "10s", 20 * time.Minute: "20m"} {
		if got := Duration(d).String(); got != want {
			t.Errorf("Duration(%d).String() = %q, want %q", d, got, want)
		}
	}
}
