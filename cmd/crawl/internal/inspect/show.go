package inspect

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/topics"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

// mostSlow is how many hosts status looks at, those with the longest queues.
const mostSlow = 5

// slowHosts returns the slow ones of the hosts with the longest queues.
func slowHosts(a *cli.Asker, cmd *cobra.Command, s gatecrawl.Status) (slow []gatecrawl.HostState, err error) {
	if a.Cluster.Given() || s.Queued == 0 {
		return nil, nil // only the nodes know the hosts of a cluster
	}
	err = cli.Each(a, cmd, control.Question{Verb: "hosts", Limit: mostSlow}, func(h gatecrawl.HostState) error {
		if isSlow(h) {
			slow = append(slow, h)
		}
		return nil
	})
	return slow, err
}

// isSlow reports whether a host with URLs in its queue rests for longer than the delay, and for a tenth of a
// second: next to a delay of milliseconds every host is slow.
func isSlow(h gatecrawl.HostState) bool { return h.Rest >= 0.1 && h.Queued > 0 }

func showStatus(w io.Writer, s gatecrawl.Status, slow []gatecrawl.HostState) error {
	t := console.NewTable(w)
	state := "stopped"
	switch {
	case s.Running && s.Paused:
		state = "paused: crawl resume lets it go on"
	case s.Running && s.QuietUntil != nil:
		state = "running, but fetches nothing in its quiet hours, until " + humanize.Moment(*s.QuietUntil)
	case s.Running:
		state = fmt.Sprintf("running, %.0f pages/s now", s.NowPerSec)
	case s.Stopped != "":
		state = "stopped: " + s.Stopped
	case s.Active > 0:
		state = "did not end by itself: it was killed, a second Ctrl-C stopped it at once, or its disk was full; crawl run --job " + cli.Quoted(s.Job) + " goes on"
	}
	if s.NextRun != nil {
		state += "; the next run starts at " + humanize.Moment(*s.NextRun)
	}
	t.Row("job", s.Job+", "+state)
	for _, what := range s.Away {
		t.Row("not counted", what)
	}
	for _, what := range s.Resting {
		t.Row("resting", what)
	}
	t.Row("started", humanize.Moment(s.Created))
	t.Row("crawled for", fmt.Sprintf("%s, %.0f pages/s", humanize.Seconds(s.Active), s.PagesPerSec))
	t.Row("pages", fmt.Sprintf("%s, of which %s: %s new, %s; and %s refused, %s failed",
		humanize.Count(s.Pages-s.Older), humanize.Many(s.New+s.Copies, "is a document", "are documents"), humanize.Count(s.New), humanize.Many(s.Copies, "copy", "copies"), humanize.Count(s.Refused), humanize.Count(s.Failed)))
	if s.Older > 0 {
		t.Row("older versions", humanize.Count(s.Older)+" in addition to these pages: what they were before they changed")
	}
	t.Row("bodies", fmt.Sprintf("%s, %s on the wire", humanize.Size(s.Bytes), humanize.Size(s.Wire)))
	t.Row("queue", fmt.Sprintf("%s waiting, %s for another try, %s in hand, %s held; %s",
		humanize.Count(s.Queued), humanize.Count(s.Later), humanize.Count(s.Leased), humanize.Count(s.Held), humanize.Many(s.Hosts, "host", "hosts")))
	for _, h := range slow {
		t.Row("slow", fmt.Sprintf("%s rests %s between two requests (its Crawl-delay, or it is slow); %s in its queue",
			h.Name, humanize.Seconds(h.Rest), humanize.Many(h.Queued, "URL", "URLs")))
	}
	if hosts := s.ParkedHosts - s.AsideHosts; hosts > 0 {
		t.Row("parked", fmt.Sprintf("%s with %s in the queue",
			humanize.Many(hosts, "host that does not answer or is too busy", "hosts that do not answer or are too busy"), humanize.Many(s.Parked-s.Aside, "URL", "URLs")))
	}
	if s.AsideHosts > 0 {
		t.Row("parked by hand", fmt.Sprintf("%s with %s in the queue", humanize.Many(s.AsideHosts, "host", "hosts"), humanize.Many(s.Aside, "URL", "URLs")))
	}
	t.Row("met", humanize.Many(s.Seen, "URL", "URLs"))
	if s.MoreLinks > 0 {
		t.Row("links left out", humanize.Count(s.MoreLinks)+" beyond the limit of a page (max-links)")
	}
	if n := len(s.Unread); n > 0 {
		text := s.Unread[0]
		if n > 1 {
			text = humanize.Many(n, "sitemap", "sitemaps") + " that robots.txt names, the first: " + text
		} else {
			text = "the sitemap that robots.txt names: " + text
		}
		t.Row("not read", text+"; crawl run -u reads it")
	}
	if s.Unrendered > 0 {
		t.Row("scripts", humanize.Many(s.Unrendered, "page whose scripts did not run to their end, and that was read as it was sent", "pages whose scripts did not run to their end, and that were read as they were sent"))
	}
	if s.Revisits > 0 {
		t.Row("asked again", humanize.Many(s.Revisits, "time for a page", "times for pages")+" that stayed what they were")
	}
	if s.Changes != nil {
		t.Row("changes", changes(s.Changes))
	}
	if h := s.Harvest; h != nil {
		t.Row("harvest", topics.HarvestText(h))
		if len(s.BestHosts) > 0 {
			t.Row("best hosts", topics.BestText(s.BestHosts, len(s.BestHosts))+" answers (mean relevance)")
		}
		if s.Head != nil {
			t.Row("best in queue", fmt.Sprintf("a score of %.1f", *s.Head))
		}
		t.Row("topic", topics.Text(s.Topic))
		if s.Topic != nil {
			t.Row("threshold", fmt.Sprintf("a page is on the topic from relevance %.2f on (focus-threshold)", s.Topic.Threshold))
			for _, line := range topics.GapsText(s.Topic) {
				t.Row("not found", line)
			}
			if ends := topics.EndText(s.Topic, h); ends != "" {
				t.Row("ends", ends)
			}
		}
	}
	t.Row("votes", humanize.Count(s.Votes))
	for _, c := range []struct {
		name   string
		counts map[string]int64
	}{
		{"copies by level", cli.Levels(s.Levels)}, {"copies by class", s.Classes}, {"refused by rule", s.Rules},
		{"avoided by rule", s.Avoided}, {"failed by reason", s.Reasons}, {"http status", s.Statuses}, {"mirrors", s.Mirrors},
	} {
		if len(c.counts) > 0 {
			t.Row(c.name, humanize.Counts(c.counts))
		}
	}
	t.Row("disk", humanize.Size(s.DiskBytes))
	if s.MemoryBytes > 0 {
		t.Row("memory", humanize.Size(s.MemoryBytes))
	}
	return t.Flush()
}

