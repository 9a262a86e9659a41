package document

import (
	"strings"
	"unicode"
)

// Title returns the title that a document declares, in a line of at most 200 bytes; "" if it
// declares none. It is dc:title of an EPUB's package (EPUB 3.3, section 5.5.3.1.2), or of the
// properties of a word processor's file (ECMA-376 part 2, section 11; ODF 1.2 part 1, section
// 4.3.2.1). That of a PDF is not used, since it is mostly the name of the file from which the PDF
// was made.
func Title(k Kind, content []byte) string {
	name := map[Kind]string{Docx: "docProps/core.xml", Odt: "meta.xml", EPUB: epubContainer}[k]
	if name == "" || len(content) > MaxBytes {
		return ""
	}
	archive, err := unpack(content)
	if err != nil {
		return "" // Text returns the error
	}
	if k == EPUB {
		if name, err = archive.packageFile(); err != nil {
			return ""
		}
	}
	var says struct {
		Core []string `xml:"title"`
		Book []string `xml:"metadata>title"`
		Open []string `xml:"meta>title"`
	}
	if err := archive.parse(name, &says); err != nil {
		return ""
	}
	for _, list := range [][]string{says.Core, says.Book, says.Open} {
		for _, title := range list {
			if title = oneLine(title); strings.ContainsFunc(title, unicode.IsLetter) {
				return title
			}
		}
	}
	return ""
}
