package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
)

// judged runs a batch and returns its verdicts, one a page.
func judged(t *testing.T, o Options, from *Source, more func(*Batch)) (verdicts []string, came Counts) {
	t.Helper()
	o.Dedup = dedup.DefaultOptions()
	b, err := NewBatch(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Fault = func(err error) { t.Error(err) }
	b.Judged = func(r Result) error {
		verdicts = append(verdicts, fmt.Sprintf("%s %s %s %d", r.URL, r.Record.Verdict, r.Record.Of, r.Record.Level))
		return nil
	}
	if more != nil {
		more(b)
	}
	if came, err = b.Run(from); err != nil {
		t.Fatal(err)
	}
	return verdicts, came
}

func TestMirroredSitesOfACollectionAreFound(t *testing.T) {
	var input strings.Builder
	for n := range 60 {
		input.WriteString(lineOf(t, fmt.Sprintf("http://docs.example/manual/%d.html", n), words(uint64(n), 80)))
	}
	for n := range 60 {
		input.WriteString(lineOf(t, fmt.Sprintf("http://mirror.example/m/manual/%d.html", n), words(uint64(n), 80)))
		input.WriteString(lineOf(t, fmt.Sprintf("http://other.example/story-%d.html", n), words(uint64(1000+n), 80)))
	}
	var report mirror.Report
	copies := int64(0)
	judged(t, Options{Mirrors: true}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(input.String())}, func(b *Batch) {
		b.Mirrored = func(r mirror.Report, n int64) error {
			report, copies = r, n
			return nil
		}
	})
	if len(report.Groups) != 1 || report.Groups[0].Canonical != "http://docs.example" || len(report.Groups[0].Members) != 1 {
		t.Fatalf("groups of sites are %+v, want one of docs.example and mirror.example", report.Groups)
	}
	if m := report.Groups[0].Members[0]; m.Class != mirror.Mirror || m.Mapping() != "/* -> /m/*" || copies != 60 {
		t.Errorf("the mirror is %s by %s with %d copies, want a mirror by /* -> /m/* with 60", m.Class, m.Mapping(), copies)
	}
}

// Lines of crawl export have the text of a page and no mark-up: the name at the end of a page's URL, which the
// text lacks, does not tell the two apart.
func TestATextIsACopyOfThePageThatItIsFrom(t *testing.T) {
	story := words(1, 300) + " " + words(9, 20)
	html, err := json.Marshal(map[string]string{
		"url":  "http://a.example/why-okafor-defended-the-turnstile.html",
		"html": "<title>Why Okafor defended the turnstile</title><h1>Why Okafor defended the turnstile</h1><article><p>" + story + "</article>",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"http://a.example/why-okafor-defended-the-turnstile.html", "http://a.example/print/7", "http://b.example/7"} {
		input := string(html) + "\n" + lineOf(t, url, strings.TrimSuffix(story, " "+words(9, 20)))
		if got, came := judged(t, Options{}, aSource(input), nil); came.Copies != 1 {
			t.Errorf("a page, and its text as %s: %v; want a copy", url, got)
		}
	}
}

func TestPagesThatHavePartsOfOthersAreListed(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	article, more := words(1, 300), words(2, 300)
	input := lineOf(t, "http://a.example/article", article) + lineOf(t, "http://b.example/digest", more+"\n"+article) + lineOf(t, "http://c.example/", words(3, 300))
	var lines []PartsLine
	judged(t, Options{Parts: true}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(input)}, func(b *Batch) {
		b.InPart = func(l PartsLine) error {
			lines = append(lines, l)
			return nil
		}
	})
	if len(lines) != 2 || len(lines[0].PartOf) != 1 || len(lines[1].Contains) != 1 {
		t.Fatalf("pages with parts are %+v, want the article in the digest, and the digest with the article", lines)
	}
	if l := lines[0]; l.URL != "http://a.example/article" || l.PartOf[0].URL != "http://b.example/digest" || l.PartOf[0].Share < .95 {
		t.Errorf("of %s %g is on %s, want nearly all of the article on the digest", l.URL, l.PartOf[0].Share, l.PartOf[0].URL)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, %v are left, want none", left, err)
	}
}

