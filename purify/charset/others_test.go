package charset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// TestCharsetsOfOthers reads the files with which chardet is tested, which are in folders that name
// their charset, with all labels in them disabled. It prints how many are decoded as with that
// charset, of the charsets that the Encoding Standard has, and which are not:
//
//	GATECRAWL_CHARDET=chardet/tests go test ./purify/charset -run CharsetsOfOthers -v
func TestCharsetsOfOthers(t *testing.T) {
	dir := os.Getenv("GATECRAWL_CHARDET")
	if dir == "" {
		t.Skip("needs GATECRAWL_CHARDET, the tests folder of chardet")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	known := map[string]string{"CP932": "shift_jis", "CP949": "euc-kr", "MacCyrillic": "x-mac-cyrillic", "MacRoman": "macintosh", "utf-8-sig": "utf-8"}
	noLabels := strings.NewReplacer("charset=", "xxxxxxx=", "encoding=", "xxxxxxxx=")
	right, all := 0, 0
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(file))
		enc, name := charset.Lookup(folder)
		for i := len(folder); enc == nil && i > 0; i = strings.LastIndexByte(folder[:i], '-') { // iso-8859-2-czech
			enc, name = charset.Lookup(folder[:i])
		}
		if other, ok := known[folder]; ok {
			enc, name = charset.Lookup(other)
		}
		if enc == nil || name == "replacement" || strings.HasPrefix(folder, "UTF-32") {
			continue
		}
		if folder == "UTF-16" && bytes.HasPrefix(page, []byte("\xfe\xff")) {
			enc, name = charset.Lookup("utf-16be")
		}
		page = []byte(noLabels.Replace(string(page)))
		want, err := enc.NewDecoder().Bytes(page)
		if err != nil {
			t.Fatalf("%s as %s: %v", file, name, err)
		}
		all++
		got, gotName := Decode(page, "text/html")
		if bytes.Equal(got, bytes.TrimPrefix(want, []byte("\xef\xbb\xbf"))) {
			right++
		} else {
			t.Logf("%s/%s, %d bytes: %s", folder, filepath.Base(file), len(page), gotName)
		}
	}
	t.Logf("%d of %d files are decoded as in their charset", right, all)
}
