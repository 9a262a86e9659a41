package humanize

import (
	"strings"
	"testing"
	"time"
)

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestAMomentNamesItsZone(t *testing.T) {
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.FixedZone("XYZ", 5400))
	if got, zone := Moment(at), at.Local().Format(" MST"); !strings.HasSuffix(got, zone) {
		t.Errorf("Moment = %q, want it to end in %q", got, zone)
	}
}
