package words

import (
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	paragraph = regexp.MustCompile(`(?s)<p>(.*?)</p>`)
	inTag     = regexp.MustCompile(`<[^>]*>`)
)

// TestLanguagesOfTranslations says how often a text's language is named right: the truth is the
// name of the folder that it stands in, and a text is a paragraph of a page, cut to a size. Those that
// stand in the folder en too were not translated, and are left out of the others.
// With its right label no text may be in another language than English, which is what some paragraphs
// that differ a little from the English one still are. Debian's installation guide is such folders:
//
//	apt-get download installation-guide-amd64; dpkg-deb -x installation-guide-amd64*.deb DIR
//	GATECRAWL_TRANSLATIONS=DIR/usr/share/doc/installation-guide-amd64 go test ./purify/words -run LanguagesOfTranslations -v
func TestLanguagesOfTranslations(t *testing.T) {
	root := os.Getenv("GATECRAWL_TRANSLATIONS")
	if root == "" {
		t.Skip("reads pages in many languages; set GATECRAWL_TRANSLATIONS to a folder with a folder a language")
	}
	folders, err := filepath.Glob(filepath.Join(root, "*", "index.html"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("%s has no folder with an index.html: %v", root, err)
	}
	const texts = 60 // of each language
	for _, size := range []int{20, 40, 150, 500} {
		english := map[string]bool{} // what nobody translated
		for _, text := range paragraphs(t, filepath.Join(root, "en"), size) {
			english[text] = true
		}
		rng := rand.New(rand.NewPCG(1, 2))
		right, wrong, all := 0, map[string]int{}, 0
		kept, taken, instead := 0, map[string]int{}, 0 // with the right label, and with another one
		for _, folder := range folders {
			name := filepath.Base(filepath.Dir(folder))
			language, _, _ := strings.Cut(name, "_")
			of := paragraphs(t, filepath.Dir(folder), size)
			if language != "en" {
				of = slices.DeleteFunc(of, func(text string) bool { return english[text] })
			}
			for i := range min(texts, len(of)) {
				// Some of all, and not neighbours.
				j := i + rng.IntN(len(of)-i)
				of[i], of[j] = of[j], of[i]
				all++
				switch got := Language("", of[i]); {
				case strings.HasPrefix(got, language):
					right++
				case got != "":
					wrong[language+" as "+got]++
				}
				if got := Language(language, of[i]); got == language {
					kept++
				} else if taken[language+" as "+got]++; got != "en" {
					t.Errorf("%q, rightly labelled %s, is %s", of[i], language, got)
				}
				if label := other(language); strings.HasPrefix(Language(label, of[i]), language) {
					instead++
				}
			}
		}
		bad := 0
		for _, n := range wrong {
			bad += n
		}
		t.Logf("%d characters: of %d texts in %d languages %.3f right, %.3f wrong, %.3f without an answer; wrong: %v", size, all, len(folders),
			float64(right)/float64(all), float64(bad)/float64(all), float64(all-right-bad)/float64(all), wrong)
		t.Logf("labelled rightly %d of %d keep their label, the others are %v; labelled en, the English ones de, %.3f are named right",
			kept, all, taken, float64(instead)/float64(all))
		if size >= 150 && right*100 < all*95 {
			t.Errorf("%d of %d texts of %d characters are named right, want 95%%", right, all, size)
		}
	}
}

// other returns a language that is not the given one.
func other(language string) string {
	if language == "en" {
		return "de"
	}
	return "en"
}

// paragraphs returns those of a folder's pages, cut to a size in characters: each once, and most of
// it letters.
func paragraphs(t *testing.T, folder string, size int) (all []string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, name := range pages {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paragraph.FindAllSubmatch(page, -1) {
			text := []rune(strings.Join(strings.Fields(html.UnescapeString(inTag.ReplaceAllString(string(p[1]), " "))), " "))
			if len(text) < size {
				continue
			}
			cut, letters := string(text[:size]), 0
			for _, r := range text[:size] {
				if unicode.IsLetter(r) {
					letters++
				}
			}
			if letters*10 >= size*7 && !met[cut] {
				met[cut] = true
				all = append(all, cut)
			}
		}
	}
	return all
}
