package purify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// TestCountHighLetters prints the table highLetters as it follows from the catalogs of
// messages in a folder: GATECRAWL_LOCALES=/usr/share/locale go test ./purify -run HighLetters -v
func TestCountHighLetters(t *testing.T) {
	folder := os.Getenv("GATECRAWL_LOCALES")
	if folder == "" {
		t.Skip("counts the letters of many languages; set GATECRAWL_LOCALES to a folder of catalogs")
	}
	messages := make(map[string]string) // by language
	var b strings.Builder
	for _, l := range highLetters {
		if _, ok := messages[l.language]; !ok {
			messages[l.language] = messagesOf(t, folder, l.language)
		}
		fmt.Fprintf(&b, "\t{%q, %q, %q},\n", l.charset, l.language, oddsOf(t, l.charset, messages[l.language]))
	}
	t.Logf("\n%s", b.String())
}

// oddsOf counts the high bytes of a text in a charset.
func oddsOf(t *testing.T, charset, text string) string {
	enc, err := htmlindex.Get(charset)
	if err != nil {
		t.Fatal(err)
	}
	const unseen = .1
	count, all := [128]float64{}, 128*unseen
	e := enc.NewEncoder()
	for _, r := range text {
		if r < 128 {
			continue
		}
		if coded, err := e.Bytes([]byte(string(r))); err == nil {
			count[coded[0]-128]++
			all++
		}
	}
	var odds []byte
	for _, n := range count {
		odds = append(odds, 'a'+byte(min(25, math.Round(-2*math.Log((n+unseen)/all)))))
	}
	return string(odds)
}

// messagesOf returns what the catalogs of a language translate to.
func messagesOf(t *testing.T, folder, language string) string {
	var b strings.Builder
	for _, of := range []string{language, language + "_*"} {
		files, err := filepath.Glob(filepath.Join(folder, of, "LC_MESSAGES", "*.mo"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasPrefix(filepath.Base(name), "iso_") {
				continue // names of countries, over and over
			}
			catalog, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(translations(catalog))
		}
	}
	return b.String()
}

// translations returns the translations of a catalog (GNU gettext, "The Format of GNU MO
// Files") one behind the other, in UTF-8.
func translations(mo []byte) string {
	if len(mo) < 20 || binary.LittleEndian.Uint32(mo) != 0x950412de {
		return ""
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(mo[at:])) }
	var header, b []byte
	for i := range number(8) {
		at := number(16) + 8*i
		text := mo[number(at+4):][:number(at)]
		if number(number(12)+8*i) == 0 {
			header = text
			continue
		}
		b = append(append(b, text...), ' ')
	}
	_, charset, _ := bytes.Cut(header, []byte("charset="))
	if enc, err := htmlindex.Get(strings.TrimSpace(string(bytes.SplitN(charset, []byte("\n"), 2)[0]))); err == nil {
		if text, err := enc.NewDecoder().Bytes(b); err == nil {
			b = text
		}
	}
	return string(b)
}
