package page

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

// UnpackText reads from a packed DocView what the gate compares. With templates it leaves out
// what they have, otherwise what the template had with which the page was read.
func UnpackText(b []byte, templates ...*purify.Template) (dedup.Text, error) {
	view, err := UnpackView(b)
	if err != nil {
		return dedup.Text{}, err
	}
	return dedup.TextOf(view, templates...), nil
}
