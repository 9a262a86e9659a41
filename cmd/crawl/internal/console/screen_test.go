package console

import (
	"fmt"
	"strings"
	"testing"
)

func TestMessagesStandAboveTheProgress(t *testing.T) {
	var b strings.Builder
	s := &Screen{w: &b, size: func() (int, int) { return 20, 24 }}
	s.Show("10 pages")
	fmt.Fprintln(s, "a message")
	s.Show("a line that is much too long for the terminal")
	s.Show()
	want := "\r\x1b[K10 pages" + "\r\x1b[Ka message\n\r\x1b[K10 pages" + "\r\x1b[Ka line that is much" + "\r\x1b[K"
	if got := b.String(); got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}

func TestSeveralLinesOfProgressAreDrawnInPlace(t *testing.T) {
	var b strings.Builder
	s := &Screen{w: &b, size: func() (int, int) { return 20, 24 }}
	s.Show("one", "two")
	fmt.Fprintln(s, "a message")
	s.Show("three")
	s.Keep()
	want := "\r\x1b[Kone\ntwo" + "\r\x1b[1A\x1b[Ja message\n\r\x1b[Kone\ntwo" + "\r\x1b[1A\x1b[Jthree" + "\n"
	if got := b.String(); got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}

// The lines of progress are the screen's own; what is written above them is not.
func TestWhatIsWrittenAboveTheLineOfProgressIsPlain(t *testing.T) {
	var b strings.Builder
	s := &Screen{w: &b, size: func() (int, int) { return 80, 24 }}
	s.Show("12 pages\x1b[2J")
	fmt.Fprintf(s, "page \u202eevil\u009b31m\n")
	want := "\r\x1b[K12 pages\\u001b[2J" + "\r\x1b[Kpage \\u202eevil\\u009b31m\n" + "\r\x1b[K12 pages\\u001b[2J"
	if got := b.String(); got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}

// A terminal that is lower than the lines would scroll with each drawing.
func TestLinesOfProgressFitTheTerminal(t *testing.T) {
	var b strings.Builder
	columns := 20
	s := &Screen{w: &b, size: func() (int, int) { return columns, 3 }}
	s.Show("one", "two", "three", "four")
	s.Show("sixteen letters.", "two")
	columns = 10 // the first line is two now
	s.Show("one")
	want := "\r\x1b[Kone\ntwo" + "\r\x1b[1A\x1b[Jsixteen letters.\ntwo" + "\r\x1b[2A\x1b[Jone"
	if got := b.String(); got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}
