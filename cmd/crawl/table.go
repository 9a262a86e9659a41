package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// A table aligns its columns, so it holds all rows until flush. Listings that
// may be long have columns of fixed width instead.
type table struct {
	w    *tabwriter.Writer
	head []string
	rows int
}

func newTable(w io.Writer, head ...string) *table {
	return &table{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), head: head}
}

// row adds a row, and the head before the first.
func (t *table) row(cells ...string) {
	if t.rows == 0 && len(t.head) > 0 {
		fmt.Fprintln(t.w, strings.Join(t.head, "\t"))
	}
	t.rows++
	fmt.Fprintln(t.w, strings.Join(cells, "\t"))
}

func (t *table) flush() error { return t.w.Flush() }

// many writes a number with the word for what is counted.
func many[N int | int64 | uint64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(int64(n)) + " " + more
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

func size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

func showStatus(w io.Writer, s gatecrawl.Status) error {
	t := newTable(w)
	state := "stopped"
	switch {
	case s.Running:
		state = fmt.Sprintf("running, %.0f pages/s now", s.NowPerSec)
	case s.Stopped != "":
		state = "stopped: " + s.Stopped
	case s.Active > 0:
		state = "was cut off in the middle; crawl run --job " + s.Job + " goes on"
	}
	t.row("job", s.Job+", "+state)
	t.row("started", moment(s.Created))
	t.row("crawled for", fmt.Sprintf("%s, %.0f pages/s", seconds(s.Active), s.PagesPerSec))
	t.row("pages", fmt.Sprintf("%s, of which %s: %s new, %s; and %s refused, %s failed",
		count(s.Pages), many(s.New+s.Copies, "is a document", "are documents"), count(s.New), many(s.Copies, "copy", "copies"), count(s.Refused), count(s.Failed)))
	t.row("bodies", fmt.Sprintf("%s, %s on the wire", size(s.Bytes), size(s.Wire)))
	t.row("queue", fmt.Sprintf("%s waiting, %s for another try, %s in hand, %s held; %s",
		count(s.Queued), count(s.Later), count(s.Leased), count(s.Held), many(s.Hosts, "host", "hosts")))
	if hosts := s.ParkedHosts - s.AsideHosts; hosts > 0 {
		t.row("parked", fmt.Sprintf("%s with %s in the queue",
			many(hosts, "host that does not answer or is too busy", "hosts that do not answer or are too busy"), many(s.Parked-s.Aside, "URL", "URLs")))
	}
	if s.AsideHosts > 0 {
		t.row("parked by hand", fmt.Sprintf("%s with %s in the queue", many(s.AsideHosts, "host", "hosts"), many(s.Aside, "URL", "URLs")))
	}
	t.row("met", many(s.Seen, "URL", "URLs"))
	if s.MoreLinks > 0 {
		t.row("links left out", count(s.MoreLinks)+" beyond the limit of a page (max-links)")
	}
	if s.Revisits > 0 {
		t.row("asked again", many(s.Revisits, "time for a page", "times for pages")+" that stayed what they were")
	}
	if s.Changes != nil {
		t.row("changes", changes(s.Changes))
	}
	if h := s.Harvest; h != nil {
		t.row("harvest", harvestText(h))
		t.row("topic", topicText(s.Job))
	}
	t.row("votes", count(s.Votes))
	for _, c := range []struct {
		name   string
		counts map[string]int64
	}{
		{"copies by level", levels(s.Levels)}, {"copies by class", s.Classes}, {"refused by rule", s.Rules},
		{"avoided by rule", s.Avoided}, {"failed by reason", s.Reasons}, {"http status", s.Statuses}, {"mirrors", s.Mirrors},
	} {
		if len(c.counts) > 0 {
			t.row(c.name, counts(c.counts))
		}
	}
	t.row("disk", size(s.DiskBytes))
	if s.MemoryBytes > 0 {
		t.row("memory", size(s.MemoryBytes))
	}
	return t.flush()
}

// counts writes counts by name, the largest first.
func counts(m map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return int(m[b] - m[a])
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, name+" "+count(m[name]))
	}
	return strings.Join(parts, ", ")
}

