package corpus

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/unicode"

	"gatecrawl.example/gatecrawl/dedup"
)

func TestGroupsAreJoinedByAPageThatIsNearTwo(t *testing.T) {
	var u unionFind
	for _, pair := range [][2]dedup.DocID{{1, 4}, {2, 5}, {3, 6}, {5, 7}, {4, 7}} {
		u.join(pair[0], pair[1])
	}
	u.join(9, 9)
	var got [][]dedup.DocID
	err := u.groups(func(pages []dedup.DocID) error {
		got = append(got, slices.Clone(pages))
		return nil
	})
	want := [][]dedup.DocID{{1, 2, 4, 5, 7}, {3, 6}}
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("groups are %v, %v; want %v", got, err, want)
	}
}

func TestASpoolGivesBackWhatWasAdded(t *testing.T) {
	s, err := newSpool(new(sites))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	sig := func(n int) dedup.Signature { return dedup.SignText(words(uint64(n), 50)) }
	address := func(n int) string { return "http://example.org/" + words(uint64(n), n%7) }
	for n := 1; n <= 1000; n++ {
		if err := s.add(address(n), "example.org", "", sig(n), nil, dedup.Verdict{Of: dedup.Ref(n - 1), Level: 5, Class: 3, Distance: n % 7, Similarity: .5}); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, n/2 + 1, n} {
			p, url, err := s.page(dedup.DocID(k))
			if err != nil || url != address(k) || p.Sign != sig(k) || p.verdict().Distance != k%7 {
				t.Fatalf("page %d of %d is %s, %+v, %v", k, n, url, p, err)
			}
		}
	}
	if _, _, err := s.page(1001); err == nil {
		t.Error("page 1001 of 1000 is given")
	}
}

// counted yields a million numbers and says how many were read.
func counted(n *int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for ; *n < 1_000_000; *n++ {
			if !yield(*n, nil) {
				return
			}
		}
	}
}

func TestFewItemsAreInHandAtOnce(t *testing.T) {
	var read int
	const workers = 3
	seen := 0
	stop := io.ErrClosedPipe
	err := InOrder(counted(&read), workers, func(n int) int { return n }, func(n int) error {
		if n != seen {
			t.Fatalf("item %d, want %d", n, seen)
		}
		if seen++; seen == 100 {
			return stop
		}
		return nil
	})
	if err != stop && err.Error() != stop.Error() {
		t.Errorf("InOrder = %v, want %v", err, stop)
	}
	if most := 100 + 5*workers + 2; read > most {
		t.Errorf("%d items were read for 100, want %d at most", read, most)
	}
}

func TestLinesKeepTheirOrder(t *testing.T) {
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, "%d\n", i)
	}
	next := 0
	err := InOrder(Lines(strings.NewReader(in.String())), 4, func(l Line) Line { return l }, func(l Line) error {
		if want := fmt.Sprint(next); l.N != next+1 || string(l.Text) != want {
			t.Fatalf("emit(%d, %q), want line %d, %q", l.N, l.Text, next+1, want)
		}
		next++
		return nil
	})
	if err != nil || next != 1000 {
		t.Errorf("InOrder = %v after %d lines, want nil after 1000", err, next)
	}
}

func TestBrokenOutputEndsTheWork(t *testing.T) {
	broken := errors.New("broken pipe")
	input := strings.NewReader(strings.Repeat("x\n", 10_000))
	emitted := 0
	err := InOrder(Lines(input), 4, func(l Line) Line { return l }, func(Line) error {
		emitted++
		return broken
	})
	if !errors.Is(err, broken) || emitted != 1 {
		t.Errorf("InOrder = %v after %d lines, want %v after 1", err, emitted, broken)
	}
}

func TestLineThatIsTooLongIsNamed(t *testing.T) {
	input := strings.NewReader("x\n" + strings.Repeat("y", MaxLine+1))
	err := InOrder(Lines(input), 4, func(l Line) Line { return l }, func(Line) error { return nil })
	if err == nil || !errors.Is(err, ErrLongLine) || err.Error() != "line 2: it is longer than 64 MiB" {
		t.Errorf("InOrder = %v, want line 2 named", err)
	}
}

