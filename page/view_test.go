package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

var viewPages = []string{
	"",
	"<title>Bees \\ \"and\" {hives} [x]</title><p>A \\\"hive\\ does: not, sleep.<a href='/x?a=\"b\"'>link \\</a>",
	"<meta property=article:section content='A,B'><article><h1>One</h1><p>Two two two two.<p>Three<time datetime=2024-01-02>x</time></article>",
	"<ul>" + strings.Repeat("<li><a href=/a/b rel=nofollow>One of many links</a> and <a href=/c>another</a>", 20) + "</ul><img src=/hive.jpg><iframe src=//films.example/embed/a1b2c3></iframe><p>A hive does not sleep.\xff The bees form a cluster.<p>" + strings.Repeat("word after word ", 50),
}

func TestViewsReadBackAsTheyWerePacked(t *testing.T) {
	for i, html := range viewPages {
		view := purify.Purify([]byte(html), "text/html")
		view.Fields = purify.Fields{{Name: "links", Values: []string{"}", `"`}}}
		wantRoundTrip(t, fmt.Sprint("page ", i), view, []byte(html))
		view.Body = "not made of its blocks"
		wantRoundTrip(t, fmt.Sprint("page of another body ", i), view, []byte(html))
	}
	wantRoundTrip(t, "the empty view", new(purify.DocView), []byte(strings.Repeat("page", 30_000)))
}

// What UnpackSomeOn decodes is what UnpackViewOn does, with the links that were asked for.
func TestSomeOfAViewIsReadAsAllOfIt(t *testing.T) {
	for i, html := range viewPages {
		view := purify.PurifyAt("http://a.example/docs/", []byte(html), "text/html")
		packed := PackViewOn(view, []byte(html))
		asked, odd := 0, func(*purify.DocView) func([]byte, string) bool { return nil }
		none, err := UnpackSomeOn(packed, func() ([]byte, error) { return []byte(html), nil }, odd)
		if err != nil || len(none.Links) > 0 {
			t.Errorf("page %d: %d links, %v; want none", i, len(none.Links), err)
		}
		some, err := UnpackSomeOn(packed, func() ([]byte, error) { return []byte(html), nil }, func(v *purify.DocView) func([]byte, string) bool {
			return func(url []byte, text string) bool {
				if l := view.Links[asked]; l.URL != string(url) || l.Text != text {
					t.Errorf("page %d: link %d is %s %q, want %s %q", i, asked, url, text, l.URL, l.Text)
				}
				asked++
				return asked%2 == 0
			}
		})
		if err != nil || asked != len(view.Links) || len(some.Links) != asked/2 {
			t.Errorf("page %d: %d links of %d, %v; want half of %d", i, len(some.Links), asked, err, len(view.Links))
		}
		for k, l := range some.Links {
			if want := view.Links[2*k+1]; l.URL != want.URL || l.Text != want.Text || l.Body != want.Body || l.NoFollow != want.NoFollow {
				t.Errorf("page %d: link %d is %+v, want %+v", i, k, l, want)
			}
		}
		if !reflect.DeepEqual(some.Blocks, view.Blocks) || some.Title != view.Title || some.Type != view.Type || some.Layout != view.Layout || some.Template != view.Template {
			t.Errorf("page %d: %+v, want %+v", i, some, view)
		}
		if len(view.Blocks) == 0 && some.Body != view.Body {
			t.Errorf("page %d: the body %q, want %q", i, some.Body, view.Body)
		}
	}
}

// A view of form 2 is one without pictures, one of form 3 one whose blocks have no forms, and a form of a later version is refused.
func TestViewsOfEarlierFormsAreRead(t *testing.T) {
	html := []byte(viewPages[2])
	view := purify.Purify(html, "text/html")
	packed := PackViewOn(view, html)
	if packed[1] != viewForm || len(view.Pictures) > 0 || packed[0] != viewOnBytes {
		t.Fatalf("form %d with %d pictures, want %d without", packed[1], len(view.Pictures), viewForm)
	}
	page := func() ([]byte, error) { return html, nil }
	for _, form := range []byte{2, 3} {
		packed[1] = form
		if got, err := UnpackViewOn(packed, page); err != nil || !reflect.DeepEqual(got, view) {
			t.Errorf("form %d: %+v, %v\nwant %+v", form, got, err, view)
		}
	}
	packed[1] = viewForm + 1
	if _, err := UnpackViewOn(packed, page); err == nil {
		t.Errorf("form %d is read; want that it is refused", packed[1])
	}
}

// To read the view of a page that says little for its length does not need the page.
func TestTheViewOfAPageThatSaysLittleIsReadWithoutIt(t *testing.T) {
	html := viewPages[3] + "<script>" + strings.Repeat("var unread;", 20_000) + "</script>"
	view := purify.Purify([]byte(html), "text/html")
	wantRoundTrip(t, "a page with a long script", view, []byte(html))
	if got, err := UnpackView(PackViewOn(view, []byte(html))); err != nil || !reflect.DeepEqual(got, view) {
		t.Errorf("without the page: %+v, %v\nwant %+v", got, err, view)
	}
	if !IsOnBytes(PackViewOn(view, []byte(html)[:sparse*len(view.Body)])) {
		t.Error("the view of a page that is as long as sixteen times its body is not packed on it")
	}
}

