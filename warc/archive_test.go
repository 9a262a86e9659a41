package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answer is a made-up answer of a site.
func answer(n int, body string) Draft {
	return ResponseDraft(fmt.Sprintf("http://example.org/%d", n), day, 200, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, []byte(body))
}

// archived writes answers to an archive and does not close it.
func archived(t *testing.T, dir string, o ArchiveOptions, ds ...Draft) *Archive {
	t.Helper()
	a, err := OpenArchive(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		if err := a.Write(d); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func folder(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// wantSound reads the complete files of an archive: no damage, an index that is sorted
// and leads to each answer. It returns the answers' addresses with their types.
func wantSound(t *testing.T, dir string) (got []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.warc.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, openEnd) }) {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, damage := read(t, bytes.NewReader(file)); damage != nil {
			t.Errorf("%s: %v", path, damage)
		}
		text, err := os.ReadFile(path[:strings.LastIndex(path, ".warc.")] + indexEnd)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.SplitAfter(string(text), "\n"); !slices.IsSorted(lines[:len(lines)-1]) {
			t.Errorf("the index of %s is not sorted", path)
		}
		var here []string
		for c, err := range Captures(bytes.NewReader(text), path) {
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewReader(bytes.NewReader(file[c.Offset:c.Offset+c.Length]), path, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			rec, err := r.Next()
			if err != nil || rec.URL() != c.URL || c.Status != 200 || c.Digest != rec.Fields.Get("WARC-Payload-Digest") || c.File != filepath.Base(path) {
				t.Errorf("%+v leads to %+v, %v", c, rec, err)
				continue
			}
			here = append(here, strings.TrimPrefix(c.URL, "http://example.org/")+" "+string(rec.Type)+" "+c.MIME)
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("%+v is more than one record: %v", c, err)
			}
		}
		got = append(got, here...)
	}
	return got
}

func TestAnArchiveIsAFolderOfFilesWithTheirIndexes(t *testing.T) {
	for _, by := range []Compression{Gzip, Zstd} {
		t.Run(string(by), func(t *testing.T) { testArchiveFolder(t, by) })
	}
}

func testArchiveFolder(t *testing.T, by Compression) {
	dir := t.TempDir()
	o := DefaultArchiveOptions()
	o.MaxRecords, o.About, o.Compression = 2, Fields{{"software", "test"}}, by
	a := archived(t, dir, o, answer(2, "two"), answer(1, "one"), answer(3, "two"))
	if names := folder(t, dir); !slices.Equal(names, []string{"crawl-00001.cdxj", "crawl-00001" + by.Ending(), "crawl-00002" + by.Ending() + openEnd}) {
		t.Errorf("while it is written it has %q", names)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(answer(4, "late")); err == nil {
		t.Error("a closed archive is written to")
	}
	if err := archived(t, dir, o, answer(5, "two"), NotModifiedDraft(answer(6, ""))).Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 response text/html", "2 response text/html", // the same order in their index
		"3 revisit warc/revisit",
		"5 revisit warc/revisit", "6 revisit warc/revisit", // of what an earlier run wrote
	}
	if got := wantSound(t, dir); !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
}

func TestAnArchiveRemembersTheLatestFiles(t *testing.T) {
	dir := t.TempDir()
	o := DefaultArchiveOptions()
	o.MaxRecords, o.Remember = 1, 2
	for n, body := range []string{"a", "b", "c", "c", "b", "a"} {
		if err := archived(t, dir, o, answer(n, body)).Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := wantSound(t, dir)
	for n, want := range []string{"response", "response", "response", "revisit", "revisit", "response"} {
		if !strings.Contains(got[n], want) {
			t.Errorf("answer %d is %q, want a %s", n, got[n], want)
		}
	}
	index := filepath.Join(dir, "crawl-00006.cdxj")
	if err := os.WriteFile(index, []byte("no index\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenArchive(dir, o); err == nil || !strings.Contains(err.Error(), index+":1") {
		t.Errorf("an archive with a broken index opens with %v, want an error that names the line", err)
	}
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	if err := archived(t, dir, o).Close(); err != nil {
		t.Errorf("without that index it opens with %v, want nil", err)
	}
}

func TestAnArchiveForgetsTheOldestPayloads(t *testing.T) {
	dir := t.TempDir()
	o := DefaultArchiveOptions()
	o.Remember = 2
	a := archived(t, dir, o, answer(1, "a"), answer(2, "b"), answer(3, "c"), answer(4, "a"), answer(5, "c"), answer(6, "b"))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	var revisits []string
	for _, s := range wantSound(t, dir) {
		if strings.Contains(s, "revisit") {
			revisits = append(revisits, s[:1])
		}
	}
	if !slices.Equal(revisits, []string{"5"}) {
		t.Errorf("revisits are %q, want 5 alone", revisits)
	}
}

func TestATornFileIsCutAndCompleted(t *testing.T) {
	for _, by := range []Compression{Gzip, Zstd} {
		t.Run(string(by), func(t *testing.T) { testTornFile(t, by) })
	}
}

func testTornFile(t *testing.T, by Compression) {
	whole, o := t.TempDir(), DefaultArchiveOptions()
	o.Compression = by
	a := archived(t, whole, o, answer(1, "one"), answer(2, strings.Repeat("two ", 1000)), answer(3, "three"))
	defer a.Close()
	name := "crawl-00001" + by.Ending() + openEnd
	file, err := os.ReadFile(filepath.Join(whole, name))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := len(file) % 23; n <= len(file); n += 23 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), file[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := archived(t, dir, DefaultArchiveOptions(), answer(4, "four")).Close(); err != nil {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		got := wantSound(t, dir)
		if len(got) < last || len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "4 ") {
			t.Fatalf("cut to %d bytes it has %q", n, got)
		}
		last = len(got)
	}
	if last != 4 {
		t.Errorf("the whole file gives %d answers, want 4", last)
	}
}

func TestAnArchiveThatCannotBeWrittenSaysSo(t *testing.T) {
	dir := t.TempDir()
	a := archived(t, dir, DefaultArchiveOptions(), answer(1, "one"))
	a.file.Close() // as where the disk is gone
	err := a.Write(answer(2, "two"))
	if err == nil || !strings.Contains(err.Error(), "crawl-00001.warc.gz.open") {
		t.Errorf("Write = %v, want an error that names the file", err)
	}
	if again := a.Write(answer(3, "three")); !errors.Is(again, err) {
		t.Errorf("Write is then %v, want %v", again, err)
	}
	a.Close()
	if err := archived(t, dir, DefaultArchiveOptions()).Close(); err != nil {
		t.Fatal(err)
	}
	if got := wantSound(t, dir); len(got) != 1 {
		t.Errorf("it has %q, want the first answer", got)
	}
}
