package charset

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// passages are texts that each charset can write.
var passages = map[string]string{
	"gbk":          strings.Repeat("近日，研究人员发现，网页去除模板之后再比较，重复内容的识别率明显提高。这一方法先取出正文，再计算指纹。", 6),
	"gb18030":      strings.Repeat("国家标准规定了汉字的编码方式，新闻网站大多已经改用统一码，但仍有不少旧网页沿用过去的编码。", 6),
	"big5":         strings.Repeat("近日，研究人員發現，網頁去除範本之後再比較，重複內容的識別率明顯提高。這個方法先取出正文，再計算指紋。", 6),
	"shift_jis":    strings.Repeat("研究者たちは、テンプレートを取り除いてから本文を比べると、重複したページがよく見つかることを確かめた。", 6),
	"euc-jp":       strings.Repeat("図書館の利用案内によると、資料の貸し出しは二週間までで、延長の手続きは窓口で行うことになっている。", 6),
	"euc-kr":       strings.Repeat("연구자들은 틀을 떼어 낸 뒤에 본문을 비교하면 중복된 문서를 더 잘 찾을 수 있다는 것을 확인하였다. ", 6),
	"windows-1251": strings.Repeat("Исследователи показали, что сравнение страниц без шаблона точнее находит повторяющиеся документы. ", 6),
	"ibm866":       strings.Repeat("Исследователи показали, что сравнение страниц без шаблона точнее находит повторяющиеся документы. ", 6),
	"windows-1250": strings.Repeat("Badatelé ukázali, že porovnávání stránek bez šablony přesněji nalézá opakující se dokumenty než dříve. ", 6),
	"iso-8859-2":   strings.Repeat("Porównywanie stron bez szablonu dokładniej znajduje powtarzające się dokumenty, jak wykazały nowe badania łódzkie. ", 6),
	"windows-1253": strings.Repeat("Οι ερευνητές έδειξαν ότι η σύγκριση των σελίδων χωρίς το πρότυπο βρίσκει ακριβέστερα τα ίδια έγγραφα. ", 6),
	"windows-1254": strings.Repeat("Araştırmacılar, şablonu çıkarılan sayfaların karşılaştırılmasının yinelenen belgeleri daha doğru bulduğunu gösterdi. ", 6),
	"windows-1255": strings.Repeat("החוקרים הראו שהשוואת הדפים ללא התבנית מוצאת בצורה מדויקת יותר מסמכים חוזרים. ", 6),
	"windows-1256": strings.Repeat("أظهر الباحثون أن مقارنة الصفحات بدون القالب تجد المستندات المكررة بدقة أكبر من ذي قبل. ", 6),
	"windows-1257": strings.Repeat("Tyrėjai parodė, kad puslapių be šablono lyginimas tiksliau randa pasikartojančius dokumentus, žinoma, ir mažuose puslapiuose. ", 6),
	"windows-1252": strings.Repeat("L’été dernier, les chercheurs ont montré où les pages répétées se trouvent; c’est même très fréquent. ", 6),
}

// conflicts are the ways in which labels fail, with what they say to each
// charset. An empty label is none.
var conflicts = []struct {
	name         string
	header, meta func(charset string) string
	late         bool // the meta element stands behind 2 kB of script

}{
	{name: "no label", header: none, meta: none},
	{name: "late meta", header: none, meta: itself, late: true},
	{name: "meta says utf-8", header: none, meta: says("utf-8")},
	{name: "header says latin-1, meta is right", header: says("iso-8859-1"), meta: itself},
	{name: "header says utf-8, meta is right", header: says("utf-8"), meta: itself},
	{name: "header is right, meta says latin-1", header: itself, meta: says("iso-8859-1")},
}

func none(string) string                    { return "" }
func itself(charset string) string          { return charset }
func says(label string) func(string) string { return func(string) string { return label } }

func labelledHTML(text, meta string, late bool) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head>")
	if late {
		b.WriteString("<script>" + strings.Repeat("var a = 1; ", 200) + "</script>")
	}
	if meta != "" {
		b.WriteString(`<meta http-equiv="Content-Type" content="text/html; charset=` + meta + `">`)
	}
	b.WriteString("<title>" + strings.ToValidUTF8(text[:min(60, len(text))], "") + "</title></head><body><p>" + text + "</p></body></html>")
	return b.String()
}

func TestDecodeReadsAPageWhateverItsLabelsSay(t *testing.T) {
	for name, text := range passages {
		for _, c := range conflicts {
			page := labelledHTML(text, c.meta(name), c.late)
			contentType := "text/html"
			if h := c.header(name); h != "" {
				contentType += "; charset=" + h
			}
			got, as := Decode(encode(t, name, page), contentType)
			if string(got) != page {
				t.Errorf("Decode(%s page, %s) took it for %s: %.80q", name, c.name, as, passageOf(got))
			}
		}
	}
}

