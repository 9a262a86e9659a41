package document

import (
	"bytes"
	"encoding/binary"

	"gatecrawl.example/gatecrawl/purify/document/postscript"
)

// dosEPS is the start of a file that has PostScript and a picture of it for DOS. The next numbers
// are the offset and the length of the PostScript (EPS file format 3.0, section 5.2).
const dosEPS = "\xc5\xd0\xd3\xc6"

// printerJob is the start of a file for a printer, which tells it which language follows.
const printerJob = "\x1b%-12345X"

// program returns the PostScript in a file; nil if it has none.
func program(content []byte) []byte {
	switch {
	case bytes.HasPrefix(content, []byte(dosEPS)) && len(content) >= 12:
		from, size := uint64(binary.LittleEndian.Uint32(content[4:])), uint64(binary.LittleEndian.Uint32(content[8:]))
		if from+size > uint64(len(content)) {
			return nil
		}
		content = content[from : from+size]
	case bytes.HasPrefix(content, []byte(printerJob)):
		head := content[:min(len(content), 4<<10)]
		if i := bytes.Index(head, []byte("%!")); i >= 0 {
			content = content[i:]
		}
	}
	content = bytes.TrimPrefix(content, []byte("\x04")) // an end of file that printers want first
	if bytes.HasPrefix(content, []byte("%!PS")) || bytes.HasPrefix(content, []byte("%!\n")) || bytes.HasPrefix(content, []byte("%!\r")) {
		return content
	}
	return nil
}

// readPostScript runs a program in this process for the text that it shows. Text that was shown
// before an error is returned.
func readPostScript(content []byte) (string, error) {
	var l lines
	err := postscript.Run(program(content), func(s postscript.Shown) {
		if l.length() < MaxText {
			l.place(s.Text, s.X, s.Y, s.EndX, s.EndY, s.Height)
		}
	}, l.endPage)
	if l.out.Len() > 0 {
		return l.out.String(), nil
	}
	return "", err
}
