package frontier_test

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// steps are pairs of pages, and whether a link from one to the other is a step
// through a calendar.
var steps = []struct {
	from, to string
	want     bool
}{
	{"/2024/05/", "/2024/06/", true},
	{"/2024/12", "/2025/1", true},
	{"/cal/2024-05.html", "/cal/2024-04.html", true},
	{"/2024/05/31/", "/2024/06/01/", true},
	{"/day/2024-05-31", "/day/2024-06-01", true},
	{"/day/31.05.2024", "/day/01.06.2024", true},
	{"/day/5_2024/", "/day/6_2024/", true},
	{"/?date=5%2F31%2F2024", "/?date=6%2F1%2F2024", true},
	{"/?month=2024-05&view=all", "/?month=2024-06&view=all", true},
	{"/?year=2024&month=5", "/?year=2024&month=6", true},
	{"/?Month=12&x=1&Year=2024", "/?Month=1&x=1&Year=2025", true},
	{"/?y=2024&w=52", "/?y=2025&w=1", true},
	{"/?d=20240531", "/?d=20240601", true},
	{"/202405/", "/202406/", true},
	{"/week/2024-W52", "/week/2025-W01", true},
	{"/2024w05.html", "/2024w06.html", true},
	{"/2024/05/?from=2024-05-01&to=2024-05-31", "/2024/06/?from=2024-06-01&to=2024-06-30", true},

	{"/2024/05/", "/2024/05/", false},
	{"/2024/05/31/first-title", "/2024/06/01/second-title", false},
	{"/2024/05/31/1001", "/2024/06/01/1002", false},
	{"/2024/05/", "/2024/06/01/", false},
	{"/2024/05/page/1", "/2024/05/page/2", false},
	{"/events/2024/05/", "/archive/2024/06/", false},
	{"/2024/", "/2025/", false},
	{"/2024/13/", "/2024/14/", false},
	{"/2024/00/", "/2024/01/", false},
	{"/1024/05/", "/1024/06/", false},
	{"/item/12345678", "/item/12345679", false},
	{"/page/1", "/page/2", false},
	{"/?month=5", "/?month=6", false},
	{"/?year=2024", "/?year=2025", false},
	{"/2024/05/", "/about", false},
	{"/2024-W54", "/2024-W55", false},
	{"/2024-W052", "/2024-W053", false},
	{"/", "/2024/05/", false},
}

func TestStepsThroughACalendar(t *testing.T) {
	for _, c := range steps {
		from, to := parse(t, "http://example.com"+c.from), parse(t, "http://example.com"+c.to)
		got := frontier.Trail{}.Follow(from, to)
		if (got.Calendar == 1) != c.want || got.Calendar > 1 {
			t.Errorf("Follow(%s, %s) = %+v, want a step: %v", c.from, c.to, got, c.want)
		}
	}
}

func TestACalendarEndsAndItsSiteDoesNot(t *testing.T) {
	s := newScope(t, mode(frontier.ScopeHost))
	page := parse(t, "http://example.com/calendar/2024/1/")
	s.AddRoot(page)
	var trail frontier.Trail
	steps := 0
	for ; steps < 1000; steps++ {
		next := parse(t, fmt.Sprintf("http://example.com/calendar/%d/%d/", 2024+(steps+1)/12, (steps+1)%12+1))
		trail = trail.Follow(page, next)
		if r := s.Check(next, steps, trail); !r.IsZero() {
			if r.Rule != "trap:calendar" {
				t.Errorf("%s is refused by %+v", next, r)
			}
			break
		}
		for _, link := range []string{"/about", "/2024/05/31/title"} {
			u := parse(t, "http://example.com"+link)
			if r := s.Check(u, steps, trail.Follow(page, u)); !r.IsZero() {
				t.Errorf("on %s the link to %s is refused: %+v", page, u, r)
			}
		}
		page = next
	}
	if steps != 24 {
		t.Errorf("the calendar ends after %d steps, want 24", steps)
	}
}

func TestATrailIsKeptAcrossDatesAndEndsAtAPageWithoutOne(t *testing.T) {
	month, day := parse(t, "http://example.com/2024/05/"), parse(t, "http://example.com/2024/05/31/")
	other := parse(t, "http://example.org/2024/06/")
	about := parse(t, "http://example.com/about")
	trail := frontier.Trail{Calendar: 7}
	for _, c := range []struct {
		from, to weburl.URL
		want     uint8
	}{{month, day, 7}, {day, month, 7}, {month, month, 7}, {month, about, 0}, {about, month, 0}, {month, other, 0}} {
		if got := trail.Follow(c.from, c.to); got.Calendar != c.want {
			t.Errorf("%v.Follow(%s, %s) = %v, want %d", trail, c.from, c.to, got, c.want)
		}
	}
}

func TestATrailDoesNotOverflow(t *testing.T) {
	from, to := parse(t, "http://example.com/2024/05/"), parse(t, "http://example.com/2024/06/")
	if got := (frontier.Trail{Calendar: 255}).Follow(from, to); got.Calendar != 255 {
		t.Errorf("after 256 steps the trail is %v", got)
	}
}

func FuzzFollow(f *testing.F) {
	for _, c := range steps {
		f.Add("http://example.com"+c.from, c.to)
	}
	f.Fuzz(func(t *testing.T, page, link string) {
		from, err := weburl.Parse(page)
		if err != nil {
			return
		}
		to, err := from.Parse(link)
		if err != nil {
			return
		}
		there, back := frontier.Trail{}.Follow(from, to), frontier.Trail{}.Follow(to, from)
		if there != back || there.Calendar > 1 || from == to && there.Calendar > 0 {
			t.Errorf("from %s to %s is %v, and back %v", from, to, there, back)
		}
	})
}

func BenchmarkFollow(b *testing.B) {
	from := parse(b, "http://example.com/news/index.html")
	for _, c := range []struct{ name, to string }{
		{"plain", "/news/some-article-title-12345.html?id=77"},
		{"dated", "/news/2024/05/31/some-article-title.html"},
	} {
		b.Run(c.name, func(b *testing.B) {
			to := parse(b, "http://example.com"+c.to)
			for b.Loop() {
				frontier.Trail{}.Follow(from, to)
			}
		})
	}
}
