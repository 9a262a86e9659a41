package earlier_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/earlier"
	"gatecrawl.example/gatecrawl/purify"
)

// open opens an index, and checks it when the test ends.
func open(t *testing.T, dir string) *earlier.Documents {
	t.Helper()
	d, err := earlier.Open(dir, earlier.Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	return d
}

func closed(t *testing.T, d *earlier.Documents) {
	t.Helper()
	if err := d.Verify(context.Background(), func(err error) error { t.Error(err); return nil }); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// add adds a source in which nothing is at fault.
func add(t *testing.T, d *earlier.Documents, name string) (earlier.Source, bool) {
	t.Helper()
	s, read, err := d.Add(t.Context(), name, noJobs{}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return s, read
}

// essay is a page of its own kind of words, the last of which is given.
func essay(n int, last string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><title>Essay %d</title><h1>Essay %[1]d</h1><p>", n)
	for i := range 150 {
		fmt.Fprintf(&b, "w%dx%d ", n, i)
	}
	return b.String() + last + ".</p>"
}

// collection writes n essays as lines of JSON.
func collection(t *testing.T, name string, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		line, err := json.Marshal(map[string]string{"url": fmt.Sprintf("https://a.example/%d", i), "html": essay(i, "end")})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// asked asks for a page, by its bytes and then by its text.
func asked(t *testing.T, d *earlier.Documents, html string) string {
	t.Helper()
	digest := dedup.DigestOf([]byte(html))
	m, ok, err := d.CheckBytes([]byte(html), digest)
	if err == nil && !ok {
		view := purify.Purify([]byte(html), "text/html; charset=utf-8")
		view.URL = "https://b.example/page"
		text := dedup.TextOf(view)
		m, ok, err = d.Check(view.URL, view.Body, dedup.SignPage(digest, view, &text), &text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "new"
	}
	return fmt.Sprintf("level %d of %s in %s", m.Level, m.URL, filepath.Base(m.Archive))
}

func TestADocumentIsKnownByItsBytesAndByItsText(t *testing.T) {
	d := open(t, t.TempDir())
	file := collection(t, "old.jsonl", 5)
	if s, read := add(t, d, file); !read || s.Documents != 5 {
		t.Errorf("read %v, %d documents; want all 5", read, s.Documents)
	}
	for _, c := range []struct{ html, want string }{
		{essay(3, "end"), "level 3 of https://a.example/3 in old.jsonl"},
		{essay(3, "end") + "<!-- built on Tuesday -->", "level 4 of https://a.example/3 in old.jsonl"},
		{essay(3, "stop"), "level 5 of https://a.example/3 in old.jsonl"},
		{essay(99, "end"), "new"},
	} {
		if got := asked(t, d, c.html); got != c.want {
			t.Errorf("a page that is %q is answered with %s", c.want, got)
		}
	}
}

// The text of an export may lack half of what a page is compared by; its digest is that of the page's bytes.
func TestARowOfAnExportIsKnownByItsDigest(t *testing.T) {
	d := open(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	page := essay(3, "end")
	rows := fmt.Sprintf(`{"url":"https://a.example/3","text":"The first words alone.","digest":"%s"}`+"\n"+
		`{"url":"https://a.example/4","text":"Another page.","digest":"sha1:AAAA"}`+"\n"+`{"url":"https://a.example/5","text":"A third page.","digest":7}`+"\n"+
		`{"url":"https://a.example/6","text":null,"of":"https://a.example/3","digest":"%s"}`+"\n"+`{"url":"https://a.example/7","text":null}`+"\n", dedup.DigestOf([]byte(page)), dedup.DigestOf([]byte(essay(6, "end"))))
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _ := add(t, d, file); s.Documents != 4 || s.Skipped != 0 {
		t.Errorf("%d documents, %d skipped; want 4, a copy among them, and 0", s.Documents, s.Skipped)
	}
	if got, want := asked(t, d, page), "level 3 of https://a.example/3 in rows.jsonl"; got != want {
		t.Errorf("the page is answered with %s, want %s", got, want)
	}
	if got, want := asked(t, d, essay(6, "end")), "level 3 of https://a.example/6 in rows.jsonl"; got != want {
		t.Errorf("a copy, which has no text, is answered with %s, want %s", got, want)
	}
}

// A page whose bytes have changed is known by its URL and text where no more is known of it, and on another host if the text is long.
func TestATextIsKnownAtItsPath(t *testing.T) {
	d := open(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	long := strings.Repeat("many words and ", 20)
	rows := `{"url":"https://a.example/3?of=all","text":"Two words\nand three."}` + "\n" + `{"url":"https://a.example/8","text":"` + long + `"}` + "\n" + `{"url":"https://a.example/4","text":""}` + "\n" + `{"url":"https://a.example/5","text":"Two words and three."}` + "\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, d, file)
	rows = fmt.Sprintf(`{"url":"https://a.example/6","text":"A heading\n\nThe first words.","body_digest":"%s"}`+"\n", dedup.DigestOfWords("The first words."))
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, d, file)
	for _, c := range []struct{ url, body, want string }{
		{"https://a.example/3?of=all", "Two words and three.", "https://a.example/3?of=all"}, {"http://a.example/3?of=all", "Two words and\nthree.", "https://a.example/3?of=all"},
		{"http://b.example/3?of=all", "Two words and three.", ""}, {"http://b.example/8", long, "https://a.example/8"}, {"http://b.example/9", long, ""},
		{"https://a.example/5", "Two words and three.", "https://a.example/5"},
		{"https://a.example/6", "The first words.", "https://a.example/6"}, {"https://a.example/6", "A heading The first words.", ""},
		{"https://a.example/3", "Two words and three.", ""}, {"https://a.example/3?of=all", "Two words and four.", ""}, {"https://a.example/4", "", ""},
	} {
		m, ok, err := d.Check(c.url, c.body, dedup.Signature{}, &dedup.Text{})
		if err != nil || m.URL != c.want || ok != (c.want != "") || ok && m.Level != dedup.LevelBody {
			t.Errorf("%s with the body %q is %q, level %d, %v, %v; want %q", c.url, c.body, m.URL, m.Level, ok, err, c.want)
		}
	}
}

// The class compares the layouts of both pages, as in a crawl of both, even if the document is known by its URL and body, or its
// text is that of another document of the index. The layout of a text that an export took out of its page is not known.
func TestACopyOfAnEarlierCrawlHasTheClassThatItHasInACrawlOfBoth(t *testing.T) {
	var words strings.Builder
	for i := range 150 {
		fmt.Fprintf(&words, "w%dx ", i)
	}
	text := words.String()
	plain := "<!DOCTYPE html><html lang=en><title>A</title><body><h1>Words</h1><p>" + text + "</p></body>"
	framed := "<!DOCTYPE html><html lang=en><title>A</title><body><div><table><tr><td><ul><li><a href=/1>1</a><li><a href=/2>2</a></ul><td><section><h3>Words</h3><blockquote>" +
		text + "</blockquote></section></table></div></body>"
	line := func(pairs ...string) string {
		values := make(map[string]string)
		for i := 0; i < len(pairs); i += 2 {
			values[pairs[i]] = pairs[i+1]
		}
		b, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	for _, c := range []struct{ name, source, page, want string }{
		{"the same layout", line("url", "https://a.example/1", "html", plain), plain + "<!-- now -->", "full-layout"},
		{"another layout", line("url", "https://a.example/1", "html", framed), plain, "full-content"},
		{"a copy within the index", line("url", "https://c.example/9", "html", framed) + line("url", "https://a.example/1", "html", plain), plain + "<!-- now -->", "full-layout"},
		{"a text", line("url", "https://a.example/1", "title", "A", "text", "Words\n\n"+text), plain, ""},
		{"a text near this one", line("url", "https://a.example/2", "title", "A", "text", "Words\n\n"+text+"more"), plain, ""},
		{"a text with the page's digest", line("url", "https://a.example/1", "text", text, "digest", dedup.DigestOf([]byte(plain)).String()), plain, "full-layout"},
	} {
		dir, file := t.TempDir(), filepath.Join(t.TempDir(), "old.jsonl")
		if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := earlier.Open(dir, earlier.Options{Dedup: dedup.DefaultOptions()})
		if err != nil {
			t.Fatal(err)
		}
		add(t, d, file)
		closed(t, d)
		d = open(t, dir) // it is on disk
		m, ok, err := d.CheckBytes([]byte(c.page), dedup.DigestOf([]byte(c.page)))
		if err == nil && !ok {
			view := purify.Purify([]byte(c.page), "text/html; charset=utf-8")
			text := dedup.TextOf(view)
			m, ok, err = d.Check("https://b.example/1", view.Body, dedup.SignPage(dedup.Digest{}, view, &text), &text)
		}
		if err != nil || !ok || m.Class.String() != c.want {
			t.Errorf("%s: class %q, level %d, %v, %v; want %q", c.name, m.Class, m.Level, ok, err, c.want)
		}
	}
}

func TestAReadThatWasStoppedIsReadAgainAndNothingIsThereTwice(t *testing.T) {
	dir, file := t.TempDir(), collection(t, "old.jsonl", 60)
	var lines strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&lines, "org,c)/%d 20240501120000 {\"url\": \"https://c.example/%[1]d\", \"digest\": \"sha1:%040x\"}\n", i, i)
		if i == 1200 {
			lines.WriteString("this is no line of an index\n")
		}
	}
	index := filepath.Join(t.TempDir(), "c.cdxj")
	if err := os.WriteFile(index, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := earlier.Open(dir, earlier.Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s, _, err := d.Add(ctx, index, noJobs{}, func(error) { stop() }) // in the middle of it
	if !errors.Is(err, context.Canceled) || !s.Read.IsZero() {
		t.Fatalf("a read that is stopped: %+v, %v", s, err)
	}
	if _, _, err := d.Add(ctx, file, noJobs{}, func(error) {}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a read that cannot start: %v", err)
	}
	closed(t, d)
	d = open(t, dir)
	if s, _, err := d.Add(t.Context(), index, noJobs{}, func(error) {}); err != nil || s.Documents != 1500 || s.Skipped != 1 {
		t.Errorf("the index read again: %+v, %v; want 1500 documents, one line skipped", s, err)
	}
	if s, read := add(t, d, file); !read || s.Documents != 60 {
		t.Errorf("read again %v, %d documents; want all 60", read, s.Documents)
	}
	if s, read := add(t, d, file); read || s.Documents != 60 {
		t.Errorf("read a third time %v, %d documents; want that it is known", read, s.Documents)
	}
	if got, want := asked(t, d, essay(59, "end")), "level 3 of https://a.example/59 in old.jsonl"; got != want {
		t.Errorf("the last document: %s, want %s", got, want)
	}
	other := collection(t, "new.jsonl", 61)
	if s, _ := add(t, d, other); s.Documents != 1 {
		t.Errorf("%d documents are new of another collection, want 1", s.Documents)
	}
}

func TestASourceThatWasReadToItsEndMayBeDeleted(t *testing.T) {
	dir, file := t.TempDir(), collection(t, "old.jsonl", 60)
	d := open(t, dir)
	add(t, d, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if s, read := add(t, d, file); read || s.Documents != 60 {
		t.Errorf("after it was deleted: read again %v, %d documents; want that all 60 are known", read, s.Documents)
	}
	if got, want := asked(t, d, essay(59, "end")), "level 3 of https://a.example/59 in old.jsonl"; got != want {
		t.Errorf("the last document: %s, want %s", got, want)
	}
	if _, _, err := d.Add(t.Context(), filepath.Join(dir, "never.jsonl"), noJobs{}, func(error) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a source that was never read and is not there: %v", err)
	}
}

func TestIndexesOfEveryFormAreKnownByTheirDigests(t *testing.T) {
	const hello = "hello, world"
	for name, text := range map[string]string{
		"named.cdx":   " CDX N b a m s k r M S V g\norg,a)/ 20240501120000 https://a.example/ text/html 200 W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE - - 100 0 a.warc.gz\n",
		"bare.cdx":    "org,a)/ 20240501120000 https://a.example/ text/html 200 W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE - - 100 0 a.warc.gz\n",
		"named.cdxj":  "org,a)/ 20240501120000 {\"url\": \"https://a.example/\", \"digest\": \"sha1:W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE\"}\n",
		"lines":       "org,a)/ 20240501120000 {\"url\": \"https://a.example/\", \"digest\": \"W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE\"}\n",
		"sha256.cdxj": "org,a)/ 20240501120000 {\"url\": \"https://a.example/\", \"digest\": \"sha256:09ca7e4eaa6e8ae9c7d261167129184883644d07dfba7cbfbc4c8a2e08360d5b\"}\n",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d := open(t, t.TempDir())
		if s, _ := add(t, d, file); s.Documents != 1 || s.Kind != "index" {
			t.Errorf("%s: %+v, want an index of one document", name, s)
		}
		if got, want := asked(t, d, hello), "level 3 of https://a.example/ in "+name; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestCompressedIndexesAreRead reads indexes as pywb and Common Crawl write them: gzip, of
// several members, and zstd.
func TestCompressedIndexesAreRead(t *testing.T) {
	const hello = "hello, world"
	line := "org,a)/ 20240501120000 {\"url\": \"https://a.example/\", \"digest\": \"sha1:W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE\"}\n"
	other := "org,b)/ 20240501120000 {\"url\": \"https://b.example/\", \"digest\": \"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}\n"
	var b bytes.Buffer
	for _, member := range []string{other, line} {
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(member)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for name, file := range map[string][]byte{
		"a.cdxj.gz": b.Bytes(), "cdx-00000.gz": b.Bytes(), "a.cdxj.zst": z.EncodeAll([]byte(other+line), nil),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		d := open(t, t.TempDir())
		if s, _ := add(t, d, path); s.Documents != 2 || s.Kind != "index" {
			t.Errorf("%s: %+v, want an index of two documents", name, s)
		}
		if got, want := asked(t, d, hello), "level 3 of https://a.example/ in "+name; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestWhatAnIndexSaysOfNoDocumentIsNotKnown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cdxj")
	text := `org,a)/ 20240501120000 {"url": "https://a.example/gone", "status": "404", "digest": "sha1:W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE"}
org,a)/ 20240501120000 {"url": "https://a.example/robots.txt", "status": "200", "digest": "sha1:W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE"}
org,a)/ 20240501120000 {"url": "https://a.example/empty", "status": "200", "digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}
org,a)/ 20240501120000 {"url": "https://a.example/md5", "status": "200", "digest": "md5:900150983cd24fb0d6963f7d28e17f72"}
org,a)/ twenty {"url": "https://a.example/"}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := open(t, t.TempDir())
	var faults []string
	s, _, err := d.Add(t.Context(), file, noJobs{}, func(err error) { faults = append(faults, err.Error()) })
	if err != nil || s.Documents != 0 || s.Skipped != 2 || len(faults) != 1 || !strings.Contains(faults[0], "a.cdxj:5:") {
		t.Errorf("%+v, %v, faults %q; want no document, two skipped, and line 5 told", s, err, faults)
	}
	if _, _, err := d.Add(t.Context(), filepath.Join(t.TempDir(), "none"), noJobs{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a source that is not there: %v", err)
	}
}

func TestASourceWithoutAUsableDocumentIsAnError(t *testing.T) {
	d := open(t, t.TempDir())
	for name, text := range map[string]string{
		"table.parquet": "PAR1\x15\x04\x15\x00",
		"table.csv":     "url,text\nhttps://a.example/,bees\n",
		"bare.jsonl":    `{"url": "https://a.example/", "digest": "1cbed7"}` + "\n",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // it is not taken for one that was read
			if s, _, err := d.Add(t.Context(), file, noJobs{}, func(error) {}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("Add(%s) = %+v, %v; want an error that names it", name, s, err)
			}
		}
	}
	for name, text := range map[string]string{ // what has no page yet, and what has one
		"empty.jsonl": "",
		"half.jsonl":  `{"url": "https://a.example/", "text": "` + essay(1, "end") + `"}` + "\n{\n",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, _, err := d.Add(t.Context(), file, noJobs{}, func(error) {}); err != nil {
			t.Errorf("Add(%s) = %+v, %v", name, s, err)
		}
	}
}

func TestAFolderIsAllArchivesInIt(t *testing.T) {
	record := func(n int) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://a.example/%d\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			n, len(essay(n, "end")), essay(n, "end"))
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("archive/data.warc")
	if err == nil {
		_, err = io.WriteString(w, record(1))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.warc": record(0),
		"b.wacz": packed.String(),
		"c.arc":  fmt.Sprintf("filedesc://c.arc 0.0.0.0 20080430204825 text/plain 0\n\nhttp://a.example/2 192.0.2.1 20080430204825 text/html %d\n%s\n", len(essay(2, "end")), essay(2, "end")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, t.TempDir())
	if s, _ := add(t, d, dir); s.Documents != 3 {
		t.Errorf("%d documents, want those of a WARC, a WACZ and an ARC file", s.Documents)
	}
	for n := range 3 {
		if got := asked(t, d, essay(n, "end")); !strings.HasPrefix(got, "level 3") {
			t.Errorf("essay %d is answered with %s", n, got)
		}
	}
}
