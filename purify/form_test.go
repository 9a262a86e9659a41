package purify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// formed is a page of a site with teasers of other pages, a list of them, and a number of visitors.
func formed(i int, says string) []byte {
	return fmt.Appendf(nil, `<html><body><div class="text"><h1>Kite number %[1]d</h1><p>%[2]s</p><p>See <a href="/rope%[1]d">the rope of it</a>, too, which is as long as the wind is strong.</p><ul><li><a href="/own%[1]d">A list of the page's own, kite %[1]d</a></li></ul></div>
<div class="card"><h5><a href="/k%[3]d">The kite that is %[3]d</a></h5><p>A kite of %[3]d cloths, sewn by one of the sisters in a winter.</p></div>
<aside><ul><li><a href="/k%[3]d">Kite %[3]d</a></li><li><a href="/k%[4]d">Kite %[4]d</a></li></ul></aside>
<div class="foot">Kites and Sons of the coast. You are visitor number %[5]d,%[1]d of this page.</div></body></html>`, i, says, i+1, i+2, 1000+i)
}

func TestBlocksOfAFrameHaveItsFormWhateverTheirWords(t *testing.T) {
	site := new(Site)
	var template *Template
	for i := range 24 {
		_, prints := PurifyOn(nil, fmt.Sprintf("http://a.example/k%d", i), formed(i, strings.Repeat(fmt.Sprintf("What is said of kite %d. ", i), 9)), "text/html")
		if made := site.Learn(prints); made != nil {
			template = made
		}
	}
	view, _ := PurifyOn(template, "http://a.example/k99", formed(99, "Nothing is said of this kite but that it flew once and was never seen again by those who made it."), "text/html")
	var framed []string
	for i := range view.Blocks {
		if b := &view.Blocks[i]; template.FramesForm(b) {
			framed = append(framed, b.Text)
		}
	}
	want := []string{"A list of the page's own, kite 99", "The kite that is 100", "A kite of 100 cloths, sewn by one of the sisters in a winter.", "Kite 100", "Kite 101", "Kites and Sons of the coast. You are visitor number 1099,99 of this page."}
	if !slices.Equal(framed, want) {
		t.Errorf("blocks of the frame's forms: %q\nwant %q", framed, want)
	}
	if (*Template)(nil).FramesForm(&view.Blocks[0]) {
		t.Error("a site without a template has a form")
	}
}

// A line that has letters enough is the frame's, however short: "54 people found this helpful".
func TestAShortLineWithANumberHasAForm(t *testing.T) {
	page := func(i int) []byte {
		return fmt.Appendf(nil, `<html><body><div class="text"><h1>Kite %[1]d</h1><p>%[2]s</p></div><div class="side"><div class="found">%[3]d people found this helpful</div><div class="n">No. %[3]d</div></div></body></html>`,
			i, strings.Repeat("What is said of "+strings.Repeat("a", i+1)+". ", 3), 40+i)
	}
	site := new(Site)
	var template *Template
	for i := range 16 {
		_, prints := PurifyOn(nil, fmt.Sprintf("http://a.example/k%d", i), page(i), "text/html")
		if made := site.Learn(prints); made != nil {
			template = made
		}
	}
	view, _ := PurifyOn(template, "http://a.example/k99", page(99), "text/html")
	var framed []string
	for i := range view.Blocks {
		if b := &view.Blocks[i]; template.FramesForm(b) {
			framed = append(framed, b.Text)
		}
	}
	if want := []string{"139 people found this helpful"}; !slices.Equal(framed, want) {
		t.Errorf("blocks of the frame's forms: %q, want %q", framed, want)
	}
}

// Most hosts of a wide crawl have one page: nothing is kept of its forms.
func TestTheFormsOfAHostsFirstPageAreNotKept(t *testing.T) {
	_, prints := PurifyOn(nil, "http://a.example/k1", formed(1, "It flew."), "text/html")
	without := slices.DeleteFunc(slices.Clone(prints), Print.mayBeForm)
	if len(without) == len(prints) {
		t.Fatal("the page has no forms")
	}
	a, b := new(Site), new(Site)
	a.Learn(prints)
	b.Learn(without)
	if !slices.Equal(a.Bytes(), b.Bytes()) {
		t.Error("a site of one page has its forms")
	}
	a.Learn(prints)
	b.Learn(without)
	if slices.Equal(a.Bytes(), b.Bytes()) {
		t.Error("a site of two pages has no forms")
	}
}