func passageOf(page []byte) []byte {
	_, after, _ := bytes.Cut(page, []byte("<p>"))
	return after
}

func encode(t *testing.T, name, text string) []byte {
	t.Helper()
	enc, _ := charset.Lookup(name)
	page, err := enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%s cannot write the passage: %v", name, err)
	}
	return page
}

func TestDecodeKeepsUTF8WhateverLabelsSay(t *testing.T) {
	for name, text := range passages {
		for _, c := range conflicts {
			for _, lie := range []string{name, "iso-8859-1", "gbk", "koi8-r"} {
				page := []byte(labelledHTML(text, lie, c.late))
				got, as := Decode(page, "text/html; charset="+lie)
				if as != "utf-8" || &got[0] != &page[0] {
					t.Errorf("Decode(UTF-8 page labelled %s) = %s, want the same slice as utf-8", lie, as)
				}
			}
		}
	}
}

func TestDecodeCopiesNoASCII(t *testing.T) {
	page := []byte("<p>plain</p>")
	for _, contentType := range []string{"", "text/html", "text/html; charset=gbk", "text/html; charset=utf-16"} {
		if got, as := Decode(page, contentType); &got[0] != &page[0] || as != "utf-8" {
			t.Errorf("Decode(ASCII, %q) = %q as %s, want the same slice as utf-8", contentType, got, as)
		}
	}
}

func TestDecodeTakesByteOrderMarksAtTheirWord(t *testing.T) {
	for _, c := range []struct{ page, want, as string }{
		{"\xef\xbb\xbfd\u00e9j\u00e0", "déjà", "utf-8"},
		{"\xfe\xff\x00h\x4e\x2d", "h中", "utf-16be"},
		{"\xff\xfeh\x00\x2d\x4e", "h中", "utf-16le"},
		{"\xef\xbb\xbf", "", "utf-8"},
	} {
		if got, as := Decode([]byte(c.page), "text/html; charset=gbk"); string(got) != c.want || as != c.as {
			t.Errorf("Decode(%q) = %q as %s, want %q as %s", c.page, got, as, c.want, c.as)
		}
	}
}

func TestDecodeReadsUTF16WithoutAMark(t *testing.T) {
	for _, name := range []string{"utf-16le", "utf-16be"} {
		for _, text := range []string{"Bees in winter", passages["gbk"], passages["windows-1251"]} {
			page := labelledHTML(text, "", false)
			for _, contentType := range []string{"", "text/html; charset=utf-16", "text/html; charset=" + name, "text/html; charset=utf-8"} {
				if got, as := Decode(encode(t, name, page), contentType); string(got) != page || as != name {
					t.Errorf("Decode(%s, %q) took it for %s: %.60q", name, contentType, as, passageOf(got))
				}
			}
			if got, as := Decode(encode(t, name, "<html><body><p>"+text), ""); string(got) != "<html><body><p>"+text || as != name {
				t.Errorf("Decode(%s of few tags) took it for %s: %.60q", name, as, got)
			}
			odd := append(encode(t, name, page), 'x')
			if got, as := Decode(odd, ""); !strings.HasPrefix(string(got), page) || as != name {
				t.Errorf("Decode(%s and half a character) took it for %s: %.60q", name, as, passageOf(got))
			}
		}
	}
}

func TestNULsDoNotMakeAPageUTF16(t *testing.T) {
	for _, page := range []string{"\x00\x00\x00\x00\x00\x00\x00\x00\x00", "<p>\x00a\x00</p>", strings.Repeat("\x00<p>\x00", 100), "a\x00b", "<p>text</p>" + strings.Repeat("\x00", 300)} {
		if _, as := Decode([]byte(page), ""); as != "utf-8" {
			t.Errorf("Decode(%.40q) took it for %s, want utf-8", page, as)
		}
	}
}

// shortTexts are a heading's length: little for a detector.
var shortTexts = map[string]string{
	"gbk": "网页去除模板", "gb18030": "新闻网站大多", "big5": "網頁去除範本之後", "shift_jis": "テンプレートを取り除いて", "euc-jp": "図書館の利用案内によると",
	"euc-kr": "본문을 비교하면 중복된", "windows-1251": "Сравнение страниц", "koi8-r": "Сравнение страниц", "windows-1252": "L’été dernier, où",
}

func TestDecodeReadsShortPages(t *testing.T) {
	for name, text := range shortTexts {
		for _, c := range conflicts {
			page := labelledHTML(text, c.meta(name), c.late)
			contentType := "text/html"
			if h := c.header(name); h != "" {
				contentType += "; charset=" + h
			}
			if got, as := Decode(encode(t, name, page), contentType); string(got) != page {
				t.Errorf("Decode(short %s page, %s) took it for %s: %.80q", name, c.name, as, passageOf(got))
			}
		}
	}
}

