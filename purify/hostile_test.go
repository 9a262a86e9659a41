package purify

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// hostile pages are about 5 MB each and made to be slow or endless.
var hostile = map[string]func() string{
	"200,000 li": func() string { return "<ul>" + strings.Repeat("<li>one <b>two</b>", 200_000) },
	"100,000 nested div": func() string {
		return strings.Repeat("<div>", 100_000) + "<p>deep</p>" + strings.Repeat("</div>", 100_000)
	},
	"nested div, text between": func() string { return strings.Repeat("<div>a", 500_000) },
	"attribute of 1 MB":        func() string { return `<p class="` + strings.Repeat("nav menu ", 110_000) + `">text</p>` },
	"1,000,000 attributes":     func() string { return "<p " + strings.Repeat("a=1 ", 1_200_000) + ">text</p>" },
	"unclosed comment":         func() string { return "<p>text</p><!--" + strings.Repeat("<p>- ", 1_000_000) },
	"open comments":            func() string { return "<p>text</p>" + strings.Repeat("<!-", 1_600_000) },
	"unclosed script":          func() string { return "<p>text</p><script>" + strings.Repeat("<!--<script>", 400_000) },
	"scripts of scripts":       func() string { return "<p>text</p>" + strings.Repeat("<script></scrip", 330_000) },
	"NUL bytes":                func() string { return "<p>text</p><svg>\x00</svg>" + strings.Repeat("\x00<p>\x00", 1_000_000) },
	"5 MB of <":                func() string { return "<p>text</p>" + strings.Repeat("<", 5_000_000) },
	"5 MB of </":               func() string { return "<p>text</p>" + strings.Repeat("</", 2_500_000) },
	"5 MB of &":                func() string { return "<p>text" + strings.Repeat("&", 5_000_000) },
	"5 MB of entities":         func() string { return "<p>text" + strings.Repeat("&amp", 1_250_000) },
	"tables in tables":         func() string { return strings.Repeat("<table><tr><td>a", 300_000) },
	"end tags of nothing": func() string {
		return strings.Repeat("<b><i><div>", 600) + strings.Repeat("</p></span>", 450_000) + "text"
	},
	"self-closed svg":           func() string { return "<p>text" + strings.Repeat("<svg/>", 800_000) },
	"270,000 links to one page": func() string { return strings.Repeat(`<a href="/x`+"\x01"+`">y</a>`, 270_000) },
	"300,000 links": func() string {
		var b strings.Builder
		for i := range 300_000 {
			fmt.Fprintf(&b, "<a href=/%d>y</a>\n", i)
		}
		return b.String()
	},
	"one cell a row": func() string {
		return "<table>" + strings.Repeat("<tr><td>cell one two three</td></tr>\n", 140_000) + "</table>"
	},
	"a row of cells":        func() string { return "<table><tr>" + strings.Repeat("<td>x", 1_000_000) },
	"nested inline tags":    func() string { return strings.Repeat("<b><i><font><span>", 280_000) + "text" },
	"misnested inline tags": func() string { return strings.Repeat("<b><i>a</b></i>", 330_000) },
	"nested unknown tags":   func() string { return strings.Repeat("<x-y>", 1_000_000) + "text" },
	"JSON-LD of 5 MB": func() string {
		return `<p>text</p><script type="application/ld+json">[` + strings.Repeat(`{"@type":"Article","author":[{"name":"x"}]},`, 110_000) + `{}]</script>`
	},
	"many JSON-LD": func() string {
		return `<p>text</p>` + strings.Repeat(`<script type="application/ld+json">{"@graph":[[[[{"@type":"A"}]]]]}</script>`, 65_000)
	},
	"unclosed title":      func() string { return "<p>text</p><title>" + strings.Repeat("word ", 1_000_000) },
	"unclosed textarea":   func() string { return "<p>text</p><textarea>" + strings.Repeat("<p>x ", 1_000_000) },
	"unclosed quote":      func() string { return "<p>text</p><p class=\"" + strings.Repeat("nav <p>", 700_000) },
	"unclosed tags":       func() string { return "<p>text</p>" + strings.Repeat("<p ", 1_600_000) },
	"headings":            func() string { return "<title>a b c</title>" + strings.Repeat("<h1>a b c</h1>", 350_000) },
	"times":               func() string { return strings.Repeat("<time datetime=2024-99-99>May 99, 2024</time>", 110_000) },
	"digits":              func() string { return "<h1>text</h1>" + strings.Repeat("<p>2024-5 3 May 2024 5/", 220_000) },
	"line breaks":         func() string { return "text" + strings.Repeat("<br>", 1_200_000) },
	"white space":         func() string { return "<p>text" + strings.Repeat(" \n", 2_500_000) },
	"no-break spaces":     func() string { return "<p>text" + strings.Repeat("&nbsp;", 830_000) },
	"a sentence a letter": func() string { return "<p>" + strings.Repeat("a. ", 1_600_000) },
	"words all different": func() string {
		var b strings.Builder
		b.WriteString("<p>")
		for i := range 700_000 {
			fmt.Fprintf(&b, "w%x ", i)
		}
		return b.String()
	},
	"Chinese all different": func() string {
		var b strings.Builder
		b.WriteString("<p>")
		for i := range 1_600_000 {
			b.WriteRune(rune(0x4e00 + i*7919%20000))
		}
		return b.String()
	},
	"letters of many scripts": func() string { return "<p>" + strings.Repeat("aжあ한1 ", 500_000) },
	"combining marks":         func() string { return "<p>a" + strings.Repeat("\u0301", 2_500_000) },
	"addresses of 4 kB": func() string {
		return "<p>text" + strings.Repeat("<a href=/"+strings.Repeat("x", 4000)+">y</a>", 1_200)
	},
	"noscripts":                func() string { return strings.Repeat("<noscript>a<p>b", 330_000) },
	"breadcrumbs":              func() string { return "<div class=breadcrumb>" + strings.Repeat("<a href=/x>y</a> / ", 260_000) },
	"a canonical link of 5 MB": func() string { return "<p>text</p><link rel=canonical href=" + strings.Repeat("x", 5_000_000) + ">" },
	"one word":                 func() string { return "<p>" + strings.Repeat("a", 5_000_000) },
	"one run of Chinese":       func() string { return "<p>" + strings.Repeat("网页去重", 400_000) },
	"open forms of metadata":   func() string { return strings.Repeat(`<meta name="author" content="x"><title>t`, 120_000) },
	"nested JSON-LD":           func() string { return `<p>text</p><script type="application/ld+json">` + strings.Repeat(`[`, 60_000) },
	"high bytes":               func() string { return "<p>text" + strings.Repeat("\xff\xa0", 2_500_000) },
	"templates":                func() string { return strings.Repeat("<template>", 500_000) + "text" },
	"permalinks": func() string {
		return strings.Repeat("<div id=a><div id=b><h1>x<a href=#a>#</a></h1>", 100_000)
	},
	"phrases": func() string { return strings.Repeat("<p>read more ago", 300_000) },
	"classes all different": func() string {
		var b strings.Builder
		for i := range 150_000 {
			b.WriteString("<div class=c")
			for j := i; j > 0; j /= 26 {
				b.WriteByte(byte('a' + j%26))
			}
			b.WriteString(">menu word</div>\n")
		}
		return b.String()
	},
}

