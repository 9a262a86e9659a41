package purify

import (
	"strings"
	"testing"
)

func TestExplainShowsWhatPurifyKeeps(t *testing.T) {
	for site, put := range templates {
		page := []byte(put("Bees in winter", paragraphs(prose(5, 8, 3))))
		blocks, text := Explain(page, "text/html")
		var body []string
		for _, b := range blocks {
			if b.Kept {
				body = append(body, b.Text)
			}
			if b.Score < 0 || b.Score > 1 || b.Links < 0 || b.Links > 1 {
				t.Errorf("%s: block %.30q has score %v, links %v, want 0 to 1", site, b.Text, b.Score, b.Links)
			}
			if first, _, _ := strings.Cut(b.Text, " "); !strings.Contains(string(text[b.From:b.To]), first) {
				t.Errorf("%s: block %.30q is not at bytes %d to %d: %.60q", site, b.Text, b.From, b.To, text[b.From:b.To])
			}
		}
		if got, want := strings.Join(body, "\n"), Purify(page, "text/html").Body; got != want {
			t.Errorf("%s: kept blocks are %q, Purify's body is %q", site, got, want)
		}
	}
}

func TestExplainOfTextIsOneBlock(t *testing.T) {
	blocks, _ := Explain([]byte("a < b"), "text/plain")
	if len(blocks) != 1 || !blocks[0].Kept || blocks[0].Text != "a < b" {
		t.Errorf("Explain(text) = %+v, want one kept block", blocks)
	}
}
