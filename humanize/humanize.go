// Package humanize writes numbers, sizes and times as people read them.
package humanize

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Count writes a number with commas between the thousands.
func Count[N int | int64 | uint64](n N) string { return Thousands(fmt.Sprint(n)) }

// Thousands puts commas between the thousands of a whole number that is written already.
func Thousands(number string) string {
	digits := strings.TrimPrefix(number, "-")
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digits[i])
	}
	return number[:len(number)-len(digits)] + b.String()
}

// Many writes a number with the right word, one or more, for what is counted.
func Many[N int | int64 | uint64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + more
}

// Percent writes a share of 1 as a percentage with one decimal.
func Percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// Size writes bytes in the largest unit of 1000s that fits.
func Size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Moment writes a time to the second in the reader's time zone, with its name. Pages have times in
// UTC instead, since their readers may be in other time zones.
func Moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") }

// Seconds writes a number of seconds as hours, minutes and seconds, to a hundredth.
func Seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(10 * time.Millisecond).String()
}

// Counts writes counts by name, the largest first.
func Counts(m map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return int(m[b] - m[a])
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, name+" "+Count(m[name]))
	}
	return strings.Join(parts, ", ")
}

// JSON returns what JSON calls a kind of Go values, for example "a whole number".
func JSON(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}
