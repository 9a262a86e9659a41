package console

import (
	"bytes"
	"testing"
)

// Text arrives in pieces of any length; a character is never cut by that.
func TestAPlainWriterMakesOfPiecesWhatItMakesOfTheWhole(t *testing.T) {
	const text = "a 中文 é\x1b[31m\u202e\u009b \xff\xe4\xb8 z\r\n\t\U0001F600"
	const want = "a 中文 é\\u001b[31m\\u202e\\u009b \\xff\\xe4\\xb8 z\\u000d\n\t\U0001F600\\xe4"
	for size := 1; size <= len(text)+1; size++ {
		var b bytes.Buffer
		p := NewWriter(&b)
		for rest := text + "\xe4"; rest != ""; {
			n := min(size, len(rest))
			if got, err := p.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatalf("Write of %d bytes = %d, %v", n, got, err)
			}
			rest = rest[n:]
		}
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
}
