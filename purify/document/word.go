package document

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"
	"golang.org/x/text/encoding/charmap"
)

// oleMagic starts a compound file, the container of Office 97 to 2003 ([MS-CFB], section 2.2).
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// wordStream is the name of the stream of a Word file as its container writes it.
var wordStream = []byte("W\x00o\x00r\x00d\x00D\x00o\x00c\x00u\x00m\x00e\x00n\x00t\x00")

// streams returns those of the named streams that a compound file has.
func streams(content []byte, names ...string) (found map[string][]byte, err error) {
	defer func() { // the library uses indexes of a hostile file without checks
		if fault := recover(); fault != nil {
			err = fmt.Errorf("its container is broken: %v", fault)
		}
	}()
	if !bytes.HasPrefix(content, []byte(oleMagic)) {
		return nil, errors.New("it is not a document of Word 97 or later")
	}
	file, err := mscfb.New(bytes.NewReader(content))
	if err != nil {
		return nil, errors.New("its container is broken or cut off") // the library's errors are only numbers
	}
	found = make(map[string][]byte)
	for entry, err := file.Next(); err == nil; entry, err = file.Next() {
		for _, name := range names {
			if entry.Name != name || len(entry.Path) > 0 || found[name] != nil {
				continue
			}
			// Its size is what the file says, which may be more than there is.
			stream, err := io.ReadAll(io.LimitReader(entry, int64(len(content))))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			found[name] = stream
		}
	}
	return found, nil
}

// Offsets in the header of a Word file ([MS-DOC], sections 2.5.1 to 2.5.6), and flags.
const (
	fibFlags  = 0x0A
	fibChars  = 0x4C   // characters of the main text
	fibPieces = 0x01A2 // where the table of pieces is, and its length
	fibEnd    = fibPieces + 8
	fib6Text  = 0x18 // of Word 6 and 95: where the text is
	fib6Chars = 0x34

	flagPieces     = 1 << 2 // of Word 6 and 95: the text is in pieces
	word6Signature = 0xA5DC

	flagEncrypted  = 1 << 8
	flagTable1     = 1 << 9 // the tables are in the stream 1Table
	wordSignature  = 0xA5EC
	pieceSize      = 8
	pieceBytes     = 1 << 30 // a piece of bytes of Windows-1252, not of UTF-16
	formatsOfPiece = 1       // kinds of parts of the table of pieces
	pieces         = 2
)

var errBrokenWord = errors.New("its table of pieces is broken")

// readWord reads the main text of a file of Word 97 to 2003: it is in pieces of the stream
// WordDocument, whose order is in a table ([MS-DOC], section 2.4.1).
func readWord(content []byte) (string, error) {
	found, err := streams(content, "WordDocument", "0Table", "1Table")
	if err != nil {
		return "", err
	}
	main := found["WordDocument"]
	if len(main) < fibEnd {
		return "", errors.New("it has no text of Word")
	}
	flags := binary.LittleEndian.Uint16(main[fibFlags:])
	if flags&flagEncrypted != 0 {
		return "", errEncrypted
	}
	switch signature := binary.LittleEndian.Uint16(main); {
	case signature == word6Signature && flags&flagPieces == 0:
		from, chars := binary.LittleEndian.Uint32(main[fib6Text:]), binary.LittleEndian.Uint32(main[fib6Chars:])
		text, err := wordPiece(main, from, uint64(chars), true)
		return wordText(text), err
	case signature != wordSignature:
		return "", errors.New("it is of a Word before Word 97, saved in pieces")
	}
	table := found["0Table"]
	if flags&flagTable1 != 0 {
		table = found["1Table"]
	}
	at, size := uint64(binary.LittleEndian.Uint32(main[fibPieces:])), uint64(binary.LittleEndian.Uint32(main[fibPieces+4:]))
	if at+size > uint64(len(table)) {
		return "", errBrokenWord
	}
	text, err := wordPieces(main, table[at:at+size], uint64(binary.LittleEndian.Uint32(main[fibChars:])))
	if err != nil {
		return "", err
	}
	return wordText(text), nil
}

// wordPieces joins the pieces of the first chars characters.
func wordPieces(main, table []byte, chars uint64) ([]rune, error) {
	for len(table) > 3 && table[0] == formatsOfPiece {
		n := 3 + int(binary.LittleEndian.Uint16(table[1:]))
		if n > len(table) {
			return nil, errBrokenWord
		}
		table = table[n:]
	}
	if len(table) < 9 || table[0] != pieces {
		return nil, errBrokenWord
	}
	table = table[5:]
	n := (len(table) - 4) / (4 + pieceSize)
	ends, descriptors := table[4:], table[4*(n+1):]
	var text []rune
	var from uint64
	for i := 0; i < n && from < chars; i++ {
		if len(text) >= MaxText {
			return nil, errText // wordText may leave out so much that what is cut off would not be noticed
		}
		to := min(uint64(binary.LittleEndian.Uint32(ends[4*i:])), chars)
		if to < from {
			return nil, errBrokenWord
		}
		place := binary.LittleEndian.Uint32(descriptors[pieceSize*i+2:])
		narrow := place&pieceBytes != 0
		if narrow {
			place = place &^ pieceBytes / 2
		}
		piece, err := wordPiece(main, place, to-from, narrow)
		if err != nil {
			return nil, err
		}
		text, from = append(text, piece...), to
	}
	return text, nil
}

// wordPiece reads length characters of the stream: bytes of Windows-1252 or units of UTF-16.
func wordPiece(main []byte, place uint32, length uint64, narrow bool) ([]rune, error) {
	size := 2 * length
	if narrow {
		size = length
	}
	if uint64(place)+size > uint64(len(main)) {
		return nil, errBrokenWord
	}
	in := main[place : uint64(place)+size]
	if narrow {
		piece := make([]rune, length)
		for i, c := range in {
			piece[i] = charmap.Windows1252.DecodeByte(c)
		}
		return piece, nil
	}
	units := make([]uint16, length)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(in[2*i:])
	}
	return utf16.Decode(units), nil
}

// wordText interprets the control characters of Word: paragraphs and rows become paragraphs, the
// cells of a row are separated by spaces, and the instructions of fields are left out ([MS-DOC],
// sections 2.4.1 and 2.8.25).
func wordText(chars []rune) string {
	var b strings.Builder
	var computed []bool // by open field: we are still in its instructions
	for i, c := range chars {
		switch c {
		case 0x13:
			computed = append(computed, true)
			continue
		case 0x14, 0x15:
			if n := len(computed); n > 0 && c == 0x14 {
				computed[n-1] = false
			} else if n > 0 {
				computed = computed[:n-1]
			}
			continue
		}
		if len(computed) > 0 && computed[len(computed)-1] {
			continue
		}
		switch {
		case c == '\r', c == '\f', c == 0x07 && i > 0 && chars[i-1] == 0x07:
			b.WriteString(paragraphEnds)
		case c == '\v':
			b.WriteByte('\n')
		case c == 0x07, c == '\t':
			b.WriteByte(' ')
		case c == 0x1E:
			b.WriteByte('-')
		case c >= ' ':
			b.WriteRune(c)
		}
		if b.Len() >= MaxText {
			break
		}
	}
	return b.String()
}
