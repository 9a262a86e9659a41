package document

import (
	"strings"
	"unicode"
)

// Title returns the title that a document declares: dc:title of an EPUB's package (EPUB 3.3, section
// 5.5.3.1.2) and of the properties of a word processor's file (ECMA-376 part 2, section 11; ODF 1.2
// part 1, section 4.3.2.1), in a line of at most 200 bytes; "" if it declares none. What a PDF declares
// is mostly the name of the file that it was made of, and is not asked for.
func Title(k Kind, content []byte) string {
	name := map[Kind]string{Docx: "docProps/core.xml", Odt: "meta.xml", EPUB: epubContainer}[k]
	if name == "" || len(content) > MaxBytes {
		return ""
	}
	archive, err := unpack(content)
	if err != nil {
		return "" // Text tells
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