func TestDecodeReadsAPageCutInsideACharacter(t *testing.T) {
	for name, text := range passages {
		page := encode(t, name, "<p>"+text)
		for _, contentType := range []string{"", "text/html; charset=" + name} {
			got, as := Decode(page[:len(page)-1], contentType)
			if want := "<p>" + text[:len(text)-8]; !strings.HasPrefix(string(got), want) {
				t.Errorf("Decode(%s without its last byte, %q) took it for %s: %.80q", name, contentType, as, got)
			}
		}
	}
}

func TestDecodeReadsAPageWithAPieceOfAnotherCharset(t *testing.T) {
	for name, text := range passages {
		page := append(encode(t, name, "<p>"+text), "<p>网页"...) // UTF-8
		if got, as := Decode(page, "text/html; charset="+name); !strings.HasPrefix(string(got), "<p>"+text) {
			t.Errorf("Decode(%s and two characters of UTF-8) took it for %s: %.80q", name, as, got)
		}
	}
}

func TestCyrillicLabelsThatAreMixedUpDoNoHarm(t *testing.T) {
	text := passages["windows-1251"]
	for name, lie := range map[string]string{"windows-1251": "koi8-r", "koi8-r": "windows-1251"} {
		if got, as := Decode(encode(t, name, text), "text/html; charset="+lie); string(got) != text || as != name {
			t.Errorf("Decode(%s labelled %s) took it for %s: %.80q", name, lie, as, got)
		}
	}
}

func TestDecodeForgivesOneBrokenCharacter(t *testing.T) {
	page := passages["gbk"]
	got, as := Decode([]byte(page[:len(page)-1]), "text/html; charset=utf-8")
	if as != "utf-8" || !strings.HasSuffix(string(got), "\uFFFD") {
		t.Errorf("Decode(UTF-8 cut inside a character) = ...%q as %s, want utf-8 with U+FFFD at the end", got[len(got)-9:], as)
	}
}

// Programs that save sites write a percent-encoded name as bytes that are encoded again in part.
func TestABrokenNameInALinkDoesNotRefuteUTF8(t *testing.T) {
	const text = "Towards\u00a0preservation of semantically enriched\u00a0knowledge, as “they” say"
	page := "<html><head><meta charset=\"UTF-8\"></head><body><a href=\"../consortium/advisory-\xe2%2580%258Bboard/\">Board</a><p>" + text + "</p></body></html>"
	if got, as := Decode([]byte(page), "text/html"); as != "utf-8" || !bytes.Contains(got, []byte(text)) {
		t.Errorf("Decode took it for %s: %s", as, got)
	}
	for _, name := range []string{"windows-1251", "koi8-r", "gbk", "shift_jis", "euc-kr", "big5"} {
		old := encode(t, name, "<html><head><meta charset=\"UTF-8\"></head><body><p>"+cmp.Or(passages[name], passages["windows-1251"])+"</p></body></html>")
		if _, as := Decode(old, "text/html"); as == "utf-8" {
			t.Errorf("Decode took %s for UTF-8 since its label says so", name)
		}
	}
}

func TestSignsDoNotMakeAPageEastern(t *testing.T) {
	for _, text := range []string{
		"© 2024 Example · 100 m² and 30 m³, ½ of it for £ 5 – “cheap” • 20 °C § 3 ¿no?",
		"Der größte Teil der Fläche von 100 m² kostet für ältere Bürger 30 €, über 12 m³ natürlich mehr.",
		"Æblegrød og øl på åen – året rundt; © 2024",
	} {
		page := "<p>" + text + "</p>"
		if got, as := Decode(encode(t, "windows-1252", page), ""); string(got) != page {
			t.Errorf("Decode took it for %s: %s", as, got)
		}
	}
}

