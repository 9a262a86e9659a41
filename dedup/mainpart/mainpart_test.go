package mainpart

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// partsOf reads pages of one site.
func partsOf(pages ...string) []Part {
	s := NewSite()
	for _, p := range pages {
		s.Add([]byte(p), "text/html; charset=utf-8")
	}
	return s.Parts()
}

func TestAMarkedElementIsTheMainPartWithoutWhatStandsBeside(t *testing.T) {
	for name, c := range map[string]struct{ page, want, by string }{
		"main": {`<header><p>Site</header><main><h1>Bees</h1><nav>Home</nav><p>They <b>dance</b>.<aside>Ad</aside>
			<div class="post-copyright">All rights</div><div id=comments>Nice!</div></main><footer>2024</footer>`, "Bees|They dance.", "main"},
		"role":                  {`<div role=main><p>One<ul><li>two<li>three</ul></div><p>beside`, "One|two|three", "main"},
		"articles of a list":    {`<p>frame<article><h2>A</h2></article><article><h2>B</h2></article>`, "A|B", "article"},
		"a manual's containers": {`<div class=topNav>x</div><div class=contentContainer><p>int f()</div><div class=contentContainer>more</div>`, "int f()|more", "container of an API manual"},
		"an id":                 {`<div id=sidebar>s</div><div id=content><p>text</div>`, "text", "id"},
		"a class":               {`<div class="entry-content wide">text</div>after`, "text", "class"},
		"a frame that is named for what it holds":          {`<div class="has-sidebar"><div class="layout-sidebar"><main>text</main></div></div>`, "text", "main"},
		"a main part that is named for what stands beside": {`<div id=main class=fix-sidebar>text<div class=sidebar>s</div></div>`, "text", "id"},
		"hidden text":    {`<main>text<p hidden>a</p><p style="display: none">b</p><script>c</script><template>d</template></main>`, "text", "main"},
		"Chinese in GBK": {"<meta charset=gbk><main>\xd6\xd0\xce\xc4</main>", "中文", "main"},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSite()
			s.Add([]byte(c.page), "text/html")
			p := s.Parts()[0]
			if got := strings.ReplaceAll(strings.TrimSpace(p.Text), "\n", "|"); got != c.want || p.By != c.by || p.Doubt != "" {
				t.Errorf("part = %q by %q, doubt %q; want %q by %q", got, p.By, p.Doubt, c.want, c.by)
			}
		})
	}
}

// bare is a page of a site that marks nothing.
func bare(i int) string {
	return fmt.Sprintf(`<title>t</title><div><p>The site's description is a sentence.<ul><li><a href=/a>January</a><li><a href=/b>March</a></ul></div>
		<div><p>Only page %d says number %[1]d here.</div><div>Licensed under a licence.</div>`, i)
}

func TestWithoutAMarkThePartIsWhatOtherPagesDoNotHave(t *testing.T) {
	var pages []string
	for i := range 12 {
		pages = append(pages, bare(i))
	}
	for i, p := range partsOf(pages...) {
		if want := fmt.Sprintf("Only page %d says number %[1]d here.\n", i); p.Text != want || p.By != "contrast" || p.Doubt != "" {
			t.Errorf("part %d = %q by %q, doubt %q; want %q", i, p.Text, p.By, p.Doubt, want)
		}
	}
}

func TestWhereTheReaderCannotTellItSaysSo(t *testing.T) {
	frame := `<main><p>What all pages of the site say.</main>`
	long := strings.Repeat("<p>A long text of the page's own, number %d, that stands beside its main element.", 8)
	var marked []string
	for i := range 9 {
		marked = append(marked, frame, strings.ReplaceAll("<main>Stub %d</main>"+long, "%d", fmt.Sprint(i)))
	}
	parts := partsOf(marked...)
	for name, c := range map[string]struct {
		part Part
		want string
	}{
		"too few pages":       {partsOf(bare(1), bare(2))[1], "too few pages"},
		"a frame alone":       {parts[0], "no text that is not its site's"},
		"the text is outside": {parts[1], "has little of what is the page's own"},
		"a redirect":          {partsOf(`<meta http-equiv=refresh content="0; url=/x"><main>x</main>`)[0], "another page"},
	} {
		if !strings.Contains(c.part.Doubt, c.want) {
			t.Errorf("%s: doubt = %q, want %q in it", name, c.part.Doubt, c.want)
		}
	}
	if got := Copies(parts, .5); len(got) > 0 {
		t.Errorf("parts that the reader doubts are compared: %v", got)
	}
}

func TestListsAreComparedByWhatTheyLinkToAsWell(t *testing.T) {
	list := func(folder string) string {
		var b strings.Builder
		for i := range 6 {
			fmt.Fprintf(&b, `<li><a href="/%s/%s-%d/">Release</a>`, folder, folder, i)
		}
		return "<main><ul>" + b.String() + "</ul></main>"
	}
	parts := partsOf(list("apples"), list("pears"), strings.ReplaceAll(list("apples"), `"/apples`, `"../1.2/apples`))
	if len(parts[0].Links) != 6 {
		t.Fatalf("links = %q", parts[0].Links)
	}
	if j := Resemblance(parts[0], parts[1]); j > .5 {
		t.Errorf("two lists of equal words with other links resemble each other by %.2f", j)
	}
	if j := Resemblance(parts[0], parts[2]); j != 1 {
		t.Errorf("one list at two places resembles itself by %.2f", j)
	}
}

func TestCopiesFindsEveryPairThatAScanFinds(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 0))
	var parts []Part
	for range 120 {
		words := strings.Fields(strings.Repeat("a b c d e f ", 3))
		for range random.IntN(6) {
			words[random.IntN(len(words))] = string(rune('a' + random.IntN(26)))
		}
		p := Part{Text: strings.Join(words[:len(words)-random.IntN(10)], " ")}
		if random.IntN(2) == 0 {
			p.Links = words[:3+random.IntN(4)]
		}
		parts = append(parts, p)
	}
	for _, least := range []float64{.3, .5, .8, .9, 1} {
		var want []Pair
		for b := range parts {
			for a := range b {
				if j := Resemblance(parts[a], parts[b]); j >= least {
					want = append(want, Pair{a, b, j})
				}
			}
		}
		got := Copies(parts, least)
		for _, p := range want {
			if !slices.Contains(got, p) {
				t.Errorf("at %g, seed %d: %v is not found", least, seed, p)
			}
		}
		if len(got) != len(want) {
			t.Errorf("at %g, seed %d: %d pairs, want %d", least, seed, len(got), len(want))
		}
	}
}

func FuzzAnyBytesAreAPage(f *testing.F) {
	f.Add([]byte(bare(1)), "text/html")
	f.Add([]byte("<a href=x><main><a href=y></main>"), "text/html; charset=gbk")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		s := NewSite()
		for range fewPages {
			s.Add(page, contentType)
		}
		Copies(s.Parts(), .5)
	})
}