// levels names the levels of the gate: "bytes (3)" says more than "3".
func levels(m map[string]int64) map[string]int64 {
	named := make(map[string]int64, len(m))
	for level, n := range m {
		switch level {
		case "2":
			level = "site (2)"
		case "3":
			level = "bytes (3)"
		case "4":
			level = "body (4)"
		case "5":
			level = "near (5)"
		}
		named[level] = n
	}
	return named
}

// showPage writes one line of a listing that may be millions long.
func showPage(w io.Writer, p page.Record) error {
	status := "-"
	if p.Status > 0 {
		status = fmt.Sprint(p.Status)
	}
	note := ""
	switch p.Verdict {
	case page.VerdictCopy:
		note = fmt.Sprintf("  = %s (%s)", inArchive(p), likeness(p.Class, p.Level, p.Distance, p.Similarity))
	case page.VerdictRefused, page.VerdictFailed:
		note = "  (" + p.Reason + ")"
	}
	if p.ReplacedBy > 0 {
		note += fmt.Sprintf("  (changed: now %d)", p.ReplacedBy)
	}
	_, err := fmt.Fprintf(w, "%7d  %-7s  %3s  %s%s\n", p.Seq, p.Verdict, status, p.URL, note)
	return err
}

// inArchive names the page that another is a copy of, with the archive that has it where that
// is of an earlier crawl.
func inArchive(p page.Record) string {
	if p.Earlier() {
		return p.Of + " in " + p.Archive
	}
	return p.Of
}

// likeness tells how a copy resembles the kept page.
func likeness(class string, level, distance int, similarity float64) string {
	switch {
	case level == 0:
		return fmt.Sprintf("score %.2f", similarity) // by a method, which knows no class
	case level < 5:
		return fmt.Sprintf("%s, level %d", class, level)
	}
	return fmt.Sprintf("%s, level %d, distance %d, similarity %.2f", class, level, distance, similarity)
}

func showGroup(w io.Writer, g gatecrawl.Group, differs bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  (%s, on %s)\n", g.URL, many(len(g.Copies), "copy", "copies"), many(g.Degree, "other domain", "other domains"))
	showMembers(&b, g.Copies, differs)
	_, err := io.WriteString(w, b.String())
	return err
}

func showMembers(b *strings.Builder, copies []gatecrawl.Member, differs bool) {
	for _, c := range copies {
		fmt.Fprintf(b, "  %s  (%s)\n", c.URL, likeness(c.Class, c.Level, c.Distance, c.Similarity))
		if differs {
			showDiffers(b, "    ", c.Differs)
		}
	}
}

func showVerified(w io.Writer, v gatecrawl.Verified) error {
	_, err := fmt.Fprintf(w, "checked %s, %s in the queue, %s, %s kept, %s: %s\n",
		many(v.URLs, "URL", "URLs"), count(v.Queued), many(v.Pages, "page", "pages"), count(v.Kept),
		many(v.Votes, "vote", "votes"), many(v.Breaches, "breach", "breaches"))
	return err
}

// showWhy tells the story of one URL.
func showWhy(w io.Writer, y gatecrawl.Why) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nkey %s\n\n", y.URL, y.Key)
	whyFound(&b, y)
	whyLabel(&b, y)
	whyScore(&b, y)
	whyState(&b, y)
	if y.Page != nil {
		whyPage(&b, *y.Page)
	}
	if y.Frame != nil && y.Frame.Blocks > 0 {
		fmt.Fprintf(&b, "       body without %s that the host repeats (template %d)\n", many(y.Frame.Blocks, "block", "blocks"), y.Frame.Template)
	}
	if y.Page != nil && y.Kept != nil {
		whySides(&b, *y.Page, *y.Kept)
	}
	if y.Page != nil && len(y.Page.PartOf)+len(y.Page.Contains) > 0 {
		fmt.Fprintln(&b, "parts: in common with other kept pages")
		showParts(&b, "       ", *y.Page)
	}
	whyChanges(&b, y.Changes)
	whyVotes(&b, y)
	_, err := io.WriteString(w, b.String())
	return err
}

func whyFound(b *strings.Builder, y gatecrawl.Why) {
	switch {
	case y.From == "":
		fmt.Fprintln(b, "found: given as a seed")
	case y.Anchor != "":
		fmt.Fprintf(b, "found: on %s\n       by the link %q\n       %s from the nearest seed\n", y.From, y.Anchor, many(y.Depth, "link", "links"))
	default:
		fmt.Fprintf(b, "found: on %s\n       %s from the nearest seed\n", y.From, many(y.Depth, "link", "links"))
	}
}

