package corpus

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
)

// The files in testdata are of one site: wget.warc.gz and wget-plain.warc by wget 1.21.3
// (-r --no-warc-keep-log, with --compression=auto or --no-warc-compression), warcio.warc.gz
// by warcio.js 2.4.11.
var site = []string{
	"new http://127.0.0.1:8765/ Start",
	"new http://127.0.0.1:8765/bees.html Bees",
	"new http://127.0.0.1:8765/chunked.html Clocks",
}

// said lists what becomes of the pages of a file, each with its title.
func said(t *testing.T, file string) []string {
	t.Helper()
	b, err := NewBatch(Options{Dedup: dedup.DefaultOptions(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.Fault = func(err error) { t.Errorf("%s: %v", file, err) }
	var all []string
	_, err = b.Rows(&Source{Names: []string{file}}, func(r *gatecrawl.Row, p Page) error {
		if kept := r.Page.Verdict == "new"; kept != (len(r.Body) > 0) || kept != (len(r.View) > 0) || p.Place == nil {
			t.Errorf("%s: %s, a %s page, has %d bytes and a view of %d, place %v", file, r.Page.URL, r.Page.Verdict, len(r.Body), len(r.View), p.Place)
		}
		if kept := r.Page.Verdict == "new"; kept && !bytes.HasPrefix(r.Body, []byte("<!DOCTYPE html>")) {
			t.Errorf("%s: %s starts with %q, want it decoded", file, r.Page.URL, r.Body[:min(len(r.Body), 20)])
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Page.Verdict, r.Page.URL, r.Page.Title)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFilesOfOtherWritersAreRead(t *testing.T) {
	again := []string{"copy http://127.0.0.1:8765/again.html Bees", "refused http://127.0.0.1:8765/moved", "copy http://127.0.0.1:8765/bees.html Bees"}
	for name, rest := range map[string][]string{
		"wget.warc.gz":    again,
		"wget-plain.warc": again,
		"warcio.warc.gz":  {"refused http://127.0.0.1:8765/moved", "failed http://127.0.0.1:8765/none"},
	} {
		if got, want := said(t, filepath.Join("testdata", name)), slices.Concat(site, rest); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// record is one of WARC 1.0, as Heritrix 3 writes it.
func record(kind, url, contentType, content string, fields ...string) string {
	return "WARC/1.0\r\nWARC-Type: " + kind + "\r\nWARC-Target-URI: " + url + "\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n" +
		strings.Join(fields, "") + "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nContent-Type: " + contentType +
		fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(content), content)
}

// heritrix are the records of a site as Heritrix 3 writes them: DNS, robots.txt, each
// answer with its request and its metadata, a revisit, chunked and encoded bodies.
func heritrix() []string {
	const html, http = "application/http; msgtype=response", "http://a.example"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "<!DOCTYPE html><title>Bees</title><p>A hive does not sleep: the bees form a cluster around the queen, and keep it warm.")
	z.Close()
	chunk := "<!DOCTYPE html><title>Clocks</title><p>A clock is wound on Sunday by the keeper of the tower, who climbs ninety steps with a lamp."
	all := []string{
		"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-01T12:00:00Z\r\nContent-Type: application/warc-fields\r\nContent-Length: 20\r\n\r\nsoftware: Heritrix\r\n\r\n\r\n",
		record("response", "dns:a.example", "text/dns", "20240501120000\na.example.\t300\tIN\tA\t192.0.2.1\n"),
		record("response", http+"/robots.txt", html, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>Robots</title>"),
	}
	page := func(path, head, body string) {
		all = append(all,
			record("response", http+path, html, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+head+"\r\n"+body),
			record("request", http+path, "application/http; msgtype=request", "GET "+path+" HTTP/1.0\r\n\r\n"),
			record("metadata", http+path, "application/warc-fields", "via: http://a.example/\r\nhopsFromSeed: L\r\n"))
	}
	page("/bees", "Content-Encoding: gzip\r\n", packed.String())
	page("/clocks", "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", 40, chunk[:40], len(chunk)-40, chunk[40:]))
	return append(all,
		record("revisit", http+"/bees", html, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
			"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n", "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"))
}

func TestFilesLikeThoseOfHeritrixAreReadHoweverTheyAreCompressed(t *testing.T) {
	var plain, each, whole, frames bytes.Buffer
	all := gzip.NewWriter(&whole)
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range heritrix() {
		plain.WriteString(r)
		fmt.Fprint(all, r)
		z := gzip.NewWriter(&each)
		fmt.Fprint(z, r)
		z.Close()
		frames.Write(enc.EncodeAll([]byte(r), nil))
	}
	all.Close()
	want := []string{"new http://a.example/bees Bees", "new http://a.example/clocks Clocks"}
	for name, b := range map[string][]byte{"a.warc": plain.Bytes(), "a.warc.gz": each.Bytes(), "whole.warc.gz": whole.Bytes(), "a.warc.zst": frames.Bytes()} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := said(t, file); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// With --method only pages are read: a revisit of robots.txt is no lost page there either.
func TestARevisitOfRobotsIsARecordOfRobots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.warc")
	all := append(heritrix(), record("revisit", "http://a.example/robots.txt", "application/http; msgtype=response", "HTTP/1.1 200 OK\r\n\r\n"))
	if err := os.WriteFile(file, []byte(strings.Join(all, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, revisited := range []bool{false, true} {
		s := Source{Names: []string{file}, Revisited: revisited}
		revisits := 0
		for p := range s.Pages {
			if p.Revisit {
				revisits++
			}
		}
		if s.Robots != 2 || s.Revisits+revisits != 1 {
			t.Errorf("Revisited %v: %d records of robots.txt, %d and %d revisits; want 2 and 1 in all", revisited, s.Robots, s.Revisits, revisits)
		}
	}
}

func TestARevisitTellsOfItsDocument(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.warc")
	if err := os.WriteFile(file, []byte(strings.Join(heritrix(), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	var refers []string
	s := Source{Names: []string{file}, Refers: func(url string, at time.Time, digest string) error {
		refers = append(refers, fmt.Sprint(url, " ", at.Year(), " ", digest))
		return nil
	}}
	for range s.Pages {
	}
	if want := []string{"http://a.example/bees 2024 sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}; !slices.Equal(refers, want) || s.Robots != 1 {
		t.Errorf("refers %q, %d robots.txt; want %q and 1", refers, s.Robots, want)
	}
}

// TestArchivesInAFolderAreRead: a folder of an archivist has WARC, ARC and WACZ files, and pages
// may stand next to them.
func TestArchivesInAFolderAreRead(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range map[string]string{
		"archive/data.warc":  strings.Join(heritrix()[:6], ""),
		"archive/notes.html": "<title>No page of the archive</title>",
		"pages/pages.jsonl":  `{"format":"json-pages-1.0","id":"pages"}`,
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	old := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>Old</title><p>The tower of the harbour was built by a guild that is forgotten."
	for name, text := range map[string]string{
		"1.wacz":       packed.String(),
		"2/new.warc":   strings.Join(heritrix()[6:9], ""),
		"3/old.ARC":    fmt.Sprintf("filedesc://IAH.arc 0.0.0.0 20080430204825 text/plain 0\n\nhttp://b.example/ 192.0.2.1 20080430204825 text/html %d\n%s\n", len(old), old),
		"4/notes.json": "no page",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"new http://a.example/bees Bees", "new http://a.example/clocks Clocks", "new http://b.example/ Old"}
	if got := said(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
	for p := range (&Source{Names: []string{filepath.Join(dir, "1.wacz")}}).Pages {
		if want := filepath.Join(dir, "1.wacz") + "/archive/data.warc"; p.File != want || p.Place == nil {
			t.Errorf("the page of a WACZ is in %s at %v, want %s", p.File, p.Place, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "1.wacz"), packed.Bytes()[:packed.Len()-30], 0o600); err != nil {
		t.Fatal(err)
	}
	for p := range (&Source{Names: []string{filepath.Join(dir, "1.wacz")}}).Pages {
		if p.Fault == nil || !strings.Contains(p.Fault.Error(), "a WACZ that is cut short or damaged") {
			t.Errorf("a WACZ without its end: %v", p.Fault)
		}
	}
}
