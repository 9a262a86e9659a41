package mirror_test

import (
	"math"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/mirror"
)

// Of a copy on another owner's site of which one page in a hundred is altered, so many pages are compared that one of these is found with 9 chances
// in 10, but no more than half of a copy that has equal pages only. Both together are possible from some 340 pages on.
func TestAnAuditFindsACopyOfWhichOnePageInAHundredIsAltered(t *testing.T) {
	for _, early := range []float64{.1, .2, .4} { // share of the pages that came before the site was left out
		for _, pages := range []int{100, 238, 340, 400, 600, 1000, 3000, 20_000} {
			reviewed := min(200, int(early*float64(pages)))
			pair := &mirror.Twin{By: "equal", Since: time.Now(), Reviewed: reviewed}
			left := pages - reviewed
			compared := reviewed + pair.Audit(time.Now(), left, 0)
			if compared > max(pages/2, reviewed+left/5) {
				t.Errorf("%d of %d pages, %d of them early, are compared, want half, or a fifth of those that are left", compared, pages, reviewed)
			}
			if missed := math.Pow(1-float64(compared)/float64(pages), float64(pages)/100); pages >= 340 && missed > .101 {
				t.Errorf("%d of %d pages are compared: an altered copy is missed with the probability %.3f, want .1", compared, pages, missed)
			}
			if again := pair.Audit(time.Now(), left-pair.Tried, 0); again != 0 {
				t.Errorf("%d URLs more are requested when the audit of %d pages is over", again, pages)
			}
		}
	}
}

// Half of a copy has been compared, much of it when the copy was left out for a site that proved to be altered: nothing more is requested. If all that
// came before it was first left out, some is requested, since a site may change then.
func TestWhatWasComparedForAnEarlierSiteIsNotRequestedAgain(t *testing.T) {
	for late, want := range map[int]int{0: 24, 10: 14, 61: 0} {
		pair := &mirror.Twin{By: "equal", Since: time.Now(), Reviewed: 126}
		if got := pair.Audit(time.Now(), 122, late); got != want {
			t.Errorf("126 of 248 pages were compared, %d of them lately: %d are requested, want %d", late, got, want)
		}
	}
}
