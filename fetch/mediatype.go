package fetch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net/http"
	"strings"
)

// MediaType returns the media type of a body, lower case and without parameters: the
// header's, unless it names none or the body cannot be what it says; then what the
// body's first bytes look like (see Sniff).
func MediaType(header string, body []byte) string {
	t, _, _ := strings.Cut(header, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	if !namesType(t) {
		t = Sniff(body)
	}
	switch {
	case unknownTypes[t], documentTypes[t], zipTypes[t]:
		return documentType(t, body)
	case IsTextType(t):
		// No text looks like a picture, an archive or a PDF. UTF-16 may look like
		// anything, and is believed where it is declared.
		seen := Sniff(body)
		if seen != "" && !IsTextType(seen) && !strings.Contains(strings.ToLower(header), "utf-16") {
			if seen == zipType {
				return cmp.Or(zippedDocument(body), seen)
			}
			return seen
		}
		if t == "application/xml" || t == "text/xml" {
			if bytes.Contains(bytes.ToLower(body[:min(len(body), sniffed)]), []byte("<html")) {
				return "application/xhtml+xml"
			}
		}
	}
	return t
}

// IsTextType reports whether bodies of a media type are made of characters: any text
// type, XML, JSON, or JavaScript.
func IsTextType(t string) bool {
	if strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+json") {
		return true
	}
	switch t {
	case "application/xml", "application/json", "application/javascript", "application/x-javascript":
		return true
	}
	return false
}

// documentType returns what the bytes of a file are whose type says that it is unknown, as many
// servers say of files that they do not know, or that it is a document, which they conclude from
// its name: such a file may be a page that says that the document is missing, or another format of
// Word's. A file that is declared as a ZIP archive may be a document whose format is one. Other files have the type that was declared.
func documentType(declared string, body []byte) string {
	switch seen := Sniff(body); {
	case seen == "text/html" && !bytes.Contains(body[:min(len(body), junk)], []byte("%PDF-")), seen != oleType && documentTypes[seen]:
		return seen
	case seen == oleType && documentTypes[declared]: // else it may be a spreadsheet or an installer
		return seen
	case seen == zipType:
		if t := zippedDocument(body); t != "" {
			return t
		}
		if declared == "application/msword" {
			return wordType
		}
	}
	return declared
}

// junk is how many other bytes may be in front of a PDF, such as the warnings of the program that
// made it.
const junk = 1024

// unknownTypes are the types of bytes of whatever kind.
var unknownTypes = map[string]bool{
	unknownType:                  true,
	"binary/octet-stream":        true, // of Amazon S3
	"application/download":       true,
	"application/x-download":     true,
	"application/force-download": true,
}

// documentTypes are the types of documents whose text a crawl reads (see package document).
var documentTypes = map[string]bool{
	"application/pdf":        true,
	"application/x-pdf":      true,
	"application/postscript": true,
	"application/rtf":        true,
	"application/msword":     true,
	oleType:                  true,
	wordType:                 true,
	"application/vnd.oasis.opendocument.text": true,
	"application/epub+zip":                    true,
}