func TestALineThatIsTooLongCostsItself(t *testing.T) {
	long := strings.NewReader(`{"url":"http://a.example/1","text":"`)
	filler := io.LimitReader(endless{}, MaxLine+1)
	rest := strings.NewReader("\"}\n\n" + lineOf(t, "http://a.example/2", words(1, 50)))
	var got []string
	for p := range (&Source{Names: []string{"-"}, Stdin: io.MultiReader(long, filler, rest)}).Pages {
		if p.Fault != nil {
			got = append(got, p.Fault.Error())
		} else {
			got = append(got, p.URL)
		}
	}
	if want := []string{"standard input: line 1: it is longer than 64 MiB", "http://a.example/2"}; !slices.Equal(got, want) {
		t.Errorf("pages and faults are %q, want %q", got, want)
	}
}

// An endless reader has only the letter x.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// Spreadsheets write tables in UTF-16, with a byte order mark.
func TestTextInUTF16IsReadAsUTF8(t *testing.T) {
	const table = "url,title\nhttp://a.example/,Größe\n"
	for _, e := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		text, err := unicode.UTF16(e, unicode.UseBOM).NewEncoder().String(table)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := Open("-", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != table || r.Close() != nil {
			t.Errorf("Open reads %q, %v; want %q", got, err, table)
		}
	}
}

// A shell on Windows writes what a command prints in UTF-16.
func TestJSONLinesInUTF16AreRead(t *testing.T) {
	const lines = "{\"url\":\"http://a.example/1\",\"text\":\"Größe\"}\r\n{\"url\":\"http://a.example/2\",\"text\":\"Länge\"}\r\n"
	for _, e := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		text, err := unicode.UTF16(e, unicode.UseBOM).NewEncoder().String(lines)
		if err != nil {
			t.Fatal(err)
		}
		var packed strings.Builder
		z := gzip.NewWriter(&packed)
		z.Write([]byte(text))
		z.Close()
		for how, file := range map[string]string{"plain": text, "zipped": packed.String()} {
			var got []string
			for p := range (&Source{Names: []string{"-"}, Stdin: strings.NewReader(file)}).Pages {
				got = append(got, fmt.Sprint(p.URL, " ", string(p.Body), " ", p.Fault))
			}
			want := []string{"http://a.example/1 Größe <nil>", "http://a.example/2 Länge <nil>"}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %v: pages %q, want %q", how, e, got, want)
			}
		}
	}
}

func TestLinesAreThoseOfAScanner(t *testing.T) {
	for _, in := range []string{"", "\n", "a", "a\n", "a\r\nb", "\r\n\r\n", "a\r", "\ufeffa\n\ufeffb", strings.Repeat("y", 1<<17) + "\nz\n\n"} {
		var got, want []string
		for l, err := range WholeLines(strings.NewReader(in)) {
			got = append(got, fmt.Sprint(l.N, string(l.Text), err))
		}
		sc := bufio.NewScanner(strings.NewReader(in))
		sc.Buffer(nil, 1<<20)
		for n := 1; sc.Scan(); n++ {
			text := sc.Text()
			if n == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			want = append(want, fmt.Sprint(n, text, nil))
		}
		if !slices.Equal(got, want) {
			t.Errorf("lines of %.20q are %.80q, want %.80q", in, got, want)
		}
	}
	broken := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF))
	var got []string
	for l, err := range WholeLines(broken) {
		got = append(got, fmt.Sprint(l.N, string(l.Text), err))
	}
	if want := []string{"1a<nil>", "2b<nil>", "3line 3: unexpected EOF"}; !slices.Equal(got, want) {
		t.Errorf("lines of a reader that fails are %q, want %q", got, want)
	}
}

// words returns n words that follow from a seed.
func words(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	text := make([]string, n)
	for i := range text {
		text[i] = fmt.Sprintf("word%d", r.IntN(5000))
	}
	return strings.Join(text, " ")
}

