package fetch

import (
	"bytes"
	"encoding/binary"
	"strings"
)

const (
	zipType  = "application/zip"
	epubType = "application/epub+zip"
	odtType  = "application/vnd.oasis.opendocument.text"
)

// zipTypes are the types of ZIP files of whatever content.
var zipTypes = map[string]bool{
	zipType:                        true,
	"application/x-zip":            true,
	"application/x-zip-compressed": true,
}

// zippedDocument returns the type of a document that is a ZIP file, by the names of its members: a docx, an
// OpenDocument text or a book. It returns "" for other files.
//
// A book and an OpenDocument file say in their first member, which is not compressed, what they are (EPUB OCF 3.3,
// section 4.2; OpenDocument 1.3 part 2, section 3.3). The others are known by the archive's directory, of which at most
// maxMembers names are read.
func zippedDocument(body []byte) string {
	if t := mimetypeMember(body); t != "" {
		if t == epubType || t == odtType {
			return t
		}
		return "" // a spreadsheet, a drawing
	}
	var office, word, container, book bool
	members(body, func(name string) {
		switch {
		case name == "[Content_Types].xml":
			office = true
		case strings.HasPrefix(name, "word/document") && strings.HasSuffix(name, ".xml"):
			word = true // Word for the web writes word/document2.xml
		case name == "META-INF/container.xml":
			container = true
		case strings.HasSuffix(name, ".opf"):
			book = true
		}
	})
	switch {
	case office && word:
		return wordType
	case container && book:
		return epubType
	}
	return ""
}

// Sizes of ZIP headers without names (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
const (
	localHeader     = 30
	directoryHeader = 46
	directoryEnd    = 22
	maxZipComment   = 1<<16 - 1
	maxMembers      = 10_000
)

// mimetypeMember returns the text of an archive's first member if this is named mimetype and not compressed; else "".
func mimetypeMember(body []byte) string {
	const name = "mimetype"
	if len(body) < localHeader || !bytes.HasPrefix(body, []byte("PK\x03\x04")) || binary.LittleEndian.Uint16(body[8:]) != 0 {
		return ""
	}
	size := int(binary.LittleEndian.Uint32(body[18:]))
	extra := int(binary.LittleEndian.Uint16(body[28:]))
	rest, ok := bytes.CutPrefix(body[localHeader:], []byte(name))
	if !ok || int(binary.LittleEndian.Uint16(body[26:])) != len(name) || size > 100 || len(rest) < extra+size {
		return ""
	}
	return strings.TrimSpace(string(rest[extra : extra+size]))
}

// members calls f with the names in the directory at the end of an archive, at most maxMembers.
func members(body []byte, f func(name string)) {
	tail := body[max(0, len(body)-directoryEnd-maxZipComment):]
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < directoryEnd {
		return
	}
	start := uint64(binary.LittleEndian.Uint32(tail[at+16:]))
	if start > uint64(len(body)) {
		return
	}
	directory := body[start:]
	for range maxMembers {
		if len(directory) < directoryHeader || !bytes.HasPrefix(directory, []byte("PK\x01\x02")) {
			return
		}
		name := int(binary.LittleEndian.Uint16(directory[28:]))
		more := int(binary.LittleEndian.Uint16(directory[30:])) + int(binary.LittleEndian.Uint16(directory[32:]))
		if len(directory) < directoryHeader+name+more {
			return
		}
		f(string(directory[directoryHeader : directoryHeader+name]))
		directory = directory[directoryHeader+name+more:]
	}
}
