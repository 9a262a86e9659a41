package dedup

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// readingGate returns a gate that reads the texts of what it kept.
func readingGate(t *testing.T) (*Gate, *library) {
	t.Helper()
	l := &library{texts: make(map[DocID]Text)}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		t.Fatal(err)
	}
	return g, l
}

// claimText claims a text and keeps it where it is new.
func claimText(t *testing.T, g *Gate, l *library, doc DocID, text Text) Verdict {
	t.Helper()
	s := text.Sign()
	v, err := g.Claim(doc, s, &text)
	if err != nil {
		t.Fatalf("Claim(%d) = %v", doc, err)
	}
	if !v.Copy() {
		l.put(doc, s)
		l.texts[doc] = text
	}
	return v
}

// The texts make the answer exact: whatever the resemblance of two bodies, they
// are one from Options.Resemblance on.
func TestTextsDecideWhereTheSketchLeavesADoubt(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	met, near := 0, 0
	for round := range 100 {
		words := strings.Fields(text(r, 100+r.IntN(600)))
		a := Text{Title: "A title", Body: strings.Join(words, " ")}
		for range len(words) / 25 {
			words[r.IntN(len(words))] = "other"
		}
		b := Text{Title: "A title", Body: strings.Join(words, " ")}
		g, l := readingGate(t)
		claimText(t, g, l, 1, a)
		all, err := g.Neighbours(b.Sign(), &b, 0)
		got := claimText(t, g, l, 2, b)
		if err != nil || (len(all) == 1) != got.Copy() || len(all) == 1 && all[0] != got {
			t.Errorf("round %d: Neighbours = %+v, %v, and a claim says %+v", round, all, err, got)
		}
		j := read(&a).resemblance(read(&b))
		if math.Abs(j-0.8) < 0.05 {
			near++
		}
		if !NewComparer(g.o, []Text{a, b}).Meet(0, 1) {
			continue
		}
		met++
		if got.Copy() != (j >= 0.8) {
			t.Errorf("round %d: resemblance %.3f gives %+v", round, j, got)
		}
		if got.Copy() && got.Similarity != j {
			t.Errorf("round %d: resemblance %.3f is called %.3f", round, j, got.Similarity)
		}
	}
	if near < 30 || met < 90 {
		t.Errorf("%d of 100 pairs are near the threshold and %d meet; the test wants most", near, met)
	}
}

const story = `The committee met on Tuesday and heard three reports about the harbour and its
depth. Members agreed that work on the northern pier may begin in spring, provided
that the weather allows it. A second vote on the budget was put off until the
autumn meeting, since figures for fuel were not at hand. The chair thanked the
engineers for their patience, and closed with a word about safety on the ice.
Visitors are asked to keep to the marked paths and to leave dogs at home.
`

const posting = `The council seeks a nurse for its home in %[1]s. You will look after residents
in %[1]s by day and, twice a month, by night. We offer a salary of %[2]d pounds, a
pension, thirty days of leave, and training in the first year at our school. You
bring a diploma in nursing, patience, and the will to work in a small team that has
been together for many years. Send your papers with a letter of one page to our
office; interviews are held in the week after the closing date, %[3]d May, at the
home itself, and travel is paid for by the council in full to all who are asked
to come. We welcome everybody whatever their age, faith or country of birth, and
the building can be reached without steps from the street and from the car park.
`

func TestPagesOfOneTemplateAreKeptApart(t *testing.T) {
	job := func(town string, pay, day int) Text {
		return Text{Title: "Nurse in " + town, Body: fmt.Sprintf(posting, town, pay, day)}
	}
	for _, c := range []struct {
		name string
		a, b Text
		copy bool
	}{
		{"another town, pay and date", job("Kent", 28400, 3), job("Surrey", 29100, 17), false},
		{"one job on two sites", job("Kent", 28400, 3), Text{Title: "Council jobs: nurse in Kent", Body: job("Kent", 28400, 3).Body + "Apply now.\n"}, true},
		{"one story under two headlines", Text{Title: "Pier work to begin", Body: story + "A late line here."}, Text{Title: "Harbour waits for spring", Body: story}, true},
		{"the headline in the body", Text{Title: "Pier plan agreed", Body: "Pier plan agreed\n" + story}, Text{Title: "Budget vote delayed", Body: "Budget vote delayed\n" + story}, true},
		{"two editions of a page", Text{Title: "Guide 3.11", Body: story + "Version 3.11"}, Text{Title: "Guide 3.12", Body: story + "Version 3.12"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, pair := range [][2]Text{{c.a, c.b}, {c.b, c.a}} {
				if j := read(&c.a).resemblance(read(&c.b)); j < 0.8 {
					t.Fatalf("resemblance %.3f: the case proves nothing", j)
				}
				g, l := readingGate(t)
				claimText(t, g, l, 1, pair[0])
				if v := claimText(t, g, l, 2, pair[1]); v.Copy() != c.copy {
					t.Errorf("%q after %q: %+v, want a copy: %v", pair[1].Title, pair[0].Title, v, c.copy)
				}
			}
		})
	}
}

