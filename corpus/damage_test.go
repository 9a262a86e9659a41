package corpus_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/warc"
)

func TestADamagedMemberIsToldOfOnce(t *testing.T) {
	var file bytes.Buffer
	for i := range 3 {
		content := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Page %d", i)
		z, err := gzip.NewWriterLevel(&file, gzip.NoCompression)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%d\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			i, len(content), content)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	in := bytes.Replace(file.Bytes(), []byte("example/1\r\nContent-Type: application/http\r\nContent-Length: "), []byte("example/1\r\nContent-Type: application/http\r\nContent-Length- "), 1)
	var got []string
	source := &corpus.Source{Names: []string{"-"}, Stdin: bytes.NewReader(in)}
	for p := range source.Pages {
		if p.Fault != nil {
			got = append(got, p.Fault.Error())
		} else {
			got = append(got, p.URL)
		}
	}
	if len(got) != 3 || got[0] != "http://a.example/0" || !strings.Contains(got[1], "Content-Length") || got[2] != "http://a.example/2" {
		t.Errorf("pages and faults %q, want two pages and one fault between them", got)
	}
}

// TestARecordWithoutAURLIsNamedByItsPlace: lists and messages had an empty name for it.
func TestARecordWithoutAURLIsNamedByItsPlace(t *testing.T) {
	const content = "HTTP/1.1 200 OK\r\n\r\n<p>A page."
	file := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(content), content)
	var got []string
	for p := range (&corpus.Source{Names: []string{"-"}, Stdin: strings.NewReader(file + file)}).Pages {
		got = append(got, p.URL)
	}
	if want := []string{"standard input: offset 0", fmt.Sprint("standard input: offset ", len(file))}; !slices.Equal(got, want) {
		t.Errorf("pages %q, want %q", got, want)
	}
}

// TestAnAnswerThatCannotBeDecodedDoesNotCutItsFile: a server's answer may have been stored with half of its gzip
// stream, or with less than its chunks say, in a file that is whole.
func TestAnAnswerThatCannotBeDecodedDoesNotCutItsFile(t *testing.T) {
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	z.Write([]byte("<p>A page of some words that are compressed, and of which the end was never sent."))
	z.Close()
	for what, answer := range map[string]string{
		"gzip that ends early":    "Content-Encoding: gzip\r\n\r\n" + body.String()[:body.Len()/2],
		"gzip with other content": "Content-Encoding: gzip\r\n\r\n" + body.String()[:12] + strings.Repeat("\xff", 40),
		"a checksum that differs": "Content-Encoding: gzip\r\n\r\n" + body.String()[:body.Len()-8] + "12345678",
	} {
		var file bytes.Buffer
		for i, content := range []string{"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + answer, "HTTP/1.1 200 OK\r\n\r\n<p>Another page."} {
			fmt.Fprintf(&file, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%d\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(content), content)
		}
		var got []string
		for p := range (&corpus.Source{Names: []string{"-"}, Stdin: &file}).Pages {
			if p.Fault != nil {
				got = append(got, p.Fault.Error())
			} else {
				got = append(got, p.URL)
			}
		}
		if len(got) != 2 || !strings.Contains(got[0], "offset 0: its HTTP message cannot be decoded: ") || !strings.HasSuffix(got[0], "; the record is left out") || got[1] != "http://a.example/1" {
			t.Errorf("%s: pages and faults %q, want a fault of the first record and the second page", what, got)
		}
	}
}

func TestAFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/1.txt", "b/2.txt", "c/3.txt", "d/4.txt"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a page with some words in it"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var pages, faults []string
	for p := range (&corpus.Source{Names: []string{dir}}).Pages {
		if p.Fault != nil {
			faults = append(faults, p.Fault.Error())
			continue
		}
		pages = append(pages, filepath.Base(p.File))
		for _, gone := range []string{"b", "c"} { // permissions would not keep root out
			if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !slices.Equal(pages, []string{"1.txt", "4.txt"}) {
		t.Errorf("pages are %q, want those of a and d", pages)
	}
	if len(faults) != 2 || !strings.Contains(faults[0], filepath.Join(dir, "b")) || !strings.Contains(faults[1], filepath.Join(dir, "c")) {
		t.Errorf("faults are %q, want one of b and one of c", faults)
	}
}

func TestPagesWithOtherNamesInAFolderAreCounted(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("<!doctype html><title>A page</title>"))
	z.Close()
	for name, content := range map[string]string{
		"a.html": "<p>A page.", "b.php": "<!doctype html><p>A page.", "c.html.gz": packed.String(), "d.jsonl": `{"url":"http://a.example/","text":"a page"}`,
		"e.css": "p { color: red }", "f.svg": "<!-- a drawing --><svg></svg>", "g.png": "\x89PNG\r\n\x1a\n", "h": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source := &corpus.Source{Names: []string{dir}}
	read := 0
	for p := range source.Pages {
		if read++; p.Fault != nil || filepath.Base(p.File) != "a.html" {
			t.Errorf("%s, %v was read", p.File, p.Fault)
		}
	}
	if read != 1 || source.Strange != 3 || filepath.Base(source.FirstOfThem) != "b.php" {
		t.Errorf("%d files read, %d counted, the first %s; want 1, and 3 from b.php on", read, source.Strange, source.FirstOfThem)
	}
}

// TestThePageOfADamagedMemberIsLeftOut: it was handed out with the damaged text, and only then the checksum behind it
// was read and the message said that the record was left out.
func TestThePageOfADamagedMemberIsLeftOut(t *testing.T) {
	for what, digest := range map[string]bool{"with digests": true, "without": false} {
		var file bytes.Buffer
		for i := range 3 {
			content := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Page number %d", i)
			head := ""
			if digest {
				head = "WARC-Block-Digest: " + warc.DigestOf([]byte(content)) + "\r\n"
			}
			z, err := gzip.NewWriterLevel(&file, gzip.NoCompression)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%d\r\n%sContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
				i, head, len(content), content)
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
		}
		in := bytes.Replace(file.Bytes(), []byte("<p>Page number 1"), []byte("<p>Pale number 1"), 1)
		var got []string
		for p := range (&corpus.Source{Names: []string{"-"}, Stdin: bytes.NewReader(in)}).Pages {
			if p.Fault != nil {
				got = append(got, p.Fault.Error())
			} else {
				got = append(got, p.URL)
			}
		}
		if len(got) != 3 || got[0] != "http://a.example/0" || !strings.HasSuffix(got[1], "the record is left out") || got[2] != "http://a.example/2" {
			t.Errorf("%s: pages and faults %q, want two pages and one fault between them", what, got)
		}
	}
}
