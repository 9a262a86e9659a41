package dedup

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// formPages are pages of one site: members of classes, posts with versions of them that are near,
// and short ones.
func formPages(t *testing.T) (paths []string, texts map[string]*Text) {
	t.Helper()
	pages := make(map[string]string)
	add := func(path, html string) {
		paths, pages[path] = append(paths, path), html
	}
	for i := range 8 {
		add(fmt.Sprintf("class%d-members.html", i%5+10*(i/5)), memberList(fmt.Sprint("Kite", i%5)))
	}
	for i := range 24 {
		var says strings.Builder
		for line := range 2 + 3*(i%4) { // on both sides of ownText, and around it
			fmt.Fprintf(&says, "<p>Line %d of post %d tells of ladders, twine and %d geese that walked by the fence near gate %d in the evening.</p>", line, i/3, line+i/3, i/3)
		}
		if i%3 == 1 {
			says.WriteString("<p>One line more was written in the week after.</p>")
		}
		if i%8 == 5 {
			says.WriteString("<img src='geese-by-the-fence.jpg'>")
		}
		add(fmt.Sprintf("posts/%d/", i), blogPage(fmt.Sprintf("Post %d", i/3), says.String()))
	}
	return paths, siteOf(t, paths, func(path string) string { return pages[path] })
}

func TestATextIsReadAsItWasWritten(t *testing.T) {
	paths, texts := formPages(t)
	bare := TextOf(&purify.DocView{URL: "http://other.example/x", Title: "Ladders and twine", Body: "words", Layout: 1, Blocks: []purify.Block{{Text: "Ladders and twine", Chosen: true}, {Text: "words", Chosen: true}}})
	texts["bare"], texts["empty"] = &bare, &Text{Lists: []uint32{1, 1 << 31}, Links: 7}
	named := false
	for _, path := range append(paths, "bare", "empty") {
		want := texts[path]
		named = named || want.named
		b, err := want.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		got := new(Text)
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		made := map[string]bool{"made": true, "compared": true, "near": true, "nearDoc": true, "cut": true, "joined": true, "joinedBody": true, "sampled": true, "sampledBody": true, "own": true}
		for i := range reflect.TypeFor[Text]().NumField() { // so that a new field is not forgotten
			name := reflect.TypeFor[Text]().Field(i).Name
			if g, w := reflect.ValueOf(got).Elem().Field(i), reflect.ValueOf(want).Elem().Field(i); !made[name] && fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", w) && name != "site" {
				t.Errorf("%s: %s is read as %+v, want %+v", path, name, g, w)
			}
		}
		if len(got.site) != len(want.site) || len(want.site) > 0 && (got.site[0] == nil) != (want.site[0] == nil) {
			t.Errorf("%s: its %d templates are read as %d", path, len(want.site), len(got.site))
		}
		if g, w := got.Sign(), want.Sign(); g != w {
			t.Errorf("%s: what was read is signed %+v, want %+v", path, g, w)
		}
		for n := 0; n < len(b); n += 1 + len(b)/100 {
			if err := new(Text).UnmarshalBinary(b[:n]); err == nil {
				t.Fatalf("%s, cut to %d of %d bytes, is read", path, n, len(b))
			}
		}
	}
	if !named {
		t.Error("no page has a line that repeats its title")
	}
}

// TestAStubAnswersAsItsTextDoes asks a gate that fills up by stubs, and by texts where it needs
// them, and another by texts alone.
func TestAStubAnswersAsItsTextDoes(t *testing.T) {
	paths, texts := formPages(t)
	open := func() (*Gate, *library) {
		l := &library{texts: make(map[DocID]Text)}
		g, err := NewGate(DefaultOptions(), l)
		if err != nil {
			t.Fatal(err)
		}
		return g, l
	}
	byTexts, one := open()
	byStubs, other := open()
	needed, copies, edges, near, alone := 0, 0, 0, 0, 0
	for i, path := range paths {
		doc, sig := DocID(i+1), texts[path].Sign()
		b, err := texts[path].Stub().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var s Stub
		if err := s.UnmarshalBinary(b); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if s.edge != nil {
			edges++
		}
		for _, l := range []*library{one, other} {
			l.records.put(doc, sig)
			l.texts[doc] = *texts[path]
		}
		want, err := byTexts.Claim(doc, sig, texts[path])
		if err != nil {
			t.Fatal(err)
		}
		before := byStubs.Rows()
		looked, lookErr := byStubs.Check(sig, s.Text())
		got, err := byStubs.Claim(doc, sig, s.Text())
		if !reflect.DeepEqual(looked, got) && !want.Copy() || errors.Is(lookErr, ErrTextNeeded) != errors.Is(err, ErrTextNeeded) {
			t.Errorf("%s: Check says %+v, %v, and Claim %+v, %v", path, looked, lookErr, got, err)
		}
		if errors.Is(err, ErrTextNeeded) {
			needed++
			if byStubs.Rows() != before {
				t.Errorf("%s: a claim that needs the text has changed the gate", path)
			}
			got, err = byStubs.Claim(doc, sig, texts[path])
		}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", path, got, err, want)
		}
		if want.Copy() {
			copies++
		}
		all, err := byTexts.Nearest(sig, texts[path], 0)
		if err != nil {
			t.Fatal(err)
		}
		switch found, err := byStubs.Nearest(sig, s.Text(), 0); {
		case errors.Is(err, ErrTextNeeded):
			near++
		case err != nil || !reflect.DeepEqual(found, all):
			t.Errorf("%s: Nearest says %+v, %v by the stub, want %+v", path, found, err, all)
		default:
			alone++
		}
	}
	t.Logf("%d pages, %d copies, %d that may be signed otherwise, the text was needed for %d, and to find their neighbours for %d",
		len(paths), copies, edges, needed, near)
	if needed == 0 || needed == len(paths) || copies == 0 || edges == 0 || near == 0 || alone == 0 {
		t.Error("the pages do not show all cases")
	}
}
