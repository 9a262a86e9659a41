package warc

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// arcPage is a page of an ARC file: its line and what follows.
func arcPage(url, body string) string {
	content := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
	return fmt.Sprintf("%s 192.0.2.1 20080430204825 text/html %d\n%s\n", url, len(content), content)
}

const arcInfo = "1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"

// arcFile has the records of an ARC file as Heritrix 1 writes them.
func arcFile() []string {
	return []string{
		fmt.Sprintf("filedesc://IAH.arc 0.0.0.0 20080430204825 text/plain %d\n%s\n", len(arcInfo), arcInfo),
		"dns:a.example 192.0.2.9 20080430204825 text/dns 21\n20080430204825\na.exa\n\n",
		arcPage("http://a.example/1", "one\n\nWARC/1.0\nhttp://b.example/ is no record\n"),
		arcPage("http://a.example/a page", "two"),
		// version 2 of the format, and a page that was stored without its header
		"http://a.example/3 192.0.2.1 20080430204826 text/html 200 - - 1234 IAH.arc.gz 5\nthree\n",
		"http://a.example/4 192.0.2.1 200804302048 text/html 4\nfour\n",
	}
}

var arcSaid = []string{
	"warcinfo filedesc://IAH.arc 20:48:25 0 text/plain " + arcInfo,
	"response dns:a.example 20:48:25 0 text/dns 20080430204825\na.exa\n",
	"response http://a.example/1 20:48:25 200 text/html; charset=utf-8 one\n\nWARC/1.0\nhttp://b.example/ is no record\n",
	"response http://a.example/a page 20:48:25 200 text/html; charset=utf-8 two",
	"response http://a.example/3 20:48:26 0 text/html three",
	"response http://a.example/4 20:48:00 0 text/html four",
}

// arcRecords reads a file, and says what each record and each damage is.
func arcRecords(t *testing.T, file []byte) (all []string) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), "old.arc", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		p, err := rec.Payload(1 << 20)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		all = append(all, fmt.Sprintf("%s %s %s %d %s %s", rec.Type, rec.URL(), rec.Date().Format("15:04:05"), p.Status, p.ContentType, p.Body))
	}
}

// zipped compresses each record.
func zipped(records []string) []byte {
	var b bytes.Buffer
	for _, rec := range records {
		z := gzip.NewWriter(&b)
		io.WriteString(z, rec)
		z.Close()
	}
	return b.Bytes()
}

func TestAnARCFileIsRead(t *testing.T) {
	records := arcFile()
	for form, file := range map[string][]byte{
		"plain":             []byte(strings.Join(records, "")),
		"a member a record": zipped(records),
		"one member":        zipped([]string{strings.Join(records, "")}),
	} {
		if got := arcRecords(t, file); !slices.Equal(got, arcSaid) {
			t.Errorf("%s:\n%q\nwant\n%q", form, got, arcSaid)
		}
		if head := file[:min(len(file), 30)]; form == "plain" && !IsArchive(head) {
			t.Errorf("IsArchive(%q) = false", head)
		}
	}
}

func TestDamageOfAnARCFileCostsOneRecord(t *testing.T) {
	records := arcFile()
	wrong := slices.Clone(records)
	// Three bytes too many: the next line lacks its start, and must not be read as a URL.
	wrong[3] = strings.Replace(arcPage("http://a.example/a page", "two"), "text/html 62\n", "text/html 65\n", 1)
	if wrong[3] == records[3] {
		t.Fatal("the length is as it was")
	}
	got := arcRecords(t, []byte(strings.Join(wrong, "")))
	for _, want := range append([]string{arcSaid[2]}, arcSaid[4:]...) {
		if !slices.Contains(got, want) {
			t.Errorf("a wrong length: %q is missing in\n%q", want, got)
		}
	}
	if n := len(got); n != len(arcSaid)+1 || !strings.Contains(got[4], "its Content-Length is wrong") {
		t.Errorf("a wrong length: %d records and errors:\n%q", n, got)
	}

	file := zipped(records)
	at := len(zipped(records[:3])) + 20
	file[at] ^= 0xff
	got = arcRecords(t, file)
	for _, want := range append(slices.Clone(arcSaid[:3]), arcSaid[4:]...) {
		if !slices.Contains(got, want) {
			t.Errorf("a damaged member: %q is missing in\n%q", want, got)
		}
	}
	if cut := arcRecords(t, zipped(records)[:at]); len(cut) != 4 || !slices.Equal(cut[:3], arcSaid[:3]) || !strings.Contains(cut[3], "unexpected EOF") {
		t.Errorf("a file that is cut short:\n%q", cut)
	}
}

func TestTheNameOfTheFormatIsReadInAnyCase(t *testing.T) {
	file := plainText(t, drafts(2))
	lower := bytes.ReplaceAll(file, []byte("WARC/1.1\r\n"), []byte("warc/1.1\r\n"))
	if got, want := arcRecords(t, lower), arcRecords(t, file); !slices.Equal(got, want) {
		t.Errorf("%d records and errors, want %d:\n%.200q", len(got), len(want), got)
	}
}