func showGroup(w io.Writer, g gatecrawl.Group, differs bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  (%s, on %s)\n", g.URL, humanize.Many(len(g.Copies), "copy", "copies"), humanize.Many(g.Degree, "other domain", "other domains"))
	showMembers(&b, g.Copies, differs)
	_, err := io.WriteString(w, b.String())
	return err
}

func showMembers(b *strings.Builder, copies []gatecrawl.Member, differs bool) {
	for _, c := range copies {
		fmt.Fprintf(b, "  %s  (%s)\n", c.URL, cli.Likeness(c.Class, c.Level, c.Distance, c.Similarity))
		if differs {
			showDiffers(b, "    ", c.Differs)
		}
	}
}

func showVerified(w io.Writer, v gatecrawl.Verified) error {
	_, err := fmt.Fprintf(w, "checked %s, %s in the queue, %s, %s kept, %s: %s\n",
		humanize.Many(v.URLs, "URL", "URLs"), humanize.Count(v.Queued), humanize.Many(v.Pages, "page", "pages"), humanize.Count(v.Kept),
		humanize.Many(v.Votes, "vote", "votes"), humanize.Many(v.Breaches, "breach", "breaches"))
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
		whyCompared(&b, y)
	}
	if y.With != "" {
		fmt.Fprintf(&b, "       the kept page was %s then\n", y.With)
	}
	if y.Frame != nil && y.Frame.Blocks > 0 {
		fmt.Fprintf(&b, "       body without %s that the host repeats (template %d)\n", humanize.Many(y.Frame.Blocks, "block", "blocks"), y.Frame.Template)
	}
	if y.Page != nil && y.Kept != nil {
		whySides(&b, *y.Page, *y.Kept)
	}
	if y.Page != nil && len(y.Page.PartOf)+len(y.Page.Contains) > 0 {
		fmt.Fprintln(&b, "parts: in common with other kept pages")
		ShowParts(&b, "       ", *y.Page)
	}
	whyChanges(&b, y.Changes)
	whyVotes(&b, y)
	_, err := io.WriteString(w, b.String())
	return err
}

