package dedup

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

func TestWhatDoesNotMatterDoesNotChangeABody(t *testing.T) {
	want := SignText("The quick brown fox's 2 legs.\n用 Go 写的网页爬虫")
	for _, same := range []string{
		"  the QUICK\tbrown “fox’s” 2 legs\n\n\n用Go写的网页爬虫！",
		"Ｔｈｅ quick, brown — fox's — ２ legs 用 go 写 的 网 页 爬 虫",
	} {
		if got := SignText(same); got != want {
			t.Errorf("SignText(%q) = %+v, want %+v", same, got, want)
		}
	}
	for _, other := range []string{"", "The quick brown foxes 2 legs.\n用 Go 写的网页爬虫", "The quick brown fox's 2 legs.\n用 Go 写的爬网页虫"} {
		if got := SignText(other); got.Body == want.Body {
			t.Errorf("SignText(%q).Body = %v, that of another text", other, got.Body)
		}
	}
}

func TestAPageWithoutABodyHasNoBodyDigest(t *testing.T) {
	for _, view := range []*purify.DocView{nil, {}, {Body: "!?\n--"}} {
		got := Sign([]byte("<img src=a>"), view)
		if want := (Signature{Bytes: DigestOf([]byte("<img src=a>"))}); got != want {
			t.Errorf("Sign(page, %+v) = %+v, want %+v", view, got, want)
		}
	}
}

func TestSignTakesTheLayoutFromTheView(t *testing.T) {
	got := Sign([]byte("x"), &purify.DocView{Body: "some words", Layout: 42})
	if got.Layout != 42 || got.Tokens != 2 || got.Body.IsZero() || got.Bytes != DigestOf([]byte("x")) {
		t.Errorf("Sign = %+v, want layout 42 and 2 tokens", got)
	}
}

func TestAPageThatAsksForScriptsHasNoBodyToCompare(t *testing.T) {
	const shell = "<title>An app</title><script src=%s></script><noscript>%s</noscript><div id=root></div>"
	for _, c := range []struct {
		says string
		copy bool
	}{
		{"You need to enable JavaScript to run this app, and without it nothing is shown.", false},
		{strings.Repeat("The story is here all the same for those who read without scripts. ", 8), true},
	} {
		sign := func(script string) Signature {
			page := fmt.Appendf(nil, shell, script, c.says)
			return Sign(page, purify.Purify(page, "text/html"))
		}
		g, _ := newGate(t, nil)
		claim1(t, g, 1, sign("/one.js"), Verdict{})
		if v, err := g.Check(sign("/two.js"), nil); err != nil || v.Copy() != c.copy {
			t.Errorf("two pages that show %.40q... without scripts: %+v, %v, want a copy: %v", c.says, v, err, c.copy)
		}
	}
}

// A text has no title of its own: its first line is a part of it.
func TestTheFirstLineOfATextIsNoTitle(t *testing.T) {
	view := purify.Purify([]byte("The first line\n\nand what follows it, at some length, to the end of all"), "text/plain")
	if got := TextOf(view); view.Title == "" || got.Title != "" || got.Body != view.Body {
		t.Errorf("TextOf of a view with the title %q = %+v, want its body alone", view.Title, got)
	}
}

// A signature is stored. If this fails, SignatureVersion must change.
func TestSignaturesStayAsTheyWere(t *testing.T) {
	for _, c := range []struct {
		body    string
		simHash uint64
		sketch  string
		digest  string
		band    uint32
	}{
		{"one", 0x363b02a42408a1f6, "87b3e21fb7a3f5781379a333ab16f744", "68b2589574c8fb725a4836aaef9461f3", 0xe367999b},
		{"The quick brown fox jumps over the lazy dog; the dog sleeps.", 0x493b03221f8fdd26, "7bf685d1e75cd14aef80df9f6a634284", "a6ac482a81a4dc85317743b34b8a4be8", 0xaf7f696},
		{"网页去重：同一内容只保留一份。", 0x66616a5b76e98a15, "a3bd113e1acec4fa3f18c916068b66ca", "f26591a7b3a5c3b53e9837839b7e8114", 0x26be44fc},
		{strings.Repeat("a b c d e f ", 40), 0x5048c05090200e4d, "577ddab4ba90f9121e7d6d8d06da8c81", "04eeafdbbdf995167d234ffdda1e4651", 0x8d14ba28},
	} {
		got := SignText(c.body)
		if got.SimHash != c.simHash || got.Bands[7] != c.band || fmt.Sprintf("%x", got.Sketch) != c.sketch || got.Body.String() != c.digest {
			t.Errorf("SignText(%q) = %#x, %x, %v, %#x, want %#x, %s, %s, %#x", c.body, got.SimHash, got.Sketch, got.Body, got.Bands[7], c.simHash, c.sketch, c.digest, c.band)
		}
	}
	priced := Text{Title: "Version 3.11 of 2 things", Body: "It costs 1,200 and not 3.5"}
	if got, want := priced.Sign().Facts, (Facts{0xb1e02bf7, 0x67478b1}); got != want {
		t.Errorf("Facts = %#v, want %#v", got, want)
	}
}

func TestASmallEditStaysNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	o := DefaultOptions()
	const bodies = 200
	confirmed := 0
	for range bodies {
		words := strings.Fields(text(r, 400))
		a := SignText(strings.Join(words, " "))
		words[r.IntN(len(words))] = "edited"
		b := SignText(strings.Join(words, " "))
		if a.Body == b.Body {
			t.Error("an edited body has the digest of the other")
		}
		if sketch.Agree(a.Sketch, b.Sketch) >= o.doubtFrom() && bits.OnesCount64(a.SimHash^b.SimHash) <= o.Distance {
			confirmed++
		}
	}
	// Evenly drawn words are the hardest case: no word outweighs the edit.
	if confirmed < bodies*9/10 {
		t.Errorf("%d of %d bodies of 400 words with one edit are near, want 9 of 10", confirmed, bodies)
	}
}

func TestASecondSignatureAllocatesNothing(t *testing.T) {
	body := text(rand.New(rand.NewPCG(4, 4)), 1500) + strings.Repeat("中文网页去重", 100)
	var w signer
	if n := testing.AllocsPerRun(100, func() { w.sign(&Text{Title: "A title of 3.11", Body: body}) }); n != 0 {
		t.Errorf("sign allocates %v times, want 0", n)
	}
}

func FuzzSign(f *testing.F) {
	for _, s := range []string{"", "plain words", "用Go写crawler程序", "ｶﾞ e\u0301 \u1112\u1161\u11ab", "\xff\xfe\x00", "1,2.3'4’5", "Ⱥ中Ⱥ", strings.Repeat("a ", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := SignText(body)
		if again := SignText(strings.Clone(body)); got != again {
			t.Errorf("SignText(%q) = %+v, then %+v", body, got, again)
		}
		if got.Body.IsZero() != (got.Tokens == 0) {
			t.Errorf("SignText(%q) = %+v: a digest and no tokens, or the reverse", body, got)
		}
		var tk token.List
		tk.Read(body)
		if !utf8.Valid(tk.Text) {
			t.Errorf("tokens of %q are not UTF-8: %q", body, tk.Text)
		}
		if got.Tokens > 0 && sketch.Agree(got.Sketch, got.Sketch) != sketch.Values {
			t.Errorf("the sketch of %q does not agree with itself", body)
		}
	})
}

func BenchmarkSign10kB(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 5))
	// Words drawn by Zipf's law, as prose has them.
	lexicon := strings.Fields(text(r, 5000))
	zipf := rand.NewZipf(r, 1.1, 2, uint64(len(lexicon)-1))
	var english strings.Builder
	for english.Len() < 10_000 {
		english.WriteString(lexicon[zipf.Uint64()])
		english.WriteByte(' ')
	}
	var chinese strings.Builder
	for chinese.Len() < 10_000 {
		chinese.WriteRune(rune(0x4E00 + rand.NewZipf(r, 1.1, 2, 3000).Uint64()))
	}
	for _, c := range []struct{ name, body string }{{"english", english.String()}, {"chinese", chinese.String()}} {
		b.Run(c.name, func(b *testing.B) {
			view := &purify.DocView{Body: c.body}
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				SignView(Digest{1}, view)
			}
		})
	}
}
