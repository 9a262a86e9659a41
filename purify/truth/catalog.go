package truth

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// Messages returns what the message catalogs of a language translate to: the files of programs
// below a folder such as /usr/share/locale. It is "" if there are none.
func Messages(folder, language string) (string, error) {
	var b strings.Builder
	for _, of := range []string{language, language + "_*"} {
		files, err := filepath.Glob(filepath.Join(folder, of, "LC_MESSAGES", "*.mo"))
		if err != nil {
			return "", err
		}
		for _, name := range files {
			if strings.HasPrefix(filepath.Base(name), "iso_") {
				continue // names of countries, over and over
			}
			catalog, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			b.WriteString(translations(catalog))
		}
	}
	return b.String(), nil
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
