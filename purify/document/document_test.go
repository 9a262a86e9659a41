package document

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestMain is the process that reads a PDF, where it is started as such.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == Argument {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "spin" {
		for {
			limitTime(time.Second) // takes processor time
		}
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv(ReaderVariable, self)
	os.Exit(m.Run())
}

// madePDF writes a file of one page with these operators.
func madePDF(operators string) []byte {
	return madePDFWith(operators, "/Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 8 0 R", "Identity",
		"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0001> <0005> <0061> endbfrange")
}

// madePDFWith is madePDF with another font F2, for a collection of characters or with another table.
func madePDFWith(operators, font, collection, toUnicode string) []byte {
	return madePDFOf(operators, "/Encoding /WinAnsiEncoding", font, collection, toUnicode)
}

// madePDFOf is madePDFWith with another encoding of the simple font F1; the table, object 8, may be its own.
func madePDFOf(operators, encoding, font, collection, toUnicode string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(text string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), text)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(operators), operators))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica " + encoding + " >>")
	object("<< /Type /Font /Subtype /Type0 /BaseFont /Wide " + font + " >>")
	object("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Wide /DW 1000 /W [1 [900 800] 3 5 300] /CIDSystemInfo << /Registry (Adobe) /Ordering (" + collection + ") /Supplement 2 >> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(toUnicode), toUnicode))
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aWordFile is a compound file of one FAT sector with a stream WordDocument, whose head has these
// numbers and whose text is behind it, and a stream of tables.
func aWordFile(t testing.TB, head map[int]uint32, text []byte, table []byte) []byte {
	t.Helper()
	const sector, streamSize = 512, 8 * 512
	main := make([]byte, streamSize)
	binary.LittleEndian.PutUint16(main, wordSignature)
	binary.LittleEndian.PutUint16(main[fibFlags:], flagTable1)
	for at, n := range head {
		binary.LittleEndian.PutUint32(main[at:], n)
	}
	copy(main[1024:], text)
	tables := make([]byte, streamSize)
	copy(tables, table)

	file := make([]byte, 3*sector)
	copy(file, oleMagic)
	for at, n := range map[int]uint16{24: 0x3E, 26: 3, 28: 0xFFFE, 30: 9, 32: 6} {
		binary.LittleEndian.PutUint16(file[at:], n)
	}
	for at, n := range map[int]uint32{44: 1, 48: 1, 56: 4096, 60: 0xFFFFFFFE, 68: 0xFFFFFFFE, 76: 0} {
		binary.LittleEndian.PutUint32(file[at:], n)
	}
	for at := 80; at < 512; at += 4 {
		binary.LittleEndian.PutUint32(file[at:], 0xFFFFFFFF)
	}
	fat := file[sector : 2*sector]
	for i := range sector / 4 {
		next := uint32(0xFFFFFFFF)
		switch {
		case i == 0:
			next = 0xFFFFFFFD
		case i == 1 || i == 9 || i == 17:
			next = 0xFFFFFFFE
		case i < 17:
			next = uint32(i + 1)
		}
		binary.LittleEndian.PutUint32(fat[4*i:], next)
	}
	entry := func(i int, name string, kind byte, child, right, start, size uint32) {
		e := file[2*sector+128*i:]
		for j, u := range utf16.Encode([]rune(name)) {
			binary.LittleEndian.PutUint16(e[2*j:], u)
		}
		binary.LittleEndian.PutUint16(e[64:], uint16(2*len(name)+2))
		e[66], e[67] = kind, 1
		for at, n := range map[int]uint32{68: 0xFFFFFFFF, 72: right, 76: child, 116: start, 120: size} {
			binary.LittleEndian.PutUint32(e[at:], n)
		}
	}
	entry(0, "Root Entry", 5, 1, 0xFFFFFFFF, 0xFFFFFFFE, 0)
	entry(1, "WordDocument", 2, 0xFFFFFFFF, 2, 2, streamSize)
	entry(2, "1Table", 2, 0xFFFFFFFF, 0xFFFFFFFF, 10, streamSize)
	entry(3, "", 0, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0)
	return append(append(file, main...), tables...)
}

// aWordText is a Word file of two pieces, the second of which is of UTF-16.
func aWordText(t testing.TB, narrow, wide string) []byte {
	units := utf16.Encode([]rune(wide))
	text := []byte(narrow)
	wideAt := 1024 + len(text)
	for _, u := range units {
		text = binary.LittleEndian.AppendUint16(text, u)
	}
	chars := uint32(len(narrow) + len(units))
	table := []byte{1, 2, 0, 9, 9} // a format
	table = append(table, 2)
	table = binary.LittleEndian.AppendUint32(table, 3*4+2*8)
	for _, n := range []uint32{0, uint32(len(narrow)), chars + 40} { // a note is behind
		table = binary.LittleEndian.AppendUint32(table, n)
	}
	for _, place := range []uint32{2*1024 | 1<<30, uint32(wideAt)} {
		table = append(table, 0, 0)
		table = binary.LittleEndian.AppendUint32(table, place)
		table = append(table, 0, 0)
	}
	return aWordFile(t, map[int]uint32{fibChars: chars, fibPieces: 0, fibPieces + 4: uint32(len(table))}, text, table)
}

const (
	word = `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>The harbour</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve">of 1974</w:t></w:r></w:p>` +
		`<w:p><w:r><w:delText>gone</w:delText><w:instrText>PAGE</w:instrText><w:t>Second &amp; last.</w:t></w:r></w:p></w:body></w:document>`
	open = `<office:document-content xmlns:office="o" xmlns:text="t"><office:automatic-styles>x</office:automatic-styles><office:body><text:h>The harbour</text:h>` +
		`<text:p>of<text:s/>1974<office:annotation>no</office:annotation></text:p><text:p>Second.</text:p></office:body></office:document-content>`
)

// aBook has two chapters, which the spine names in another order than the list.
func aBook(t testing.TB, second string) []byte {
	return zipped(t, "mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container xmlns="urn:c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf", `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="b" href="text/two%20.xhtml"/><item id="a" href="text/one.xhtml"/><item id="c" href="style.css"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
		"OEBPS/text/one.xhtml", `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>no</title><style>no</style></head><body><h1>The harbour</h1><p>of&nbsp;1974<br/>rebuilt
by many</p></body></html>`,
		"OEBPS/text/two .xhtml", second)
}

// countedFrom puts bytes before a PDF, and counts its places from their start.
func countedFrom(file []byte, before string) []byte {
	places := regexp.MustCompile(`(?m)^(\d{10})( 00000 n )$|^(startxref\n)(\d+)$`)
	return append([]byte(before), places.ReplaceAllFunc(file, func(line []byte) []byte {
		m := places.FindSubmatch(line)
		if len(m[1]) > 0 {
			n, _ := strconv.Atoi(string(m[1]))
			return fmt.Appendf(nil, "%010d%s", n+len(before), m[2])
		}
		n, _ := strconv.Atoi(string(m[4]))
		return fmt.Appendf(nil, "%s%d", m[3], n+len(before))
	})...)
}

// boxed has a text box in the two forms that Word writes of each, one within another, and one of an older Word.
const boxed = `<w:document><w:p><w:r><w:t>The harbour </w:t><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr="no"/><wps:txbx><w:txbxContent>` +
	`<w:p><w:t>A box.</w:t></w:p><w:p><w:t>Its second line,</w:t><w:drawing><w:txbxContent><w:p><w:t>Inner.</w:t></w:p></w:txbxContent></w:drawing><w:t> with a box within.</w:t></w:p>` +
	`</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent><w:p><w:t>A box.</w:t></w:p></w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent>` +
	`<w:t>of 1974</w:t></w:r></w:p><w:p><w:t>Next.</w:t><w:t> An old box</w:t><w:pict><w:txbxContent><w:p><w:t>Old.</w:t></w:p></w:txbxContent></w:pict></w:p></w:document>`

func TestDocumentsAreTheirText(t *testing.T) {
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"lines, a hyphen, gaps", madePDF("BT /F1 12 Tf 14 TL 72 700 Td (The harbour is rebu-) Tj T* (ilt.) Tj 0 -40 Td [(It) -400 (cost) -400 (302.)] TJ ET"), "The harbour is rebuilt.\n\nIt cost 302."},
		{"glyphs with widths of their own", madePDF("BT /F2 10 Tf 1 0 0 1 72 700 Tm <0001> Tj 1 0 0 1 81 700 Tm <0002> Tj 1 0 0 1 89 700 Tm <0003> Tj 1 0 0 1 95 700 Tm <0004> Tj ET"), "abc d"},
		{"a page from the top down", madePDF("1 0 0 -1 0 800 cm BT /F1 10 Tf 1 0 0 -1 72 100 Tm (The harbour) Tj 1 0 0 -1 72 112 Tm (of many) Tj ET q 2 0 0 2 0 0 cm BT /F1 10 Tf 1 0 0 -1 36 70 Tm (The town) Tj ET Q BT 1 0 0 -1 72 300 Tm (Last) Tj ET"), "The harbour\nof many\n\nThe town\n\nLast"},
		{"a PDF behind other bytes", append([]byte("%%TICKET: 1\r\nDUPLEX\n"), madePDF("BT /F1 12 Tf 72 700 Td (The harbour) Tj ET")...), "The harbour"},
		{"a PDF behind other bytes that its places count", countedFrom(madePDF("BT /F1 12 Tf 72 700 Td (The harbour) Tj ET"), "%%TICKET: 1\n"), "The harbour"},
		{"a PDF without the mark of its end", bytes.TrimSuffix(madePDF("BT /F1 12 Tf 72 700 Td (The harbour) Tj ET"), []byte("%%EOF\n")), "The harbour"},
		{"spaced characters", madePDF("BT /F1 10 Tf 3 Tc 1 0 0 1 72 700 Tm (ab) Tj 1 0 0 1 88 700 Tm (c) Tj ET"), "abc"},
		{"a Word document", zipped(t, "word/document.xml", word), "The harbour of 1974\n\nSecond & last."},
		{"a Word document whose text has another name", zipped(t, "word/theme.xml", "<t>no</t>", "word/document2.xml", word, "_rels/.rels",
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties" Target="docProps/app.xml"/>`+
				`<Relationship Id="b" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/word/document2.xml"/></Relationships>`), "The harbour of 1974\n\nSecond & last."},
		{"text boxes of a Word document", zipped(t, "word/document.xml", boxed), "The harbour of 1974\n\nA box.\n\nIts second line, with a box within.\n\nInner.\n\nNext. An old box\n\nOld."},
		{"a text box of an OpenDocument text", zipped(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
			`<office:text><text:p>The <draw:frame><draw:text-box><text:p>A box.</text:p></draw:text-box></draw:frame>harbour</text:p><text:p>Last.</text:p></office:text>`),
			"The harbour\n\nA box.\n\nLast."},
		{"an OpenDocument text", zipped(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", open), "The harbour\n\nof 1974\n\nSecond."},
		{"a Word file before docx", aWordText(t, "The harbour\x0bof 1974\x96\r\x13 PAGE \x141\x15 of 3\r", "cell\x07cell\x07\x07中文\r"), "The harbour\nof 1974–\n\n1 of 3\n\ncell cell \n\n中文"},
		{"a file of Word 6", aWordFile(t, map[int]uint32{0: word6Signature, 0x18: 1024, 0x34: 11}, []byte("The harbour and a note"), nil), "The harbour"},
		{"Rich Text", []byte(`{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset134 SimSun;}}{\*\generator x;}{\info{\title no}}` +
			"\r\n" + `\pard The \b harb\b0 our\line of~1974\par {\f1\'d6\'d0\uc2\u25991\'ce\'c4}\tab\'ef\{\}{\field{\*\fldinst HYPERLINK "no"}{\fldrslt link}}\par{\pict 00ff}\u-10179?\u-8704?}`),
			"The harbour\nof~1974\n\n中文 п{}link\n\n😀"},
		{"PostScript", []byte("%!PS-Adobe-3.0\n/Times-Roman findfont 10 scalefont setfont 72 700 moveto (The harbour is rebu-) show\n72 688 moveto (ilt.) show 72 640 moveto (It) show 90 640 moveto (cost 302.) show showpage"),
			"The harbour is rebuilt.\n\nIt cost 302."},
		{"PostScript with a picture for DOS", append([]byte(dosEPS+"\x1e\x00\x00\x00\x5c\x00\x00\x00"), append(make([]byte, 18), "%!PS\n/Helvetica findfont 10 scalefont setfont 72 700 moveto (The harbour) show showpage %...  "...)...), "The harbour"},
		{"a book", aBook(t, "<html><body><ul><li>Second.</li><li>Last.</li></ul></body></html>"), "The harbour\n\nof\u00a01974\nrebuilt by many\n\nSecond.\n\nLast."},
	} {
		k := KindOf(Sniff(c.content))
		got, err := Text(k, c.content)
		if strings.TrimSpace(got) != c.want || err != nil {
			t.Errorf("%s (%s): Text = %q, %v, want %q", c.name, k, got, err, c.want)
		}
	}
	if got := Sniff([]byte("A file starts with\n%PDF-1.4\nsays the manual.")); got != "" {
		t.Errorf("a text that quotes a header is %q", got)
	}
	for in, want := range map[string]Kind{"application/pdf; q=1": PDF, "application/x-ole-storage": Doc, "text/rtf": RTF, "APPLICATION/PDF": PDF, "text/html": None, "": None, ";": None} {
		if got := KindOf(in); got != want {
			t.Errorf("KindOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestBoxesWithinEachOtherAreBounded(t *testing.T) {
	const deep = 300
	text, err := readDocx(zipped(t, "word/document.xml", strings.Repeat("<p><txbxContent>", deep)+"<p><t>Innermost</t></p>"+strings.Repeat("</txbxContent></p>", deep)))
	if got := strings.TrimSpace(text); got != "Innermost" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if text, err := readDocx(zipped(t, "word/document.xml", "<d><p><t>Open</t><txbxContent><p><t>box</t></p></txbxContent>")); !strings.Contains(text, "box") && err == nil {
		t.Errorf("a file that ends in the middle: %q", text)
	}
}

func TestOtherOfficeDocumentsHaveTheirName(t *testing.T) {
	relations := func(target string) string {
		return `<Relationships><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="` + target + `"/></Relationships>`
	}
	for target, want := range map[string]string{
		"xl/workbook.xml":       "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"/ppt/presentation.xml": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"word/document.xml":     "",
		"":                      "",
	} {
		if got := SniffOther(zipped(t, "_rels/.rels", relations(target))); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	for _, other := range []string{"", "PK\x03\x04", "words"} {
		if got := SniffOther([]byte(other)); got != "" {
			t.Errorf("%q: %q", other, got)
		}
	}
}

// TestAHostileFileEndsItsProcessAlone has files that would end a program which reads them
// itself: a table of two billion objects, and brackets within each other that overflow a stack.
func TestAHostileFileEndsItsProcessAlone(t *testing.T) {
	slow.Test(t, "fills the memory and the stack of two processes")
	good := madePDF("BT /F1 12 Tf (words) Tj ET")
	for name, content := range map[string][]byte{
		"a huge table": bytes.Replace(good, []byte("xref\n0 "), []byte("xref\n2000000000 "), 1),
		"a deep stack": madePDF(strings.Repeat("[", 5<<20)),
	} {
		if text, err := Text(PDF, content); err == nil {
			t.Errorf("%s: %d bytes of text, want an error", name, len(text))
		}
	}
	if text, err := Text(PS, []byte("%!PS\n{ } loop")); err == nil {
		t.Errorf("a loop: %d bytes of text, want an error", len(text))
	}
}

// TestABombIsUnpackedInPart counts what is read of archives that unpack to much more than they are:
// an element takes a microsecond, and a chapter that is opened twenty. Its archives may have
// a few elements only, so that the test is short.
func TestABombIsUnpackedInPart(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it packs 48 MB in one goroutine, where the race detector finds nothing and takes ten times as long")
	}
	const few = maxElements / 16
	read := func(bomb []byte) (text string, bytes int64, elements int, err error) {
		t.Helper()
		of, err := unpack(bomb)
		if err != nil {
			t.Fatal(err)
		}
		if of.elements != maxElements {
			t.Fatalf("an archive may have %d elements, want %d", of.elements, maxElements)
		}
		in, err := of.open("word/document.xml")
		if err != nil {
			t.Fatal(err)
		}
		before := of.left
		of.elements = few
		text, err = docxText.read(in, of)
		return text, before - of.left, few - of.elements, err
	}
	for _, c := range []struct {
		name, unit string
		unpacked   int // many times what few elements take, or twice what may be unpacked
	}{
		{"elements", "<a/>", 5 << 20}, {"texts", "<w:t>a</w:t>", 5 << 20}, {"attributes", `<a b="" c=""/>`, 5 << 20},
		{"a text", "word ", 17 << 20}, {"comments", "<!-- -->", 17 << 20},
	} {
		bomb := zipped(t, "word/document.xml", "<a>"+strings.Repeat(c.unit, c.unpacked/len(c.unit))+"</a>")
		_, bytes, elements, err := read(bomb)
		if most := int64(freeUnpacked + maxRatio*len(bomb)); bytes > most || elements > few || bytes > int64(c.unpacked)*2/3 {
			t.Errorf("%s: %d bytes and %d elements are read of an archive of %d bytes, %v", c.name, bytes, elements, len(bomb), err)
		}
	}

	// What can hardly be packed may have too many elements for the rest to be read.
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("<w:document><w:t>words</w:t>")
	for range few + 1000 {
		fmt.Fprintf(&b, "<a%x/>", random.Uint32())
	}
	b.WriteString("<w:t>more</w:t></w:document>")
	if text, _, _, err := read(zipped(t, "word/document.xml", b.String())); text != "" || !errors.Is(err, errElements) {
		t.Errorf("a text before too many elements: %q, %v, want %v", text, err, errElements)
	}
	if text, _, _, err := read(zipped(t, "word/document.xml", "<a>"+strings.Repeat("<a/>", few)+"<t>more</t></a>")); text != "" || !errors.Is(err, errElements) {
		t.Errorf("no text before too many elements: %q, %v, want %v", text, err, errElements)
	}

	chapter := `<itemref idref="a"/>`
	book := zipped(t, epubContainer, `<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>`,
		"a.opf", `<package><manifest><item id="a" href="a.html"/></manifest><spine>`+strings.Repeat(chapter, 10)+`</spine></package>`, "a.html", "<p>Words.</p>")
	if text, err := Text(EPUB, book); strings.TrimSpace(text) != "Words." || err != nil {
		t.Errorf("a book of one chapter ten times: %q, %v, want it once", text, err)
	}
	var long strings.Builder
	for range maxList / 16 {
		fmt.Fprintf(&long, `<itemref idref="%x"/>`, random.Uint32())
	}
	book = zipped(t, epubContainer, `<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>`, "a.opf", "<package><spine>"+long.String()+"</spine></package>")
	if _, err := Text(EPUB, book); err == nil || err.Error() != "a.opf is longer than 4 MiB" {
		t.Errorf("a book with a list of %d bytes: %v, want that it is too long", long.Len(), err)
	}
}

func TestABrokenFileCostsItself(t *testing.T) {
	good := madePDF("BT /F1 12 Tf (words) Tj ET")
	loop := bytes.Replace(good, []byte("/Kids [3 0 R]"), []byte("/Kids [2 0 R]"), 1)
	for name, content := range map[string][]byte{
		"cut off":               good[:bytes.Index(good, []byte("BT"))],
		"no objects":            []byte("%PDF-1.4\n%%EOF\n"),
		"a tree that is a ring": loop,
		"no text":               madePDF("0 0 m"),
	} {
		if text, err := Text(PDF, content); err == nil {
			t.Errorf("%s: %d bytes of text, want an error", name, len(text))
		}
	}
	for name, content := range map[string][]byte{
		"no ZIP":            []byte("PK\x03\x04 and so on"),
		"no text in it":     zipped(t, "other.xml", word),
		"broken XML":        zipped(t, "word/document.xml", word[:len(word)-30]),
		"XML that is deep":  zipped(t, "word/document.xml", strings.Repeat("<a>", 2*maxDepth)),
		"nothing but marks": zipped(t, "word/document.xml", "<p><tab/>...</p>"),
	} {
		if text, err := Text(Docx, content); err == nil {
			t.Errorf("%s: the text %q, want an error", name, text)
		}
	}
	good = aWordText(t, "words", "and words")
	encrypted := bytes.Clone(good)
	encrypted[3*512+fibFlags+1] |= 1
	for name, content := range map[string][]byte{
		"cut off":                    good[:len(good)-4000],
		"encrypted":                  encrypted,
		"a table that is not there":  aWordFile(t, map[int]uint32{fibChars: 5, fibPieces: 4000, fibPieces + 4: 1 << 31}, nil, nil),
		"a piece that is not there":  bytes.Replace(good, []byte{0, 8, 0, 0x40}, []byte{0xff, 0xff, 0xff, 0x7f}, 1),
		"no text of it":              []byte(oleMagic + strings.Repeat("x", 1000)),
		"a directory that is a ring": bytes.Replace(good, []byte{2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, []byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, 1),
		"of Word 6 in pieces":        aWordFile(t, map[int]uint32{0: word6Signature, fibFlags: 4}, nil, nil),
	} {
		if text, err := Text(Doc, content); err == nil {
			t.Errorf("%s: the text %q, want an error", name, text)
		}
	}
	for name, content := range map[string]string{
		"nothing but a head":   `{\rtf1\ansi{\fonttbl{\f0 Times;}}}`,
		"groups that are deep": `{\rtf1` + strings.Repeat("{", 2*maxGroups) + "words",
	} {
		if text, err := Text(RTF, []byte(content)); err == nil {
			t.Errorf("%s: the text %q, want an error", name, text)
		}
	}
	for name, content := range map[string]string{"no text": "%!PS\n0 0 moveto showpage", "no program": dosEPS + "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if text, err := Text(PS, []byte(content)); err == nil {
			t.Errorf("%s: the text %q, want an error", name, text)
		}
	}
	good = madePDF("BT /F1 12 Tf (words) Tj ET")
	for name, content := range map[string][]byte{
		"no list of chapters":      zipped(t, "META-INF/container.xml", "<container/>"),
		"a list that is not there": zipped(t, "META-INF/container.xml", `<container><rootfiles><rootfile full-path="x"/></rootfiles></container>`),
		"a chapter that is deep":   aBook(t, strings.Repeat("<a>", 2*maxDepth)),
		"cut off":                  aBook(t, "<p>x</p>")[:400],
	} {
		if text, err := Text(EPUB, content); err == nil {
			t.Errorf("%s: the text %q, want an error", name, text)
		}
	}
	if text, err := Text(PDF, good); strings.TrimSpace(text) != "words" || err != nil {
		t.Errorf("after these Text = %q, %v, want words", text, err)
	}
	t.Setenv(ReaderVariable, "")
	if _, err := Text(PDF, good); err == nil {
		t.Error("a PDF was read without a program to read it")
	}
}

// Two documents would be one if the text of each were cut off where they are still the same.
func TestADocumentWithMoreTextThanIsReadHasNone(t *testing.T) {
	long := strings.Repeat("word ", MaxText/5+1)
	for kind, content := range map[Kind][]byte{
		Docx: zipped(t, "word/document.xml", "<w:document><w:t>"+long+"</w:t></w:document>"),
		Odt:  zipped(t, "content.xml", "<text><p>"+long+"</p></text>"),
		EPUB: aBook(t, "<p>"+long+"</p>"),
		RTF:  []byte(`{\rtf1 ` + long + "}"),
	} {
		if text, err := Text(kind, content); text != "" || err == nil || err.Error() != errText.Error() {
			t.Errorf("%v: %d bytes of text, %v; want %v", kind, len(text), err, errText)
		}
	}

	// Of a Word file the instructions of fields are cut off first, which are no text.
	main := []byte(strings.Repeat("\x13PAGE\x1428 \x15", MaxText/10+1) + "more")
	first := uint32(len(main) - 4)
	table := []byte{pieces, 0, 0, 0, 0}
	for _, n := range []uint32{0, first, first + 4} {
		table = binary.LittleEndian.AppendUint32(table, n)
	}
	for _, place := range []uint32{0, first} {
		table = append(binary.LittleEndian.AppendUint32(append(table, 0, 0), 2*place|pieceBytes), 0, 0)
	}
	if text, err := wordPieces(main, table, uint64(first)+4); err != errText {
		t.Errorf("%d characters of a long Word file, %v; want %v", len(text), err, errText)
	}
}

func FuzzWord(f *testing.F) {
	f.Add(aWordText(f, "words\r", "and words"), []byte(`{\rtf1\ansi{\fonttbl{\f0\fcharset134 x;}}\f0\'d6\'d0\u20013?\bin3 abc}`))
	f.Fuzz(func(t *testing.T, doc, rich []byte) {
		if text, err := readWord(doc); err == nil && len(text) > MaxText+4 {
			t.Errorf("%d bytes of text", len(text))
		}
		if text, err := readRTF(rich); err == nil && len(text) > 2*MaxText {
			t.Errorf("%d bytes of text", len(text))
		}
	})
}

func FuzzOffice(f *testing.F) {
	f.Add([]byte(word))
	f.Add([]byte(open))
	f.Add([]byte("<t><t>x</p>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, o := range []officeText{docxText, odtText, epubText} {
			if text, err := o.read(bytes.NewReader(content), &unpacking{elements: maxElements}); err == nil && len(text) > MaxText+2*maxBoxes+2 {
				t.Errorf("%d bytes of text", len(text))
			}
		}
		_, _ = readZipped(content, "content.xml", odtText)
	})
}

// anEncryptedPDF asks for a password: no key fits what its /O and /U hold.
func anEncryptedPDF() []byte {
	of := strings.Repeat("41", 32)
	return bytes.Replace(madePDF("BT /F1 12 Tf (words) Tj ET"), []byte("/Root 1 0 R"),
		fmt.Appendf(nil, "/Root 1 0 R /ID [<%s> <%s>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >>", of, of, of, of), 1)
}

// What the user reads is what is wrong with the file, in a line.
func TestTheErrorSaysWhatIsWrongWithTheFile(t *testing.T) {
	docx := zipped(t, "word/document.xml", word)
	aes := encryptedPDF(t, madePDF("BT /F1 12 Tf (The harbour) Tj ET"), "secret", true, 256)
	ole := append(aWordFile(t, nil, nil, nil), oleEncrypted...)
	broken := bytes.Clone(docx)
	broken[60] ^= 0xff // within what is deflated
	for _, c := range []struct {
		name    string
		kind    Kind
		content []byte
		want    string
	}{
		{"a PDF with a password", PDF, anEncryptedPDF(), "it is encrypted"},
		{"a PDF with a newer cipher and a password", PDF, aes, "it is encrypted"},
		{"a PDF that is cut off", PDF, madePDF("0 0 m")[:200], "not a PDF"},
		{"a PDF without its table", PDF, []byte("%PDF-1.4\nxr\xfff\n" + strings.Repeat("%\n", 100) + "startxref\n9\n%%EOF\n"), "malformed PDF: cross-reference table not found"},
		{"a docx with a password", Docx, ole, "it is encrypted"},
		{"an odt with a password", Odt, zipped(t, "content.xml", "\x01\x02", "META-INF/manifest.xml", "<manifest:encryption-data/>"), "it is encrypted"},
		{"a docx that is cut off", Docx, docx[:len(docx)/2], "its ZIP archive is broken or cut off"},
		{"a docx with a broken part", Docx, broken, "word/document.xml cannot be unpacked"},
		{"a docx that is a bomb", Docx, zipped(t, "word/document.xml", "<a>"+strings.Repeat(" ", maxUnpacked)), "it unpacks to more than 100 times its size"},
		{"a file that is too long", Docx, make([]byte, MaxBytes+1), "the file is longer than 64 MiB"},
		{"an odt without a text", Odt, docx, `there is no "content.xml" in it`},
		{"a text that is none", Docx, zipped(t, "word/document.xml", "<t>...</t>"), "it has no text"},
		{"an EPUB that asks for rights", EPUB, zipped(t, "META-INF/container.xml", "x", "META-INF/encryption.xml", "<encryption/>"), "it is encrypted"},
		{"a name that is no line", EPUB, zipped(t, "META-INF/container.xml", "<container><rootfiles><rootfile full-path='&#x202e;\n"+strings.Repeat("x", 1000)+"'/></rootfiles></container>"), "there is no"},
	} {
		text, err := Text(c.kind, c.content)
		if err == nil || text != "" {
			t.Errorf("%s: %d bytes of text, %v, want an error", c.name, len(text), err)
			continue
		}
		if strings.Contains(err.Error(), "\ufffd") || strings.Contains(err.Error(), "xr") {
			t.Errorf("%s: %q has bytes of the file", c.name, err)
		}
		if said := err.Error(); !strings.HasPrefix(said, c.want) || len(said) > maxReason || strings.ContainsFunc(said, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%s: %q, want a line from %q on", c.name, said, c.want)
		}
	}
	t.Setenv(ReaderVariable, "/nowhere/reader")
	if _, err := Text(PDF, madePDF("0 0 m")); err == nil || !strings.Contains(err.Error(), "the program that reads it does not start") {
		t.Errorf("without its reader: %v", err)
	}
	t.Setenv(ReaderVariable, "/bin/false")
	if _, err := Text(PDF, madePDF("0 0 m")); err == nil || !strings.Contains(err.Error(), "the process that reads it ended: exit status 1") {
		t.Errorf("with a reader that fails without a word: %v", err)
	}
}

// A character whose font does not say which one it is stands for itself only within a word.
func TestSignsThatAreNotKnownAreLeftOut(t *testing.T) {
	for show, want := range map[string]string{"(\\201) Tj ( item) Tj": "item", "(a\\201b) Tj": "a\ufffdb"} {
		if text, err := Text(PDF, madePDF("BT /F1 12 Tf "+show+" ET")); strings.TrimSpace(text) != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", show, text, err, want)
		}
	}
}

func TestAFontOfManyPagesIsReadOnce(t *testing.T) {
	content := madePDF("BT /F1 12 Tf (The) Tj /F2 12 Tf <0001> Tj /F1 12 Tf ( harbour) Tj ET")
	r, err := pdf.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var b lines
	read := reading{fonts: make(fonts), operators: maxOperators}
	writePage(&b, &read, r.Page(1))
	first := read.fonts["5 0"]
	writePage(&b, &read, r.Page(1))
	if len(read.fonts) != 2 || first == nil || read.fonts["5 0"] != first {
		t.Errorf("%d fonts were read, and the first again: %t; want 2, each once", len(read.fonts), read.fonts["5 0"] != first)
	}
}

// TestAsianFontsWithoutATableOfTheirCharactersAreRead has the forms in which Japanese, Chinese and Korean
// PDF names its characters without a table ToUnicode.
func TestAsianFontsWithoutATableOfTheirCharactersAreRead(t *testing.T) {
	for _, c := range []struct{ encoding, collection, codes, want string }{
		{"90ms-RKSJ-H", "Japan1", "93fa967b8cea 41b1", "日本語Aｱ"},
		{"90msp-RKSJ-V", "Japan1", "93fa967b8cea", "日本語"},
		{"EUC-H", "Japan1", "c6fccbdcb8ec", "日本語"},
		{"H", "Japan1", "467c4b5c386c", "日本語"},
		{"V", "Japan1", "467c4b5c386c", "日本語"},
		{"UniJIS-UCS2-H", "Japan1", "65e5672c8a9e", "日本語"},
		{"UniJIS-UCS2-HW-H", "Japan1", "65e5672c8a9e", "日本語"},
		{"UniJIS-UTF16-H", "Japan1", "65e5672c8a9ed842dfb7", "日本語𠮷"},
		{"UniJIS-UTF8-H", "Japan1", "e697a5e69cac", "日本"},
		{"Identity-H", "Japan1", "0cd40e8a 0022 0148 034b 039e", "日本A｢あア"}, // CIDs 3284, 3722, 34, 328, 843, 926
		{"Identity-V", "Japan1", "0cd40e8a", "日本"},
		{"GBK-EUC-H", "GB1", "d6d0cec4", "中文"},
		{"GBK2K-H", "GB1", "d6d0cec48139ef30", "中文㐁"},
		{"UniGB-UTF16-H", "GB1", "4e2d6587", "中文"},
		{"Identity-H", "GB1", "11cf0ed3", "中文"},
		{"ETen-B5-H", "CNS1", "a4a4a4e5", "中文"},
		{"UniCNS-UTF16-H", "CNS1", "4e2d6587", "中文"},
		{"KSCms-UHC-H", "Korea1", "c7d1b1db", "한글"},
		{"UniKS-UTF16-H", "Korea1", "d55cae00", "한글"},
		{"Identity-H", "Korea1", "0ce0 04d6", "한글"},
		{"Identity-H", "Unheard", "00410042", ""}, // the numbers of its glyphs are no text
		{"Unheard-H", "Japan1", "00410042", ""},
		{"90ms-RKSJ-H", "Japan1", "93", ""}, // half a character
	} {
		made := madePDFWith("BT /F2 12 Tf <"+c.codes+"> Tj ET", "/Encoding /"+c.encoding+" /DescendantFonts [7 0 R]", c.collection, "")
		text, err := Text(PDF, made)
		if got := strings.TrimSpace(text); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s of %s: %q, %v, want %q", c.encoding, c.collection, got, err, c.want)
		}
	}
}

// TestColumnsOfVerticalTextAreLines has two columns, from right to left.
func TestColumnsOfVerticalTextAreLines(t *testing.T) {
	made := madePDFWith("BT /F2 12 Tf 300 700 Td <7e26 66f8 304d> Tj -20 0 Td <4e8c 5217 76ee> Tj ET",
		"/Encoding /UniJIS-UTF16-V /DescendantFonts [7 0 R]", "Japan1", "")
	if text, err := Text(PDF, made); strings.TrimSpace(text) != "縦書き\n二列目" || err != nil {
		t.Errorf("two columns: %q, %v", text, err)
	}
}

func TestATableOfCharactersMayHaveAnyForm(t *testing.T) {
	for table, want := range map[string]string{
		"1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <01> <0061> <02> <00620063> endbfchar":                                                    "abca",
		"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) >> def 1 beginbfrange <0102> <0102> [<0064>] endbfrange": "d",
		"1 beginbfrange <0101><0102><0065> endbfrange":                              "f",
		"% <0102> a comment\n1 beginbfchar<0102><d842dfb7>endbfchar ":               "𠮷",
		"1 beginbfrange <0102> <0101> <0065> endbfrange 1 beginbfchar <0102> <0061": "",
	} {
		made := madePDFWith("BT /F2 12 Tf <010201> Tj ET", "/Encoding /Identity-V /ToUnicode 8 0 R /DescendantFonts [7 0 R]", "Identity", table)
		text, err := readPDF(made)
		if got := strings.TrimSpace(text); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", table, got, err, want)
		}
	}
}

