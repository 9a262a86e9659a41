package body

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

// keptOf reads a page, takes the blocks for chosen whose text starts with +, and returns
// those that the rules of sections add.
func keptOf(page string) []string {
	return addedBy(page, func(ch *Chooser, kept []bool) {
		ch.keepTables(kept)
		ch.keepHeadings(kept, -1)
		ch.keepBelowHeading(kept)
	})
}

// addedBy is keptOf for other rules.
func addedBy(page string, rules func(ch *Chooser, kept []bool)) (added []string) {
	ch := &Chooser{Outline: new(blocks.Outline)}
	ch.Reset()
	ch.Read([]byte(page), false)
	ch.census.h1 = -1
	kept := make([]bool, len(ch.Blocks))
	for i := range kept {
		kept[i] = strings.HasPrefix(string(ch.BlockText(i)), "+")
	}
	rules(ch, kept)
	for i, k := range kept {
		if text := string(ch.BlockText(i)); k && !strings.HasPrefix(text, "+") {
			added = append(added, text)
		}
	}
	return added
}

func TestAHeadingIsKeptWithItsSection(t *testing.T) {
	for page, want := range map[string][]string{
		`<h2>Lift</h2><p>+A kite</p><h3>Drag</h3><p>+A rope</p>`:                              {"Lift", "Drag"},
		`<h2>Lift</h2><p>+A kite</p><h3>Offers</h3><p>Buy now</p>`:                            nil,
		`<h2>Lift</h2><p>+A kite</p><h2>Offers</h2><p>Buy now</p>`:                            {"Lift"},
		`<h2>Lift</h2><h2>Drag</h2>`:                                                          nil,
		`<h2><a href="x">Lift</a></h2><p>+A kite</p>`:                                         nil,
		`<div class="sidebar"><h2>Lift</h2></div><p>+A kite</p>`:                              nil,
		`<h2>Lift</h2><p>+` + strings.Repeat("A kite rises. ", 20) + `</p><p>ed</p>`:          {"Lift"},
		`<h2>Lift</h2><p>+` + strings.Repeat("A kite rises. ", 20) + `</p><p>Advertising</p>`: nil,
	} {
		if got := keptOf(page); !slices.Equal(got, want) {
			t.Errorf("%s: added are %q, want %q", page, got, want)
		}
	}
}

func TestABodyOfAHeadingAloneHasWhatFollowsInTheMainElement(t *testing.T) {
	const menu, post = `<aside><p>53 posts</p></aside>`, `<div>2025</div><article><header><div>06-30</div><div><a href="/r-tree/">R trees</a></div></header></article>`
	for page, want := range map[string][]string{
		`<main>` + menu + `<h1>+algorithm</h1>` + post + `<footer>a licence</footer></main><p>an address</p>`: {"2025", "06-30", "R trees"},
		`<main>` + menu + `<h1>+algorithm</h1>` + post + `<p>+An introduction</p></main>`:                     nil,
		`<main>` + menu + `<h1>algorithm</h1>` + post + `</main>`:                                             nil,
		`<main><p>Home</p></main><h1>+algorithm</h1>` + post:                                                  nil,
		`<main><h1>+Tea</h1><div class="comments"><p>Good tea</p></div><div class="reviews">***</div></main>`: nil,
	} {
		if got := keptOf(page); !slices.Equal(got, want) {
			t.Errorf("%s: added are %q, want %q", page, got, want)
		}
	}
}