func wantRoundTrip(t *testing.T, name string, view *purify.DocView, html []byte) {
	t.Helper()
	on := PackViewOn(view, html)
	for how, unpack := range map[string]func() (*purify.DocView, error){
		"alone":    func() (*purify.DocView, error) { return UnpackView(PackView(view)) },
		"on bytes": func() (*purify.DocView, error) { return UnpackViewOn(on, func() ([]byte, error) { return html, nil }) },
		"made alone": func() (*purify.DocView, error) {
			b, err := AloneView(on, html)
			if err != nil {
				return nil, err
			}
			return UnpackView(b)
		},
	} {
		if got, err := unpack(); err != nil || !reflect.DeepEqual(got, view) {
			t.Errorf("%s, %s: %+v, %v\nwant %+v", name, how, got, err, view)
		}
	}
	reframed := *view
	reframed.Template, reframed.Blocks = 70_000-view.Template, slices.Clone(view.Blocks)
	for i := range reframed.Blocks {
		reframed.Blocks[i].Shared = i%3 == 0
	}
	if got, want := Repack(on, &reframed), PackViewOn(&reframed, html); !bytes.Equal(got, want) {
		t.Errorf("%s: reframed and packed again it is %x, want %x", name, got, want)
	}
	want := *view
	want.Links, want.Blocks, want.Targets, want.Pictures = nil, nil, nil, nil
	if got, err := UnpackBrief(PackView(view)); err != nil || !reflect.DeepEqual(got, &want) {
		t.Errorf("%s, in brief: %+v, %v\nwant %+v", name, got, err, want)
	}
	if got, err := UnpackBriefOn(on, func() ([]byte, error) { return html, nil }); err != nil || !reflect.DeepEqual(got, &want) {
		t.Errorf("%s, on bytes in brief: %+v, %v\nwant %+v", name, got, err, want)
	}
}

// TestEveryFieldOfAViewIsPacked sets all fields that there are, but the one that its record has and the one of
// pages that are not kept.
func TestEveryFieldOfAViewIsPacked(t *testing.T) {
	var view purify.DocView
	fill(reflect.ValueOf(&view).Elem(), 1)
	view.TextError, view.Moved = "", false
	for i := range view.Blocks { // a heading is neither of prose nor a cloud of links
		b := &view.Blocks[i]
		b.Heads, b.Prose, b.Cloud = i == 0, i > 0, false
	}
	view.Blocks = append(view.Blocks, purify.Block{Text: "a cloud", Print: purify.PrintOf("a cloud"), Cloud: true})
	wantRoundTrip(t, "a view with all fields", &view, []byte(strings.Repeat("bytes of the page ", 10)))
}

// fill sets what can be set to something else than zero.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(1000 + n))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(1<<30 + n))
	case reflect.Float64:
		v.SetFloat(float64(n) + .25)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), 10*n+i)
		}
	case reflect.Pointer: // what is noted for as long as a page is visited
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), 10*n+i)
			}
		}
	default:
		panic(v.Kind())
	}
}

func TestAViewOnItsPageTakesLessThanAlone(t *testing.T) {
	var html strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		html.WriteString("<p>")
		for range 40 {
			fmt.Fprintf(&html, "w%d ", rng.IntN(10_000))
		}
	}
	view := purify.Purify([]byte(html.String()), "text/html")
	alone, on := PackView(view), PackViewOn(view, []byte(html.String()))
	if len(on)*3 > len(alone) {
		t.Errorf("on its page a view takes %d bytes, and alone %d", len(on), len(alone))
	}
	if _, err := UnpackView(on); err == nil {
		t.Error("a view that was packed on its page is read without it")
	}
}

func TestAViewThatIsCutShortIsAnError(t *testing.T) {
	view := purify.Purify([]byte(viewPages[3]), "text/html")
	plain, err := AloneView(PackViewOn(view, []byte(viewPages[3])), []byte(viewPages[3]))
	if err != nil {
		t.Fatal(err)
	}
	for n := range plain {
		if v, err := UnpackView(plain[:n]); err == nil && !reflect.DeepEqual(v, view) {
			t.Errorf("%d of %d bytes are read without an error", n, len(plain))
		}
	}
}

func FuzzUnpackView(f *testing.F) {
	for _, html := range viewPages {
		view := purify.Purify([]byte(html), "text/html")
		f.Add(PackView(view))
		f.Add(PackViewOn(view, []byte(html)))
		if b, err := AloneView(PackViewOn(view, []byte(html)), []byte(html)); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := UnpackViewOn(b, func() ([]byte, error) { return bytes.Repeat([]byte("page"), 100), nil })
		if err != nil {
			return
		}
		if again, err := UnpackView(PackView(v)); err != nil || again.Body != v.Body || len(again.Blocks) != len(v.Blocks) || len(again.Links) != len(v.Links) {
			t.Errorf("%+v reads back as %+v, %v", v, again, err)
		}
	})
}
