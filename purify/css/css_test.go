package css

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// randomTree returns a tree of some elements with the names a, b, c and classes x, y.
func randomTree(r *rand.Rand) *Tree {
	t := NewTree()
	depth := 0
	for range 5 + r.IntN(60) {
		if depth > 0 && r.IntN(3) == 0 {
			depth--
			t.Close(depth)
			continue
		}
		var attrs []html.Attribute
		if r.IntN(2) == 0 {
			attrs = []html.Attribute{{Key: "class", Val: []string{"x", "y", "x y"}[r.IntN(3)]}}
		}
		e := t.Start([]string{"a", "b", "c"}[r.IntN(3)], attrs)
		if r.IntN(4) > 0 {
			t.Open(e)
			depth++
		}
		if r.IntN(2) == 0 {
			t.Text("word", 0)
		}
	}
	return t
}

func TestOneWalkFindsWhatTryingEachElementFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	compounds := []string{"a", "b", "c", ".x", ".y", "a.x", "*", "b:first-child", "c:not(.y)", ":has(a)", "a:nth-child(2n+1)"}
	for range 3000 {
		tree := randomTree(r)
		var text strings.Builder
		for i := range 1 + r.IntN(4) {
			if i > 0 {
				text.WriteString([]string{" ", " > ", "+", " ~", ", ", " /* , */ "}[r.IntN(6)])
			}
			text.WriteString(compounds[r.IntN(len(compounds))])
		}
		s, err := Parse(text.String())
		if err != nil {
			t.Fatalf("Parse(%q): %v", text.String(), err)
		}
		got, want := s.MatchAll(tree.root), cascadia.QueryAll(tree.doc, s.group)
		if !slices.Equal(got, want) {
			t.Fatalf("%q finds %d elements, and trying each one %d, of\n%s", text.String(), len(got), len(want), rendered(tree))
		}
	}
}

func rendered(t *Tree) string {
	var b strings.Builder
	if err := html.Render(&b, t.doc); err != nil {
		return err.Error()
	}
	return b.String()
}

func TestBadSelectorsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "empty",
		"p[":                           `selector "p["`,
		"p:nope":                       `selector "p:nope"`,
		"a[href":                       `selector "a[href"`,
		"div > > p":                    `selector "div > > p"`,
		"a,,b":                         `selector "a,,b"`,
		"p::before":                    `selector "p::before"`,
		"> p":                          `selector "> p"`,
		"p(":                           `selector "p("`,
		"a)":                           `selector "a)"`,
		`p[x="`:                        `selector`,
		"正文":                           "", // a name like any other
		"a[href*='x=y@z']":             "",
		"#a\\:b":                       "",
		strings.Repeat("a ", 80) + "b": "compounds",
	} {
		_, err := Parse(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("Parse(%q): %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("Parse(%q): error %v, want one with %q", text, err, want)
		}
	}
}

func TestBadFieldsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"price":                        "has no =",
		"=p":                           "no name",
		"[]=p":                         "no name",
		"a b=p":                        "not the name of a field",
		"x=":                           "field x: the selector is empty",
		"x=p@":                         "not an attribute name",
		"x=p@a b":                      "not an attribute name",
		"x=@href":                      "field x: the selector is empty",
		"x=p[":                         "field x: selector",
		strings.Repeat("n", 65) + "=p": "65 bytes",
	} {
		if _, err := ParseField(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseField(%q): error %v, want one with %q", text, err, want)
		}
	}
	f, err := ParseField(`mail[]=a[href^="mailto:x@y=z"]@HREF`)
	if err != nil || f.Name != "mail" || !f.List || f.Attr != "href" || f.selector.String() != `a[href^="mailto:x@y=z"]` {
		t.Errorf("got %+v, %v; want the last @ that stands outside of brackets to name the attribute", f, err)
	}
	if f, err := ParseField("价格=.价格"); err != nil || f.Name != "价格" {
		t.Errorf("a Chinese name: %+v, %v", f, err)
	}
}

// deep is a selector whose compounds all match many of the elements around each element.
const deep = ".none div div div div div div span"

func TestADeepPageIsWalkedOnce(t *testing.T) {
	tree := NewTree()
	for range 500 {
		tree.Open(tree.Start("div", nil))
	}
	for range MaxElements - 600 {
		tree.Start("span", nil)
	}
	s, err := Parse(deep)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if n := len(s.MatchAll(tree.root)); n != 0 {
		t.Errorf("%d elements, want none", n)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v: the walk tries ancestors again", took)
	}
}

func TestATreeIsBounded(t *testing.T) {
	tree := NewTree()
	for i := range 3 * MaxElements {
		tree.Start("p", []html.Attribute{{Key: "id", Val: fmt.Sprint(i)}, {Key: "class", Val: "x"}})
		tree.Text("word", 0)
	}
	s, _ := Parse("p")
	if n := len(s.MatchAll(tree.root)); n != MaxElements || !tree.Cut() {
		t.Errorf("%d elements, cut %v; want %d, and that it was cut", n, tree.Cut(), MaxElements)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a > b", "p:not(.x)", "a[b='c,d'], e ~ f", "a\\", "/*", "'", ":has(> a)"} {
		f.Add(s)
	}
	r := rand.New(rand.NewPCG(1, 2))
	trees := []*Tree{randomTree(r), randomTree(r), randomTree(r)}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		for _, tree := range trees {
			if got, want := s.MatchAll(tree.root), cascadia.QueryAll(tree.doc, s.group); !slices.Equal(got, want) {
				t.Errorf("%q finds %d elements, and trying each one %d", text, len(got), len(want))
			}
		}
	})
}
