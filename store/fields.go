package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// tailFields is the part of a page record that has what selectors extracted: its form, the
// number of fields, of each whether it is a list, its name, the number of its values and
// those, and then the names of the fields that were cut.
const tailFields = 50

const fieldsForm = 1

func encodeFields(e *row.Encoder, p *page.Record) {
	if len(p.Fields) == 0 && len(p.FieldsCut) == 0 {
		return
	}
	var f row.Encoder
	f.Byte(fieldsForm)
	f.Uint(uint64(len(p.Fields)))
	for i := range p.Fields {
		f.Bool(p.Fields[i].List)
		f.Text(p.Fields[i].Name)
		f.Texts(p.Fields[i].Values)
	}
	f.Texts(p.FieldsCut)
	e.Tail(tailFields, string(f.B))
}

func decodeFields(v string, p *page.Record) error {
	d := row.Decoder{B: []byte(v)}
	if form := d.Byte(); form != fieldsForm {
		return fmt.Errorf("fields of form %d; this version reads %d", form, fieldsForm)
	}
	for range d.Count() {
		p.Fields = append(p.Fields, purify.Field{List: d.Bool(), Name: d.Text(), Values: d.Texts()})
	}
	p.FieldsCut = d.Texts()
	return d.Err
}
