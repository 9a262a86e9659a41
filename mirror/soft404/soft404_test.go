package soft404

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

func parse(t *testing.T, text string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPagesOfOneFolderAndExtensionHaveOneProbe(t *testing.T) {
	probe := func(text string) string {
		p, err := ProbeURL(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		return p.String()
	}
	a := probe("http://a.example/news/1.html")
	if !strings.HasPrefix(a, "http://a.example/news/") || !strings.HasSuffix(a, ".html") {
		t.Errorf("ProbeURL = %s, want a page of the folder", a)
	}
	if b := probe("http://a.example/news/2.html?x=1"); b != a {
		t.Errorf("ProbeURL of another page = %s, want %s", b, a)
	}
	for _, other := range []string{"http://a.example/news/1", "http://a.example/1.html", "http://b.example/news/1.html"} {
		if b := probe(other); b == a {
			t.Errorf("ProbeURL(%s) = %s, want another", other, b)
		}
	}
}

func TestAnErrorPageMatchesItselfWithAnotherURLInIt(t *testing.T) {
	sign := func(text string) *dedup.Signature {
		view := purify.Purify([]byte("<title>t</title><p>"+text+"</p>"), "text/html; charset=utf-8")
		s := dedup.Sign(nil, view)
		return &s
	}
	missing := func(url string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "We are sorry. The page %s is not on this server.", url)
		for i := range 80 {
			fmt.Fprintf(&b, " Shelf %c%c of our library moved in spring to room %c.", 'a'+i%26, 'a'+i/26, 'a'+i*7%26)
		}
		return b.String()
	}
	e := ErrorPageOf(sign(missing("/a")), 0)
	if !e.Served {
		t.Fatal("an error page with words counts as a proper error")
	}
	if !e.Matches(sign(missing("/b/c")), 0) {
		t.Error("the same error page for another URL does not match")
	}
	var article strings.Builder
	for i := range 60 {
		fmt.Fprintf(&article, "Fact %d of the article is that number %d follows it. ", i, i*i+1)
	}
	if e.Matches(sign(article.String()), 0) {
		t.Error("an article matches the error page")
	}
	if (ErrorPage{}).Matches(sign(missing("/a")), 0) {
		t.Error("a page matches an error page that is not served")
	}
}

func TestADetectorSuspectsAHostOfItsThirdCopy(t *testing.T) {
	d := NewDetector()
	u := parse(t, "http://a.example/x")
	for i, want := range []bool{false, false, true, true} {
		if got := d.RepeatedCopy(u, 7); got != want {
			t.Errorf("copy %d: RepeatedCopy = %v, want %v", i+1, got, want)
		}
	}
	if d.RepeatedCopy(u, 8) || d.RepeatedCopy(parse(t, "http://b.example/x"), 7) {
		t.Error("copies of another page, or on another host, are counted together")
	}
}

func TestADetectorRemembersWhatAProbeBrought(t *testing.T) {
	d := NewDetector()
	k := parse(t, "http://a.example/probe").Key()
	if _, ok := d.Known(k); ok {
		t.Error("a detector knows what it was not told")
	}
	d.Learn(k, ErrorPage{Served: true})
	if e, ok := d.Known(k); !ok || !e.Served {
		t.Errorf("Known = %+v, %v, want what was learned", e, ok)
	}
}

// A calendar that answers for each number has a day for the name of digits. One of 1,846
// names was such while they were hexadecimal: then all its days were soft 404s.
func TestTheNameOfAProbeHasNoDigits(t *testing.T) {
	names := make(map[string]bool)
	for port := range 4000 {
		u, err := weburl.Parse(fmt.Sprintf("http://127.0.0.1:%d/day/5.html", 20000+port))
		if err != nil {
			t.Fatal(err)
		}
		probe, err := ProbeURL(u)
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(probe.Path(), "/day/")
		if name, html := strings.CutSuffix(name, ".html"); !ok || !html || len(name) != 16 || strings.ContainsAny(name, "0123456789") {
			t.Fatalf("ProbeURL(%s) = %s, want 16 letters in its folder with its extension", u, probe)
		}
		names[name] = true
	}
	if len(names) != 4000 {
		t.Errorf("4000 origins have %d names, want one each", len(names))
	}
}

func TestPagesThatDifferByTheirURLsAloneHaveOneText(t *testing.T) {
	of := func(address, title, body string) Text { return TextOf(parse(t, address), title, body) }
	first := of("http://a.example/news/red-bridge.html", "Not found", "There is no /news/red-bridge.html here. Request 1831.")
	if first == 0 {
		t.Fatal("a page that says its path has no text")
	}
	for _, c := range []struct {
		same                 bool
		address, title, body string
	}{
		{true, "http://a.example/news/x17.html?a=1", "Not found", "There is no /news/x17.html here. Request 1831."},
		{true, "http://a.example/Caf%C3%A9.html", "Not found", "There is no /café.html here. Request 1831."},
		{false, "http://a.example/news/x17.html", "Not found", "There is no /news/red-bridge.html here. Request 1831."},
		{false, "http://a.example/news/x17.html", "Found", "There is no /news/x17.html here. Request 1831."},
		{false, "http://a.example/news/x17.html", "Not found", "There is a page /news/x17.html here. Request 1831."},
	} {
		if got := of(c.address, c.title, c.body); (got == first) != c.same {
			t.Errorf("%s: the text of %q is the same: %v, want %v", c.address, c.body, got == first, c.same)
		}
	}
	if a, b := of("http://a.example/red-bridge/", "", "Nothing about Red Bridge."), of("http://a.example/tower/", "", "Nothing about Tower."); a != b || a == 0 {
		t.Errorf("pages that say the words of their URLs have the texts %x and %x", a, b)
	}
	for what, text := range map[string]Text{
		"a page that does not say its URL": of("http://a.example/red", "", "Nothing is here."),
		"a long page":                      of("http://a.example/red", "", "red "+strings.Repeat("long ", 200)),
		"the page at the root":             of("http://a.example/", "", "Go to / now."),
	} {
		if text != 0 {
			t.Errorf("%s has a text", what)
		}
	}
	d, x := NewDetector(), parse(t, "http://a.example/x")
	for range 4 {
		if d.RepeatedText(x, 0) {
			t.Fatal("pages without a text are repeated")
		}
	}
}

// A program that saves a site may save the error page of /texts/u202 as /texts/u202/index.html.
func TestAServersSentenceNamesThePathWithOrWithoutASlash(t *testing.T) {
	for _, c := range []struct {
		address, said string
		want          bool
	}{
		{"http://a.example/texts/U202", "/texts/U202", true},
		{"http://a.example/texts/U202/", "/texts/U202", true},
		{"http://a.example/texts/De%20Finibus/", "/texts/De Finibus", true},
		{"http://a.example/texts/De%20Finibus/", "/texts/De%20Finibus", true},
		{"http://a.example/texts/U202/", "/texts/U2021", false},
		{"http://a.example/texts/U202/", "/texts", false},
		{"http://a.example/", "", false},
	} {
		body := "The requested URL " + c.said + " was not found on this server."
		if got := SaysNotFound(parse(t, c.address), "404 Not Found", body); got != c.want {
			t.Errorf("%s: %q says that it was not found: %v, want %v", c.address, body, got, c.want)
		}
	}
}
