package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// tailDiffers is the field of a page record that has what a near copy and its
// kept page do not share: the number of passages of the copy, each as three
// strings, then those of the kept page.
const tailDiffers = 20

// maxPassages bounds what is read of a record that was damaged.
const maxPassages = 100

func encodeDiffers(e *row.Encoder, d *dedup.Difference) {
	if d == nil {
		return
	}
	var f row.Encoder
	for _, side := range [][]dedup.Passage{d.Here, d.There} {
		f.Uint(uint64(len(side)))
		for _, p := range side {
			f.Text(p.Before)
			f.Text(p.Text)
			f.Text(p.After)
		}
	}
	e.Tail(tailDiffers, string(f.B))
}

func decodeDiffers(v string) (*dedup.Difference, error) {
	d := row.Decoder{B: []byte(v)}
	var sides [2][]dedup.Passage
	for i := range sides {
		n := d.Uint()
		if n > maxPassages {
			return nil, fmt.Errorf("%d passages, at most %d are written", n, maxPassages)
		}
		for range n {
			sides[i] = append(sides[i], dedup.Passage{Before: d.Text(), Text: d.Text(), After: d.Text()})
		}
	}
	return &dedup.Difference{Here: sides[0], There: sides[1]}, d.Err
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