// shownBlank are those of which a browser shows nothing: all is in templates, or in
// a title that does not end.
var shownBlank = map[string]bool{"templates": true, "open forms of metadata": true}

// ordinaryPage is a page of 5 MB that means no harm.
func ordinaryPage() []byte {
	return bytes.Repeat([]byte(paragraphs(prose(1, 100, 4))), 5_000_000/len(paragraphs(prose(1, 100, 4))))
}

// spent returns the time that do takes and the bytes that it allocates.
func spent(do func()) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	do()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

// A hostile page of 5 MB takes at most so many times the time of an ordinary
// one, and allocates at most so many bytes for each of its own. Measured: 3
// times, and 21.
const (
	hostileTime   = 12
	hostileMemory = 24
)

func TestHostilePagesTakeBoundedTimeAndMemory(t *testing.T) {
	slow.Test(t, "times 250 MB of pages, which says nothing under the race detector")
	ordinary := ordinaryPage()
	for name, page := range hostile {
		t.Run(name, func(t *testing.T) {
			page := []byte(page())
			var v *DocView
			took, memory := spent(func() { v = Purify(page, "text/html") })
			quick, _ := spent(func() { Links(page, "text/html") })
			t.Logf("%.1f MB: Purify %v and %.1f MB allocated, Links %v, body %d bytes", float64(len(page))/1e6, took.Round(time.Millisecond), float64(memory)/1e6, quick.Round(time.Millisecond), len(v.Body))
			if memory > hostileMemory*uint64(len(page))+1<<20 {
				t.Errorf("Purify allocated %d bytes for %d, want at most %d times as many", memory, len(page), hostileMemory)
			}
			if !utf8.ValidString(v.Body) || len(v.Links) > blocks.MaxLinks {
				t.Errorf("Purify = body of valid UTF-8 %v, %d links", utf8.ValidString(v.Body), len(v.Links))
			}
			if len(v.Body) == 0 && !shownBlank[name] {
				t.Error("the page shows text and has no body")
			}
			// A busy machine is slow to a page by chance: try again next to an
			// ordinary one before it is blamed.
			for try := 0; max(took, quick) > 200*time.Millisecond; try++ {
				base, _ := spent(func() { Purify(ordinary, "text/html") })
				if max(took, quick) <= hostileTime*base {
					break
				}
				if try == 3 {
					t.Fatalf("Purify took %v and Links %v, want at most %d times the %v of an ordinary page", took, quick, hostileTime, base)
				}
				took, _ = spent(func() { Purify(page, "text/html") })
				quick, _ = spent(func() { Links(page, "text/html") })
			}
		})
	}
}

