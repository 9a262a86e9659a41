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
