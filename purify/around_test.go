package purify

import (
	"fmt"
	"strings"
	"testing"
)

// modulePage returns a page of odoc: a function of its own among those that all modules declare.
func modulePage(n int) string {
	return fmt.Sprintf(`<!DOCTYPE html><html><head><title>Kite%d (kites.Kite%[1]d)</title><link rel="stylesheet" href="../../odoc.css"/></head><body><div class="content"><header><nav><a href="../index.html">Up</a> – <a href="../../index.html">kites</a></nav><h1>Module <code>Kite%[1]d</code></h1></header>
<dl><dt class="spec type"><code>type t = {</code><table class="record"><tr><td class="def field"><code>rope_%[1]d : string;</code></td><td class="doc"><p>%[2]s</p></td></tr></table><code>}</code></dt></dl>
<dl><dt class="spec value"><code>val rope_of_number_%[1]d : (<a href="#type-t">t</a>, string) Lens.t</code></dt><dt class="spec value"><code>val empty : <a href="#type-t">t</a></code></dt>
<dt class="spec value"><code>val render : t -&gt; <a href="../Json/index.html">Json.json_data_model list of many</a></code></dt><dt class="spec value"><code>val parse_the_whole_model : t -&gt; json -&gt; t</code></dt></dl></div></body></html>`, n, sentence(n))
}

func TestWhatAllModulesDeclareIsInEachOfThem(t *testing.T) {
	var h host
	for n := range 40 {
		h.meet(modulePage(n))
	}
	hasAll(t, h.again(modulePage(7)), []string{"val rope_of_number_7", "val empty : t", "val render : t", "val parse_the_whole_model", sentence(7)}, []string{"Up"})
}

// votesPage returns the votes of a member of a parliament: most are others than those of the other members.
func votesPage(n int) string {
	var b strings.Builder
	for k := range 20 {
		subject := fmt.Sprintf("the amendment %d of the member number %d", k, n)
		if k%4 == 1 {
			subject = fmt.Sprintf("the common amendment of all parties, number %d", k)
		}
		fmt.Fprintf(&b, `<li class="vote"><span>for</span> <a href="/votes/%d-%d">A vote about %s</a> <b>adopted</b></li>`, n, k, subject)
	}
	return fmt.Sprintf(`<html><head><title>Member %d</title></head><body><nav><ul><li><a href="/">Home</a></li><li><a href="/members">Members of the parliament</a></li></ul></nav><main><h1>Member %[1]d</h1><p>%[2]s</p><h2>Votes</h2><ul class="votes">%[3]s</ul></main></body></html>`, n, sentence(n), b.String())
}

func TestTheItemsOfAListThatManyPagesHaveStayAmongOthers(t *testing.T) {
	var h host
	for n := range 30 {
		h.meet(votesPage(n))
	}
	got := h.again(votesPage(3))
	hasAll(t, got, []string{"the amendment 2 of the member number 3", "common amendment of all parties, number 5", "common amendment of all parties, number 17"}, []string{"Members of the parliament"})
}

func TestALongListingHidesNeitherTheTextAroundItNorTheReplies(t *testing.T) {
	code := strings.Repeat("IDD_CFGTAB DIALOG 0, 0, 128, 87\nSTYLE DS_SETFONT | WS_CHILD | WS_CLIPSIBLINGS\nBEGIN\nEND\n\n", 60)
	post := func(who, what string) string {
		return `<article class="post"><div class="post-head"><span class="post-author">` + who + `</span> <span class="post-date muted">2008-02-29 02:22 UTC</span></div><div class="post-body">` + what + `</div></article>`
	}
	page := `<html><head><title>Runtime - Kite Forums Archive</title></head><body><header class="site-header"><p class="banner">Legacy forums archive, read only.</p><nav><a href="/">Boards</a> <a href="/search">Search</a></nav></header>
<main class="wrap"><h1>Runtime</h1><p class="meta">Started by Ann · 2008-02-29 02:22 UTC · 2 replies</p>` +
		post("Ann", `Here is the translated file of the kites.<br><br>Looking at the codes of the regions, it seems that this is the right one.<br><pre class="code"><code>`+code+`</code></pre>`) +
		post("Ben", "Please send both files to me as soon as you have time for it.") + post("Ann", "OK, Ben, I will send them this evening.") + `</main></body></html>`
	hasAll(t, Purify([]byte(page), "text/html").Body, []string{"Here is the translated file", "Looking at the codes", "IDD_CFGTAB", "Please send both files", "I will send them"}, []string{"Search"})
}

// A genealogy of bare pages writes a label and a link.
func TestAShortPageWithoutAFrameHasItsNameAndItsLinksWithLabels(t *testing.T) {
	page := `<HTML><HEAD><TITLE>I39094: Betje Koopman (31 Jan 1825 - 8 Dec 1893)</TITLE></HEAD><BODY><H2><A NAME="I39094"></A>Betje Koopman </H2><H3>31 Jan 1825 - 8 Dec 1893</H3>
<UL><LI><EM>BIRTH</EM>: 31 Jan 1825, Leeuwarden<LI><EM>DEATH</EM>: 8 Dec 1893, Amsterdam</UL><B>Family 1</B>: <A HREF="../d0292/I33256.html">Meijer Samuel Hirsch </A><UL><LI><EM>MARRIAGE</EM>: 26 Oct 1844, Leeuwarden</UL><P><A HREF="../persons.html">INDEX</A></P></BODY></HTML>`
	hasAll(t, Purify([]byte(page), "text/html").Body, []string{"Betje Koopman", "31 Jan 1825 - 8 Dec 1893", "Family 1: Meijer Samuel Hirsch", "MARRIAGE"}, []string{"INDEX"})
}

// A program leaves what only editors may see in a table that is not displayed.
func TestWhatIsNotDisplayedIsNotTheBodyOfAListOfLinks(t *testing.T) {
	var hidden, shown strings.Builder
	for i := range 20 {
		fmt.Fprintf(&hidden, "<tr><td><div>%s%s</div></td></tr><tr><td><div>Edit in the designer of number %d</div></td></tr>", sentence(2*i), sentence(2*i+1), i)
		fmt.Fprintf(&shown, `<tr><td><a href="/news/%d">News of the office, number %[1]d (21.05.2019)</a></td></tr>`, i)
	}
	page := `<html><head><title>Office of finance</title></head><body><form><div class="menu"><a href="/">Home</a><a href="/about">About the office</a></div>
<div class="allPost"><div>Purchases</div><table>` + shown.String() + `</table><table class="s4-wpTopTable" style="display:none">` + hidden.String() + `</table></div></form></body></html>`
	hasAll(t, Purify([]byte(page), "text/html").Body, []string{"News of the office, number 7"}, []string{"Edit in the designer", sentence(4), "About the office"})
}
