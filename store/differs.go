package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// tailDiffers is the field of a page record that has what a near copy and its
// kept page do not share: the number of passages of the copy, each as three
// strings, then those of the kept page.
const tailDiffers = 20

// maxPassages bounds what is read of a record that was damaged.
const maxPassages = 100

func encodeDiffers(e *encoder, d *dedup.Difference) {
	if d == nil {
		return
	}
	var f encoder
	for _, side := range [][]dedup.Passage{d.Here, d.There} {
		f.uint(uint64(len(side)))
		for _, p := range side {
			f.string(p.Before)
			f.string(p.Text)
			f.string(p.After)
		}
	}
	e.tail(tailDiffers, string(f.b))
}

func decodeDiffers(v string) (*dedup.Difference, error) {
	d := decoder{b: []byte(v)}
	var sides [2][]dedup.Passage
	for i := range sides {
		n := d.uint()
		if n > maxPassages {
			return nil, fmt.Errorf("%d passages, at most %d are written", n, maxPassages)
		}
		for range n {
			sides[i] = append(sides[i], dedup.Passage{Before: d.string(), Text: d.string(), After: d.string()})
		}
	}
	return &dedup.Difference{Here: sides[0], There: sides[1]}, d.err
}

// keptOf returns the record of the page that another is a copy of, nil where it is
// no copy.
func (in snapshot) keptOf(seq uint64) (*page.Record, error) {
	_, v, err := in.page(seq)
	if err != nil || !v.Copy() {
		return nil, err
	}
	p, err := in.fullPage(uint64(v.Of))
	return &p, err
}
