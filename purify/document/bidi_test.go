package document

import "testing"

// What a program draws from left to right is read in the order of its script.
func TestLinesFromRightToLeftAreReadInTheirOrder(t *testing.T) {
	for _, c := range []struct{ drawn, want string }{
		{"Sails and ropes (1948).", "Sails and ropes (1948)."},
		{"םלוע םולש", "שלום עולם"},
		{".(3 קרפ) 1948 תנשב", "בשנת 1948 (פרק 3)."},
		{"The word םלוע םולש means hello.", "The word שלום עולם means hello."},
		{"ﺎﯿﻧد مﻼﺳ", "سلام دنیا"},
	} {
		if got := logical(c.drawn); got != c.want {
			t.Errorf("%q is read as %q, want %q", c.drawn, got, c.want)
		}
	}
	for _, forward := range []bool{true, false} {
		var l lines
		for i, r := range []rune("םולש") {
			x := float64(10 * i)
			if !forward {
				x = -x // a program that draws in the order of reading
			}
			l.place(string(r), x, 0, x+9, 0, 10)
		}
		l.endPage()
		if got, want := l.out.String(), map[bool]string{true: "שלום", false: "םולש"}[forward]+paragraphEnds; got != want {
			t.Errorf("letters drawn forward: %v: %q, want %q", forward, got, want)
		}
	}
}
