package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// tailFields is the part of a page record that has what selectors extracted: its form, the
// number of fields, of each whether it is a list, its name, the number of its values and
// those, and then the names of the fields that were cut.
const tailFields = 50

const fieldsForm = 1

func encodeFields(e *encoder, p *page.Record) {
	if len(p.Fields) == 0 && len(p.FieldsCut) == 0 {
		return
	}
	var f encoder
	f.byte(fieldsForm)
	f.uint(uint64(len(p.Fields)))
	for i := range p.Fields {
		f.bool(p.Fields[i].List)
		f.string(p.Fields[i].Name)
		f.strings(p.Fields[i].Values)
	}
	f.strings(p.FieldsCut)
	e.tail(tailFields, string(f.b))
}

func decodeFields(v string, p *page.Record) error {
	d := decoder{b: []byte(v)}
	if form := d.byte(); form != fieldsForm {
		return fmt.Errorf("fields of form %d; this version reads %d", form, fieldsForm)
	}
	for range d.count() {
		p.Fields = append(p.Fields, purify.Field{List: d.bool(), Name: d.string(), Values: d.strings()})
	}
	p.FieldsCut = d.strings()
	return d.err
}

func (e *encoder) strings(list []string) {
	e.uint(uint64(len(list)))
	for _, s := range list {
		e.string(s)
	}
}

// count reads how many parts follow, each of one byte or more.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) strings() []string {
	n := d.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.string()
	}
	return list
}
