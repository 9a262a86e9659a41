package purify

// A Specimen is a page as the model of page types sees it. It serves
// cmd/train-purify, which trains that model.
type Specimen struct {
	Body string  // as Purify chooses it
	Row  []uint8 // the page's columns; nil for a page without text
}

// Dissect reads a page as PurifyAt does.
func Dissect(url string, page []byte, contentType string) Specimen {
	text, _ := Decode(page, contentType)
	o := newOutline()
	defer o.done()
	o.read(text, isXML(contentType, text))
	m := o.head.read()
	kept := o.choose()
	s := Specimen{Body: o.join(kept)}
	if len(o.blocks) > 0 {
		s.Row = append(s.Row, o.kindRow(&m, url, kept)...)
	}
	return s
}