func TestARevisitRecordIsACopyOfThePageWithItsPayload(t *testing.T) {
	const http = "application/http; msgtype=response"
	answer := func(url, text, digest string) string {
		return record("response", url, http, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>A page</title><p>"+text, "WARC-Payload-Digest: sha1:"+digest+"\r\n")
	}
	revisit := func(url, digest string) string {
		return record("revisit", url, http, "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest: sha1:"+digest+"\r\n")
	}
	story := words(1, 200)
	file := filepath.Join(t.TempDir(), "a.warc")
	all := answer("http://a.example/1", story, "ONE") + answer("http://b.example/1", story+" and more", "TWO") +
		revisit("http://c.example/1", "ONE") + // an exact copy of a
		revisit("http://d.example/1", "TWO") + // of b, which is a near copy of a
		revisit("http://a.example/1", "ONE") + // unchanged
		revisit("http://c.example/1", "ONE") + // unchanged too
		revisit("http://e.example/1", "THREE") // not here
	if err := os.WriteFile(file, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	got, came := judged(t, Options{}, &Source{Names: []string{file}, Revisited: true}, nil)
	want := []string{
		"http://a.example/1 new  0", "http://b.example/1 copy http://a.example/1 5",
		"http://c.example/1 copy http://a.example/1 3", "http://d.example/1 copy http://a.example/1 5",
	}
	if !slices.Equal(got, want) || came.Unchanged != 2 || came.Revisits != 1 {
		t.Errorf("verdicts are %q with %d unchanged pages and %d revisits of others, want %q with 2 and 1", got, came.Unchanged, came.Revisits, want)
	}
}

// archiveOf knows a document by its bytes and another by its text.
type archiveOf struct{ bytes, text dedup.Digest }

func (a archiveOf) CheckBytes(_ []byte, d dedup.Digest) (page.Earlier, bool, error) {
	return page.Earlier{Archive: "old", URL: "http://old.example/1", Level: dedup.LevelBytes, Class: dedup.FullLayout}, d == a.bytes, nil
}

func (a archiveOf) Check(url, _ string, sig dedup.Signature, _ *dedup.Text) (page.Earlier, bool, error) {
	if url == "http://a.example/5" {
		return page.Earlier{Archive: "old", URL: "http://old.example/5", Level: dedup.LevelBody, Class: dedup.FullContent}, true, nil
	}
	return page.Earlier{Archive: "old", URL: "http://old.example/2", Level: dedup.LevelBody, Class: dedup.FullLayout}, sig.Body == a.text, nil
}

func TestWhatAnEarlierCrawlHasIsACopyOfThat(t *testing.T) {
	first, second := words(1, 200), words(2, 200)
	known := archiveOf{dedup.DigestOf([]byte(first)), dedup.SignText(second).Body}
	input := lineOf(t, "http://a.example/1", first) + lineOf(t, "http://a.example/2", second) + lineOf(t, "http://a.example/3", words(3, 200)) +
		lineOf(t, "http://a.example/4", first) + lineOf(t, "http://a.example/5", words(5, 200))
	got, came := judged(t, Options{Known: known}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(input)}, nil)
	want := []string{
		"http://a.example/1 copy http://old.example/1 3", "http://a.example/2 copy http://old.example/2 4",
		"http://a.example/3 new  0", "http://a.example/4 copy http://old.example/1 3",
		"http://a.example/5 copy http://old.example/5 4",
	}
	if !slices.Equal(got, want) || came.Known != 4 {
		t.Errorf("verdicts are %q, %d of earlier crawls; want %q and 4", got, came.Known, want)
	}
}

// A collection is read folder by folder: what its first pages repeat must not be forgotten for what
// the last ones do.
func TestTheFrameOfTheFirstPagesOfASiteIsKnownAtItsEnd(t *testing.T) {
	const first, second = 800, 5200 // a crawl lets old pages count for less: of these it forgets the first
	var input strings.Builder
	for edition, pages := range []uint64{first, second} {
		frame := ""
		for i := range uint64(8) {
			frame += "<p>" + words(uint64(edition)*100+i, 8)
		}
		for n := range pages {
			page := fmt.Sprintf("<title>Page %s</title><div>%s<p>%s</div>", words(n, 2), frame, words(n+1000, 25))
			line, err := json.Marshal(map[string]string{"url": fmt.Sprintf("http://docs.example/%d-%d.html", edition, n), "html": page})
			if err != nil {
				t.Fatal(err)
			}
			input.Write(append(line, '\n'))
		}
	}
	_, came := judged(t, Options{}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(input.String())}, nil)
	if came.Copies < first*95/100 {
		t.Errorf("%d pages of the second edition are copies of the first, want %d", came.Copies, first)
	}
}

