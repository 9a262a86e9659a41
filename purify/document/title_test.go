package document

import "testing"

func TestADocumentHasTheTitleThatItDeclares(t *testing.T) {
	const core = `<cp:coreProperties xmlns:cp="p" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Me</dc:creator><dc:title> A
		report </dc:title></cp:coreProperties>`
	const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title id="t1">Children's Literature</dc:title><dc:title>A Textbook</dc:title></metadata></package>`
	const meta = `<office:document-meta xmlns:office="o" xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>Ein Bericht</dc:title></office:meta></office:document-meta>`
	const container = `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`
	for _, c := range []struct {
		kind    Kind
		content []byte
		want    string
	}{
		{Docx, zipped(t, "docProps/core.xml", core), "A report"},
		{Docx, zipped(t, "word/document.xml", core), ""},
		{Docx, zipped(t, "docProps/core.xml", `<c><title>12 / 3</title></c>`), ""},
		{Docx, zipped(t, "docProps/core.xml", `<c><title>A`), ""},
		{Odt, zipped(t, "meta.xml", meta), "Ein Bericht"},
		{EPUB, zipped(t, "META-INF/container.xml", container, "OEBPS/book.opf", opf), "Children's Literature"},
		{EPUB, zipped(t, "META-INF/container.xml", "<container/>"), ""},
		{EPUB, []byte("no archive"), ""},
		{PDF, madePDF("BT /F1 12 Tf (A) Tj ET"), ""},
	} {
		if got := Title(c.kind, c.content); got != c.want {
			t.Errorf("a document of kind %v has the title %q, want %q", c.kind, got, c.want)
		}
	}
}