// lineOf writes a page as a line of JSON.
func lineOf(t *testing.T, url, text string) string {
	t.Helper()
	b, err := json.Marshal(map[string]string{"url": url, "text": text})
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func TestATextHasTheTitleThatItsLineSays(t *testing.T) {
	input := `{"url":"http://a.example/1","title":"Bees in winter","text":"A long first line that is no title, since it goes on and on as paragraphs do, with comma after comma.\nMore."}
{"url":"http://a.example/2","text":"Wasps\n\nThey sting."}
{"url":"http://a.example/3","title":null,"text":"Ants\n\nThey walk."}
{"url":"http://a.example/4","title":7,"text":"Flies\n\nThey fly."}
{"url":"http://a.example/5","title":"Ignored","html":"<title>Beetles</title><p>They crawl, as do many others."}
`
	b, err := NewBatch(Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		t.Fatal(err)
	}
	b.Fault = func(err error) { t.Error(err) }
	var titles []string
	b.Judged = func(r Result) error {
		titles = append(titles, r.Record.Title)
		return nil
	}
	if _, err := b.Run(aSource(input)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Bees in winter", "Wasps", "Ants", "Flies", "Beetles"}; !slices.Equal(titles, want) {
		t.Errorf("titles are %q, want %q", titles, want)
	}
}

func TestABatchNamesTheKeptPageOfEachCopy(t *testing.T) {
	story, other := words(1, 300), words(2, 300)
	input := lineOf(t, "http://a.example/1", story) + lineOf(t, "http://b.example/1", other) +
		"{\"url\":\"http://a.example/2\"}\n" +
		lineOf(t, "http://c.example/1", story) + lineOf(t, "http://d.example/1", story+" and one word more")
	for _, workers := range []int{1, 5} {
		b, err := NewBatch(Options{Dedup: dedup.DefaultOptions(), Workers: workers, Groups: true})
		if err != nil {
			t.Fatal(err)
		}
		var faults, got []string
		b.Fault = func(err error) { faults = append(faults, err.Error()) }
		b.Judged = func(r Result) error {
			got = append(got, fmt.Sprintf("%s %s %s %d", r.Record.URL, r.Record.Verdict, r.Record.Of, r.Line))
			return nil
		}
		var groups []Group
		b.Grouped = func(g Group) error {
			groups = append(groups, g)
			return nil
		}
		came, err := b.Run(&Source{Names: []string{"-"}, Stdin: strings.NewReader(input), MaxBody: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"http://a.example/1 new  1", "http://b.example/1 new  2",
			"http://c.example/1 copy http://a.example/1 4", "http://d.example/1 copy http://a.example/1 5",
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %d workers the verdicts are %q, want %q", workers, got, want)
		}
		if len(faults) != 1 || !strings.HasPrefix(faults[0], "standard input:3: neither") {
			t.Errorf("faults are %q, want line 3", faults)
		}
		if came != (Counts{New: 2, Copies: 2, Faults: 1}) {
			t.Errorf("Run counts %+v", came)
		}
		if len(groups) != 1 || groups[0].URL != "http://a.example/1" || groups[0].Degree != 2 || len(groups[0].Copies) != 2 {
			t.Errorf("groups are %+v, want one of three pages on three hosts", groups)
		}
	}
}

func TestABatchEndsWhenItsResultsCannotBeWritten(t *testing.T) {
	full := errors.New("no space left")
	b, err := NewBatch(Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		t.Fatal(err)
	}
	b.Judged = func(Result) error { return full }
	input := strings.Repeat(lineOf(t, "http://a.example/", words(1, 50)), 100)
	if _, err := b.Run(&Source{Names: []string{"-"}, Stdin: strings.NewReader(input), MaxBody: 1 << 20}); !errors.Is(err, full) {
		t.Errorf("Run = %v, want %v", err, full)
	}
}

func TestAPageComesBackFromThePendingFileAsItWas(t *testing.T) {
	f, err := newPendingFile()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}()
	var want []readPage
	for i := range 50 {
		p := new(Batch).read(Page{
			Argument: "x", File: "f.jsonl", Line: i, URL: fmt.Sprintf("http://a.example/%d", i), Type: "text/plain; charset=utf-8",
			Body: []byte(words(uint64(i), 10*i)), Status: []int{0, 200, 404}[i%3],
		})
		want = append(want, p)
		if err := f.add(&p); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for got, err := range f.all {
		if err != nil {
			t.Fatal(err)
		}
		w := want[n]
		if got.Page.URL != w.Page.URL || got.Line != w.Line || got.Status != w.Status || got.digest != w.digest || !reflect.DeepEqual(got.record, w.record) {
			t.Errorf("page %d came back as %+v, want %+v", n, got, w)
		}
		if (got.view == nil) != (w.view == nil) || got.view != nil && got.view.Body != w.view.Body {
			t.Errorf("page %d came back with another view", n)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d pages came back, want %d", n, len(want))
	}
}

func TestASourceWithoutABoundReadsWholePages(t *testing.T) {
	s := &Source{Names: []string{"-"}, Stdin: strings.NewReader(`{"url":"http://a.example/","html":"<p>Bees in winter</p>"}` + "\n")}
	n := 0
	for p := range s.Pages {
		n++
		if p.Fault != nil || p.Truncated || string(p.Body) != "<p>Bees in winter</p>" {
			t.Errorf("the page is %q, truncated %v, fault %v", p.Body, p.Truncated, p.Fault)
		}
	}
	if n != 1 {
		t.Errorf("%d pages, want one", n)
	}
}

func TestADocumentIsACopyOfThePageWithItsText(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("The ferry leaves the old harbour at noon, and nobody on it minds the rain of that season. ", 3) +
		"It was built in 1974 by people who had never seen a ship of that size before they began."
	var docx bytes.Buffer
	w := zip.NewWriter(&docx)
	f, err := w.Create("word/document.xml")
	if err == nil {
		_, err = io.WriteString(f, `<w:document xmlns:w="w"><w:p><w:r><w:t>`+text+`</w:t></w:r></w:p></w:document>`)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"a.html": []byte("<html><body><main><p>" + text + "</p></main></body></html>"), "b.docx": docx.Bytes(), "c.docx": docx.Bytes()[:100], "d.pdf": []byte("%PDF-1.4"), "e.epub": docx.Bytes()[:90], "f.pdf": {0, 1, 2, 3, 255}} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := NewBatch(Options{Dedup: dedup.DefaultOptions(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	b.Judged = func(r Result) error {
		name := filepath.Base(r.Record.URL)
		got[name] = fmt.Sprint(r.Record.Verdict, " ", filepath.Base(r.Record.Of))
		if broken := name > "c"; broken != (r.Record.TextError != "") {
			t.Errorf("%s: its text could not be read: %q", name, r.Record.TextError)
		}
		return nil
	}
	if _, err := b.Run(&Source{Names: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a.html": "new .", "b.docx": "copy a.html", "c.docx": "new .", "d.pdf": "new .", "e.epub": "new .", "f.pdf": "new ."}
	if !maps.Equal(got, want) {
		t.Errorf("the verdicts are %v, want %v", got, want)
	}
}

// TestTextsWithoutALayoutAreCopiesOfContent: copies among lines with text alone were called full-layout.
func TestTextsWithoutALayoutAreCopiesOfContent(t *testing.T) {
	text := func(url, key string, more string) string {
		words := "The harbour master of a small town has counted the boats that come in before the storm, and wrote down names, cargo and the hour at which each of them was moored. " +
			"Nobody has asked for this list in thirty years, but the archive keeps it in a drawer that smells of tar, next to the tide tables."
		return fmt.Sprintf("{\"url\":%q,%q:%q}\n", url, key, words+more)
	}
	for key, want := range map[string][]string{
		"text": {"", "full-content", "partial-content"},
		"html": {"", "full-layout", "partial-layout"},
	} {
		in := text("http://a.example/1", key, "") + text("http://b.example/2", key, "") + text("http://c.example/3", key, " It is dry there.")
		b, err := NewBatch(Options{Dedup: dedup.DefaultOptions(), Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		b.Judged = func(r Result) error {
			got = append(got, r.Record.Class)
			if r.Verdict.Class.String() != r.Record.Class {
				t.Errorf("%s: the verdict is %s, and the record %s", r.URL, r.Verdict.Class, r.Record.Class)
			}
			return nil
		}
		if _, err := b.Run(&Source{Names: []string{"-"}, Stdin: strings.NewReader(in)}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("lines with %s are of the classes %q, want %q", key, got, want)
		}
	}
}