// hostileBySelectors is hostileTime for a page with selectors. Measured: 57, where 65,536
// elements are each asked whether they are the second of their kind.
const hostileBySelectors = 200

func TestHostilePagesWithSelectorsTakeBoundedTimeAndMemory(t *testing.T) {
	slow.Test(t, "times 250 MB of pages, which says nothing under the race detector")
	s, err := ParseSelectors(
		[]string{"all[]=*", "deep=.none div div div div div span", "hrefs[]=a@href", "second[]=li:nth-child(2)"},
		[]string{"#none p, div > p + p ~ p"}, []string{".none .none"})
	if err != nil {
		t.Fatal(err)
	}
	r := Reader{Selectors: s}
	ordinary := ordinaryPage()
	base, _ := spent(func() { r.PurifyOn(nil, "", ordinary, "text/html") })
	t.Logf("an ordinary page: %v", base)
	for name, page := range hostile {
		t.Run(name, func(t *testing.T) {
			page := []byte(page())
			took, memory := spent(func() { r.PurifyOn(nil, "", page, "text/html") })
			t.Logf("%.1f MB: %v and %.1f MB allocated", float64(len(page))/1e6, took.Round(time.Millisecond), float64(memory)/1e6)
			if memory > hostileMemory*uint64(len(page))+128<<20 {
				t.Errorf("%d bytes were allocated for %d, want at most %d times as many and 128 MB for two trees", memory, len(page), hostileMemory)
			}
			for try := 0; took > hostileBySelectors*base; try++ {
				if try == 3 {
					t.Fatalf("took %v, want at most %d times the %v of an ordinary page", took, hostileBySelectors, base)
				}
				base, _ = spent(func() { r.PurifyOn(nil, "", ordinary, "text/html") })
				took, _ = spent(func() { r.PurifyOn(nil, "", page, "text/html") })
			}
		})
	}
}
