package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
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
	if f := outputFile(w); isTerminal(f) {
		s.w = f // for its own line; what it is handed is made plain below
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
	text := appendPlain(nil, p)
	if s.foot != "" {
		text = fmt.Appendf(nil, "\r\x1b[K%s\r\x1b[K%s", text, s.foot)
	}
	if _, err := s.w.Write(text); err != nil {
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
	s.foot = string(appendPlain(nil, []byte(line)))
	fmt.Fprintf(s.w, "\r\x1b[K%s", s.foot)
}

// watch shows the progress of a crawl twice a second where a terminal watches. Where
// none does it logs a line as often as the settings say. The function that it returns
// ends that and clears the line.
func (j *job) watch(totals func() page.Totals, run func() gatecrawl.Tally) (stop func()) {
	every, tell := 500*time.Millisecond, func(n, _ gatecrawl.Tally) { j.screen.show(progressLine(n, totals())) }
	if j.screen.width == nil {
		log := j.log()
		every = time.Duration(j.settings.LogEvery)
		tell = func(n, before gatecrawl.Tally) { logProgress(log, n, before, totals()) }
	}
	if every <= 0 {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends in stop
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		before := run()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				n := run()
				tell(n, before)
				before = n
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		j.screen.show("")
	}
}

// progressLine is a run in one line.
func progressLine(n gatecrawl.Tally, t page.Totals) string {
	again := ""
	if n.Unchanged+n.Changed+n.Gone > 0 {
		again = fmt.Sprintf("%s changed %s unchanged ", count(n.Changed), count(n.Unchanged))
	}
	return fmt.Sprintf("%s  %s %.0f/s: %s new %s%s %s failed, %s queued",
		time.Duration(n.Seconds*float64(time.Second)).Truncate(time.Second), many(n.Fetched, "page", "pages"), float64(n.Fetched)/max(n.Seconds, .001),
		count(n.New), again, many(n.Copies, "copy", "copies"), count(n.Errors+n.Unanswered), count(waiting(t)))
}

// waiting is how many URLs a crawl has still to ask for.
func waiting(t page.Totals) int64 { return t.Queued + t.Later + t.Leased }

// logProgress logs how far a run is. The rate is that since the line before.
func logProgress(log *slog.Logger, n, before gatecrawl.Tally, t page.Totals) {
	rate := float64(n.Fetched-before.Fetched) / max(n.Seconds-before.Seconds, .001)
	fields := []any{"pages", n.Fetched, "per_second", math.Round(rate*10) / 10, "new", n.New, "copies", n.Copies}
	if n.Unchanged+n.Changed+n.Gone > 0 {
		fields = append(fields, "changed", n.Changed, "unchanged", n.Unchanged, "gone", n.Gone)
	}
	log.Info("progress", append(fields, "failed", n.Errors+n.Unanswered, "queued", waiting(t), "hosts_parked", t.ParkedHosts)...)
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
