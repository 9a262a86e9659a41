package naming

import "testing"

func TestNamesThatDifferInSignsInFrontShareAStem(t *testing.T) {
	for _, c := range []struct{ name, other, want string }{
		{"_Sail", "Sail", "Sail"},
		{"trim_sail.html", "dot-trim_sail.html", "trim_sail"},
		{"Sail.html", "MainSail.html", ""},
		{"tude.html", "étude.html", ""}, // the last byte of é alone would be a sign
		{"Sail", "Sail", ""},
	} {
		if got := SharedStem(c.name, c.other); got != c.want {
			t.Errorf("SharedStem(%q, %q) = %q, want %q", c.name, c.other, got, c.want)
		}
	}
}
