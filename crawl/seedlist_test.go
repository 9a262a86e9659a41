package crawl_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/crawl"
)

// TestSeedsAreReadFromWhatOtherProgramsWrite: bookmarks, subscriptions and lines of JSON.
func TestSeedsAreReadFromWhatOtherProgramsWrite(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"bookmarks", `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<DL><p><DT><H3>Folder</H3><DL><p>
<DT><A HREF="http://a.example/?x=1&amp;y=2" ADD_DATE="1">One</A>
<DT><A HREF="javascript:void(0)">a script</A><DT><A HREF="place:sort=8">most visited</A><DT><A HREF="#top">here</A>
<DT><A HREF="HTTPS://b.example/é">Two</A></DL></DL>`,
			"http://a.example/?x=1&y=2\nhttps://b.example/%C3%A9\n"},
		{"a page with a base", "<html><base href='http://a.example/dir/'><a href=1>one</a><a href='/2?u=a:b'>two</a><a>none</a>",
			"http://a.example/dir/1\nhttp://a.example/2?u=a:b\n"},
		{"a page without a base", "<?xml version='1.0'?><!DOCTYPE html><html><body><a href='/1'>one</a><a href='http://b.example/'>two</a>",
			"list:1: a relative link, and the page has no base element: \"/1\"\nhttp://b.example/\n"},
		{"lines of JSON", "{\"url\":\"http://a.example/1\",\"title\":\"one\"}\r\n\r\n{\"title\":\"two\"}\n{\"url\":7}\n{\"url\":\"ftp://a.example/\"}\n{\"seq\":1,\"url\":\"http://a.example/2\"}",
			"http://a.example/1\nlist:3: no \"url\" in the object\nlist:4: not an object of JSON whose \"url\" is a string\nlist:5: not an http or https URL: \"ftp://a.example/\"\nhttp://a.example/2\n"},
		{"a list of JSON", "[\n {\"url\":\"http://a.example/1\"}\n]", "list: a list of JSON: want an object a line, which jq -c '.[]' makes of it\n"},
		{"subscriptions", "<?xml version='1.0'?><opml version='2.0'><body><outline text='a' xmlUrl='http://a.example/feed' htmlUrl='http://a.example/'/></body></opml>",
			"http://a.example/feed\n"},
		{"a list", "http://a.example/ # a\nhttp://b.example/\n", "http://a.example/\nhttp://b.example/\n"},
		{"a table", "title;url\na;http://a.example/\n", "http://a.example/\n"},
		{"a sitemap", "<?xml version='1.0'?><urlset><url><loc>http://a.example/</loc></url></urlset>", "http://a.example/\n"},
		{"a list with brackets", "<http://a.example/>\nhttp://b.example/\n", "list:1: not an http or https URL: \"<http://a.example/>\"\nhttp://b.example/\n"},
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write([]byte(c.text))
		z.Close()
		encoder, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for how, text := range map[string]string{
			"plain": c.text, "with a mark": "\ufeff" + c.text, "zipped": packed.String(), "by zstd": string(encoder.EncodeAll([]byte(c.text), nil)),
		} {
			var got strings.Builder
			for s, err := range crawl.Seeds(strings.NewReader(text), "list") {
				if err != nil {
					fmt.Fprintln(&got, err)
					continue
				}
				fmt.Fprintln(&got, s.URL)
				if s.Text == "" || s.Line == 0 {
					t.Errorf("%s: the text of %s is %q, its line %d", c.what, s.URL, s.Text, s.Line)
				}
			}
			if got.String() != c.want {
				t.Errorf("%s, %s: read\n%swant\n%s", c.what, how, got.String(), c.want)
			}
		}
	}
}

func TestAFileThatIsNoListIsCalledWhatItIs(t *testing.T) {
	for text, want := range map[string]string{
		"PAR1\x15\x04\x15\x00\x15\x02":                               "list: it is a Parquet file, not a list of URLs",
		"SQLite format 3\x00\x10\x00\x01\x01\x00@  \x00\x00\x00\x01": "list: it is an SQLite database, not a list of URLs",
		"BZh91AY&SY\x02\x8c\x05\x1d\x00\x00":                         "list: it is compressed by bzip2, not a list of URLs",
	} {
		var got []string
		for _, err := range crawl.Seeds(strings.NewReader(text), "list") {
			if err == nil {
				t.Fatalf("Seeds(%q) has a seed", text)
			}
			got = append(got, err.Error())
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("Seeds(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestTheSeedsOfAWACZAreThePagesThatItLists: its WARC files also have what pages are displayed with, and are read only
// if no page is listed.
func TestTheSeedsOfAWACZAreThePagesThatItLists(t *testing.T) {
	record := func(url string) string {
		return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: " + url + "\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"
	}
	const head = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All Pages\"}\n"
	archive := record("http://a.example/1") + record("http://a.example/style.css")
	for _, c := range []struct {
		what  string
		files map[string]string
		cut   int // bytes that the file lacks at its end
		want  string
	}{
		{"pages", map[string]string{"archive/a.warc": archive, "pages/pages.jsonl": head + "{\"url\":\"http://a.example/1\"}\n{\"title\":\"no URL\"}\n", "pages/extraPages.jsonl": head + "{\"url\":\"http://a.example/2\"}\n"}, 0,
			"FILE/pages/pages.jsonl:3: no \"url\" in the object\nhttp://a.example/1\nhttp://a.example/2\n"},
		{"no page is listed", map[string]string{"archive/a.warc": archive, "pages/pages.jsonl": head}, 0, "http://a.example/1\nhttp://a.example/style.css\n"},
		{"no list", map[string]string{"archive/a.warc": archive, "indexes/index.cdxj": "!"}, 0, "http://a.example/1\nhttp://a.example/style.css\n"},
		{"cut short", map[string]string{"archive/a.warc": archive}, 30, "FILE: a WACZ that is cut short or damaged: its directory, at its end, is not there\n"},
	} {
		var packed bytes.Buffer
		z := zip.NewWriter(&packed)
		for name, text := range c.files {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, text)
		}
		z.Close()
		file := filepath.Join(t.TempDir(), "site.wacz")
		if err := os.WriteFile(file, packed.Bytes()[:packed.Len()-c.cut], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for s, err := range crawl.Seeds(f, file) {
			if err != nil {
				got = append(got, strings.ReplaceAll(err.Error(), file, "FILE")+"\n")
				continue
			}
			got = append(got, s.URL.String()+"\n")
		}
		f.Close()
		slices.Sort(got) // a map has no order
		if text := strings.Join(got, ""); text != c.want {
			t.Errorf("%s: read\n%swant\n%s", c.what, text, c.want)
		}
	}
}
