package body

import "testing"

func TestALabelIsWhatPostsRepeat(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"anna Joined: 3 Mar 2004 Posts: 4", "Old Keeper Joined: 11 May 2005 Posts: 312", true},
		{"Posts: 4", "Posts: 312", true},
		{"Back to top", "Back to top", true},
		{"4 votes", "12 votes", true},
		{"anna", "Old Keeper", false},
		{"anna said:", "Old Keeper said:", false},
		{"anna, 3 Mar 2004 at 10:15", "anna, 4 Mar 2004 at 9:12", false},
		{"#3", "#4", false},
		{"fun contains(tag: Phrase): Boolean", "fun contains(tag: Role): Boolean", false},
	} {
		x, y := labelOf([]byte(c.a)), labelOf([]byte(c.b))
		if same := x == y && x != 0; same != c.same {
			t.Errorf("%q and %q have one label: %v, want %v", c.a, c.b, same, c.same)
		}
	}
}
