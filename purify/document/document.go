// Package document extracts the text of documents that are not web pages: PDF and PostScript, the
// formats of Word (docx, doc, rtf) and of OpenDocument (odt), and books (EPUB).
//
// The three formats that are XML in a ZIP file are read with the standard library; how much is
// unpacked of them is bounded. So are rtf and doc, whose container is read by
// github.com/richardlehane/mscfb. A PDF is read by github.com/ledongthuc/pdf, after github.com/pdfcpu/pdfcpu has written it anew if it is
// broken or encrypted without a password, and PostScript, which
// is a program, is run by package postscript. Both are read in a process of their own, which gets
// the bytes and answers with the text: a hostile file can make these packages take all memory or
// overflow the stack, which no program survives. The bytes, the text, the processor time, the
// memory and the number of these processes are bounded. ReaderVariable names the program that is
// started; if it names none, PDF and PostScript files have no text.
//
// A file that is broken, encrypted or without text yields an error, and has no other effect.
package document

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode"
)

// A Kind is a format of documents that can be read.
type Kind string

// The kinds.
const (
	None Kind = ""
	PDF  Kind = "pdf"
	Docx Kind = "docx"
	Doc  Kind = "doc"
	RTF  Kind = "rtf"
	Odt  Kind = "odt"
	EPUB Kind = "epub"
	PS   Kind = "ps"
)

var types = map[string]Kind{
	"application/pdf":           PDF,
	"application/x-pdf":         PDF,
	"application/epub+zip":      EPUB,
	"application/x-ole-storage": Doc, // the type by its first bytes
	"application/msword":        Doc,
	"application/rtf":           RTF,
	"text/rtf":                  RTF,
	"application/postscript":    PS,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": Docx,
	"application/vnd.oasis.opendocument.text":                                 Odt,
}

// KindOf returns the kind of a media type, with or without parameters; None if it is not a kind.
func KindOf(contentType string) Kind {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return types[strings.TrimSpace(t)]
}

// TypeOfName returns the media type of a document by its file name; "" for other files.
func TypeOfName(name string) string {
	return endings[strings.ToLower(path.Ext(name))]
}

var endings = map[string]string{
	".pdf":  "application/pdf",
	".ps":   "application/postscript",
	".rtf":  "application/rtf",
	".doc":  "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".odt":  "application/vnd.oasis.opendocument.text",
	".epub": "application/epub+zip",
}

// Sniff returns the media type of a document by its bytes; "" if its text cannot be read.
func Sniff(content []byte) string {
	if isPDF(content) {
		return "application/pdf"
	}
	if program(content) != nil {
		return "application/postscript"
	}
	if bytes.HasPrefix(content, []byte(rtfMagic)) {
		return "application/rtf"
	}
	if bytes.HasPrefix(content, []byte(oleMagic)) && bytes.Contains(content, wordStream) {
		return "application/msword"
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
		case docxName:
			return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
		case epubContainer:
			return "application/epub+zip"
		case "content.xml":
			return "application/vnd.oasis.opendocument.text"
		}
	}
	if strings.HasPrefix(unpackingOf(archive, len(content)).officePart(), "word/") { // the part of a spreadsheet is in xl
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	}
	return ""
}

// others are formats of Office programs whose text is not read, by the folder of their package's
// main part.
var others = map[string]string{
	"xl":  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"ppt": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// SniffOther returns the media type of a spreadsheet or a presentation, whose text is not read; ""
// for other files. Their packages are ZIP archives.
func SniffOther(content []byte) string {
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return ""
	}
	archive, err := unpack(content)
	if err != nil {
		return ""
	}
	folder, _, _ := strings.Cut(archive.officePart(), "/")
	return others[folder]
}

// The bounds of one document. One that is beyond any of them has no text: two documents whose texts were cut off would be one by
// what is left.
const (
	MaxBytes    = 64 << 20 // of the file
	MaxText     = 4 << 20  // bytes of its text
	maxUnpacked = 64 << 20 // bytes of XML
	maxElements = 1 << 20  // of XML. Word writes some eight for 30 bytes of text
	maxList     = 4 << 20  // bytes of the list of a book's chapters

	// An archive is unpacked to at most maxRatio times its size, beyond freeUnpacked bytes. XML of
	// texts is 5 to 20 times as large as its archive, a ZIP bomb 1,000 times. Apache POI has the
	// same bound (ZipSecureFile, MIN_INFLATE_RATIO).
	maxRatio     = 100
	freeUnpacked = 8 << 20
)

var (
	errEncrypted = errors.New("it is encrypted")
	errTooLarge  = fmt.Errorf("the file is longer than %d MiB", MaxBytes>>20)
	errUnpacked  = fmt.Errorf("it unpacks to more than %d MiB", maxUnpacked>>20)
	errElements  = fmt.Errorf("it has more than %d elements", maxElements)
	errText      = fmt.Errorf("its text is longer than %d MiB", MaxText>>20)
	errBomb      = fmt.Errorf("it unpacks to more than %d times its size", maxRatio)
)

// paragraphEnds separates two paragraphs, as in a text without markup.
const paragraphEnds = "\n\n"

// Text returns the text of a document: paragraphs separated by blank lines. PDF and PostScript only
// say where characters are. In these, a paragraph ends at a gap, before an indented line or one of
// another size, before the mark of an item, after a sentence that leaves room in its line, and at
// the end of the page. The error says why there is no text, in a line of at most 200 bytes.
func Text(k Kind, content []byte) (string, error) {
	text, err := read(k, content)
	if err != nil {
		return "", errors.New(oneLine(err.Error()))
	}
	return text, nil
}

const maxReason = 200 // bytes

// oneLine removes from an error's text what a hostile file may have put there: control characters,
// or thousands of bytes of its own.
func oneLine(words string) string {
	words = strings.Join(strings.FieldsFunc(words, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	return strings.ToValidUTF8(words[:min(len(words), maxReason)], "")
}

func read(k Kind, content []byte) (string, error) {
	if len(content) > MaxBytes {
		return "", errTooLarge
	}
	var text string
	var err error
	switch k {
	case PDF, PS:
		text, err = readApart(content)
	case Doc:
		text, err = readWord(content)
	case RTF:
		text, err = readRTF(content)
	case Docx:
		text, err = readDocx(content)
	case Odt:
		text, err = readZipped(content, "content.xml", odtText)
	case EPUB:
		text, err = readEPUB(content)
	default:
		return "", errors.New("not a document of a kind that can be read")
	}
	if err != nil && encrypted(content) {
		return "", errEncrypted
	}
	if err != nil {
		return "", err
	}
	if len(text) >= MaxText { // all readers stop there
		return "", errText
	}
	if !hasWords(text) {
		return "", errors.New("it has no text")
	}
	return ligatures.Replace(strings.ToValidUTF8(text, "\ufffd")), nil
}

// hasWords reports whether a text has a letter or a digit.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// ligatures are single characters of a PDF that stand for several letters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")
