package wacz

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/warc"
)

var day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func response(url, kind, body string) warc.Draft {
	return warc.ResponseDraft(url, day, 200, http.Header{"Content-Type": {kind}}, []byte(body))
}

// An opened is an archive as the specification says that it is to be read. What reads it
// uses nothing of this package or of package warc.
type opened struct {
	names   []string
	about   map[string]any
	records map[string]string // by URL of the index: the WARC record
	index   []string
	pages   []map[string]any
}

// open reads an archive, and fails where it is not what the specification says.
func open(t *testing.T, b []byte) (o opened) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		o.names = append(o.names, f.Name)
		if strings.HasPrefix(f.Name, "archive/") && f.Method != zip.Store {
			t.Errorf("%s is compressed again", f.Name)
		}
	}
	wantSum := func(path, hash string, size any) {
		t.Helper()
		sum := sha256.Sum256(files[path])
		if hash != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Errorf("%s has another digest than %s", path, hash)
		}
		if n, ok := size.(float64); ok && int(n) != len(files[path]) {
			t.Errorf("%s has %d bytes, want %v", path, len(files[path]), n)
		}
	}
	read := func(path string, v any) {
		t.Helper()
		if err := json.Unmarshal(files[path], v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	var digest struct{ Path, Hash string }
	read("datapackage-digest.json", &digest)
	wantSum(digest.Path, digest.Hash, nil)
	read("datapackage.json", &o.about)
	if o.about["profile"] != "data-package" || o.about["wacz_version"] != "1.1.1" {
		t.Errorf("datapackage.json has %v", o.about)
	}
	named := []string{"datapackage.json", "datapackage-digest.json"}
	for _, r := range o.about["resources"].([]any) {
		r := r.(map[string]any)
		path := r["path"].(string)
		wantSum(path, r["hash"].(string), r["bytes"])
		if named = append(named, path); !strings.HasSuffix(path, "/"+r["name"].(string)) {
			t.Errorf("%s is called %s", path, r["name"])
		}
	}
	for _, name := range o.names {
		if !slices.Contains(named, name) {
			t.Errorf("datapackage.json does not name %s", name)
		}
	}
	o.records = make(map[string]string)
	for line := range strings.Lines(string(files["indexes/index.cdxj"])) {
		o.index = append(o.index, line)
		var c struct{ URL, Offset, Length, Filename string }
		parts := strings.SplitN(line, " ", 3)
		if err := json.Unmarshal([]byte(parts[2]), &c); err != nil || len(parts[1]) != 14 {
			t.Fatalf("index line %q: %v", line, err)
		}
		at, _ := strconv.Atoi(c.Offset)
		n, _ := strconv.Atoi(c.Length)
		gz, err := gzip.NewReader(bytes.NewReader(files["archive/"+c.Filename][at : at+n]))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		record, err := io.ReadAll(gz)
		if err != nil || !strings.HasPrefix(string(record), "WARC/1.1\r\n") || !strings.Contains(string(record), "\r\nWARC-Target-URI: "+c.URL+"\r\n") {
			t.Errorf("%s leads to %.200q, %v", line, record, err)
		}
		o.records[c.URL] = string(record)
	}
	if !slices.IsSorted(o.index) {
		t.Errorf("the index is not sorted")
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(files["pages/pages.jsonl"]), "\n"), "\n") {
		var p map[string]any
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if p["format"] != "json-pages-1.0" || p["id"] != "pages" || p["hasText"] != true {
				t.Errorf("pages start with %s", line)
			}
			continue
		}
		if _, err := time.Parse(time.RFC3339, p["ts"].(string)); err != nil || p["id"] == "" {
			t.Errorf("page %s: %v", line, err)
		}
		o.pages = append(o.pages, p)
	}
	return o
}

func TestAnArchiveIsWhatTheSpecificationSays(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Options{Software: "test/1", Created: day, MaxBytes: 700, Dir: t.TempDir(), About: warc.Fields{{Name: "software", Value: "test/1"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []warc.Draft{
		response("http://b.example/", "text/html", "<p>one"),
		response("http://a.example/x.css", "text/css", "p {}"),
		response("http://a.example/y.css", "text/css", "p {}"),
		{Type: warc.Resource, URL: "http://a.example/made", Date: day, Kind: "text/html; charset=utf-8", Content: []byte("<p>made")},
	} {
		if err := w.AddRecord(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.AddPage(Page{URL: "http://b.example/", Time: day, Title: "B", Text: "one\nline", Size: 6}); err != nil {
		t.Fatal(err)
	}
	if err := w.AddPage(Page{URL: "http://a.example/made", Time: day}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	o := open(t, b.Bytes())
	if want := []string{"archive/data-00001.warc.gz", "archive/data-00002.warc.gz"}; !slices.Equal(o.names[:2], want) {
		t.Errorf("files %v, want %v first", o.names, want)
	}
	if o.about["title"] != "http://b.example/" || o.about["mainPageUrl"] != "http://b.example/" || o.about["created"] != "2026-03-04T05:06:07Z" {
		t.Errorf("datapackage.json has %v", o.about)
	}
	if len(o.index) != 4 || len(o.pages) != 2 || o.pages[0]["text"] != "one\nline" || o.pages[1]["title"] != "http://a.example/made" {
		t.Errorf("index %q, pages %v", o.index, o.pages)
	}
	again := o.records["http://a.example/y.css"]
	if !strings.Contains(again, "WARC-Type: revisit\r\n") || !strings.Contains(again, "WARC-Refers-To-Target-URI: http://a.example/x.css\r\n") || strings.Contains(again, "p {}") {
		t.Errorf("the second of two equal answers is %q", again)
	}
	if made := o.records["http://a.example/made"]; !strings.HasSuffix(made, "<p>made\r\n\r\n") {
		t.Errorf("the resource is %q", made)
	}
}

func TestAnArchiveWithoutPagesIsOne(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if o := open(t, b.Bytes()); len(o.index)+len(o.pages) != 0 {
		t.Errorf("index %v, pages %v", o.index, o.pages)
	}
}

func TestManyLinesAreSortedInFiles(t *testing.T) {
	dir := t.TempDir()
	s := sorter{dir: dir, most: 100}
	var want []string
	for i := range 2000 {
		line := fmt.Sprintf("%d line\n", i*7919%2000)
		want = append(want, line)
		if err := s.add(line); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) == 0 || len(s.runs) > mostRuns {
		t.Errorf("%d files are open", len(s.runs))
	}
	slices.Sort(want)
	var got bytes.Buffer
	if err := s.writeTo(&got); err != nil || got.String() != strings.Join(want, "") {
		t.Errorf("%v: %.100q", err, got.String())
	}
	if err := s.remove(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// A full writer takes so many bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, fmt.Errorf("no space left")
	}
	return len(p), nil
}

func TestAFullDiskIsToldAndLeavesNoFiles(t *testing.T) {
	for _, room := range []int{0, 10, 400, 900} {
		dir := t.TempDir()
		w, err := NewWriter(&full{room}, Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		err = w.AddRecord(response("http://a.example/", "text/html", strings.Repeat("many words, ", 9)))
		if err != nil {
			err = w.Abort(err)
		} else {
			err = w.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}
