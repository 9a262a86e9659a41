package document

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// docxName is the name of the file with the text of nearly every docx.
const docxName = "word/document.xml"

// readDocx reads the text of a docx. The main part need not be docxName: Word for the web writes
// word/document2.xml.
func readDocx(content []byte) (string, error) {
	archive, err := unpack(content)
	if err != nil {
		return "", err
	}
	name := docxName
	if archive.files[name] == nil {
		name = cmp.Or(archive.officePart(), name)
	}
	return archive.read(name, docxText)
}

// packageRelations is the file of an Office package that says what its other files are.
const packageRelations = "_rels/.rels"

// officePart returns the name of the main part of an Office package (ECMA-376 part 2, section 9.3;
// part 1, section 11.3.10); "" if it has none.
func (u *unpacking) officePart() string {
	var says struct {
		Relationship []struct {
			Type   string `xml:",attr"`
			Target string `xml:",attr"`
		}
	}
	if u.files[packageRelations] == nil || u.parse(packageRelations, &says) != nil {
		return ""
	}
	for _, r := range says.Relationship {
		if strings.HasSuffix(r.Type, "/officeDocument") {
			return strings.TrimPrefix(path.Clean(r.Target), "/")
		}
	}
	return ""
}

// readZipped reads one file of a ZIP archive as XML.
func readZipped(content []byte, name string, elements officeText) (string, error) {
	archive, err := unpack(content)
	if err != nil {
		return "", err
	}
	return archive.read(name, elements)
}

// read reads one file as XML.
func (u *unpacking) read(name string, elements officeText) (string, error) {
	in, err := u.open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	return elements.read(in, u)
}

// An unpacking reads files of a ZIP archive. It bounds the bytes and XML elements of all of them
// together.
type unpacking struct {
	files    map[string]*zip.File
	left     int64 // bytes that may still be read
	over     error // the error if there are more bytes
	elements int   // that may still be read
}

func unpack(content []byte) (*unpacking, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("its ZIP archive is broken or cut off: %w", err)
	}
	return unpackingOf(archive, len(content)), nil
}

// unpackingOf returns an unpacking of an archive with size bytes.
func unpackingOf(archive *zip.Reader, size int) *unpacking {
	u := unpacking{files: make(map[string]*zip.File, len(archive.File)), left: maxUnpacked, over: errUnpacked, elements: maxElements}
	if most := freeUnpacked + maxRatio*int64(size); most < u.left {
		u.left, u.over = most, errBomb
	}
	for _, f := range archive.File {
		if u.files[f.Name] == nil {
			u.files[f.Name] = f
		}
	}
	return &u
}

// zipEncrypted marks a file of a ZIP archive that needs a password (APPNOTE.TXT 6.3.10, section 4.4.4).
const zipEncrypted = 1

func (u *unpacking) open(name string) (io.ReadCloser, error) {
	f := u.files[name]
	if f == nil {
		return nil, fmt.Errorf("there is no %q in it", name)
	}
	if f.Flags&zipEncrypted != 0 {
		return nil, errEncrypted
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &unpacked{in, name, u}, nil
}

// An unpacked file is too large where all together are.
type unpacked struct {
	io.ReadCloser
	name string
	of   *unpacking
}

func (u *unpacked) Read(p []byte) (int, error) {
	if u.of.left <= 0 {
		return 0, u.of.over
	}
	n, err := u.ReadCloser.Read(p[:min(int64(len(p)), u.of.left)])
	u.of.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s cannot be unpacked: %w", u.name, err)
	}
	return n, err
}

// Files that exist in encrypted documents.
const (
	odtManifest    = "META-INF/manifest.xml"   // OpenDocument 1.3, part 2, section 3.4
	epubEncryption = "META-INF/encryption.xml" // EPUB 3.3, section 4.2.6.3.2; it may concern only fonts
)

// oleEncrypted is the name of the stream of an encrypted docx, as its compound file writes it
// ([MS-OFFCRYPTO], section 1.3.1).
var oleEncrypted = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

// encrypted reports whether a file that cannot be read is encrypted.
func encrypted(content []byte) bool {
	switch {
	case bytes.HasPrefix(content, []byte("%PDF-")):
		return bytes.Contains(content, []byte("/Encrypt"))
	case bytes.HasPrefix(content, []byte(oleMagic)):
		return bytes.Contains(content, oleEncrypted)
	}
	archive, err := unpack(content)
	if err != nil {
		return false
	}
	if archive.files[epubEncryption] != nil {
		return true
	}
	in, err := archive.open(odtManifest)
	if err != nil {
		return false
	}
	defer in.Close()
	manifest, err := io.ReadAll(io.LimitReader(in, 1<<20)) // a file or two a picture
	return err == nil && bytes.Contains(manifest, []byte("encryption-data"))
}

