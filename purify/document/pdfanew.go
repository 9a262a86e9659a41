package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	pdftypes "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// writtenAnew returns a PDF as github.com/pdfcpu/pdfcpu writes it, which reads files that browsers read too: the
// table of objects, which may be missing or wrong, is made of the objects, a file that asks for no password is
// not encrypted, and its streams are in filters that the reader of texts knows.
func writtenAnew(content []byte) (anew []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil { // the library panics if a file is broken
			anew, err = nil, fmt.Errorf("not a PDF that can be written: %.200v", fault)
		}
	}()
	if tooManyObjects.Match(content) {
		return nil, errors.New("not a PDF that can be written: it has too many objects")
	}
	if at := startOfPDF(content); at > 0 {
		content = content[at:]
	}
	model.ConfigPath = "disable" // it keeps settings in the user's folder otherwise
	c := model.NewDefaultConfiguration()
	c.Cmd = model.EXTRACTCONTENT // needs no owner's password
	c.Optimize, c.OptimizeBeforeWriting = false, false
	c.WriteObjectStream, c.WriteXRefStream = false, false
	file, err := pdfcpu.Read(bytes.NewReader(content), c)
	if err != nil {
		return nil, err
	}
	file.Encrypt, file.E, file.EncKey = nil, nil, nil
	for _, entry := range file.Table {
		if s, ok := entry.Object.(pdftypes.StreamDict); ok && isOldText(&s) && s.DecodeWithLimit(MaxBytes) == nil {
			s.FilterPipeline = nil
			s.Delete("Filter")
			s.Delete("DecodeParms")
			if err := s.Encode(); err != nil {
				return nil, err
			}
			entry.Object = s
		}
	}
	var b bytes.Buffer
	file.Write.Writer = bufio.NewWriter(&b)
	if err := errors.Join(pdfcpu.WriteContext(file), file.Write.Flush()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// tooManyObjects matches an object whose number is above 9,999,999, for which the library would make a table of as many;
// Acrobat has 8,388,607 at most (ISO 32000-1, annex C).
var tooManyObjects = regexp.MustCompile(`[1-9][0-9]{7,}\s+[0-9]+\s+obj\b`)

// isOldText reports whether a stream that is no picture is in a filter that the reader of texts does not know.
func isOldText(s *pdftypes.StreamDict) bool {
	if kind := s.Subtype(); kind != nil && *kind == "Image" {
		return false
	}
	return slices.ContainsFunc(s.FilterPipeline, func(f pdftypes.PDFFilter) bool {
		return f.Name == filter.LZW || f.Name == filter.ASCIIHex || f.Name == filter.RunLength
	})
}
