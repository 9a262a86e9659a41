package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readZipped reads one file of a ZIP archive as XML.
func readZipped(content []byte, name string, elements officeText) (string, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return "", err
	}
	for _, f := range archive.File {
		if f.Name != name {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return "", err
		}
		defer in.Close()
		return elements.read(io.LimitReader(in, maxUnpacked))
	}
	return "", fmt.Errorf("there is no %s in it", name)
}

// An officeText says by local names which elements of a format have what.
type officeText struct {
	text  string            // the element whose characters are text; "": all are
	ends  string            // of paragraphs, separated by spaces
	marks map[string]string // the text of empty elements
	skip  string            // elements that are not of the text
	flows bool              // it is XHTML: line ends are spaces, and its entities are known
}

var docxText = officeText{
	text: "t", ends: "p", marks: map[string]string{"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"},
	skip: "instrText delText pict drawing",
}

var odtText = officeText{
	ends: "p h", marks: map[string]string{"tab": " ", "line-break": "\n", "s": " "},
	skip: "annotation tracked-changes note-citation automatic-styles font-face-decls scripts",
}

// maxDepth bounds the elements within elements: Office programs write some thirty.
const maxDepth = 1000

// read returns the paragraphs of a text, a line each.
func (o officeText) read(in io.Reader) (string, error) {
	d := xml.NewDecoder(in)
	if o.flows {
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	}
	var b strings.Builder
	depth, texts, skipped := 0, 0, 0
	has := func(list, name string) bool { return strings.Contains(" "+list+" ", " "+name+" ") }
	for b.Len() < MaxText {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return "", fmt.Errorf("more than %d elements within each other", maxDepth)
			}
			switch name := t.Name.Local; {
			case has(o.skip, name):
				skipped++
			case name == o.text:
				texts++
			case skipped == 0:
				b.WriteString(o.marks[name])
			}
		case xml.EndElement:
			depth--
			switch name := t.Name.Local; {
			case has(o.skip, name):
				skipped--
			case name == o.text:
				texts--
			case skipped == 0 && has(o.ends, name):
				b.WriteByte('\n')
			}
		case xml.CharData:
			if skipped > 0 || texts == 0 && o.text != "" {
				continue
			}
			if o.flows {
				for i, c := range t {
					if c == '\n' || c == '\r' || c == '\t' {
						t[i] = ' '
					}
				}
			}
			b.Write(t[:min(len(t), MaxText-b.Len())])
		}
	}
	return b.String(), nil
}
