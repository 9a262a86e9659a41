// Package document finds the text of documents that are not web pages: PDF, the texts of Word
// (docx) and of OpenDocument (odt), and books (EPUB).
//
// The three formats of XML in a ZIP file are read here, with the standard library, and the
// unpacked size is bounded. A PDF is read by github.com/ledongthuc/pdf in a process of its own,
// which gets the bytes and answers with the text: a hostile file can make a reader of PDF take
// all memory or overflow its stack, which no program survives. The bytes, the text, the time,
// the memory and the number of these processes are bounded. The program that is started is the
// one that ReaderVariable names; if it names none, PDFs have no text.
//
// A file that is broken, encrypted or without text has an error, and costs nothing else.
package document

import (
	"archive/zip"
	"bytes"
	"errors"
	"mime"
	"strings"
	"unicode"
)

// A Kind is a format that can be read.
type Kind string

// The kinds.
const (
	None Kind = ""
	PDF  Kind = "pdf"
	Docx Kind = "docx"
	Odt  Kind = "odt"
	EPUB Kind = "epub"
)

var types = map[string]Kind{
	"application/pdf":      PDF,
	"application/x-pdf":    PDF,
	"application/epub+zip": EPUB,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": Docx,
	"application/vnd.oasis.opendocument.text":                                 Odt,
}

// KindOf returns the kind that a media type names, with parameters or without; None for
// another.
func KindOf(contentType string) Kind {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return types[strings.TrimSpace(t)]
}

// Sniff returns the media type of a document by its bytes; "" for one that cannot be read.
func Sniff(content []byte) string {
	if bytes.HasPrefix(content, []byte("%PDF-")) {
		return "application/pdf"
	}
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return ""
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return ""
	}
	for _, f := range archive.File {
		switch f.Name {
		case "word/document.xml":
			return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
		case epubContainer:
			return "application/epub+zip"
		case "content.xml":
			return "application/vnd.oasis.opendocument.text"
		}
	}
	return ""
}

// The bounds of one document.
const (
	MaxBytes    = 64 << 20 // of the file
	MaxText     = 4 << 20  // bytes of its text; what is behind is cut off
	maxUnpacked = 64 << 20 // bytes of XML
)

var errTooLarge = errors.New("the file is too large")

// Text returns the text of a document, a paragraph or a line of it a line. The error says
// why there is none.
func Text(k Kind, content []byte) (string, error) {
	if len(content) > MaxBytes {
		return "", errTooLarge
	}
	var text string
	var err error
	switch k {
	case PDF:
		text, err = readPDFApart(content)
	case Docx:
		text, err = readZipped(content, "word/document.xml", docxText)
	case Odt:
		text, err = readZipped(content, "content.xml", odtText)
	case EPUB:
		text, err = readEPUB(content)
	default:
		return "", errors.New("not a document of a kind that can be read")
	}
	if err != nil {
		return "", err
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return "", errors.New("it has no text")
	}
	return ligatures.Replace(strings.ToValidUTF8(text, "\ufffd")), nil
}

// ligatures are letters that a PDF has in one.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")
