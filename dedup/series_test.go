package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
)

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
		{"Minutes 2023-03-31", "Minutes 30-03-2023", true},
		{"Minutes 2023-03-31", "Minutes 31.04.2023", true},
		{"Minutes 03/04/2023", "Minutes 04/03/2023", true},
		{"Minutes 3/04/2023", "Minutes 04/3/2023", true},
		{"Minutes 2023-04-03", "Minutes 04.03.2023", true},
		{"2023-03-31 to 2023-04-01", "31.03.2023 to 02.04.2023", true},

		{"Minutes 2023-03-31", "Minutes 31-03-2023", false},
		{"Minutes 2023-03-31", "Minutes 31.03.2023", false},
		{"Minutes 2023-03-31", "Minutes 03/31/2023", false},
		{"Minutes 31/03/2023", "Minutes 03/31/2023", false},
		{"Minutes 20230331", "Minutes 2023-3-31", false},
		{"Minutes 2023-04-03", "Minutes 04/03/2023", false}, // it may be
		{"2023-03-31 to 2023-04-01", "31.03.2023 to 1.4.2023", false},
		{"3_39_4.html", "3.39.4.html", false},
		{"Release 3.39.4", "Release 3.39.4", false},
		{"Release 3.39.4", "Changes 3.39.5", false},
		{"story-12.html", "story-13.html", false},
		{"story-20221303.html", "story-20230110.html", false},
		{"story-12345678.html", "story-12345679.html", false},
		{"the-sunrise-foundation-388-96.html", "the-sunrise-foundation-388-46.html", false},
		{"story-12-3", "story-13-2", false},
		{"Scores: 3-1", "Scores: 2-0", false},
		{"half 1/2", "half 2/2", false},
		{"20040118190723_04b1c706.html", "20041113202313_04b1c706.html", false}, // when an archive fetched it
		{"20040118190723-1.2.html", "20041113202313-1.3.html", true},
		{"20041313202313_04b1c706.html", "20041314202313_05b1c706.html", true}, // there is no such month
	} {
		if got := naming.SeriesOf(c.a).Apart(naming.SeriesOf(c.b)); got != c.apart {
			t.Errorf("naming.SeriesOf(%q).Apart(naming.SeriesOf(%q)) = %v, want %v", c.a, c.b, got, c.apart)
		}
	}
}

func TestTheTimeOfACaptureIsNoKey(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		differ bool
	}{
		{"20040118190723_04b1c706.html", "20041113202313_04b1c706.html", false},
		{"20040118190723_04b1c706.html", "20041113202313_04b1c707.html", true}, // another page
		{"20040118190723.html", "20041113202313.html", true},                   // two notices
		{"news_20040118190723.html", "news_20041113202313.html", true},
		{"20040118190723_1.html", "20041113202313_1.html", true},
		{"story-12.html", "story-13.html", true},
	} {
		if got := naming.DifferInKeys(c.a, c.b); got != c.differ {
			t.Errorf("naming.DifferInKeys(%q, %q) = %v, want %v", c.a, c.b, got, c.differ)
		}
	}
}

// A page in two languages may write one date in two ways, in its title and its URL.
func TestADateInTwoFormsIsOneNumber(t *testing.T) {
	for _, c := range []struct {
		name, title, other, otherTitle string
		apart                          bool
	}{
		{"2023-03-31.html", "Minutes 2023-03-31", "31-03-2023.html", "Minutes 31-03-2023", false},
		{"2023-03-31.html", "Minutes 2023-03-31", "30-04-2023.html", "Minutes 30-04-2023", true},
		{"2023-03-31.html", "Minutes 2023-03-31", "2023-04-30.html", "Minutes 2023-04-30", true},
		{"minutes-31.html", "Minutes 2023-03-31", "minutes-30.html", "Minutes 2023-03-30", true},
		{"part-3-of-2023", "Part 3 of 2023", "part-4-of-2023", "Part 4 of 2023", true},
	} {
		if got := naming.CountOf(c.name, c.title).Apart(naming.CountOf(c.other, c.otherTitle)); got != c.apart {
			t.Errorf("%q at %s and %q at %s: apart %v", c.title, c.name, c.otherTitle, c.other, got)
		}
	}
}