func TestDocumentationIsKeptBetweenWhatIsKept(t *testing.T) {
	const lost = `<dl><dt>wind<dd>It winds.<pre>wind -a</pre><dl><dt>over<dd>All of it.</dl></dl><ul><li>Tails</ul>`
	all := []string{"wind", "It winds.", "wind -a", "over", "All of it.", "Tails"}
	for _, c := range []struct {
		page string
		name int // the block that names the page
		want []string
	}{
		{`<h1>Ropes</h1><p>+A kite</p>` + lost + `<p>+A rope</p>`, 0, all},
		{`<p>Up</p><h1>Ropes</h1>` + lost + `<p>+A rope</p>`, 1, nil}, // above the body
		{`<p>+Skip this</p><p>Up</p><h1>Ropes</h1><p>+A kite</p>` + lost + `<p>+A rope</p>`, 2, all},
		{`<h1>Ropes</h1><p>+A kite</p><p>+A rope</p>` + lost, 0, nil}, // below it
		{`<h1>Ropes</h1><p>+A kite</p><nav><p>The top</p></nav><p><a href="b">The next</a></p><div>Choose one</div><div class="related"><p>A stick</p></div><p>+A rope</p>`, 0, nil},
		{`<h1>Ropes</h1><p>+A kite</p><h2>Lines</h2>` + lost + `<h2>Offers</h2><div>Buy now</div><p>+A rope</p>`, 0, append([]string{"Lines"}, all...)},
		{`<h1>Ropes</h1><p>A kite</p>` + lost, 0, nil},
	} {
		if got := addedBy(c.page, func(ch *Chooser, kept []bool) { ch.keepBetween(kept, c.name); ch.keepHeadings(kept, c.name) }); !slices.Equal(got, c.want) {
			t.Errorf("%s: added are %q, want %q", c.page, got, c.want)
		}
	}
}

func TestATableIsKeptBetweenWhatIsKept(t *testing.T) {
	const cells = `<tr><td>Rope</td><td>3 m</td></tr>`
	table := func(before, cells, behind string) string {
		return fmt.Sprintf(`<p>%sThe sizes</p><table>%s</table><p>%sare these</p>`, before, cells, behind)
	}
	for page, want := range map[string][]string{
		table("+", cells, "+"):                           {"Rope", "3 m"},
		table("+", cells, ""):                            nil,
		table("", cells, "+"):                            nil,
		table("+", `<tr><td>+Tail</td></tr>`+cells, "+"): {"Rope", "3 m"},
		table("+", `<tr><td><a href="a">Rope</a></td><td><a href="b">3 m</a></td></tr>`, "+"): nil,
		table("+", `<tr><td><nav>Rope</nav></td><td>3 m</td></tr>`, "+"):                      nil,
	} {
		if got := keptOf(page); !slices.Equal(got, want) {
			t.Errorf("%s: added are %q, want %q", page, got, want)
		}
	}
}

// A page of a manual may say three sentences in boxes, next to a menu of hundreds of links, and to the forests no block is likely.
func TestAPageWithoutABodyHasWhatItsMainElementSays(t *testing.T) {
	const heading, sentence = `<h1>Feeder</h1>`, `<p>A feeder supports all <a href="/p7/">parts of the hive</a> and a few more that we know.</p>`
	text := "A feeder supports all parts of the hive and a few more that we know."
	for page, want := range map[string][]string{
		`<main>` + heading + `<div class="box"><p>Info</p>` + sentence + `</div></main><footer>Honey</footer>`:   {"Feeder", "Info", text},
		`<article>` + heading + sentence + `</article><p>Made with love and the smell of wax, by us</p>`:         {"Feeder", text},
		`<main><nav>` + sentence + `</nav><ul class="menu"><li>Part of the hive, and of others</li></ul></main>`: nil,
		`<main>` + heading + `<p>Loading</p></main>`:                                                             nil,
		`<div>` + heading + sentence + `</div>`:                                                                  nil,
		`<main>` + heading + `<p>+A rope</p></main><article>` + sentence + `</article>`:                          nil,
		`<main><p><a href="a">All of the parts of the hive that we have</a> here</p>` + heading + `</main>`:      nil,
		`<main><h1>What all of the parts of the hive have in common</h1></main>`:                                 nil,
		`<main><form><p>Write to us what you know about hives, boxes, bees and wax</p></form></main>` + sentence: nil,
	} {
		if got := keptOf(page); !slices.Equal(got, want) {
			t.Errorf("%s: added are %q, want %q", page, got, want)
		}
	}
}
