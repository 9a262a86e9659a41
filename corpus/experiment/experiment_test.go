package experiment

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// someLines writes a file of pages: a dozen articles in one template, each again with a
// sentence more on another host.
func someLines(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 12 {
		var article strings.Builder
		for p := range 6 {
			fmt.Fprintf(&article, "<p>Paragraph %d of article %d says that the harbour of town%d has word%d, word%d and word%d, and that nobody there minds it.</p>", p, i, i*7+p, i*31+p, i*17+p, i*13+p)
		}
		for copy, more := range []string{"", fmt.Sprintf("<p>A sentence more, which only article %d has.</p>", i*37)} {
			page := fmt.Sprintf("<html><head><title>Article %d</title></head><body><nav><a href=/>Home</a><a href=/a>All articles of site %d</a></nav><main><h1>Article %d</h1>%s%s</main><footer>Site %d has rights, and a footer.</footer></body></html>",
				i, copy, i, article.String(), more, copy)
			line, err := json.Marshal(map[string]string{"url": fmt.Sprintf("http://site-%d.example/%d", copy, i), "html": page})
			if err != nil {
				t.Fatal(err)
			}
			// The names of a page come first.
			fmt.Fprintf(&b, "{\"url\":\"http://site-%d.example/%d\",\"html\":%s}\n", copy, i, line[strings.Index(string(line), `"html":`)+7:strings.LastIndex(string(line), `,"url"`)])
		}
	}
	name := filepath.Join(t.TempDir(), "pages.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEveryExperimentFillsItsTables(t *testing.T) {
	name := someLines(t)
	for _, x := range All() {
		o := Options{Names: []string{name}, Options: labelled.Options{Sample: 1000, Truth: labelled.Reader, Fault: func(err error) { t.Error(err) }}}
		if x.Name == "tables" {
			continue // see TestTablesAreOfTheSizeAskedFor
		}
		r, err := Run(x.Name, o)
		if err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		if len(r.Tables) == 0 || r.Pages != 24 {
			t.Errorf("%s: %d tables of %d pages, want 24", x.Name, len(r.Tables), r.Pages)
		}
		for _, table := range r.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Head) || len(table.Rows) == 0 {
					t.Errorf("%s: %d cells below %d heads: %q", x.Name, len(row), len(table.Head), row)
				}
			}
		}
	}
}

func TestTablesAreOfTheSizeAskedFor(t *testing.T) {
	slow.Test(t, "asks for 43,745 fingerprints a query")
	r, err := Run("tables", Options{Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Tables[0].Rows
	if len(rows) != 7 || r.Pages != 1000 {
		t.Fatalf("%d rows of %d fingerprints, want 7 of 1,000", len(rows), r.Pages)
	}
	for i, want := range []struct{ tables, large string }{{"4", "262,144"}, {"10", "358"}, {"16", "64"}, {"20", "4"}} {
		if rows[i][1] != want.tables || rows[i][5] != want.large {
			t.Errorf("%s has %s tables and %s rows a probe of 2^34, want %s and %s", rows[i][0], rows[i][1], rows[i][5], want.tables, want.large)
		}
	}
}

func TestPurifyingShowsWhatATemplateDoes(t *testing.T) {
	name := someLines(t)
	r, err := Run("purify", Options{Names: []string{name}, Options: labelled.Options{Sample: 1000, Truth: labelled.Reader}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "12 pairs of copies"; !strings.Contains(r.Truth, want) {
		t.Errorf("the truth is %q, want %s", r.Truth, want)
	}
	for _, row := range r.Tables[0].Rows {
		if row[0] == "gate" && row[6] != "1.000" {
			t.Errorf("the gate on bodies has the F1 %s, want 1.000", row[6])
		}
	}
}

func TestAnExperimentSaysWhatItWants(t *testing.T) {
	if _, err := Run("guesses", Options{}); err == nil || !strings.Contains(err.Error(), "there are rates, docview") {
		t.Errorf("an unknown experiment: %v", err)
	}
	if _, err := Run("docview", Options{}); err == nil || !strings.Contains(err.Error(), "want pages") {
		t.Errorf("an experiment without pages: %v", err)
	}
}

func TestASweepSaysNothingWhereNothingIsToBeFound(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pages.jsonl")
	var b strings.Builder
	for i := range 4 {
		fmt.Fprintf(&b, "{\"url\":\"http://site.example/%d\",\"html\":\"<main><p>%s</p></main>\"}\n", i, strings.Repeat(fmt.Sprintf("Word%d of page%d and harbour%d. ", i*7, i*31, i*13), 9))
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Names: []string{name}, Sweep: true, Options: labelled.Options{Sample: 1000, Truth: labelled.Reader, Fault: func(err error) { t.Error(err) }}}
	r, err := Run("docview", o)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Tables[len(r.Tables)-1].Rows[0][1]; got != "- - -" {
		t.Errorf("precision, recall and F1 without copies are %q, want none", got)
	}
	if !strings.Contains(r.Truth, ": 0 pairs of copies,") {
		t.Errorf("the truth is %q", r.Truth)
	}
}