// The heading that says the version may stand above what the models take for body.
func TestANoteOfTheNextReleaseIsNoCopyWhereItsHeadingIsAboveItsBody(t *testing.T) {
	note := func(version, before, after string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>Kite tools version %[1]s released</title></head><body><h1>Kite tools version %[1]s released</h1>
<p>The fliers are pleased to announce the release of the kite tools version %[1]s.</p><p>These tools have various small independent commands to assist with the life of a kite and of its rope.</p>
<p>To get this update, simply specify the version in the settings of your kite:</p><pre>fetch kite-tools --with %[1]s</pre><p>With kind regards of all who have flown them and the team that mended them</p>
<p>Before this post: <a href="/%[2]s/">%[2]s</a></p><p>After this post: <a href="/%[3]s/">%[3]s</a></p></body></html>`, version, before, after)
	}
	pages := map[string]string{
		"/2016/07/kite-tools-one/":   note("1.12", "a rope of wool and its many knots", "storms of the year and who saw them"),
		"/2017/02/kite-tools-three/": note("3.0.0", "what painters know of red", "the field behind the mill is closed"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	a, b := site["/2016/07/kite-tools-one/"], site["/2017/02/kite-tools-three/"]
	for _, text := range []*Text{a, b} {
		for i := range text.blocks {
			text.blocks[i].Chosen = text.blocks[i].Text != text.Head && !strings.Contains(text.blocks[i].Text, "this post")
		}
	}
	if j, same := one(a, b); same {
		t.Errorf("the notes of two releases are one (%.2f)", j)
	}
	if c, d := a.chosen().reading().series, b.chosen().reading().series; !c.Apart(d) {
		t.Errorf("by their bodies they are of the series %q and %q", c, d)
	}
}

// describedPage has a title, which is its heading, eight descriptions, of which pages with other ones differ, and a sentence.
func describedPage(from int, title, says string) string {
	return "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1>" + described(from, from+8) + "<p>" + says + "</p></body></html>"
}

// The first page of a manual stands in the folder of its version, and most of it stays from one version to the next.
func TestFirstPagesOfTwoVersionsAreOne(t *testing.T) {
	pages := pagesAmong(t, map[string]string{
		"kites/1.0.0/": describedPage(0, "Ropes of kites", "They need four knots."), "kites/2.1.0/": describedPage(0, "Ropes of kites", "They need five knots and a spare one."),
		"news/1.0/": describedPage(8, "Release 1.0", "Out in May."), "news/2.0/": describedPage(8, "Release 2.0", "Out in June."),
		"kites-1.0/": describedPage(16, "All kites", "They fly in May."), "kites-2.0/": describedPage(16, "All kites", "They fly in June."),
	})
	areOneByRule(t, pages, []twoPages{{"kites/1.0.0/", "kites/2.1.0/", true}, {"news/1.0/", "news/2.0/", false}, {"kites-1.0/", "kites-2.0/", false}})
}

// A manual counts its sections, and a later version has one more before them.
func TestASectionInTwoVersionsIsOneUnderAnotherNumber(t *testing.T) {
	pages := pagesAmong(t, map[string]string{
		"kites/1.0/ropes.html": describedPage(0, "3.6.5. Ropes of kites", "They need four knots."), "kites/2.0/ropes.html": describedPage(0, "3.7.5. Ropes of kites", "They need five knots and a spare one."),
		"kites/1.0/tails.html": describedPage(8, "3.6.6. Tails of kites", "They fly in May."), "kites/1.0/tails-of-kites.html": describedPage(8, "3.6.7. Tails of kites", "They fly in June."),
		"news/1.0/notes.html": describedPage(16, "1.0.5 Notes of the release", "Out in May."), "news/2.0/notes.html": describedPage(16, "2.0.3 Notes of the release", "Out in June."),
	})
	areOneByRule(t, pages, []twoPages{
		{"kites/1.0/ropes.html", "kites/2.0/ropes.html", true},
		{"kites/1.0/tails.html", "kites/1.0/tails-of-kites.html", false},
		{"news/1.0/notes.html", "news/2.0/notes.html", false},
	})
}