// mostApart is how many other documents why shows that resemble a page.
const mostApart = 3

// showApart shows which kept pages a kept page resembles, and why it is no copy of them.
func showApart(a *cli.Asker, cmd *cobra.Command, p page.Record) error {
	if p.Verdict != page.VerdictNew {
		return nil
	}
	title := "apart: it resembles these, and is another document\n"
	q := control.Question{Verb: "near", URL: p.URL, Limit: mostApart, Parts: control.PartApart}
	err := cli.Each(a, cmd, q, func(m gatecrawl.Member) error {
		if m.Apart == "" {
			return nil
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s       %s  (similarity %.2f: %s)\n", title, m.URL, m.Similarity, m.Apart)
		title = ""
		return err
	})
	if errors.Is(err, gatecrawl.ErrUnknown) {
		return nil // nothing of it is kept
	}
	return err
}

func whyFound(b *strings.Builder, y gatecrawl.Why) {
	switch {
	case y.From == "":
		fmt.Fprintln(b, "found: given as a seed")
	case y.Anchor != "":
		fmt.Fprintf(b, "found: on %s\n       by the link %q\n       %s from the nearest seed\n", y.From, y.Anchor, humanize.Many(y.Depth, "link", "links"))
	default:
		fmt.Fprintf(b, "found: on %s\n       %s from the nearest seed\n", y.From, humanize.Many(y.Depth, "link", "links"))
	}
}

func whyLabel(b *strings.Builder, y gatecrawl.Why) {
	if y.Label != "" {
		fmt.Fprintf(b, "label: %s\n", y.Label)
	}
}

func whyScore(b *strings.Builder, y gatecrawl.Why) {
	fmt.Fprintf(b, "score: %.2f, the sum of its terms; of a host's URLs the highest comes first, and those found only on copies, far below 0, last\n", y.Score)
	sum := float32(0)
	for _, t := range y.Terms {
		fmt.Fprintf(b, "       %+.2f  %s: %s\n", t.Value, t.Name, t.Why)
		sum += t.Value
	}
	since := ""
	switch {
	case y.State == "done" && y.Page != nil && y.Page.Revisited.IsZero() && y.Page.Replaces == 0:
		since = "it was fetched"
	case y.State == "queued", y.State == "leased", y.State == "later":
		since = "it got its place in the queue"
	default:
		return
	}
	if change := sum - y.Score; max(change, -change) >= .005 {
		fmt.Fprintf(b, "       these are the terms by now, %.2f in all: %+.2f since %s\n", sum, change, since)
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
		fmt.Fprintf(b, "state: waits for a retry; failed tries so far: %d\n", y.Attempt)
		if y.NotTill != nil {
			fmt.Fprintf(b, "       not before %s\n", humanize.Moment(*y.NotTill))
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
	fmt.Fprintf(b, "host:  failed %s in a row: %s\n", humanize.Many(h.Failures, "request", "requests"), h.Failure)
	if h.Parked != nil {
		fmt.Fprintf(b, "       parked until %s, or until the next run\n", humanize.Moment(*h.Parked))
	}
}

func whyPage(b *strings.Builder, p page.Record) {
	fmt.Fprintf(b, "page:  number %s in crawl order\n", humanize.Count(p.Seq))
	if !p.Fetched.IsZero() {
		fmt.Fprintf(b, "       fetched %s, took %d ms", humanize.Moment(p.Fetched), p.TookMS)
		if p.Status > 0 {
			fmt.Fprintf(b, ", http %d", p.Status)
			if p.Type != "" { // redirects have none
				fmt.Fprintf(b, ", %s", p.Type)
			}
			fmt.Fprintf(b, ", %s", humanize.Size(p.Bytes))
		}
		fmt.Fprintln(b)
	}
	if p.Truncated {
		fmt.Fprintf(b, "       its body was cut off at %s: max-body is the limit, or the server broke off\n", humanize.Size(p.Bytes))
	}
	if p.TextError != "" {
		fmt.Fprintf(b, "       its text could not be read: %s\n", p.TextError)
	}
	if why, failed := strings.CutPrefix(p.Render, page.RenderFailed); failed {
		fmt.Fprintf(b, "       read as it was sent, since its scripts did not run to their end: %s\n", why)
	}
	if p.MoreLinks > 0 {
		fmt.Fprintf(b, "       %s taken, and %s not: max-links is the limit\n", humanize.Many(p.Links, "link was", "links were"), humanize.Many(p.MoreLinks, "was", "were"))
	}
	if p.Revisit != "" {
		fmt.Fprintf(b, "       visited again %s: %s\n", humanize.Moment(p.Revisited), p.Revisit)
	}
	if p.Title != "" {
		fmt.Fprintf(b, "       title %q\n", p.Title)
	}
	if p.Relevance > 0 {
		fmt.Fprintf(b, "       relevance %.2f, where 1 is what the best pages of the topic reach\n", p.Relevance)
	}
	if p.OffTopic {
		b.WriteString("       off the topic by what was learned after it was kept: exports leave it out, and --relevance 0 writes it too\n")
	}
	fmt.Fprintf(b, "gate:  %s", p.Verdict)
	if p.Verdict == page.VerdictCopy {
		fmt.Fprintf(b, " of %s\n       %s", cli.InArchive(p), cli.Likeness(p.Class, p.Level, p.Distance, p.Similarity))
	}
	if p.Reason != "" {
		fmt.Fprintf(b, "\n       %s", p.Reason)
	}
	fmt.Fprintln(b)
}

// whyCompared says of a near copy what was compared. If its share is more than the words of both pages allow, or all of what was
// compared is the same and the pages differ, it was a part of them.
func whyCompared(b *strings.Builder, y gatecrawl.Why) {
	p := y.Page
	if p.Verdict != page.VerdictCopy || p.Level != int(dedup.LevelNear) {
		return
	}
	var rest []string
	if y.Kept != nil && y.With == "" {
		less, more := min(p.BodyTokens, y.Kept.BodyTokens), max(p.BodyTokens, y.Kept.BodyTokens)
		if less > 0 && p.Similarity*float64(more) >= float64(less)+0.01*float64(more) {
			rest = append(rest, fmt.Sprintf("of all %s and %s words at most %d%% can be the same", humanize.Count(p.BodyTokens), humanize.Count(y.Kept.BodyTokens), 100*less/more))
		}
	}
	if differOutside(p) {
		rest = append(rest, "the rest is not the same, see below")
	}
	if rest == nil {
		b.WriteString("       compared were the texts as they are, without what the other page's site repeats, and the bodies alone: the share is of the pair most alike\n")
		return
	}
	fmt.Fprintf(b, "       compared was a part of each page, its body alone or its text without what the other page's site repeats: %s\n", strings.Join(rest, ", and "))
}

// differOutside reports whether a near copy differs from its kept page although all of what was compared is the same.
func differOutside(p *page.Record) bool {
	return p.Level == int(dedup.LevelNear) && p.Similarity >= 1 && p.Differs != nil && !p.Differs.IsZero()
}

func whyVotes(b *strings.Builder, y gatecrawl.Why) {
	if y.Page == nil || y.Page.Verdict != page.VerdictNew {
		return
	}
	shown := ""
	if y.More > 0 {
		shown = fmt.Sprintf(", of which %d are shown (crawl dups lists all)", len(y.Copies))
	}
	fmt.Fprintf(b, "votes: %s%s, on %s; a re-crawl now would queue it with the score %.2f (highest first: a re-crawl starts with pages that have probably changed)\n",
		humanize.Many(len(y.Copies)+y.More, "copy", "copies"), shown, humanize.Many(y.Degree, "other domain", "other domains"), y.Next)
	showMembers(b, y.Copies, false)
}

// whyChanges says how often a page changes.
func whyChanges(b *strings.Builder, r *gatecrawl.ChangeRate) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "again: %s; with %s it has changed since\n", changes(r), humanize.Percent(r.Stale))
}

// changes says how often what was found changed.
func changes(r *gatecrawl.ChangeRate) string {
	said := fmt.Sprintf("visited %s, changed %s", humanize.Many(r.Visits, "more time", "more times"), humanize.Many(r.Changes, "time", "times"))
	switch often := 24.; { // once an hour: visits in one go say no more of a day
	case r.Changes == 0 || r.PerDay == 0 || r.Changes == 1 && r.PerDay > often:
	case r.PerDay > often:
		said += ", more than once an hour"
	default:
		said += fmt.Sprintf(", about %.2g changes a day", r.PerDay)
	}
	return said
}
