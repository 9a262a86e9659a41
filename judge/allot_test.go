package judge

import "testing"

// Of few pairs most are those about which the gate is most likely to be wrong, and no stratum is left out for another.
func TestFewPairsAreDrawnFromAllStrata(t *testing.T) {
	list := strata()
	for i, pages := range []int{5, 180, 7, 9, 20, 60, 102, 103, 240, 300, 280, 310, 349} {
		list[i].Pages = pages
	}
	got, all := allot(list, 40), 0
	for i, n := range got {
		all += n
		if n == 0 || n > list[i].Pages {
			t.Errorf("%d of 40 pairs are of %q, which has %d pages", n, list[i].Name, list[i].Pages)
		}
	}
	if last := len(got) - 1; all != 40 || got[last] < 3*got[last-5] {
		t.Errorf("%v pairs of 40 are drawn, want all, and most of the last stratum", got)
	}
	few := strata()
	few[0].Pages, few[1].Pages = 30, 200 // and no kept page: its half goes to the copies
	if got := allot(few, 60); got[0]+got[1] != 60 || got[0] < 4 {
		t.Errorf("of 60 pairs %d and %d are of copies alone", got[0], got[1])
	}
	if got := allot(list, 3); got[0]+got[1] > 1 {
		t.Errorf("3 pairs are %v, want none of equal bytes", got)
	}
}
