package live

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/control/style"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
)

// functions are what the templates call.
var functions = template.FuncMap{
	"menu": func() []entry { return menu }, "verdicts": func() []page.Verdict { return verdicts },
	"num": style.Number, "rate": rate, "bytes": style.Size, "share": func(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) },
	"span":  func(seconds float64) string { return roughly(time.Duration(seconds * float64(time.Second))) },
	"since": func(now time.Time, at *time.Time) string { return roughly(now.Sub(*at)) },
	"lasting": func(now time.Time, at *time.Time) string { // "": less than a second
		if d := now.Sub(*at); d >= time.Second {
			return roughly(d)
		}
		return ""
	},
	"until": func(now time.Time, at *time.Time) string { return roughly(at.Sub(now)) },
	"clock": style.Clock, "plain": style.Plain, "brief": brief, "ranked": ranked,
	"chart": chart, "byteChart": byteChart, "dayChart": dayChart, "meter": meter, "level": levelName, "hostOrder": func(o frontier.HostOrder) string { return orderNames[o] },
	"query": func(q url.Values, from uint64) template.URL {
		v := url.Values{"from": {strconv.FormatUint(from, 10)}}
		for name := range q {
			v.Set(name, q.Get(name))
		}
		return template.URL(v.Encode()) // every value in it is escaped
	},
	"site":   hostOf,
	"raised": raised,
	"isDone": func(stopped string) bool { return gatecrawl.Ended(stopped) == gatecrawl.Done },
	"score":  func(x *float32) string { return fmt.Sprintf("%.1f", *x) },
	"sum":    func(a, b int) int { return a + b },
}

// raised says which setting has to be raised before a run that stopped for this reason can go on;
// "" if none has.
func raised(stopped string) string {
	end := gatecrawl.Ended(stopped)
	switch name := end.Setting(); {
	case name == "":
		return ""
	case end == gatecrawl.TopicTail:
		return "--" + name + " 0"
	default:
		return "a higher --" + name
	}
}

type entry struct{ Path, Name string }

var menu = []entry{
	{"/", "Overview"}, {"/pages", "Pages"}, {"/hosts", "Hosts"}, {"/queue", "Queue"}, {"/dups", "Duplicates"}, {"/mirrors", "Mirrors"}, {"/why", "Why"},
}

var verdicts = []page.Verdict{page.VerdictNew, page.VerdictCopy, page.VerdictRefused, page.VerdictFailed}

var orderNames = map[frontier.HostOrder]string{
	frontier.HostsByQueue: "longest queue", frontier.HostsByFetched: "all, most fetched first", frontier.HostsByFailures: "failing",
	frontier.HostsRetried: "tried again", frontier.HostsInHand: "being fetched", frontier.HostsParked: "parked", frontier.HostsByHarvest: "most relevant",
}

func rate(x float64) string {
	if x >= 100 {
		return style.Number(int64(x + .5))
	}
	return fmt.Sprintf("%.1f", x)
}

// roughly writes a duration with its two largest units.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24+.5))
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d s", max(0, int(d.Seconds()+.5)))
}

// maxShown is how many characters of a title or URL a list shows; the page of the URL has all.
const maxShown = 160

// brief returns plain text for a list, cut if it is long.
func brief(v any) string {
	text := []rune(style.Plain(v))
	if len(text) > maxShown {
		return string(text[:maxShown]) + "…"
	}
	return string(text)
}

// levelName returns what a level of the gate compares, in words.
func levelName(level string) string {
	switch level {
	case "3":
		return "the same bytes (level 3)"
	case "4":
		return "the same text (level 4)"
	case "5":
		return "nearly the same text (level 5)"
	}
	return "level " + style.Plain(level)
}

type named struct {
	Name string
	N    int64
}

// ranked returns the ten largest counts.
func ranked(m map[string]int64) []named {
	var all []named
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, named{name, m[name]})
	}
	slices.SortStableFunc(all, func(a, b named) int { return cmp.Compare(b.N, a.N) })
	return all[:min(10, len(all))]
}

// The size of a chart, in units of its SVG.
const (
	chartWide = 600
	chartHigh = 120
	chartHead = 16 // room for the number at its top
)

// verdictLayers are the parts of a bar, from bottom to top: kept pages first, failed ones last.
var verdictLayers = []layer{
	{"new", func(b board.Bucket) int64 { return b.New }}, {"copy", func(b board.Bucket) int64 { return b.Copies }},
	{"refused", func(b board.Bucket) int64 { return b.Refused }}, {"failed", func(b board.Bucket) int64 { return b.Failed }},
}

// chart draws the settled pages, a bar for each bucket.
func chart(bs []board.Bucket, step int) template.HTML {
	return draw(bs, step, "pages a second", "%s now, %s at most", rate, verdictLayers)
}

// dayChart draws the settled pages in quarters of an hour. The last quarter is not over, so the
// chart does not say how fast the crawl is now.
func dayChart(bs []board.Bucket) template.HTML {
	return draw(bs, 900, "pages a second", "averages of 15 minutes, %[2]s at most", rate, verdictLayers)
}

// byteChart draws the received bytes.
func byteChart(bs []board.Bucket, step int) template.HTML {
	return draw(bs, step, "bytes a second", "%s now, %s at most", func(x float64) string { return style.Size(x) }, []layer{
		{"bytes", func(b board.Bucket) int64 { return b.Bytes }},
	})
}

type layer struct {
	class string
	of    func(board.Bucket) int64
}

// draw returns an SVG that has only numbers: nothing in it comes from a page. note is a format for
// the last bucket and the highest one.
func draw(bs []board.Bucket, step int, unit, note string, write func(float64) string, layers []layer) template.HTML {
	most, last := int64(0), int64(0)
	for _, b := range bs {
		last = 0
		for _, l := range layers {
			last += l.of(b)
		}
		most = max(most, last)
	}
	top, now := write(float64(most)/float64(step)), write(float64(last)/float64(step))
	var s strings.Builder
	note = fmt.Sprintf(note, now, top)
	fmt.Fprintf(&s, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s: %s">`, chartWide, chartHigh, unit, note)
	below := make([]int64, len(bs))
	wide := float64(chartWide) / float64(max(1, len(bs)))
	for _, l := range layers {
		var d strings.Builder
		for i, b := range bs {
			n := l.of(b)
			if n == 0 {
				continue
			}
			y := func(n int64) float64 { return chartHigh - float64(n)*(chartHigh-chartHead)/float64(most) }
			fmt.Fprintf(&d, "M%.1f %.1fH%.1fV%.1fH%.1fZ", float64(i)*wide, y(below[i]), float64(i+1)*wide, y(below[i]+n), float64(i)*wide)
			below[i] += n
		}
		if d.Len() > 0 {
			fmt.Fprintf(&s, `<path class="%s" d="%s"/>`, l.class, d.String())
		}
	}
	s.WriteString("</svg>")
	fmt.Fprintf(&s, `<p class="note">%s</p>`, note)
	return template.HTML(s.String())
}

// meter draws a share as a bar.
func meter(n, of int64) template.HTML {
	return template.HTML(fmt.Sprintf(`<meter min="0" max="%d" value="%d">%d of %d</meter>`, of, n, n, of))
}
