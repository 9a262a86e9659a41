package single

import (
	"path/filepath"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/purify"
)

func TestTheDocumentsOfAWARCFileAreViewed(t *testing.T) {
	var got []string
	from := &corpus.Source{Names: []string{filepath.Join("..", "testdata", "warcio.warc.gz")}}
	err := Pages(from, purify.Reader{}, nil, title, func(n int, view []byte, err error) error {
		if err != nil || n != len(got)+1 {
			t.Errorf("document %d: %v", n, err)
		}
		got = append(got, string(view))
		return nil
	})
	const at = "http://127.0.0.1:8765/"
	if want := []string{at + " Start", at + "bees.html Bees", at + "chunked.html Clocks"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