func TestPageCharset(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{`<meta charset=gbk>`, "gbk"},
		{`<META CharSet="GB2312" />`, "gb2312"},
		{`<meta http-equiv=content-type content='text/html; charset=big5'>`, "big5"},
		{`<?xml version="1.0" encoding="euc-jp"?><html>`, "euc-jp"},
		{`<!-- <meta charset=gbk> --><meta charset=koi8-r>`, "koi8-r"},
		{`<meta charset=utf-16le>`, "utf-8"},
		{`<meta charset=klingon><meta charset=euc-kr>`, "euc-kr"},
		{`<meta name=charset>`, ""},
		{`<meta charset`, ""},
		{``, ""},
	} {
		if got := pageCharset([]byte(c.page)); got != c.want {
			t.Errorf("pageCharset(%q) = %q, want %q", c.page, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for name, text := range passages {
		enc, _ := charset.Lookup(name)
		page, _ := enc.NewEncoder().Bytes([]byte(labelledHTML(text, name, false)))
		f.Add(page, "text/html; charset="+name)
		f.Add(page, "text/html")
	}
	f.Add([]byte("\xff\xfe\x00"), "text/html; charset=utf-16")
	f.Add([]byte("\x1b$B\x1b"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		before := bytes.Clone(page)
		text, name := Decode(page, contentType)
		if !utf8.Valid(text) {
			t.Errorf("Decode as %s is not UTF-8: %q", name, text)
		}
		if name == "" {
			t.Errorf("Decode names no charset")
		}
		if !bytes.Equal(page, before) {
			t.Errorf("Decode changed the page")
		}
		again, same := Decode(page, contentType)
		if !bytes.Equal(text, again) || name != same {
			t.Errorf("Decode is not the same twice: %s, %s", name, same)
		}
	})
}

func TestDecodeValidIsDecodeForValidPages(t *testing.T) {
	ascii := strings.Repeat("<p>All of it is ASCII.</p>", 10)
	pages := map[string][]byte{
		"ascii": []byte(ascii), "empty": nil, "mark": []byte("\xef\xbb\xbf" + ascii), "utf-8": []byte(passages["gbk"]),
		"utf-16": encode(t, "utf-16le", ascii), "iso-2022-jp": encode(t, "iso-2022-jp", passages["shift_jis"]),
		"escape": []byte("\x1b[1m" + ascii), "two marks": []byte("\xfe\xff" + ascii),
	}
	for name := range passages {
		pages[name] = encode(t, name, passages[name])
	}
	for name, page := range pages {
		want, _ := Decode(page, "text/html")
		got, ok := DecodeValid(page)
		if ok != utf8.Valid(page) || ok && !bytes.Equal(got, want) {
			t.Errorf("%s: DecodeValid = %q, %v; Decode returns %q", name, got, ok, want)
		}
	}
}

// What no reader sees may have any bytes. The text is that which a browser shows.
func TestBrokenBytesInACommentOrAScriptDoNotRefuteUTF8(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 400)
	for i := range noise {
		for noise[i] == 0 || noise[i] == '-' || noise[i] == '<' {
			noise[i] = byte(random.Uint32())
		}
	}
	for name, text := range passages {
		page := labelledHTML(text, "utf-8", false)
		for place, around := range map[string][2]string{
			"comment behind the page":   {"", "<SCRIPT Language=VBScript><!--\nWriteData = \"4D5A\"\n//--></SCRIPT><!--" + string(noise) + "-->"},
			"comment that does not end": {"", "<!--" + string(noise)},
			"comment before the page":   {"<!-- " + string(noise) + " -->", ""},
			"script":                    {"", "<script>var a = '" + string(noise) + "'</Script>"},
			"style sheet":               {"", "<STYLE>a { b: '" + string(noise) + "' }</STYLE>"},
		} {
			infected := []byte(around[0] + page + around[1])
			got, as := Decode(infected, "text/html")
			if as != "utf-8" || !bytes.Contains(got, []byte(page)) || !bytes.Contains(got, []byte("\uFFFD")) || !utf8.Valid(got) {
				t.Errorf("Decode(page in the letters of %s, UTF-8 and a %s of random bytes) = %s: %.60q", name, place, as, passageOf(got))
			}
			if name == "windows-1252" || name == "gb18030" {
				continue // has too few letters to say something, or the same letters as GBK
			}
			old := encode(t, name, labelledHTML(text, "utf-8", false))
			if got, as := Decode(append(old, "<!-- "+passages["gbk"]+passages["shift_jis"]+" -->"...), ""); as == "utf-8" {
				t.Errorf("Decode(%s with a comment in UTF-8) took it for utf-8: %.60q", name, passageOf(got))
			}
		}
	}
}

// A program that saved a site has cut the characters in the address of a link: one broken byte, next to a few accents.
func TestABrokenByteInAnAddressDoesNotChangeTheCharset(t *testing.T) {
	const head = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title>Kites</title></head><body>`
	const link = "<a href=\"../advisory-\xe2%2580%258Bboard/index.html\">Board</a>"
	for _, text := range []string{"Towards preservation of architectural knowledge", "“Towards preservation of semantically enriched” knowledge", "Überblick"} {
		page := head + link + "<p>" + text + "</p></body></html>"
		got, name := Decode([]byte(page), "text/html")
		if name != "utf-8" || !strings.Contains(string(got), text) {
			t.Errorf("%q is read as %s: %q", text, name, got)
		}
	}
	for _, text := range []string{"\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?", "caf\xe9 au lait \xe0 Paris"} {
		if got, name := Decode([]byte(head+link+"<p>"+text+"</p></body></html>"), "text/html"); name == "utf-8" {
			t.Errorf("%q is taken for utf-8: %q", text, got)
		}
	}
}
