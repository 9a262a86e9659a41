package duplicates

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
)

// TestNearSignsAPageByTheTableOfTheJob compares signatures of a page most of whose words
// each page of the table has.
func TestNearSignsAPageByTheTableOfTheJob(t *testing.T) {
	dir := t.TempDir()
	common := strings.Fields("harbour boats morning quay coffee weather wind glass gulls mole bakery bread street shutters coins")
	var words dedup.IDFCount
	for i := range 200 {
		words.Add(fmt.Sprint(strings.Join(common, " "), " page", i))
	}
	table, err := writeIDF(&words, filepath.Join(dir, "words.idf"))
	if err != nil {
		t.Fatal(err)
	}
	p := &single.Page{Type: "text/html", Content: []byte("<title>A story</title><article><p>" + strings.Join(common, " ") +
		" zeppelin orchard telescope mirror annealed opticians centuries railways kitchens orbits</p></article>")}
	plain := dedup.Sign(p.Content, p.View())
	for name, idf := range map[string]string{"with a table": filepath.Join(dir, "words.idf"), "without": ""} {
		s := configs.Default()
		s.IDF = idf
		var text bytes.Buffer
		if err := s.WriteYAML(&text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, crawl.SettingsFile), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		n := nearness{Asker: cli.Asker{Dir: dir}}
		got, _, err := n.signAs(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		want := plain
		if idf != "" {
			want = table.SignView(dedup.DigestOf(p.Content), p.View())
			if want.SimHash == plain.SimHash {
				t.Fatal("the table makes no difference to this page: the test says nothing")
			}
		}
		if got.Sign.SimHash != want.SimHash {
			t.Errorf("%s near signs with SimHash %016x, the job with %016x", name, got.Sign.SimHash, want.SimHash)
		}
	}
}