func TestLinesInOtherCharsetsAreTheSameTexts(t *testing.T) {
	german := "Die Straße über den Fluß führt in die größte Stadt des Landes, und schöne Gärten säumen ihre Ränder bis zur Brücke."
	chinese := "这座桥建于一百年前，每天有成千上万的人从桥上走过，去河对岸的工厂上班，傍晚再沿着同一条路回家。"
	line := lineOf(t, "http://a.example/de", german) + lineOf(t, "http://a.example/zh", chinese)
	for url, encoded := range map[string]struct {
		in   encoding.Encoding
		text string
	}{"http://b.example/de": {charmap.Windows1252, german}, "http://b.example/zh": {simplifiedchinese.GBK, chinese}} {
		in, err := encoded.in.NewEncoder().String(lineOf(t, url, encoded.text))
		if err != nil {
			t.Fatal(err)
		}
		line += in
	}
	verdicts, came := judged(t, Options{}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(line)}, nil)
	if came.New != 2 || came.Copies != 2 {
		t.Errorf("%d new, %d copies: %q; want the two lines in Windows-1252 and GBK to be copies of those in UTF-8", came.New, came.Copies, verdicts)
	}
}

// Eight pages of one site with one article are copies, and not a site that repeats its article.
func TestAnArticleOfManyPagesIsNotWhatTheirSiteRepeats(t *testing.T) {
	var input strings.Builder
	line := func(name, html string) {
		b, err := json.Marshal(map[string]string{"url": "http://a.example/" + name, "html": html})
		if err != nil {
			t.Fatal(err)
		}
		input.WriteString(string(b) + "\n")
	}
	page := func(title string, seed uint64) string {
		return fmt.Sprintf("<title>%s</title><p>The site's own words, which each of its pages has.</p><h1>%s</h1><p>%s.</p><p>%s.</p>", title, title, words(seed, 60), words(seed+1, 60))
	}
	for n := range uint64(30) {
		line(fmt.Sprint("other/", n), page(fmt.Sprint("Page ", n), 1000+2*n))
	}
	for n := range 8 {
		line(fmt.Sprint("report/", n), fmt.Sprintf("<!-- %d -->", n)+page("Report", 1))
	}
	verdicts, came := judged(t, Options{}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(input.String())}, nil)
	if came.New != 31 || came.Copies != 7 {
		t.Errorf("%d new, %d copies, want 31 and 7:\n%s", came.New, came.Copies, strings.Join(verdicts[30:], "\n"))
	}
}

// A post that a blog has once for the answer to each of its comments is in a folder of its own, which
// repeats nothing but the post.
func TestAFolderOfVersionsOfOnePageHasNoFrame(t *testing.T) {
	var input strings.Builder
	line := func(path, title, text string) {
		b, err := json.Marshal(map[string]string{"url": "http://a.example/" + path, "html": fmt.Sprintf("<title>%s</title><h1>%s</h1>%s", title, title, text)})
		if err != nil {
			t.Fatal(err)
		}
		input.WriteString(string(b) + "\n")
	}
	for post := range uint64(4) {
		var paragraphs strings.Builder
		for n := range uint64(8) {
			fmt.Fprintf(&paragraphs, "<p>%s.</p>", words(100*post+n, 40))
		}
		for n := range 12 {
			line(fmt.Sprintf("post-%d/answer-%d", post, n), fmt.Sprintf("Post %d", post), paragraphs.String()+fmt.Sprintf("<p>Your answer to comment number %d goes here.</p>", n))
		}
	}
	for n := range uint64(40) {
		line(fmt.Sprint("other/", n), fmt.Sprint("Page ", n), fmt.Sprintf("<p>%s.</p>", words(5000+n, 60)))
	}
	verdicts, came := judged(t, Options{}, &Source{Names: []string{"-"}, Stdin: strings.NewReader(input.String())}, nil)
	if came.New != 44 || came.Copies != 44 {
		t.Errorf("%d new, %d copies, want 4 posts and 40 pages, and 44 copies:\n%s", came.New, came.Copies, strings.Join(verdicts[:24], "\n"))
	}
}
