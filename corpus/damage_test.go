package corpus_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/corpus"
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
