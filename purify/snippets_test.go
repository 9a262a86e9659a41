package purify

import (
	"bytes"
	"encoding/json"
	"io/fs"
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

// TestDatesOfOthers prints how many dates of publication are found by the evaluation of htmldate (Apache
// License 2.0), in whose tests folder it reads the lists eval_*.json and the pages below it:
//
//	GATECRAWL_HTMLDATE=htmldate/tests go test ./purify -run DatesOfOthers -v
func TestDatesOfOthers(t *testing.T) {
	dir := os.Getenv("GATECRAWL_HTMLDATE")
	if dir == "" {
		t.Skip("needs GATECRAWL_HTMLDATE, the tests folder of htmldate")
	}
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		files[d.Name()] = path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lists, _ := filepath.Glob(filepath.Join(dir, "eval_*.json"))
	all, right, wrong := 0, 0, 0
	for _, list := range lists {
		var pages map[string]struct{ File, Date string }
		b, err := os.ReadFile(list)
		if err == nil {
			err = json.Unmarshal(bytes.ReplaceAll(b, []byte("NaN"), []byte("null")), &pages) // as Python writes it
		}
		if err != nil {
			t.Fatal(err)
		}
		for url, p := range pages {
			if p.Date == "" {
				continue // not known
			}
			page, err := os.ReadFile(files[p.File])
			if err != nil {
				t.Fatal(err)
			}
			all++
			switch got := PurifyAt(url, page, "text/html").Date; got {
			case "":
			case p.Date:
				right++
			default:
				wrong++
				if os.Getenv("GATECRAWL_WRONG") != "" {
					t.Logf("%s: %s, not %s", p.File, got, p.Date)
				}
			}
		}
	}
	accuracy := float64(right) / float64(max(1, all))
	t.Logf("%d pages: right %d, wrong %d, none %d: accuracy %.3f, precision %.3f", all, right, wrong, all-right-wrong, accuracy, float64(right)/float64(max(1, right+wrong)))
	if accuracy < .84 {
		t.Error("want an accuracy of .84")
	}
}
