package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A countingLibrary counts the texts that are asked for.
type countingLibrary struct {
	library
	asked int
}

func (l *countingLibrary) Text(doc DocID) (Text, bool, error) {
	l.asked++
	return l.library.Text(doc)
}

// longAlike are long texts that have most of what they say in common: the records of members of
// one parliament, with the votes of all.
func longAlike(n, words int) []Text {
	r := rand.New(rand.NewPCG(3, 3))
	common := strings.Fields(text(r, words-words/7))
	var all []Text
	for i := range n {
		all = append(all, Text{
			Title: fmt.Sprint("Member ", text(r, 2)),
			Body:  strings.Join(slices.Concat(common, strings.Fields(text(r, words/7))), " "),
			Host:  "a.example", Name: fmt.Sprint("member", i),
		})
	}
	return all
}

// One page of a site of long pages that are much alike costs what a page costs, not a reading of
// sixteen others; and what was read for one page is there for the next.
func TestFewLongTextsAreReadForAPage(t *testing.T) {
	const pages, words = 40, 20_000
	const counts = 1 + words/longRead // each of maxReads
	const reads = (maxReads + counts - 1) / counts
	l := &countingLibrary{library: library{texts: make(map[DocID]Text)}}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		t.Fatal(err)
	}
	all := longAlike(pages, words)
	for i, text := range all[:pages-1] {
		doc, sig := DocID(i+1), text.Sign()
		before := l.asked
		if v, err := g.Claim(doc, sig, &text); err != nil || v.Copy() {
			t.Fatalf("claim of %d: %+v, %v", doc, v, err)
		}
		if n := l.asked - before; n > reads {
			t.Fatalf("%d texts are read for page %d, want at most %d", n, doc, reads)
		}
		l.texts[doc] = text
		l.put(doc, sig)
	}
	last := all[pages-1]
	if list := g.candidates(&query{last.Sign(), outlineOf(last.Sign()), &last, maxReads}, new(lookup)); len(list) < 2*maxReads {
		t.Fatalf("%d pages may be the last one; the test wants many", len(list))
	}
	g.read = readings{}
	count := func(ask func(Text) error) int {
		before := l.asked
		if err := ask(last); err != nil {
			t.Fatal(err)
		}
		return l.asked - before
	}
	if n := count(func(text Text) error { _, err := g.Check(text.Sign(), &text); return err }); n == 0 || n > reads {
		t.Errorf("%d texts are read for a new page, want 1 to %d", n, reads)
	}
	if n := count(func(text Text) error { _, err := g.Nearest(text.Sign(), &text, 2); return err }); n != 0 {
		t.Errorf("%d texts are read again", n)
	}
	if n := count(func(text Text) error { _, err := g.Neighbours(text.Sign(), &text, 0); return err }); n < 2*reads {
		t.Errorf("%d texts are read for all neighbours, want more", n)
	}
}

// The readings that are held are bounded by what they weigh, those of long texts too; what was
// forgotten leaves no entries behind.
func TestHeldReadingsAreBounded(t *testing.T) {
	var c readings
	long := longAlike(40, 30_000)
	for i := range long {
		c.put(DocID(i+1), read(&long[i]))
	}
	if c.get(DocID(len(long))) == nil || c.held > maxHeld || c.held < maxHeld/2 {
		t.Errorf("%d of %d are held; the last: %v", c.held, maxHeld, c.get(DocID(len(long))) != nil)
	}
	short := Text{Body: "a few words"}
	for i := range 50_000 {
		doc := DocID(1000 + i)
		c.put(doc, read(&short))
		if i%2 == 0 {
			c.forget(doc)
		}
	}
	held := 0
	for _, r := range c.of {
		held += r.weight()
	}
	if held != c.held || c.held > maxHeld || len(c.order) > 2*maxHeld/leastWeight {
		t.Errorf("%d are held and %d counted, of %d; %d entries", held, c.held, maxHeld, len(c.order))
	}
	huge := longAlike(1, 60_000)
	if c.put(1, read(&huge[0])); c.get(1) != nil {
		t.Error("a reading that takes the place of sixteen is held")
	}
}
