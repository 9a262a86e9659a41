package feed

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWhatStartsAPageIsNoneOfTheKindsToTheDecoderEither(t *testing.T) {
	parts := []string{
		`<?xml version="1.0" encoding="utf-8"?>`, `<?xml version="1.1"?>`, "<?php x ?>", "<!-- saved -->", "<!-- a -- b -->", "<!-->", "<!---->", "-->", "?>",
		"<!DOCTYPE html>", "<!DOCTYPE rss>", "<html>", "<HTML lang=en>", "<title>a</title>", "<h1>", "<head\n>", "<br/>", "<rss version=2>", "<RDF:rdf>", "<rdf>",
		"<urlset ", "<feed>", "<opml>", "<sitemapindex>", "<feedé>", "<x", "<", "text", " ", "\n", "é", "<1>",
	}
	r := rand.New(rand.NewPCG(7, 1))
	pages := 0
	for range 20000 {
		var b strings.Builder
		b.WriteByte('<')
		for range 1 + r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		doc := []byte(b.String())
		if r.IntN(2) == 0 {
			doc = doc[1:]
		}
		if len(doc) == 0 || doc[0] != '<' || strings.Contains(strings.ToLower(string(doc)), "<!doctype html") || !startsPage(doc) {
			continue // behind that doctype no element is asked for
		}
		pages++
		if got := kindOf(doc); got != "" {
			t.Fatalf("%q starts a page, but is %q to the decoder", doc, got)
		}
	}
	if pages < 1000 {
		t.Errorf("%d documents start pages, want some thousand", pages)
	}
	for _, doc := range []string{
		"<html>", "<!DOCTYPE HTML PUBLIC>", `<?xml version="1.0"?>` + "\n<!DOCTYPE html>", "<!-- a --> <!-- b --><html lang=en>", "<title>a",
	} {
		if !startsPage([]byte(doc)) {
			t.Errorf("startsPage(%q) = false: it goes through the XML decoder", doc)
		}
	}
}

func BenchmarkKindOfAnXHTMLPage(b *testing.B) {
	doc := []byte(`<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A page</title></head><body><p>` + strings.Repeat("Text. ", 2000))
	for b.Loop() {
		KindOf(doc)
	}
}