func FuzzToUnicode(f *testing.F) {
	f.Add("1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <01> <0061> endbfchar 1 beginbfrange <0102> <0102> [<0064>] endbfrange")
	f.Fuzz(func(t *testing.T, table string) {
		m := toUnicodeOf(table)
		if len(m.text) > maxCodes || m.size < 1 || m.size > 4 {
			t.Errorf("%d codes of %d bytes", len(m.text), m.size)
		}
		m.Decode("\x01\x02\x03")
	})
}

func TestOperatorsOfAFileAreBounded(t *testing.T) {
	slow.Test(t, "ten million operators")
	text, err := Text(PDF, madePDF("BT /F1 12 Tf (before) Tj ET "+strings.Repeat("n ", maxOperators)+"BT 0 100 Td (behind) Tj ET"))
	if text != "" || err == nil || err.Error() != errPages.Error() {
		t.Errorf("%d bytes of text, %v, want %v", len(text), err, errPages)
	}
}

// TestAProcessIsEndedByItsProcessorTime has a process with a second of it, whose clock may show any
// time.
func TestAProcessIsEndedByItsProcessorTime(t *testing.T) {
	slow.Test(t, "spins for a second of processor time")
	err := exec.Command(os.Getenv(ReaderVariable), "spin").Run()
	if got := ended(err, "", time.Second); got == nil || got.Error() != "it takes more than 1s of processor time to read" {
		t.Errorf("a process that never ends: %v", got)
	}
}

func TestFilesWithAnotherHeaderOrBytesBehindTheirEndAreRead(t *testing.T) {
	made := string(madePDF("BT /F1 12 Tf (The harbour) Tj ET"))
	for name, content := range map[string]string{
		"version 2.0":          strings.Replace(made, "%PDF-1.4\n", "%PDF-2.0\n", 1),
		"a space":              strings.Replace(made, "%PDF-1.4\n", "%PDF-1.4 ", 1),
		"bytes behind its end": made + strings.Repeat("\x00", 300) + "<!-- served in 3 ms -->",
		"a Mac's line breaks":  strings.Replace(made, "%PDF-1.4\n", "%PDF-1.4\r", 1),
	} {
		if text, err := Text(PDF, []byte(content)); strings.TrimSpace(text) != "The harbour" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
