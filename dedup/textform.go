package dedup

import (
	"encoding/json"

	"gatecrawl.example/gatecrawl/purify"
)

// plainText is Text without its methods.
type plainText Text

// A textForm is a Text on its way to another process: with its blocks and the templates of its
// site, by which two texts are compared, and without what is made of these.
type textForm struct {
	*plainText
	Blocks []purify.Block `json:",omitempty"`
	Site   [][]byte       `json:",omitempty"` // as purify.Template.Bytes; empty: no template
	Plain  int            `json:",omitempty"`
	Prose  int            `json:",omitempty"`
	Listed int            `json:",omitempty"`
	Whole  bool           `json:",omitempty"`
	Fixed  bool           `json:",omitempty"`
}

// MarshalJSON writes all that a gate compares a text by.
func (t *Text) MarshalJSON() ([]byte, error) {
	f := textForm{plainText: (*plainText)(t), Blocks: t.blocks, Plain: t.plain, Prose: t.prose, Listed: t.listed, Whole: t.whole, Fixed: t.fixed}
	for _, site := range t.site {
		var b []byte
		if site != nil {
			b = site.Bytes()
		}
		f.Site = append(f.Site, b)
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Text) UnmarshalJSON(b []byte) error {
	*t = Text{}
	f := textForm{plainText: (*plainText)(t)}
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	t.blocks, t.plain, t.prose, t.listed, t.whole, t.fixed = f.Blocks, f.Plain, f.Prose, f.Listed, f.Whole, f.Fixed
	for _, b := range f.Site {
		var site *purify.Template
		if len(b) > 0 {
			var err error
			if site, err = purify.ParseTemplate(b); err != nil {
				return err
			}
		}
		t.site = append(t.site, site)
	}
	if len(t.blocks) > 0 {
		t.cut = newCuts(t.blocks)
	}
	return nil
}
