package fetch

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
)

// zipped returns an archive with members, each of which contains its own name, or what follows a colon.
func zipped(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		name, content, ok := strings.Cut(m, ":")
		create := func() (io.Writer, error) { return w.Create(name) }
		if ok { // as the standards want it: not compressed, and without a descriptor behind the bytes
			size := uint64(len(content))
			create = func() (io.Writer, error) {
				return w.CreateRaw(&zip.FileHeader{Name: name, CompressedSize64: size, UncompressedSize64: size})
			}
		}
		f, err := create()
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(cmp.Or(content, name)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestZippedDocumentsAreKnownByTheirMembers(t *testing.T) {
	crowd := make([]string, maxMembers)
	for i := range crowd {
		crowd[i] = fmt.Sprint(i, ".txt")
	}
	for _, c := range []struct {
		name, want string
		body       []byte
	}{
		{"docx", wordType, zipped(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml")},
		{"docx of Word for the web", wordType, zipped(t, "word/document2.xml", "[Content_Types].xml")},
		{"docx with a comment", wordType, withComment(zipped(t, "[Content_Types].xml", "word/document.xml"), "made by hand")},
		{"OpenDocument text", odtType, zipped(t, "mimetype:"+odtType, "content.xml", "META-INF/manifest.xml")},
		{"cut OpenDocument text", odtType, zipped(t, "mimetype:"+odtType, "content.xml")[:120]},
		{"book", epubType, zipped(t, "mimetype:"+epubType+"\n", "META-INF/container.xml", "OEBPS/content.opf")},
		{"book with a compressed mimetype", epubType, zipped(t, "META-INF/container.xml", "mimetype", "content.opf")},

		{"spreadsheet", "", zipped(t, "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml")},
		{"OpenDocument spreadsheet", "", zipped(t, "mimetype:application/vnd.oasis.opendocument.spreadsheet", "content.xml")},
		{"score of MusicXML", "", zipped(t, "META-INF/container.xml", "score.xml")},
		{"folder that has an unpacked docx", "", zipped(t, "a/[Content_Types].xml", "a/word/document.xml")},
		{"sources", "", zipped(t, "word/document.xml", "README", "main.go")},
		{"many members", "", zipped(t, append(crowd, "[Content_Types].xml", "word/document.xml")...)},
		{"empty archive", "", zipped(t)},
		{"cut docx", "", zipped(t, "[Content_Types].xml", "word/document.xml")[:90]},
		{"no directory", "", []byte("PK\x03\x04")},
	} {
		if got := zippedDocument(c.body); got != c.want {
			t.Errorf("zippedDocument(%s) = %q, want %q", c.name, got, c.want)
		}
		if c.name == "empty archive" {
			continue // does not start as a ZIP file does
		}
		for _, header := range []string{"", "text/html", "text/plain; charset=utf-8", zipType, "application/x-zip-compressed", unknownType, "application/force-download", "application/pdf", "application/msword", wordType} {
			want := c.want
			if want == "" {
				switch want = header; header {
				case "", "text/html", "text/plain; charset=utf-8":
					want = zipType
				case "application/msword":
					want = wordType // as before: who names Word's format means the newer one
				}
			}
			if got := MediaType(header, c.body); got != want {
				t.Errorf("MediaType(%q, %s) = %q, want %q", header, c.name, got, want)
			}
		}
		for _, header := range []string{"image/png", "application/vnd.android.package-archive"} { // whose types are believed
			if got := MediaType(header, c.body); got != header {
				t.Errorf("MediaType(%q, %s) = %q, want %[1]q", header, c.name, got)
			}
		}
	}
}

func withComment(archive []byte, comment string) []byte {
	binary.LittleEndian.PutUint16(archive[len(archive)-2:], uint16(len(comment)))
	return append(archive, comment...)
}

func FuzzZippedDocument(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, body []byte) {
		switch got := zippedDocument(body); got {
		case "", wordType, odtType, epubType:
		default:
			t.Errorf("zippedDocument(%q) = %q", body, got)
		}
	})
}
