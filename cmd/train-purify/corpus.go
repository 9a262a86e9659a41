package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A page is a line of a corpus: JSON with the page's mark-up and what people
// say of it. Host, or else url, puts it into a fold; title, date and author may be
// missing.
type page struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Host   string `json:"host"`
	HTML   string `json:"html"`
	Body   string `json:"body"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	Date   string `json:"date"`
	Author string `json:"author"`
}

// host is the page's site without www.
func (p *page) host() string {
	host := p.Host
	if host == "" {
		_, rest, _ := strings.Cut(p.URL, "//")
		host, _, _ = strings.Cut(rest, "/")
	}
	if host == "" {
		host = p.ID
	}
	return strings.TrimPrefix(strings.ToLower(host), "www.")
}

const folds = 5

// fold puts all pages of a host into the same one of the folds.
func (p *page) fold() int {
	h := fnv.New32a()
	io.WriteString(h, p.host())
	return int(h.Sum32() >> 7 % folds)
}

// eachPage reads a corpus: JSON lines, in zstd if the name ends in .zst.
func eachPage(name string, do func(*page)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := io.Reader(f)
	if strings.HasSuffix(name, ".zst") {
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return err
		}
		defer z.Close()
		in = z
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		p := new(page)
		if err := json.Unmarshal(lines.Bytes(), p); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		do(p)
	}
	return lines.Err()
}