func TestBriefBodiesAreOneUnderOneSubject(t *testing.T) {
	const body = "Ask for help at the desk, or write to us and wait."
	for _, c := range []struct {
		a, b string
		copy bool
	}{
		{"Help", "Help", true},
		{"Desk", "Desk of the library", true},
		{"list.sort", "builtins.list.sort", true},
		{"Help 3.11", "Help 3.12", true},
		{"帮助", "帮助中心", true},
		{"News", "News, page 2", false},
		{"News, page 2", "News, page 3", false},
		{"Photo one", "Photo two", false},
		{"Help", "", false},
		{"", "", true},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			g, l := readingGate(t)
			claimText(t, g, l, 1, Text{Title: pair[0], Body: body})
			if v := claimText(t, g, l, 2, Text{Title: pair[1], Body: body}); v.Copy() != c.copy {
				t.Errorf("%q after %q: %+v, want a copy: %v", pair[1], pair[0], v, c.copy)
			}
		}
	}
}

func TestABandBringsTogetherWhatTheSimHashMisses(t *testing.T) {
	a, b := page(1), edited(1, 0, 4, 2)
	b.SimHash = ^a.SimHash
	b.Bands[2] = a.Bands[2]
	for _, c := range []struct {
		bands int
		want  Verdict
	}{{3, Verdict{1, LevelNear, PartialLayout, 64, 0.9375}}, {2, Verdict{}}} {
		g, _ := newGate(t, func(o *Options) { o.Bands = c.bands })
		claim1(t, g, 1, a, Verdict{})
		claim1(t, g, 2, b, c.want)
	}
}

func TestAnOutlineIsReadAsItIsWritten(t *testing.T) {
	want := outlineOf(page(3))
	want.facts = Facts{5, 6}
	if got := unpackOutline(want.pack()); got != want {
		t.Errorf("unpackOutline = %+v, want %+v", got, want)
	}
}

func TestATextThatCannotBeReadIsAnError(t *testing.T) {
	l := &brokenLibrary{}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		t.Fatal(err)
	}
	a, b := Text{Title: "Harbour", Body: story}, Text{Title: "Pier", Body: story + "with a long line that was put there later on"}
	claimed := a.Sign()
	l.put(1, claimed)
	g.Load(1, claimed)
	if v, err := g.Claim(2, b.Sign(), &b); !errors.Is(err, errNoRecord) {
		t.Errorf("Claim = %+v, %v, want %v", v, err, errNoRecord)
	}
}

type brokenLibrary struct{ records }

func (*brokenLibrary) Text(DocID) (Text, bool, error) { return Text{}, false, errNoRecord }

// Of a page whose text is not kept the signature decides.
func TestWithoutATextTheSignatureDecides(t *testing.T) {
	l := &library{texts: make(map[DocID]Text)}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		t.Fatal(err)
	}
	l.put(1, page(1))
	g.Load(1, page(1))
	asked := Text{Title: "Harbour", Body: story}
	s := edited(1, 0, 8, 2)
	if v, err := g.Check(s, &asked); err != nil || v.Level != LevelNear {
		t.Errorf("Check = %+v, %v, want a near copy", v, err)
	}
	apart := s
	apart.Facts = Facts{7, 7}
	l.put(3, page(3))
	third := page(3)
	third.Facts = Facts{8, 8}
	g.Load(3, third)
	other := edited(3, 0, 8, 4)
	other.Facts = Facts{7, 7}
	if v, err := g.Check(other, &asked); err != nil || v.Copy() {
		t.Errorf("Check of a page with another title and other numbers = %+v, %v, want new", v, err)
	}
}

// What Check has compared Claim does not compare again, unless the kept page is another by now.
func TestAClaimFollowsAKeptPageThatChangedSinceTheCheck(t *testing.T) {
	l := &library{texts: make(map[DocID]Text)}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		t.Fatal(err)
	}
	kept := Text{Title: "Harbour", Body: story, Host: "a.example"}
	asked := Text{Title: "Harbour", Body: story + " with a word"}
	l.texts[1] = kept
	l.put(1, kept.Sign())
	g.Load(1, kept.Sign())
	if v, err := g.Check(asked.Sign(), &asked); err != nil || v.Of != 1 || v.Level != LevelNear {
		t.Fatalf("Check = %+v, %v, want a near copy of 1", v, err)
	}
	if text, ok := asked.Compared(1); !ok || text.Body != story {
		t.Errorf("Compared = %+v, %v, want the kept page's text", text, ok)
	}
	if _, ok := asked.Compared(2); ok {
		t.Error("Compared has the text of a page that was not met")
	}
	before := asked.memory().compared[0]
	if _, err := g.Check(asked.Sign(), &asked); err != nil || len(asked.memory().compared) != 1 || asked.memory().compared[0] != before {
		t.Errorf("a second Check leaves %+v, %v, want %+v", asked.memory().compared, err, before)
	}
	l.texts[1] = Text{Title: "Harbour", Body: "another story, of which nothing is in the one before", Host: "a.example"}
	g.ForgetTexts(func(host string) bool { return host == "b.example" })
	if v, err := g.Check(asked.Sign(), &asked); err != nil || v.Of != 1 {
		t.Errorf("Check = %+v, %v, want a copy of 1: the texts of another host were forgotten", v, err)
	}
	g.ForgetTexts(func(host string) bool { return host == "a.example" })
	if v, err := g.Claim(2, asked.Sign(), &asked); err != nil || v.Copy() {
		t.Errorf("Claim = %+v, %v, want new: the kept page says something else now", v, err)
	}
}
