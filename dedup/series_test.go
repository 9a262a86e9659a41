package dedup

import "testing"

func TestPagesOfASeriesAreToldByVersionOrDate(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		apart bool
	}{
		{"Release 3.39.4", "Release 3.39.5", true},
		{"3_39_4.html", "3_40_0.html", true},
		{"release-1.2.html", "release-1.3.html", true},
		{"release-1-2-3", "release-1-2-4", true},
		{"minutes-2024-05", "minutes-2024-06", true},
		{"minutes-05-2023", "minutes-05-2024", true},
		{"Meeting of 3/11/2023", "Meeting of 4/11/2023", true},
		{"3.39-1", "3.39-2", true},
		{"Playtest 20221203", "Playtest 20230110", true},

		{"Release 3.39.4", "Release 3.39.4", false},
		{"Release 3.39.4", "Changes 3.39.5", false},
		{"story-12.html", "story-13.html", false},
		{"story-20221303.html", "story-20230110.html", false},
		{"story-12345678.html", "story-12345679.html", false},
		{"the-sunrise-foundation-388-96.html", "the-sunrise-foundation-388-46.html", false},
		{"story-12-3", "story-13-2", false},
		{"Scores: 3-1", "Scores: 2-0", false},
		{"half 1/2", "half 2/2", false},
	} {
		if got := seriesOf(c.a).apart(seriesOf(c.b)); got != c.apart {
			t.Errorf("seriesOf(%q).apart(seriesOf(%q)) = %v, want %v", c.a, c.b, got, c.apart)
		}
	}
}
