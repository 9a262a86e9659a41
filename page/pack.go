package page

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

// UnpackText reads of a packed DocView what the gate compares. Where templates are
// given it is without what they have, else without what the template had with which
// the page was read.
func UnpackText(b []byte, templates ...*purify.Template) (dedup.Text, error) {
	view, err := UnpackView(b)
	if err != nil {
		return dedup.Text{}, err
	}
	return dedup.TextOf(view, templates...), nil
}
