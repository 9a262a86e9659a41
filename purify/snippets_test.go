package purify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnippets prints how many snippets that belong to the text of a page are in its body, and how many
// that do not, by the evaluation of trafilatura (Apache License 2.0), in whose tests folder it reads
// evaldata.json and the pages of cache and eval:
//
//	GATECRAWL_TRAFILATURA=trafilatura/tests go test ./purify -run Snippets -v
func TestSnippets(t *testing.T) {
	dir := os.Getenv("GATECRAWL_TRAFILATURA")
	if dir == "" {
		t.Skip("needs GATECRAWL_TRAFILATURA, the tests folder of trafilatura")
	}
	b, err := os.ReadFile(filepath.Join(dir, "evaldata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pages map[string]struct {
		File    string
		With    []string
		Without []string
	}
	if err := json.Unmarshal(b, &pages); err != nil {
		t.Fatal(err)
	}
	var own, others, ownIn, othersIn, empty int
	for url, p := range pages {
		page, err := os.ReadFile(filepath.Join(dir, "cache", p.File))
		if os.IsNotExist(err) {
			page, err = os.ReadFile(filepath.Join(dir, "eval", p.File))
		}
		if err != nil {
			t.Fatal(err)
		}
		body := oneSpace(PurifyAt(url, page, "text/html").Body)
		if body == "" {
			empty++
		}
		own, others = own+len(p.With), others+len(p.Without)
		for _, s := range p.With {
			if strings.Contains(body, oneSpace(s)) {
				ownIn++
			} else if os.Getenv("GATECRAWL_WRONG") != "" {
				t.Logf("%s lacks %q", p.File, s)
			}
		}
		for _, s := range p.Without {
			if strings.Contains(body, oneSpace(s)) {
				othersIn++
				if os.Getenv("GATECRAWL_WRONG") != "" {
					t.Logf("%s has %q", p.File, s)
				}
			}
		}
	}
	precision, recall := float64(ownIn)/float64(max(1, ownIn+othersIn)), float64(ownIn)/float64(max(1, own))
	t.Logf("%d pages, %d without a body; %d of %d snippets of the text, %d of %d others: precision %.3f, recall %.3f, F1 %.3f",
		len(pages), empty, ownIn, own, othersIn, others, precision, recall, 2*precision*recall/max(1e-9, precision+recall))
	if recall < .94 || precision < .9 {
		t.Error("want a recall of .94 and a precision of .9")
	}
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
