package view

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/purify/document"
)

// notAPage returns an error that says what the file is if view cannot read it; nil if it can.
func notAPage(name string, content []byte) error {
	t := fetch.Sniff(content)
	if other := document.SniffOther(content); other != "" {
		t = other
	}
	switch {
	case t == "application/warc":
		return fmt.Errorf("%s is a WARC file: crawl view --jsonl %s views the pages in it, crawl dedup %s tells the copies, crawl export %s writes their texts", name, name, name, name)
	case document.Sniff(content) != "":
		kind := document.Sniff(content)
		if _, err := document.Text(document.KindOf(kind), content); err != nil {
			return fmt.Errorf("%s is %s; its text cannot be read: %w", name, fetch.DescribeType(kind), err)
		}
		return nil
	case t != "" && !fetch.IsTextType(t) && document.TypeOfName(name) != "":
		kind := document.TypeOfName(name)
		_, err := document.Text(document.KindOf(kind), content)
		return fmt.Errorf("%s is %s by its name; its text cannot be read: %w", name, fetch.DescribeType(kind), cmp.Or(err, errors.New("it is "+fetch.DescribeType(t))))
	case t != "" && !fetch.IsTextType(t):
		return fmt.Errorf("%s is %s; view reads HTML, feeds, plain text, PDF, PostScript, docx, doc, rtf, odt and EPUB", name, fetch.DescribeType(t))
	}
	return nil
}

// notLines returns an error that says, by the start of the file, why it is not JSON lines and what
// to do with it; nil if it may be. The returned reader reads the whole file.
func notLines(name string, r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, _ := in.Peek(4 << 10) // an error comes again when lines are read
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if err := notAPage(name, head); err != nil {
		if t := fetch.Sniff(head); t != "application/warc" {
			err = fmt.Errorf("%s is %s; give lines of JSON, each an object", name, fetch.DescribeType(t))
		}
		return nil, err
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	first = bytes.TrimSpace(first)
	switch {
	case len(first) == 0:
	case first[0] == '<':
		return nil, fmt.Errorf("%s is a page, and not lines of JSON: crawl view %s", name, name)
	default:
		if err := corpus.NotLines(first); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return in, nil
}