func whyLabel(b *strings.Builder, y gatecrawl.Why) {
	if y.Label != "" {
		fmt.Fprintf(b, "label: %s\n", y.Label)
	}
}

func whyScore(b *strings.Builder, y gatecrawl.Why) {
	fmt.Fprintf(b, "score: %.2f\n", y.Score)
	for _, t := range y.Terms {
		fmt.Fprintf(b, "       %+.2f  %s: %s\n", t.Value, t.Name, t.Why)
	}
}

func whyState(b *strings.Builder, y gatecrawl.Why) {
	switch y.State {
	case "queued":
		fmt.Fprintln(b, "state: waits for its turn")
		whyHost(b, y.Host)
	case "leased":
		fmt.Fprintln(b, "state: is being fetched")
	case "later":
		fmt.Fprintf(b, "state: waits for another try, %d failed so far\n", y.Attempt)
		if y.NotTill != nil {
			fmt.Fprintf(b, "       not before %s\n", moment(*y.NotTill))
		}
		whyHost(b, y.Host)
	case "refused":
		fmt.Fprintf(b, "state: refused by rule %s: %s\n", y.Rule, y.Detail)
	case "done":
	default:
		fmt.Fprintf(b, "state: %s\n", y.State)
	}
}

// whyHost says what keeps a host from being asked.
func whyHost(b *strings.Builder, h *gatecrawl.HostState) {
	if h == nil {
		return
	}
	if h.Held {
		fmt.Fprintln(b, "host:  has used up --max-pages-per-host or --max-new-per-host: go on with a higher one")
	}
	if h.Failures == 0 {
		if h.Robots != "" {
			fmt.Fprintf(b, "host:  %s\n", h.Robots)
		}
		return
	}
	fmt.Fprintf(b, "host:  failed %s in a row: %s\n", many(h.Failures, "request", "requests"), h.Failure)
	if h.Parked != nil {
		fmt.Fprintf(b, "       parked until %s, or until the next run\n", moment(*h.Parked))
	}
}

func whyPage(b *strings.Builder, p page.Record) {
	fmt.Fprintf(b, "page:  number %s in crawl order\n", count(int64(p.Seq)))
	if !p.Fetched.IsZero() {
		fmt.Fprintf(b, "       fetched %s, took %d ms", moment(p.Fetched), p.TookMS)
		if p.Status > 0 {
			fmt.Fprintf(b, ", http %d, %s, %s", p.Status, p.Type, size(p.Bytes))
		}
		fmt.Fprintln(b)
	}
	if p.Truncated {
		fmt.Fprintf(b, "       its body was cut off at %s: max-body is the limit, or the server broke off\n", size(p.Bytes))
	}
	if p.MoreLinks > 0 {
		fmt.Fprintf(b, "       %s taken, and %s not: max-links is the limit\n", many(p.Links, "link was", "links were"), many(p.MoreLinks, "was", "were"))
	}
	if p.Revisit != "" {
		fmt.Fprintf(b, "       asked for again %s: %s\n", moment(p.Revisited), p.Revisit)
	}
	if p.Title != "" {
		fmt.Fprintf(b, "       title %q\n", p.Title)
	}
	if p.Relevance > 0 {
		fmt.Fprintf(b, "       relevance %.2f, where 1 is what the best pages of the topic reach\n", p.Relevance)
	}
	fmt.Fprintf(b, "gate:  %s", p.Verdict)
	if p.Verdict == page.VerdictCopy {
		fmt.Fprintf(b, " of %s\n       %s", inArchive(p), likeness(p.Class, p.Level, p.Distance, p.Similarity))
	}
	if p.Reason != "" {
		fmt.Fprintf(b, "\n       %s", p.Reason)
	}
	fmt.Fprintln(b)
}

func whyVotes(b *strings.Builder, y gatecrawl.Why) {
	if y.Page == nil || y.Page.Verdict != page.VerdictNew {
		return
	}
	fmt.Fprintf(b, "votes: %s shown, on %s; a re-crawl now would queue it with the score %.2f\n",
		many(len(y.Copies), "copy", "copies"), many(y.Degree, "other domain", "other domains"), y.Next)
	showMembers(b, y.Copies, false)
}
