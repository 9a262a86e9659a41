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

// A screen is stderr with lines of progress at its foot where a terminal
// watches. Messages and log lines are written above it.
type screen struct {
	mu    sync.Mutex
	w     io.Writer
	width func() int // nil: nobody watches
	foot  []string
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

// Write writes whole lines above the lines of progress.
func (s *screen) Write(p []byte) (int, error) {
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

// erase is what takes the lines of progress off the terminal.
func (s *screen) erase() string {
	if len(s.foot) < 2 {
		return "\r\x1b[K"
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", len(s.foot)-1)
}

// show replaces the lines of progress; without any it takes them away.
func (s *screen) show(lines ...string) {
	if s.width == nil {
		return
	}
	width := s.width()
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

// keep leaves the lines of progress where they are and goes on below.
func (s *screen) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.foot) > 0 {
		s.foot = nil
		fmt.Fprintln(s.w)
	}
}

// watch shows a crawl in a few lines, drawn anew each second, where a terminal watches. Where
// none does it logs a line as often as the settings say. The function that it returns
// ends that and clears the lines.
func (j *job) watch(totals func() page.Totals, run func() gatecrawl.Tally, draw func() []string) (stop func()) {
	every, tell := time.Second, func(_, _ gatecrawl.Tally) { j.screen.show(draw()...) }
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
		j.screen.show()
	}
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
	if h := t.Harvest; h != nil {
		fields = append(fields, "on_topic", h.OnTopic, "harvest_last_100", math.Round(100*h.Last)/100)
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
