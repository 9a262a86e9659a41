package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"gatecrawl"
)

// A screen is stderr with a line of progress at its foot where a terminal
// watches. Messages and log lines are written above it.
type screen struct {
	mu    sync.Mutex
	w     io.Writer
	width func() int // nil: nobody watches
	foot  string
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.width = func() int {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil || width < 20 {
				return 80
			}
			return width
		}
	}
	return s
}

// Write writes whole lines above the line of progress.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.foot == "" {
		return s.w.Write(p)
	}
	if _, err := fmt.Fprintf(s.w, "\r\x1b[K%s\r\x1b[K%s", p, s.foot); err != nil {
		return 0, err
	}
	return len(p), nil
}

// show replaces the line of progress; "" takes it away.
func (s *screen) show(line string) {
	if s.width == nil {
		return
	}
	if r := []rune(line); len(r) >= s.width() {
		line = string(r[:s.width()-1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foot = line
	fmt.Fprintf(s.w, "\r\x1b[K%s", line)
}

// watch shows the progress of a crawl twice a second where a terminal watches.
// The function that it returns ends that and clears the line.
func (s *screen) watch(totals func() gatecrawl.Totals) (stop func()) {
	if s.width == nil {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends in stop
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		began, before := time.Now(), totals().Pages
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				t := totals()
				s.show(progressLine(t, time.Since(began), t.Pages-before))
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		s.show("")
	}
}

// progressLine is a crawl in one line; pages is how many this run added.
func progressLine(t gatecrawl.Totals, took time.Duration, pages int64) string {
	return fmt.Sprintf("%s  %s pages %.0f/s: %s new %s copies %s refused %s failed, %s queued",
		took.Truncate(time.Second), count(t.Pages), float64(pages)/took.Seconds(),
		count(t.New), count(t.Copies), count(t.Refused), count(t.Failed), count(t.Queued+t.Later+t.Leased))
}

// count writes a number with commas between the thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(s[i])
	}
	return sign + b.String()
}
