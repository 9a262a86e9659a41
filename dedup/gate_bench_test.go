package dedup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify"
)

// BenchmarkSignBesideParse30kB compares what a page costs: the tree of x/net/html,
// purify, and the signature.
func BenchmarkSignBesideParse30kB(b *testing.B) {
	page := articleOf(30_000)
	view := purify.Purify(page, "text/html")
	if len(view.Body) < 10_000 {
		b.Fatalf("a body of %d bytes, want most of the page", len(view.Body))
	}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"parse", func() {
			if _, err := html.Parse(bytes.NewReader(page)); err != nil {
				b.Fatal(err)
			}
		}},
		{"purify", func() { purify.Purify(page, "text/html") }},
		{"sign", func() { SignView(Digest{1}, view) }},
		{"sign and digest", func() { Sign(page, view) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
		})
	}
}

// articleOf returns a page of some size with a frame and paragraphs of prose.
func articleOf(size int) []byte {
	r := rand.New(rand.NewPCG(11, 11))
	lexicon := strings.Fields(text(r, 3000))
	zipf := rand.NewZipf(r, 1.1, 2, uint64(len(lexicon)-1))
	var p bytes.Buffer
	p.WriteString("<!doctype html><html lang=en><head><title>A page</title></head><body><nav><ul>")
	for i := range 30 {
		fmt.Fprintf(&p, "<li class=item><a href='/part/%d'>part %d</a></li>", i, i)
	}
	p.WriteString("</ul></nav><main><h1>A page</h1>")
	for p.Len() < size {
		p.WriteString("<p class=text>")
		for range 60 + r.IntN(60) {
			p.WriteString(lexicon[zipf.Uint64()])
			p.WriteByte(' ')
		}
		p.WriteString("and a <a href='/x'>link</a>.</p>\n")
	}
	p.WriteString("</main><footer><p>about us</p></footer></body></html>")
	return p.Bytes()
}

// BenchmarkClaimLatency1000000 reports percentiles of a claim on a gate of a
// million kept pages: of new pages, and of near copies whose kept text is read. In a
// crawl a worker has checked a page before the writer claims it.
func BenchmarkClaimLatency1000000(b *testing.B) {
	const n = 1_000_000
	l := &library{texts: make(map[DocID]Text)}
	g, err := NewGate(DefaultOptions(), l)
	if err != nil {
		b.Fatal(err)
	}
	for doc := DocID(1); doc <= n; doc++ {
		g.Load(doc, page(uint64(doc)))
	}
	r := rand.New(rand.NewPCG(12, 12))
	near := make([]Text, 1000)
	for i := range near {
		words := strings.Fields(text(r, 1000))
		doc := DocID(n + 1 + i)
		kept := Text{Title: "A title", Body: strings.Join(words, " ")}
		l.put(doc, kept.Sign())
		l.texts[doc] = kept
		g.Load(doc, kept.Sign())
		words[r.IntN(len(words))] = "other"
		near[i] = Text{Title: "A title", Body: strings.Join(words, " ")}
	}
	next := DocID(2 * n)
	run := func(name string, prepare func(i int) (claim func() Verdict), want Level) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				claim := prepare(len(took))
				start := time.Now()
				v := claim()
				took = append(took, time.Since(start))
				if v.Level != want {
					b.Fatalf("claim = %+v, want level %d", v, want)
				}
			}
			slices.Sort(took)
			for _, p := range []int{50, 99} {
				b.ReportMetric(float64(took[(len(took)-1)*p/100].Nanoseconds())/1e3, fmt.Sprintf("p%d-µs", p))
			}
		})
	}
	claimed := func(s Signature, text *Text) Verdict {
		next++
		v, err := g.Claim(next, s, text)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	run("new", func(int) func() Verdict {
		return func() Verdict { return claimed(page(uint64(next)+5*n), &near[0]) }
	}, 0)
	signed := make([]Signature, len(near))
	for i, t := range near {
		signed[i] = t.Sign()
	}
	check := func(sig Signature, text *Text) Verdict {
		v, err := g.Check(sig, text)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	run("near, check", func(i int) func() Verdict {
		text := near[i%len(near)] // a copy, which nothing was made of yet
		return func() Verdict { return check(signed[i%len(near)], &text) }
	}, LevelNear)
	run("near, claim after check", func(i int) func() Verdict {
		text := near[i%len(near)]
		check(signed[i%len(near)], &text)
		return func() Verdict { return claimed(signed[i%len(near)], &text) }
	}, LevelNear)
}