// A line or a bar of links at an end of a body that most pages of the site have, but for its numbers and links, is not the page's.
func TestWhatHasTheFormOfTheFrameIsNotAtTheEndsOfABody(t *testing.T) {
	plain := func(n int, own, foot string) string {
		return fmt.Sprintf(`<title>Box / Sort %d of hives</title><body><center><img src=/bar.gif alt=Box><br><font size=5><b>Sort %d of hives</b></font></center><hr><font face=Times>%s</font><hr><center>%s</center></body>`, n, n, own, foot)
	}
	bar := func(n int) string {
		return fmt.Sprintf(`[ <a href=/>Contents</a> | <a href=/%d>Wax of %s</a> | <a href=/%d>Lids of %s</a> ]`, n+1, sentence(n + 1)[:9], n+2, sentence(n + 2)[:9])
	}
	line := func(n int) string {
		return fmt.Sprintf("Best viewed with any browser. Generated on day %d of the year.", n%366)
	}
	text := func(n int) string { return "<p>" + sentence(n) + "<p>" + sentence(n+500) }
	old := func(n int, own, foot string) string {
		return fmt.Sprintf(`<title>Sort %[1]d of hives</title><body><h1>Sort %[1]d of hives</h1>%[2]s<p>%[3]s</body>`, n, own, foot)
	}
	name := func(n int) string { return strings.ReplaceAll(sentence(n)[24:33], " ", "") }
	others := func(n int) string {
		return fmt.Sprintf("<i>Other pages:</i> <a href=/>Contents</a>, <a href=/%d>%s</a>, <a href=/%d>%s</a>, <a href=/%d>%s</a>", n+1, name(n+1), n+2, name(n+2), n+5, name(n+5))
	}
	panel := func(n int, own, _ string) string {
		return fmt.Sprintf(`<title>Sort %d of hives</title><body><div class=panel><div class=panel-heading><h3>Sort %d of hives</h3><span>Updated %d days ago, %d views of it</span></div><div class=panel-body>%s</div></div>`, n, n, n%90+1, 37*n+11, own)
	}
	for _, c := range []struct {
		name    string
		page    func(n int, own, foot string) string
		foot    func(n int) string
		own     func(n int) string
		not     string
		without bool // the form is not left out
	}{
		{"a line", plain, line, text, "Best viewed", false},
		{"a bar with a line", plain, func(n int) string { return bar(n) + "<br><small>" + line(n) + "</small>" }, text, "Contents", false},
		{"a label with a bar", old, others, text, "Other pages", false},
		{"a label with a bar above a line", old, func(n int) string { return "<hr>" + others(n) + "<address>" + line(n) + "</address>" }, text, "Other pages", false},
		{"a label with a bar in the midst", func(n int, own, foot string) string { return old(n, "<p>"+foot+own, "") }, others, text, "Other pages", true},
		{"a label with two links", old, func(n int) string { s := others(n); return s[:strings.LastIndex(s[:strings.LastIndex(s, ",")], ",")] }, text, "Other pages", true},
		{"links with a few words after them", old, func(n int) string { return strings.Replace(others(n), "Other pages:", "", 1) + " by hand" }, text, "by hand", true},
		{"a line below the heading", panel, line, text, "Updated", false},
		{"all that a page says", plain, line, func(int) string { return "" }, "Best viewed", true},
		{"a row of a list", func(n int, own, foot string) string { return plain(n, own+"<ul><li>"+foot+"</ul>", "") }, line, text, "Best viewed", true},
		{"lines of data", func(n int, own, foot string) string { return plain(n, own+"<p>"+foot+"<p>"+line(n+7), "") }, line, text, "Best viewed", true},
	} {
		var h host
		for n := range 40 {
			h.meet(c.page(n, c.own(n), c.foot(n)))
		}
		v, _ := PurifyOn(h.template, "http://a.test/900", []byte(c.page(900, c.own(900), c.foot(900))), "text/html")
		alone := PurifyAt("http://a.test/900", []byte(c.page(900, c.own(900), c.foot(900))), "text/html")
		if !strings.Contains(alone.Body, c.not) {
			t.Errorf("%s: without a template the body is %q, and the test needs %q in it", c.name, alone.Body, c.not)
		}
		if strings.Contains(v.Body, c.not) != c.without || c.own(900) != "" && !strings.Contains(v.Body, sentence(900)) {
			t.Errorf("%s: the body is %q", c.name, v.Body)
		}
	}
}

// A template of few pages leaves out no form. Whether the next one does is a question to it.
func TestAPageIsReadAgainWhereItsSiteHasPagesEnoughForForms(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf(`<title>Sort %[1]d of hives</title><body><h1>Sort %[1]d of hives</h1><p>%[2]s<p>%[3]s<p>Best viewed with any browser. Generated on day %[1]d of the year.</body>`, n, sentence(n), sentence(n+500))
	}
	var h host
	for n := range leastForms - 1 {
		h.meet(page(n))
	}
	few := h.site.Last()
	for n := range 40 {
		h.meet(page(n + 100))
	}
	many := h.site.Last()
	v, _ := Reader{Answers: true}.PurifyOn(few, "http://a.test/77", []byte(page(77)), "text/html")
	w, _ := PurifyOn(many, "http://a.test/77", []byte(page(77)), "text/html")
	if !strings.Contains(v.Body, "Best viewed") || strings.Contains(w.Body, "Best viewed") {
		t.Fatalf("the body is %q, and %q with another template", v.Body, w.Body)
	}
	if follows, _ := v.ReadWith(many); follows {
		t.Error("the view with another template follows")
	}
}
