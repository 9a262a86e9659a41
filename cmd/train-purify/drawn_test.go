package main

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/truth"
)

func TestNamesOfANamelessPageSayNothing(t *testing.T) {
	const page = `<body class="single-post"><div id='comments' class="comment-list depth-1"><p title="comment">A comment, class="as written"</p></div><div class="comment-list depth-2" role=main></div></body>`
	got := nameless(page)
	for _, gone := range []string{"single", "post", "'comments'", "depth"} {
		if strings.Contains(got, gone) {
			t.Errorf("%q is left in %s", gone, got)
		}
	}
	for _, left := range []string{`<p title="comment">A comment,`, "role=main", "</div></body>"} {
		if !strings.Contains(got, left) {
			t.Errorf("%q is not left in %s", left, got)
		}
	}
	if list := meaningless("comment-list"); strings.Count(got, `class="`+list+" ") != 2 {
		t.Errorf("the two lists are not called %q in %s", list, got)
	}
	if nameless(page) != got {
		t.Error("the second time names differ")
	}
}

func TestAPlainPageHasAnArticlesFirstParagraphs(t *testing.T) {
	long := strings.Repeat("Bees & wasps fly in May. ", 5)
	for _, id := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		source := truth.Page{ID: id, Title: "Bees < wasps", Body: "Share\n" + strings.Repeat(long+"\n", 9), HTML: "<p class=forum>", Type: "article"}
		got, ok := plain(&source)
		if !ok || got.Type != "article" || !strings.Contains(got.HTML, "<h1>Bees &lt; wasps</h1>") || strings.Contains(got.HTML, "Share") || strings.Contains(got.HTML, "forum") {
			t.Errorf("page %s is %v, %+v", id, ok, got)
		}
		lines := strings.Split(got.Body, "\n")
		if n := strings.Count(got.HTML, "Bees &amp; wasps fly in May. Bees"); len(lines) > plainParagraphs || n == 0 || strings.Count(got.HTML, "<p>Bees") != len(lines) {
			t.Errorf("page %s has %d lines of body, and %s", id, len(lines), got.HTML)
		}
	}
	if _, ok := plain(&truth.Page{Body: "Share\nPrint"}); ok {
		t.Error("a body without a paragraph has a plain page")
	}
}

func TestNoFigureCountsADrawnPage(t *testing.T) {
	tr := &trainer{}
	tr.add("c", &truth.Page{ID: "1", Type: "article", Body: strings.Repeat("Bees fly in May. ", 9), HTML: "<p class=story>" + strings.Repeat("Bees fly in May. ", 9)})
	if len(tr.samples) != 3 {
		t.Fatalf("%d samples of an article, want it, a nameless and a plain one", len(tr.samples))
	}
	if n := tr.ceiling("c").pages; n != 1 {
		t.Errorf("%d pages are counted, want 1", n)
	}
	if n := strings.Count(string(tr.held()), "\n"); n != 1 {
		t.Errorf("%d bodies are written, want 1", n)
	}
	for _, s := range tr.samples {
		if s.fold != tr.samples[0].fold {
			t.Error("a drawn page is in another fold than its source")
		}
	}
}
