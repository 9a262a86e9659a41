package body

import (
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

// changedBy reads a page, takes the blocks for chosen whose text starts with +, and returns those that a
// rule adds and removes.
func changedBy(page string, rule func(ch *Chooser, kept []bool)) (added, removed []string) {
	ch := &Chooser{Outline: new(blocks.Outline)}
	ch.Reset()
	ch.Read([]byte(page), false)
	kept := make([]bool, len(ch.Blocks))
	for i := range kept {
		kept[i] = strings.HasPrefix(string(ch.BlockText(i)), "+")
	}
	was := slices.Clone(kept)
	rule(ch, kept)
	for i := range kept {
		switch text := string(ch.BlockText(i)); {
		case kept[i] && !was[i]:
			added = append(added, text)
		case !kept[i] && was[i]:
			removed = append(removed, text)
		}
	}
	return added, removed
}

func TestTheLeadOfAnArticleIsKept(t *testing.T) {
	const (
		lead = "A kite of paper won the prize of the harbour, and nobody knows who let it fly there."
		text = "<p>+It rose above the ropes at noon.</p><p>+Then it rained.</p>"
	)
	for name, c := range map[string]struct {
		page, described string
		want            []string
	}{
		"as in the description":             {"<h1>The kite</h1><div>12 May</div><div>" + lead + "</div>" + text, strings.ToUpper(lead), []string{lead}},
		"longer than the description":       {"<h1>The kite</h1><div>" + lead + "</div>" + text, lead[:70] + "…", []string{lead}},
		"named as a lead":                   {`<h1>The kite</h1><div class="article__intro">` + lead + "</div>" + text, "", []string{lead}},
		"below a headline of the body":      {"<h2>+The kite</h2><div>" + lead + "</div>" + text, lead, []string{lead}},
		"one of two":                        {`<h1>The kite</h1><div class=lead>` + lead + `</div><div class=lead>And ` + lead + "</div>" + text, "", []string{lead}},
		"only the same start":               {"<h1>The kite</h1><div>" + lead + "</div>" + text, lead[:30] + " is sold, and the harbour has another one now.", nil},
		"not described":                     {"<h1>The kite</h1><div>" + lead + "</div>" + text, "", nil},
		"without a headline":                {"<div>" + lead + "</div>" + text, lead, nil},
		"above the headline":                {"<div>" + lead + "</div><h1>The kite</h1>" + text, lead, nil},
		"below the text":                    {"<h1>The kite</h1>" + text + "<div>" + lead + "</div>", lead, nil},
		"a link to another page":            {"<h1>The kite</h1><div><a href=/b>" + lead + "</a></div>" + text, lead, nil},
		"short":                             {"<h1>The kite</h1><div class=lead>By a friend of ours</div>" + text, "", nil},
		"of a page without text of its own": {"<h1>The kite</h1><div class=lead>" + lead + "</div>", lead, nil},
		"below a heading that is all of it": {"<h2>+The kite</h2><div class=lead>" + lead + "</div>", lead, nil},
		"between two sections of the body":  {"<h1>The kite</h1>" + text + "<h2>+The rope</h2><div>" + lead + "</div>" + text, lead, nil},
		"in a body that starts with its h1": {"<h1>+The kite</h1><p>By us</p><p class=teaser-intro>" + lead + "</p>" + text, "", []string{lead}},
		"where the first is not a lead's":   {"<h1>The kite</h1><div>" + strings.Repeat("An advertisement. ", 5) + "</div><div>" + lead + "</div>" + text, lead, []string{lead}},
		"in letters that are not ASCII":     {"<h1>Kite</h1><div>" + strings.Repeat("風箏在港口上空飛翔。", 6) + "</div>" + text, strings.Repeat("風箏在港口上空飛翔", 6), []string{strings.Repeat("風箏在港口上空飛翔。", 6)}},
	} {
		added, removed := changedBy(c.page, func(ch *Chooser, kept []bool) { ch.keepLead(kept, c.described) })
		if !slices.Equal(added, c.want) || removed != nil {
			t.Errorf("%s: added are %q, removed %q, want %q", name, added, removed, c.want)
		}
	}
}

func TestAReferenceToAnotherArticleIsNotItsText(t *testing.T) {
	for page, leaves := range map[string]bool{
		`<p>+Read more: <a href=/b>The kite of the harbour</a></p>`:                                true,
		`<p>+<strong>Lea también:</strong> <a href=/b>La cometa del puerto</a>.</p>`:               true,
		`<p>+相关阅读：<a href=/b>港口上空的风筝飞翔</a></p>`:                                                    true,
		`<p>+As we wrote, <a href=/b>The kite of the harbour</a></p>`:                              false, // no label
		`<p>+See: <a href=/b>The kite of the harbour</a> and what came of it</p>`:                  false,
		`<p>+Tickets: <a href=/b>harbour.example</a></p>`:                                          false, // no title
		`<p>+11 May: <a href=/b>The kite of the harbour</a></p>`:                                   false, // a chronicle
		`<ul><li>+Stress: <a href=/b>How to look after it</a></li></ul>`:                           false,
		`<h2>+Part one: <a href=/b>The kite of the harbour</a></h2>`:                               false,
		`<p>+More: <a href=/b>The kite of it</a> <a href=/c>The rope of it</a></p>`:                false, // a line of links
		`<p>+What the jury of the harbour said about the prize: <a href=/b>The kite flies</a></p>`: false,
	} {
		const text = "<p>+Nobody knows who let the kite of paper fly over the harbour, where it won the prize of the jury at noon. It rose above the ropes, and then it rained on all of them, so that nobody saw where it came down again, and the jury went home without it.</p>"
		added, removed := changedBy(text+page+text, (*Chooser).leaveReferences)
		if (removed != nil) != leaves || added != nil {
			t.Errorf("%s: removed are %q, want one: %v", page, removed, leaves)
		}
	}
}

// A page of such paragraphs is a list, and a link may be of a block that was left out.
func TestReferencesThatAreTheBodyStay(t *testing.T) {
	const reference = `<p>+Read more: <a href=/b>The kite of the harbour</a></p>`
	for name, page := range map[string]string{
		"a list":                   reference + reference + "<p>+Other kites</p>",
		"a link in noscript above": "<p>+" + strings.Repeat("A kite rises over the harbour. ", 20) + "</p><noscript><a href=/c>The prize of the harbour</a></noscript><p>+Kites:</p>",
	} {
		if added, removed := changedBy(page, (*Chooser).leaveReferences); added != nil || removed != nil {
			t.Errorf("%s: added are %q, removed %q", name, added, removed)
		}
	}
}