const (
	oleType  = "application/x-ole-storage" // by first bytes: of Word, Excel and others until 2003
	wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

const (
	unknownType = "application/octet-stream" // bytes of whatever kind
	sniffed     = 512                        // bytes of a body in which its first tag is looked for
	counted     = 4 << 10                    // and those in which control characters are counted
)

// signatures are bytes that net/http does not know, and where they are in a file.
var signatures = []struct {
	at          int
	start, kind string
}{
	{0, "WARC/1.0\r\n", "application/warc"},
	{0, "WARC/1.1\r\n", "application/warc"},
	{0, "\x28\xb5\x2f\xfd", "application/zstd"},
	{0, "BZh", "application/x-bzip2"},
	{0, "\xfd7zXZ\x00", "application/x-xz"},
	{0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{257, "ustar", "application/x-tar"},
	{0, "MSCF\x00\x00\x00\x00", "application/vnd.ms-cab-compressed"},
	{0, "!<arch>\ndebian-binary", "application/vnd.debian.binary-package"},
	{0, "\xed\xab\xee\xdb", "application/x-rpm"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"},
	{0, "{\\rtf", "application/rtf"},
	{0, "\x7fELF", "application/x-elf"},
	{0, "SQLite format 3\x00", "application/vnd.sqlite3"},
	{0, "PAR1", "application/vnd.apache.parquet"},
	{0, "II*\x00", "image/tiff"},
	{0, "MM\x00*", "image/tiff"},
	{0, "8BPS\x00\x01", "image/vnd.adobe.photoshop"},
	{0, "AT&TFORM", "image/vnd.djvu"},
	{4, "ftypavif", "image/avif"},
	{4, "ftypheic", "image/heic"},
	{0, "fLaC\x00\x00\x00\x22", "audio/flac"},
}

// Sniff returns the media type that a body looks like by its first bytes, without parameters:
// "" for an empty one, application/octet-stream for unknown data that is not text, text/plain
// for a text that is nothing else.
func Sniff(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	// A byte order mark hides the tag behind it from the sniffer.
	t := http.DetectContentType(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	t, _, _ = strings.Cut(t, ";")
	for _, s := range signatures {
		if len(body) > s.at && bytes.HasPrefix(body[s.at:], []byte(s.start)) {
			t = s.kind
		}
	}
	controls, utf16 := controlCharacters(body)
	switch {
	case IsTextType(t), t == "application/pdf", t == "application/postscript", t == "application/rtf", t == "application/warc":
		// The latter are told by longer signatures, and may start with a text.
	case utf16, controls == 0, t == unknownType && controls <= min(len(body), counted)/64:
		return "text/plain" // "BM" starts a bitmap, and a text on BMW; a text may have a few
	case t == "application/x-gzip":
		return "application/gzip" // RFC 6713
	}
	return t
}

// controlCharacters counts the control characters that no text needs at the start of a body.
// Compressed data has them in one byte of ten. In UTF-16 without a mark the zeros of ASCII are
// all in one half of the bytes.
func controlCharacters(body []byte) (n int, utf16 bool) {
	head := body[:min(len(body), counted)]
	others, zeros := 0, [2]int{}
	for i := 0; i < len(head); i++ {
		for i+8 <= len(head) && noneBelowSpace(binary.LittleEndian.Uint64(head[i:])) {
			i += 8
		}
		if i == len(head) {
			break
		}
		switch b := head[i]; {
		case b == 0:
			zeros[i%2]++
		case b <= 0x08, b == 0x0b, 0x0e <= b && b <= 0x1a, 0x1c <= b && b <= 0x1f: // WHATWG MIME Sniffing, "binary data byte"
			others++
		}
	}
	most, least := max(zeros[0], zeros[1]), min(zeros[0], zeros[1])
	return others + most + least, most > 0 && most >= len(head)/8 && least <= most/32 && others <= len(head)/64
}

// noneBelowSpace reports whether all of eight bytes are 0x20 or above.
func noneBelowSpace(x uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	return (x-0x20*ones)&^x&highs == 0
}

// namesType reports whether t is a media type that says something. Browsers
// sniff for the same exceptions (WHATWG MIME Sniffing, section 7).
func namesType(t string) bool {
	switch t {
	case "unknown/unknown", "application/unknown", "*/*":
		return false
	}
	i := strings.IndexByte(t, '/')
	return i > 0 && i < len(t)-1 && !strings.ContainsAny(t, " ,\t")
}

// described are media types in words.
var described = map[string]string{
	"application/warc":               "a WARC file",
	"application/gzip":               "compressed by gzip",
	"application/zstd":               "compressed by zstd",
	"application/x-bzip2":            "compressed by bzip2",
	"application/x-xz":               "compressed by xz",
	"application/x-7z-compressed":    "a 7z archive",
	"application/x-rar-compressed":   "a RAR archive",
	"application/x-tar":              "a TAR archive",
	"application/zip":                "a ZIP archive",
	"application/pdf":                "a PDF document",
	"application/postscript":         "a PostScript document",
	"application/msword":             "a Word document",
	"application/rtf":                "a Rich Text document",
	"application/x-ole-storage":      "a document of an Office program",
	"application/x-elf":              "a program",
	"application/wasm":               "a WebAssembly program",
	"application/vnd.sqlite3":        "an SQLite database",
	"application/vnd.apache.parquet": "a Parquet file",
	"application/octet-stream":       "binary data",
	"image/png":                      "a PNG image",
	"image/jpeg":                     "a JPEG image",
	"image/gif":                      "a GIF image",
	"image/webp":                     "a WebP image",
	"image/bmp":                      "a BMP image",
	"image/tiff":                     "a TIFF image",
	"image/avif":                     "an AVIF image",
	"image/heic":                     "a HEIC image",
	"image/x-icon":                   "an icon",

	"application/epub+zip":                    "an EPUB book",
	"application/vnd.oasis.opendocument.text": "an OpenDocument text",

	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "a Word document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "an Excel workbook",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "a PowerPoint presentation",
}

// DescribeType says in words what a file of a media type is, for example "a PDF document".
func DescribeType(t string) string {
	if s, ok := described[t]; ok {
		return s
	}
	return "of the type " + t
}
