package cli

import "testing"

func TestACommandInAMessageCanBePasted(t *testing.T) {
	for arg, want := range map[string]string{
		"news": "news", "/data/news-2026.06": "/data/news-2026.06", "größe/日本": "größe/日本", "": "''",
		"my crawl": "'my crawl'", "it's": `'it'\''s'`, "a$b": "'a$b'", "a;b": "'a;b'", "~/x": "'~/x'", "two\nlines": "'two\nlines'", "a b": "'a b'",
	} {
		if got := Quoted(arg); got != want {
			t.Errorf("Quoted(%q) = %s, want %s", arg, got, want)
		}
	}
}
