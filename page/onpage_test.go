package page

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// codedTexts codes texts on a page and reads them back.
func codedTexts(t *testing.T, page string, texts []string) (c *pageCoder) {
	t.Helper()
	c = new(pageCoder)
	c.start([]byte(page))
	size := 0
	for _, s := range texts {
		c.text([]byte(s), 0)
		size += len(s)
	}
	d, err := newPageDecoder(c.appendTo(nil), []byte(page), size)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range texts {
		if got, ok := d.text(uint64(len(s))); !ok || got != s {
			t.Fatalf("text = %q, %v; want %q, of page %.200q", got, ok, s, page)
		}
	}
	return c
}

func TestTextsOfAPageAreNotKeptTwice(t *testing.T) {
	page := "<html><head><title>Bees &amp; hives</title></head><body><p>A hive\n\t does <b>not\n</b> sleep.<p>The <a href='../b/cd'>cluster</a>,\na warm one.</p><script>if (a < b) c()</script><p>The end"
	c := codedTexts(t, page, []string{"A hive does not sleep.", "The cluster, a warm one.", "b/cd", "cluster", "The end"})
	if len(c.own) > 0 || len(c.pieces) > 20 {
		t.Errorf("%d bytes say where the texts are, and %q is kept of them", len(c.pieces), c.own)
	}
	c = codedTexts(t, page, []string{"Bees & hives", "no such text", "", "<b>", "not\n\tsleep", "a < b"})
	if len(c.own) > 40 {
		t.Errorf("%q is kept of six texts", c.own)
	}
}

// TestALongListIsFoundInItsOrder codes a page of entries that start alike and have references: each is
// found where it stands and not at the first that starts as it does.
func TestALongListIsFoundInItsOrder(t *testing.T) {
	var page strings.Builder
	var texts []string
	for i := range 5000 {
		fmt.Fprintf(&page, "<dt>Returns:<dd><b>the number</b> of the list&lt;<i>Item</i>&gt; that %d&nbsp;names", i)
		texts = append(texts, "Returns:", fmt.Sprintf("the number of the list<Item> that %d names", i))
	}
	c := codedTexts(t, page.String(), texts)
	if c.left <= 0 || len(c.own) > 4*5000 || len(c.pieces) > 20*5000 {
		t.Errorf("%d bytes say where 5000 entries are, %d are kept of them, and %d more may be looked through", len(c.pieces), len(c.own), c.left)
	}
}

func FuzzTextsOnAPage(f *testing.F) {
	f.Add("<p>One <b>two</b> three<p>four", "One two three\x00four\x00five")
	f.Add("<p>a  b <i> c</i>\n\n<", "a b c\x00 c \x00a  b\x00<")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, page, texts string) {
		codedTexts(t, page, strings.Split(texts, "\x00"))
	})
}

// TestCodingOnAPageIsLinear codes texts that the page does not have, though much of it looks like
// them: what is looked through is no more than a few times the page.
func TestCodingOnAPageIsLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1000, 30_000} {
		var page, text strings.Builder
		for range n {
			fmt.Fprintf(&page, "<a href=/same/folder/of/all/%d>text of all %d</a> ", rng.IntN(1e9), rng.IntN(1e9))
			fmt.Fprintf(&text, "text of all %d ", rng.IntN(1e9))
		}
		c := codedTexts(t, page.String()+strings.Repeat("text<b></b>", n)+strings.Repeat("<i>", n), []string{text.String(), strings.Repeat("text of", n)})
		if over := -c.left; over > maxStarts*startCost+nearBytes+maxTag {
			t.Errorf("%d links: %d bytes were looked through beyond the bound", n, over)
		}
	}
}

// TestADamagedViewOnItsPageIsAnError reads views of which a byte is altered, or whose page is
// another one: what comes out may be wrong, which checksums tell, but nothing panics.
func TestADamagedViewOnItsPageIsAnError(t *testing.T) {
	html := []byte(viewPages[3])
	view := purify.Purify(html, "text/html")
	packed := PackViewOn(view, html)
	for i := range packed {
		for _, bit := range []byte{1, 0x80} {
			b := append([]byte(nil), packed...)
			b[i] ^= bit
			UnpackViewOn(b, func() ([]byte, error) { return html, nil })
		}
	}
	for n := range packed {
		if v, err := UnpackViewOn(packed[:n], func() ([]byte, error) { return html, nil }); err == nil && !reflect.DeepEqual(v, view) {
			t.Errorf("%d of %d bytes are read without an error", n, len(packed))
		}
	}
	for n := range html {
		UnpackViewOn(packed, func() ([]byte, error) { return html[:n], nil })
	}
}
