package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/topics"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/humanize"
)

// liveLines is a running crawl in a few lines for a terminal of so many columns.
func liveLines(l control.Live, width int, now time.Time) []string {
	return wrapped(liveText(l, now), width)
}

// wrapped breaks lines where the terminal ends: after a comma, or at a space where what stands
// between two commas is longer than a line. A word that is longer is cut.
func wrapped(lines []string, width int) (broken []string) {
	for _, text := range lines {
		line := ""
		add := func(part string) {
			if utf8.RuneCountInString(strings.TrimRight(line+part, " ")) >= width && strings.TrimSpace(line) != "" {
				broken = append(broken, strings.TrimRight(line, " "))
				line = "  "
			}
			if line += part; utf8.RuneCountInString(strings.TrimRight(line, " ")) >= width {
				line = cutTo(line, width-1)
			}
		}
		for part := range strings.SplitAfterSeq(text, ", ") {
			if utf8.RuneCountInString(part) < width-2 {
				add(part)
				continue
			}
			for word := range strings.SplitAfterSeq(part, " ") {
				add(word)
			}
		}
		broken = append(broken, strings.TrimRight(line, " "))
	}
	return broken
}

// liveText is a running crawl in a few lines.
func liveText(l control.Live, now time.Time) (lines []string) {
	n, t := l.Tally, l.Totals
	line := func(parts ...string) {
		text := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
		if text != "" {
			lines = append(lines, text)
		}
	}
	state := "crawling for "
	if l.Settings.Paused {
		state = "PAUSED after "
	} else if l.QuietUntil != nil {
		state = "QUIET HOURS until " + humanize.Moment(*l.QuietUntil) + ", after "
	}
	line(state+spent(n.Seconds), humanize.Many(n.Fetched, "page", "pages"), fmt.Sprintf("%.1f pages/s", l.PerSecond), humanize.Size(int64(l.BytesPerSecond))+"/s", progressText(l.Progress))
	if n.Again() > 0 {
		line(againParts(n)...)
	}
	line(humanize.Count(n.New)+" kept", humanize.Many(n.Copies, "copy", "copies"), humanize.Count(l.Run.Refused)+" refused", unlessNone(n.Redirects, "redirect", "redirects"),
		failuresText(n))
	line("queue "+humanize.Count(t.Queued+t.Leased), unlessNone(t.Later, "to be tried again", "to be tried again"), humanize.Many(t.Hosts, "host", "hosts"),
		unlessNone(int64(len(l.InHand)), "of them in hand", "of them in hand"), parkedText(t.ParkedHosts, t.Parked), unlessNone(t.Held, "URL held", "URLs held"))
	line(waitsText(l, now))
	if h := t.Harvest; h != nil {
		line("harvest: " + topics.HarvestText(h))
		if len(l.Best) > 1 {
			line("best hosts by mean relevance: " + topics.BestText(l.Best, 3))
		}
		if l.Topic != nil {
			head := ""
			if l.Head != nil {
				head = fmt.Sprintf("; best score in the queue %.1f", *l.Head)
			}
			line("topic: " + topics.Text(l.Topic) + head)
		}
	} else if l.Run.Relevant > 0 {
		line(fmt.Sprintf("harvest: %s of %s are on the topic", humanize.Percent(float64(l.Run.Relevant)/float64(max(1, l.Run.New))), humanize.Many(l.Run.New, "document", "documents")))
	}
	return lines
}

// cutTo shortens a text to so many characters.
func cutTo(text string, width int) string {
	r := []rune(text)
	if len(r) <= width {
		return text
	}
	return string(r[:max(0, width-3)]) + "..."
}

// spent writes seconds as hours, minutes and seconds.
func spent(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Truncate(time.Second).String()
}

// unlessNone writes a number that is not 0.
func unlessNone(n int64, one, more string) string {
	if n == 0 {
		return ""
	}
	return humanize.Many(n, one, more)
}

