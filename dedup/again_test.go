package dedup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// A page that is read while its site's template changes is signed as if its view were new, and, if its view follows, as if its bytes
// were read again.
func TestATextMadeAgainIsTheOneThatItsViewHas(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("word%d", r.IntN(400))
		}
		return strings.Join(list, " ")
	}
	menu := make([]string, 12)
	for i := range menu {
		menu[i] = fmt.Sprintf("<li><a href=/m%d>%s</a>", i, words(2))
	}
	notice := "<p>" + words(20) + "."
	pageOf := func(i int) []byte {
		html := "<html><title>" + words(4) + "</title><ul>" + strings.Join(menu, "") + "</ul><article><h1>" + words(4) + "</h1>"
		for range 1 + r.IntN(6) {
			html += "<p>" + words(5+r.IntN(60)) + "."
		}
		if i%2 == 0 {
			html += notice
		}
		return []byte(html + "</article><div><a href=/next>" + words(3) + "</a></div>")
	}
	var site purify.Site
	var templates []*purify.Template
	type read struct {
		html []byte
		view *purify.DocView
		by   *purify.Template
		text Text
		sig  Signature
	}
	var pages []read
	var idf *IDF
	same, other, follow := 0, 0, 0
	for i := range 300 {
		var by *purify.Template
		if len(templates) > 0 {
			by = templates[len(templates)-1]
		}
		url := fmt.Sprintf("http://a.example/%d", i)
		html := pageOf(i)
		view, prints := purify.Reader{Answers: true}.PurifyOn(by, url, html, "text/html")
		view.URL = url
		p := read{html: html, view: view, by: by, text: TextOf(view, by)}
		p.sig = idf.SignPage(DigestOf([]byte(url)), view, &p.text)
		pages = append(pages, p)
		if made := site.Learn(prints); made != nil {
			templates = append(templates, made)
			for _, p := range pages[max(0, len(pages)-20):] {
				if p.view.Template == 0 {
					continue
				}
				fresh := p.view
				if ok, _ := p.view.ReadWith(made); ok {
					follow++
					fresh, _ = purify.PurifyOn(made, p.view.URL, p.html, "text/html")
					fresh.URL = p.view.URL
				} else {
					p.view.Reframe(made)
				}
				want := TextOf(fresh, made)
				wantSig := idf.SignPage(p.sig.Bytes, fresh, &want)
				got := p.text.Again(p.view, made)
				gotSig := idf.SignAgain(p.view, &got, &p.text, p.sig)
				a, _ := want.AppendBinary(nil)
				b, _ := got.AppendBinary(nil)
				if !bytes.Equal(a, b) || gotSig != wantSig || fmt.Sprint(got.Sample()) != fmt.Sprint(want.Sample()) {
					t.Fatalf("%s by template %d: %+v with %+v, want %+v with %+v", p.view.URL, made.Generation(), got, gotSig, want, wantSig)
				}
				if gotSig == p.sig {
					same++
				} else {
					other++
				}
			}
		}
	}
	if same == 0 || other == 0 || follow == 0 || follow == same+other {
		t.Errorf("%d pages were signed as before and %d otherwise, %d views followed: want some of each", same, other, follow)
	}
}
