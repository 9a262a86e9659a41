package console

import (
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Writer is the output of every command, which may contain text of pages, servers and other
// people's files: titles, URLs, reasons, errors. Characters that would control a terminal, or
// change the direction of the text around them, are written as JSON escapes, such as \u001b. So
// JSON keeps its meaning, since such characters occur only within its strings. Line breaks and tabs
// are not changed.
type Writer struct {
	w io.Writer

	mu   sync.Mutex
	rest []byte // the start of a character whose end is still to come
	out  []byte
}

// NewWriter returns a Writer to w. The caller must Flush it at the end of the command.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes text, and keeps the start of a character at its end for the next call.
func (p *Writer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) == 0 && isPlainASCII(b) {
		return p.w.Write(b)
	}
	text := append(p.rest, b...)
	whole := wholeRunes(text)
	p.out = appendPlain(p.out[:0], text[:whole])
	p.rest = append([]byte(nil), text[whole:]...)
	if _, err := p.w.Write(p.out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what is left of an incomplete character.
func (p *Writer) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) == 0 {
		return nil
	}
	_, err := p.w.Write(appendPlain(nil, p.rest))
	p.rest = nil
	return err
}

// isPlainASCII reports whether a text needs no escapes.
func isPlainASCII(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// wholeRunes returns the length of a text without the start of a character at its end.
func wholeRunes(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return len(b) - n
			}
			break
		}
	}
	return len(b)
}

// appendPlain appends a text with what may control a terminal escaped.
func appendPlain(to, text []byte) []byte {
	plain := 0 // where the text starts that is not yet appended
	for i := 0; i < len(text); {
		c := text[i]
		if ' ' <= c && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1: // a byte alone, which another charset may take for a control character
			to = fmt.Appendf(append(to, text[plain:i]...), `\x%02x`, c)
			plain = i + n
		case steers(r):
			to = fmt.Appendf(append(to, text[plain:i]...), `\u%04x`, r)
			plain = i + n
		}
		i += n
	}
	return append(to, text[plain:]...)
}

// Plain returns a text as a Writer writes it.
func Plain(text string) string { return string(appendPlain(nil, []byte(text))) }

// steers reports whether a character is a control character or changes the direction of text.
func steers(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', 0x7f <= r && r < 0xa0:
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x206f:
		return true
	}
	return false
}

// terminalOf returns the terminal that a writer of a command writes to, nil if it is not one.
func terminalOf(w io.Writer) *os.File {
	if p, ok := w.(*Writer); ok {
		w = p.w
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// OnTerminal reports whether what a command writes appears on a terminal.
func OnTerminal(w io.Writer) bool { return terminalOf(w) != nil }

// Verbatim returns the writer for output that must not be changed, such as a painted page: it
// bypasses the Writer, unless that writes to a terminal.
func Verbatim(w io.Writer) io.Writer {
	p, ok := w.(*Writer)
	if !ok || OnTerminal(p) {
		return w
	}
	return p.w
}
