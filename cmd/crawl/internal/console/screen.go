package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Screen is stderr. On a terminal it has lines of progress at the bottom; messages and log lines
// are written above them.
type Screen struct {
	mu   sync.Mutex
	w    io.Writer
	size func() (columns, rows int) // nil: there is no terminal
	foot []string
}

// NewScreen returns the screen over stderr. Without a terminal, and on one that cannot move its cursor
// (TERM=dumb, as in an editor's shell), it only passes on what is written.
func NewScreen(w io.Writer) *Screen {
	s := &Screen{w: w}
	if f := terminalOf(w); f != nil && os.Getenv("TERM") != "dumb" {
		s.w = f // for its own line; what it is handed is made plain below
		s.size = func() (columns, rows int) {
			columns, rows, err := term.GetSize(int(f.Fd()))
			if err != nil || columns < 20 || rows < 2 {
				return 80, 24
			}
			return columns, rows
		}
	}
	return s
}

// Watched reports whether the screen is on a terminal.
func (s *Screen) Watched() bool { return s.size != nil }

// Columns is the width of the terminal in characters.
func (s *Screen) Columns() int {
	columns, _ := s.size()
	return columns
}

// Write writes whole lines above the lines of progress.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := appendPlain(nil, p)
	if len(s.foot) > 0 {
		text = fmt.Appendf(nil, "%s%s%s%s", s.erase(), text, "\r\x1b[K", strings.Join(s.foot, "\n"))
	}
	if _, err := s.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// erase returns what removes the lines of progress from the terminal. If the terminal has become
// narrower, they take more lines now.
func (s *Screen) erase() string {
	columns, _ := s.size()
	rows := 0
	for _, line := range s.foot {
		rows += max(1, (utf8.RuneCountInString(line)+columns-1)/columns)
	}
	if rows < 2 {
		return "\r\x1b[K"
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", rows-1)
}

// Show replaces the lines of progress; without arguments it removes them. The last ones are left
// out if the terminal has no room for them.
func (s *Screen) Show(lines ...string) {
	if s.size == nil {
		return
	}
	width, rows := s.size()
	lines = lines[:min(len(lines), rows-1)]
	foot := make([]string, len(lines))
	for i, line := range lines {
		if r := []rune(line); len(r) >= width {
			line = string(r[:width-1])
		}
		foot[i] = string(appendPlain(nil, []byte(line)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.erase() + strings.Join(foot, "\n")
	s.foot = foot
	fmt.Fprint(s.w, text)
}

// Keep leaves the lines of progress where they are and continues below.
func (s *Screen) Keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.foot) > 0 {
		s.foot = nil
		fmt.Fprintln(s.w)
	}
}
