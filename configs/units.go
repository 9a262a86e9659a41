package configs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Duration is a length of time, written as in Go (1m30s, 250ms) or as a plain number of seconds.
type Duration time.Duration

// String writes the duration without units that are zero: 1m, not 1m0s.
func (d Duration) String() string {
	if d == 0 {
		return "0"
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-len("0s")]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-len("0m")]
	}
	return s
}

// MarshalText writes the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration that is not negative.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := parseDuration(string(b))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

func parseDuration(s string) (time.Duration, error) {
	v, err := time.ParseDuration(s)
	if n, ferr := strconv.ParseFloat(s, 64); ferr == nil {
		if !(math.Abs(n) < math.MaxInt64/float64(time.Second)) {
			return 0, fmt.Errorf("%q is too long a time", s)
		}
		v, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a time: want 90s, 1m30s, 250ms or a number of seconds", s)
	}
	if v < 0 {
		return 0, fmt.Errorf("%q is negative: want a time of 0 or more", s)
	}
	return v, nil
}

// A Size is a number of bytes, written with a unit: kB, MB, GB and TB are powers of 1000, KiB, MiB,
// GiB and TiB powers of 1024.
type Size int64

// The units of a size. String takes the first that divides a size, so the larger ones come first.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"TB", 1e12},
	{"GiB", 1 << 30}, {"GB", 1e9},
	{"MiB", 1 << 20}, {"MB", 1e6},
	{"KiB", 1 << 10}, {"kB", 1e3},
}

// String writes the size in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText writes the size.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a size that is not negative. The case of the unit does not matter, and k, M,
// G and T mean kB, MB, GB and TB.
func (s *Size) UnmarshalText(b []byte) error {
	text := strings.TrimSpace(string(b))
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(text)
	}
	factor, ok := unit(strings.TrimSpace(text[end:]))
	n, err := strconv.ParseFloat(text[:end], 64)
	if !ok || err != nil {
		return fmt.Errorf("%q is not a size: want a number of bytes such as 500000, 10MB or 2GiB", b)
	}
	if n*float64(factor) >= math.MaxInt64 {
		return fmt.Errorf("%q is too large a size", b)
	}
	// An integer is exact; a float would round above 2^53.
	if whole, err := strconv.ParseInt(text[:end], 10, 64); err == nil {
		*s = Size(whole * factor)
		return nil
	}
	*s = Size(n * float64(factor))
	return nil
}

func unit(name string) (bytes int64, ok bool) {
	if name == "" || strings.EqualFold(name, "B") {
		return 1, true
	}
	for _, u := range units {
		if strings.EqualFold(name, u.name) || strings.EqualFold(name+"B", u.name) {
			return u.bytes, true
		}
	}
	return 0, false
}
