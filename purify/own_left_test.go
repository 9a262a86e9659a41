package purify

import (
	"slices"
	"testing"
)

// Blocks that a template leaves out, and that would not be in the body without it, are in no view. If the template loses them, the page
// is to be read again.
func TestOwnNamesTheBlocksThatAViewLacks(t *testing.T) {
	v := &DocView{Template: 3, Blocks: []Block{{Print: 5, Text: "Sunday", Shared: true}, {Print: 7, Text: "a story"}}}
	names := []Print{5, 7, 9, 9 | ofNoBlock}
	want := []OwnBlock{{Print: 7, Bytes: 7}, {Print: 5, Bytes: 6, Shared: true}, {Print: 9, Shared: true, Linked: true}}
	if got := v.Own(names); !slices.Equal(got, want) {
		t.Errorf("Own(%x) = %+v, want %+v", names, got, want)
	}
	if v.Template = 0; len(v.Own(names)) != 2 {
		t.Errorf("Own(%x) of a view without a template = %+v, want its two blocks", names, v.Own(names))
	}
}
