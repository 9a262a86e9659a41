package dedup

import (
	"strings"
	"testing"
)

func TestUntranslated(t *testing.T) {
	for _, c := range []struct {
		url, language, original, of string
		want                        bool
	}{
		{"/de/guide/", "en", "/guide/", "en", true},
		{"/docs/de/guide/", "en-US", "/docs/guide/", "en", true},
		{"/de/", "en", "/", "en", true},
		{"/ar-MA/guide.html", "en", "/en-US/guide.html", "en-US", true},
		{"/pt_BR/guide.html?a=1", "en", "/en/guide.html?a=1", "en", true},
		{"/zh-Hant/guide/", "en", "/guide/", "en", true},

		{"/guide/", "en", "/de/guide/", "en", false},                  // the original is there
		{"/en/guide/", "en", "/guide/", "en", false},                  // both are in their language
		{"/de/guide/", "en", "/fr/guide/", "en", false},               // neither is
		{"/de/guide/", "de", "/guide/", "de", false},                  // it is translated
		{"/de/guide/", "en", "/guide/", "de", false},                  // two languages
		{"/de/guide/", "", "/guide/", "", false},                      // unknown ones
		{"/docs/guide/", "en", "/guide/", "en", false},                // no language
		{"/v2/guide/", "en", "/guide/", "en", false},                  //
		{"/de/guide/", "en", "/other/", "en", false},                  // another page
		{"/de/guide/", "en", "/de/en/guide/", "en", false},            //
		{"/de/guide/?a=1", "en", "/guide/?a=2", "en", false},          //
		{"/guide/de", "en", "/guide/", "en", false},                   // a name, not a folder
		{"/de/guide/", "en", "/en/fr/guide/", "en", false},            // two folders
		{"/de/guide/", "en", "http://b.test/guide/", "en", false},     // another host
		{"/de/guide/", "en", "/", "en", false},                        // a page above it
		{"/a/b/c/de/guide/", "en", "/a/b/c/guide/index", "en", false}, //
	} {
		at := func(path string) string {
			if path[0] == '/' {
				return "http://a.test" + path
			}
			return path
		}
		if got := Untranslated(at(c.url), c.language, at(c.original), c.of); got != c.want {
			t.Errorf("Untranslated(%q, %q, %q, %q) = %v", c.url, c.language, c.original, c.of, got)
		}
	}
}

// A chapter of which a tenth is translated is a page of its own; one whose title alone is translated is not.
func TestAChapterThatIsTranslatedInPartIsAnother(t *testing.T) {
	dutch := strings.ReplaceAll(strings.ReplaceAll(described(0, 5), "are made of", "zijn gemaakt van"), "that neither", "dat noch")
	for _, w := range []string{"ropes", "twine", "rain", "wind", "wear", "frame", "grew", "lake", "ash", "near"} {
		dutch = strings.ReplaceAll(dutch, w, w[:2]+"sten")
	}
	page := func(title, first string) string {
		return `<html lang="en"><head><title>` + title + `</title></head><body><main><h1>` + title + `</h1>` + first + described(5, 60) + `</main></body></html>`
	}
	const english, translated = "Chapter 11. Network Services", "Hoofdstuk 11. Netwerk Services"
	site := pagesAmong(t, map[string]string{
		"/en-US/services.html": page(english, described(0, 5)), "/nl-NL/services.html": page(translated, dutch),
		"/da-DK/services.html": page(translated, described(0, 5)), "/old/services.html": page(translated, dutch),
	})
	areOneByRule(t, site, []twoPages{
		{"/en-US/services.html", "/nl-NL/services.html", false},
		{"/en-US/services.html", "/da-DK/services.html", true},
		{"/en-US/services.html", "/old/services.html", true},
	})
}
