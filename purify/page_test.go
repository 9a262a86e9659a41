package purify

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A template puts an article into the frame of a site.
type template func(title, article string) string

// templates are two sites that have nothing in common.
var templates = map[string]template{
	"gazette": func(title, article string) string {
		return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>` + title + ` | The Daily Gazette</title>
<meta property="og:title" content="` + title + `"><meta property="og:type" content="article">
<link rel="canonical" href="https://gazette.example/a/1"><link rel="stylesheet" href="/s.css">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"x","datePublished":"2024-05-06T07:08:09Z","author":{"@type":"Person","name":"Ann Writer"},"articleSection":"Science"}</script>
<style>.a{color:red}</style><script>var tracking = {"id": 17};</script></head><body class="post-4711 single">
<header class="site-header"><a class="logo" href="/">The Daily Gazette</a><nav><ul>` + menu("world", "politics", "science", "sport", "weather") + `</ul></nav></header>
<div class="cookie-banner"><p>We use cookies to improve your experience. By continuing you accept our cookie policy.</p><button>Accept all</button></div>
<main><article class="entry"><h1 class="entry-title">` + title + `</h1><div class="byline">By <a href="/authors/ann">Ann Writer</a>, May 6, 2024</div>
<div class="entry-content">` + article + `</div></article></main>
<aside class="sidebar"><h3>Most read</h3><ul class="popular">` + menu("ten-tips-for-summer", "mayor-resigns", "local-team-wins-cup", "storm-warning") + `</ul></aside>
<div class="related-posts"><h3>Related</h3><ul>` + menu("old-story-about-bees", "another-old-story", "third-old-story") + `</ul></div>
<footer class="site-footer"><p>© 2024 The Daily Gazette. All rights reserved.</p><ul>` + menu("about", "contact", "privacy", "terms") + `</ul></footer></body></html>`
	},
	"portal": func(title, article string) string {
		return `<HTML><HEAD><TITLE>` + title + ` - Net Portal</TITLE><META NAME="author" CONTENT="Ann Writer"></HEAD><BODY>
<TABLE width=100%><TR><TD colspan=3 class=top><A HREF="/index.html">Net Portal</A> <A HREF="/mail">Mail</A> <A HREF="/chat">Chat</A> <A HREF="/login">Login</A></TD></TR>
<TR><TD class=leftnav width=150><UL><LI><A HREF="/news">News</A><LI><A HREF="/money">Money</A><LI><A HREF="/travel">Travel</A><LI><A HREF="/cars">Cars</A></UL></TD>
<TD class=story><H1>` + title + `</H1>` + article + `</TD>
<TD class=right><B>Headlines</B><BR><A HREF="/h1">Stocks fall on Monday</A><BR><A HREF="/h2">Rain expected</A><BR><A HREF="/h3">Cup final tonight</A></TD></TR>
<TR><TD colspan=3 class=footer><FONT size=1>Copyright 2024 Net Portal Inc. <A HREF="/legal">Legal</A> <A HREF="/help">Help</A></FONT></TD></TR></TABLE></BODY></HTML>`
	},
}

func menu(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, `<li class="menu-item"><a href="/%s/">%s</a></li>`+"\n", n, strings.ReplaceAll(n, "-", " "))
	}
	return b.String()
}

const vocabulary = `river mountain engine council bridge harvest signal window market teacher planet copper garden letter winter station doctor forest music paper
	measured crossed repaired explained counted carried opened planted studied visited reported followed painted collected
	quiet narrow recent heavy early distant careful northern public ordinary several bright wooden`

// prose writes paragraphs of made-up English, the same for a seed.
func prose(seed uint64, paragraphs, sentences int) []string {
	rng := rand.New(rand.NewPCG(seed, 7))
	vocab := strings.Fields(vocabulary)
	out := make([]string, paragraphs)
	for i := range out {
		var b strings.Builder
		for range sentences {
			b.WriteString("The " + vocab[rng.IntN(len(vocab))])
			for j := range 12 + rng.IntN(10) {
				switch {
				case j%5 == 4:
					b.WriteString(" of the")
				case j%7 == 6:
					b.WriteString(", and")
				}
				b.WriteString(" " + vocab[rng.IntN(len(vocab))])
			}
			b.WriteString(". ")
		}
		out[i] = strings.TrimSpace(b.String())
	}
	return out
}

func paragraphs(texts []string) string {
	return "<p>" + strings.Join(texts, "</p>\n<p>") + "</p>"
}

// page30kB is a news page as they are today: a third of its bytes are the
// article, the rest is metadata, menus, scripts and teasers.
func page30kB() []byte {
	text := prose(1, 14, 4)
	var article strings.Builder
	for i, p := range text {
		if i%4 == 3 {
			article.WriteString("<h2>The " + strings.Fields(p)[1] + " question</h2>\n")
		}
		words := strings.Fields(p)
		words[5] = `<a href="/topic/` + words[5] + `">` + words[5] + `</a>`
		words[9] = "<em>" + words[9] + "</em>"
		article.WriteString(`<p class="paragraph">` + strings.Join(words, " ") + "</p>\n")
	}
	article.WriteString("<ul><li>First, the river &amp; the bridge.</li><li>Then the market&nbsp;square.</li></ul>")
	page := templates["gazette"]("The Bridge Across the Quiet River", article.String())
	var teasers strings.Builder
	for i := range 44 {
		fmt.Fprintf(&teasers, `<div class="col-md-4 card teaser-%d"><a href="/story/%d?ref=teaser" class="card-link"><img src="/img/%d.jpg" alt="" width="320" height="180" loading="lazy"><h3 class="card-title">Story number %d of the day</h3></a><span class="card-meta">May %d, 2024</span></div>`+"\n", i, i, i, i, i%28+1)
	}
	script := "<script>(function(w,d){" + strings.Repeat("w.q=w.q||[];if(d.a<3){d.b='<i>'+w.c;} ", 147) + "})(window,document);</script>"
	page = strings.Replace(page, "<footer", `<section class="more-stories"><h2>More stories</h2>`+teasers.String()+"</section>"+script+"<footer", 1)
	return []byte(page)
}
