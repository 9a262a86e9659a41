package suite

import (
	"fmt"
	"testing"
)

// Copies on many hosts of the kept page's domain raise nothing; those on many
// hosts of another one count once.
func oneOwner(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	kept := "http://www.owner.example/"
	seed(t, b, 0, kept)
	settle(t, b, visit(next(t, b), essay(1)))
	alone := why(t, b, kept).Next
	degree := func(want int) {
		t.Helper()
		w := why(t, b, kept)
		if w.Degree != want {
			t.Errorf("degree %d with %d copies, want %d", w.Degree, len(w.Copies), want)
		}
		if raised := w.Next > alone; raised != (want > 0) {
			t.Errorf("next score %v with degree %d, %v without copies", w.Next, want, alone)
		}
	}
	copies := func(n int, host string) {
		t.Helper()
		for i := range n {
			seed(t, b, 0, fmt.Sprintf("http://"+host+"/", i))
			settle(t, b, visit(next(t, b), essay(1)))
		}
	}
	copies(100, "h%d.owner.example")
	degree(0)
	copies(3, "h%d.other.example")
	degree(1)
	b = reopen()
	copies(3, "www.mirror%d.example")
	degree(4)
	for i := range 3 { // the other owner's pages become something else
		v := again(t, b, fmt.Sprintf("http://h%d.other.example/", i))
		settle(t, b, visit(v.Lease, essay(2)))
	}
	degree(3)
}