func progressText(p *control.Progress) string {
	if p == nil {
		return ""
	}
	text := fmt.Sprintf("%.0f%% of %s", 100*p.Share, p.Of)
	if p.Left > 0 {
		text += ", about " + roughly(time.Duration(p.Left*float64(time.Second))) + " left"
	}
	return text
}

// roughly writes a time by its two largest units.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24+.5))
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	if d < time.Second {
		return max(d, 0).Round(10 * time.Millisecond).String()
	}
	return fmt.Sprintf("%ds", int(d.Seconds()+.5))
}

// failuresText says how many pages failed, and the most frequent reason.
func failuresText(n gatecrawl.Tally) string {
	if n.Errors+n.Unanswered == 0 {
		return "0 failed"
	}
	kinds := slices.SortedFunc(maps.Keys(n.Failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(n.Failures[b].Count, n.Failures[a].Count), strings.Compare(a, b))
	})
	var parts []string
	for _, k := range kinds[:min(3, len(kinds))] {
		parts = append(parts, humanize.Count(n.Failures[k].Count)+" "+failureName(k))
	}
	return fmt.Sprintf("%s failed (%s)", humanize.Count(n.Errors+n.Unanswered), strings.Join(parts, ", "))
}

func parkedText(hosts, urls int64) string {
	if hosts == 0 {
		return ""
	}
	return fmt.Sprintf("%s parked with %s", humanize.Many(hosts, "host", "hosts"), humanize.Many(urls, "URL", "URLs"))
}

// waitsText names the hosts that are slowest, and what they wait for.
func waitsText(l control.Live, now time.Time) string {
	var parts []string
	named := make(map[string]bool)
	for _, h := range l.InHand {
		if h.Since != nil && now.Sub(*h.Since) >= time.Second && len(parts) < 2 {
			parts = append(parts, fmt.Sprintf("%s (no answer for %s)", h.Name, roughly(now.Sub(*h.Since))))
			named[h.Name] = true
		}
	}
	for _, h := range l.Failed {
		nothing := h.Queued == 0 && h.Later == 0 && h.InHand == 0 && h.Parked == nil
		if !nothing && !named[h.Name] && len(parts) < 3 {
			parts = append(parts, fmt.Sprintf("%s (%s)", h.Name, hostWaits(h, now)))
			named[h.Name] = true
		}
	}
	slow := slices.SortedFunc(slices.Values(l.Hosts), func(a, b hostRate) int { return cmp.Compare(b.TookMS, a.TookMS) })
	for _, h := range slow {
		if h.TookMS >= 500 && !named[h.Name] && len(parts) < 3 {
			parts = append(parts, fmt.Sprintf("%s (%.1fs a page)", h.Name, float64(h.TookMS)/1000))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "slow: " + strings.Join(parts, ", ")
}

// hostWaits says what a host waits for.
func hostWaits(h gatecrawl.HostState, now time.Time) string {
	switch {
	case h.ByHand && h.Parked != nil:
		return "parked by hand until " + humanize.Moment(*h.Parked)
	case h.Parked != nil:
		return fmt.Sprintf("parked until %s: %s", humanize.Moment(*h.Parked), h.Failure)
	case h.AtLimit:
		return "waits: the pages under way may reach the limit"
	case h.Since != nil:
		return "waits for an answer for " + roughly(now.Sub(*h.Since))
	case h.Held:
		return "has reached its limit of pages"
	case h.Due != nil && h.Failure != "":
		return fmt.Sprintf("tried again in %s: %s", roughly(h.Due.Sub(now)), h.Failure)
	case h.Due != nil && h.Due.After(now):
		rests := "rests for " + roughly(h.Due.Sub(now))
		if h.Rest > 0 {
			rests += fmt.Sprintf(" (%s between two requests: its Crawl-delay, or it is slow)", humanize.Seconds(h.Rest))
		}
		return rests
	case h.Queued == 0 && h.Again != nil:
		return fmt.Sprintf("tried again in %s: %s", roughly(h.Again.Sub(now)), cmp.Or(h.Failure, "a page failed"))
	case h.Queued == 0:
		return "has nothing queued"
	}
	return "waiting for its turn"
}