// An officeText says, by local names, what the elements of a format mean.
type officeText struct {
	text  string            // the element whose characters are text; "": the characters of all
	ends  string            // of paragraphs, separated by spaces
	marks map[string]string // by empty element: its text
	skip  string            // elements that are not part of the text
	aside string            // an element within a paragraph that has a text of its own, a text box: its text comes after the paragraph
	flows bool              // it is XHTML: a line end is a space, and entities are known
}

var docxText = officeText{
	text: "t", ends: "p", marks: map[string]string{"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"},
	skip:  "instrText delText Fallback", // Fallback repeats its sibling Choice for older programs (ECMA-376 part 3, section 10.2.1)
	aside: "txbxContent",
}

var odtText = officeText{
	ends: "p h", marks: map[string]string{"tab": " ", "line-break": "\n", "s": " "},
	skip:  "annotation tracked-changes note-citation automatic-styles font-face-decls scripts",
	aside: "text-box",
}

// maxDepth bounds how deep elements are nested; Office programs write some thirty levels.
const maxDepth = 1000

// read returns the paragraphs of a text, up to MaxText.
func (o officeText) read(in io.Reader, of *unpacking) (string, error) {
	d := xml.NewDecoder(in)
	if o.flows {
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	}
	var b boxes
	depth, texts, skipped := 0, 0, 0
	has := func(list, name string) bool { return strings.Contains(" "+list+" ", " "+name+" ") }
	for b.length < MaxText && of.elements > 0 {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			of.elements--
			if depth++; depth > maxDepth {
				return "", fmt.Errorf("more than %d elements within each other", maxDepth)
			}
			switch name := t.Name.Local; {
			case has(o.skip, name):
				skipped++
			case name == o.text:
				texts++
			case skipped > 0:
			case name == o.aside:
				b.open()
			default:
				b.write(o.marks[name])
			}
		case xml.EndElement:
			depth--
			switch name := t.Name.Local; {
			case has(o.skip, name):
				skipped--
			case name == o.text:
				texts--
			case skipped > 0:
			case name == o.aside:
				b.close()
			case has(o.ends, name):
				b.endParagraph()
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
			b.write(string(t[:min(len(t), MaxText-b.length)]))
		}
	}
	if of.elements == 0 {
		return "", errElements
	}
	return b.all(), nil
}

// boxes has a text and the open text boxes in it, which may be nested.
type boxes struct {
	levels []*box // the innermost is the last
	inner  int    // open boxes that are nested too deep: their text is added to the box around them
	length int    // bytes of all
}

// maxBoxes bounds the depth of nested text boxes: the text of each is copied once for each box
// around it.
const maxBoxes = 8

// A box is a text whose last paragraph may contain text boxes.
type box struct {
	text   strings.Builder
	behind strings.Builder // text of the boxes in its last paragraph
}

func (b *boxes) innermost() *box {
	if len(b.levels) == 0 {
		b.levels = append(b.levels, new(box))
	}
	return b.levels[len(b.levels)-1]
}

func (b *boxes) write(text string) {
	if text != "" {
		b.innermost().text.WriteString(text)
		b.length += len(text)
	}
}

func (b *boxes) open() {
	b.innermost()
	if len(b.levels) > maxBoxes {
		b.inner++
		return
	}
	b.levels = append(b.levels, new(box))
}

// close adds the text of a box after the paragraph that contains it.
func (b *boxes) close() {
	if b.inner > 0 {
		b.inner--
		return
	}
	if len(b.levels) < 2 {
		return // the element was opened inside a skipped one
	}
	text := b.innermost().whole()
	b.levels = b.levels[:len(b.levels)-1]
	b.innermost().behind.WriteString(text)
}

func (b *boxes) endParagraph() {
	b.write(paragraphEnds)
	at := b.innermost()
	at.text.WriteString(at.behind.String())
	at.behind.Reset()
}

// whole returns the text of a box, with that of the boxes in its last paragraph.
func (x *box) whole() string {
	if x.behind.Len() == 0 {
		return x.text.String()
	}
	return x.text.String() + paragraphEnds + x.behind.String()
}

// all returns the whole text, with that of boxes that are still open.
func (b *boxes) all() string {
	b.inner = 0
	for len(b.levels) > 1 {
		b.close()
	}
	return b.innermost().whole()
}
