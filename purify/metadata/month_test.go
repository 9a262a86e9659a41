package metadata

import (
	"strings"
	"testing"
)

// TestEveryNameOfAMonthIsFound tries all names, as they are written and in capitals, and words that start as they do.
func TestEveryNameOfAMonthIsFound(t *testing.T) {
	names := 0
	for i, list := range monthNames {
		for name := range strings.FieldsSeq(list) {
			names++
			for _, word := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
				want := months().numbers[strings.ToLower(word)] // one name may be that of two months, of which the later one counts
				if len(word) < 3 {
					want = 0 // two letters are no month
				}
				if got := monthOf([]byte(word)); got != want {
					t.Errorf("monthOf(%q) = %d, want %d", word, got, want)
				}
			}
			if got := monthOf([]byte(name + "qx")); got != 0 {
				t.Errorf("monthOf(%q) = %d, want 0 (month %d has the name %q)", name+"qx", got, i+1, name)
			}
		}
	}
	if names < 300 {
		t.Errorf("there are %d names", names)
	}
}
