package configs

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// WriteYAML writes all settings with a comment for each, in the form that Parse reads.
func (s Settings) WriteYAML(w io.Writer) error {
	b := bufio.NewWriter(w)
	defaults := Default()
	for i, k := range Keys() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "# %s", k.Help)
		if d := defaults.yaml(k); d != s.yaml(k) {
			fmt.Fprintf(b, " (default %s)", strings.TrimSpace(d))
		}
		fmt.Fprintf(b, "\n%s:%s\n", k.Name, s.yaml(k))
	}
	return b.Flush()
}

// yaml returns the text after a setting's colon.
func (s Settings) yaml(k Key) string {
	values := s.Get(k.Name)
	if !k.List {
		if v, _ := s.field(k.Name); v.Type() == reflect.TypeFor[string]() {
			return " " + quote(values[0])
		}
		return " " + values[0]
	}
	if len(values) == 0 {
		return " []"
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString("\n  - " + quote(v))
	}
	return b.String()
}

// quote returns a string in YAML's double-quoted style. Bytes that are not UTF-8 cannot be written
// and become U+FFFD.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0xa0 || r == 0xfeff || 0x2028 <= r && r <= 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
