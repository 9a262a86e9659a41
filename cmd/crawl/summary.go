package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/topics"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

// tellEnd prints what a run brought, why pages failed, and what can be done next.
func (j *job) tellEnd(r result) {
	w := j.screen
	when := ""
	if r.before > 0 {
		when = ", in all runs"
	}
	if r.refusedAll() {
		fmt.Fprintf(w, "no page was fetched: all URLs are refused%s; crawl why --job %s URL says why\n", byRule(r.Rules), cli.Quoted(j.dir))
	} else if r.Ended == gatecrawl.Done && r.didNothing() {
		fmt.Fprintf(w, "nothing left to do: %s in %s, see crawl status --job %s\n", humanize.Many(r.Pages-r.Older, "page is", "pages are"), j.dir, cli.Quoted(j.dir))
	} else {
		fmt.Fprintf(w, "%s: %s\n", r.Ended, ranLine(r.Run))
		tellFailures(w, r.Run)
		j.tellOrders(r.Run)
		if t := r.Run.Textless; t != nil {
			cli.TellTextless(w, t.Count, t.URL, t.Reason)
		}
		if u := r.Run.Unrendered; u != nil {
			tellUnrendered(w, u)
		}
		if s := r.Run.Sitemaps; s != nil && j.settings.Depth != 0 {
			j.tellUnread(s)
		}
		if later := r.keptBefore + r.Run.New - r.New; r.before > 0 || later > 0 {
			line := fmt.Sprintf("the job has %s: %s, %s", humanize.Many(r.Pages-r.Older, "page", "pages"), humanize.Count(r.New)+" kept", humanize.Many(r.Copies, "copy", "copies"))
			if later > 0 && r.Run.Again() == 0 { // pages that are asked for again leave and join the kept ones in other ways too
				seen := humanize.Many(later, "of the new ones was seen to be a copy", "of the new ones were seen to be copies")
				if r.before > 0 { // perhaps of an earlier run
					seen = humanize.Many(later, "that was kept was seen to be a copy", "that were kept were seen to be copies")
				}
				line += fmt.Sprintf("; %s later", seen)
			}
			fmt.Fprintln(w, line)
		}
	}
	if r.isEmpty() && r.Fetched > 0 {
		fmt.Fprintf(w, "the job has no document: crawl pages --job %s shows what its URLs answered\n", cli.Quoted(j.dir))
	}
	if r.Requisites+r.Unmet > 0 {
		fmt.Fprintf(w, "%s that pages need, %s%s; failed or refused: %s\n",
			humanize.Many(r.Requisites, "file", "files"), humanize.Size(r.RequisiteBytes), when, humanize.Count(r.Unmet))
	}
	tellAvoided(w, r.Totals, when)
	if n := r.Run.Released; n > 0 {
		fmt.Fprintf(w, "%s at the end: off the topic when fetched first, and on it by what was learned later\n", humanize.Many(n, "page was asked for again", "pages were asked for again"))
	}
	if h := r.Harvest; h != nil && h.Answers > 0 {
		fmt.Fprintf(w, "harvest%s: %s\n", when, topics.HarvestText(h))
		if off := r.New - h.OnTopic; j.settings.FocusKeep && off > 0 {
			fmt.Fprintf(w, "%s off the topic by what was learned later: crawl export leaves such pages out, --relevance 0 writes them too\n", humanize.Many(off, "kept page is", "kept pages are"))
		}
		if h.OnTopic == 0 {
			fmt.Fprintln(w, "no page is on the topic: other words for --topic, or pages for --like, may say better what it is")
		}
		for _, line := range topics.GapsText(r.Topic) {
			fmt.Fprintln(w, line)
		}
	}
	if m := r.Mirrors; m["found"] > 0 {
		fmt.Fprintf(w, "%s%s: crawl mirrors --job %s\n",
			humanize.Many(m["found"], "site was", "sites were")+" found to mirror another", withdrawn(m["given-up"]), cli.Quoted(j.dir))
	}
	if n := r.Run.Abroad; r.Mirrors["found"] == 0 && n >= manyAbroad && 5*n >= r.Run.Fetched {
		fmt.Fprintf(w, "%s of the copies are those of pages on other hosts, and no site was left out as a mirror: crawl mirrors --job %s says why\n", humanize.Count(n), cli.Quoted(j.dir))
	}
	if r.reachedBefore() {
		instead := ""
		if r.Ended == gatecrawl.PageLimit {
			instead = "; --recrawl visits its pages again"
		}
		fmt.Fprintf(w, "the job had reached its --%s before this run: until it is raised no more pages are fetched%s\n", r.Ended.Setting(), instead)
	}
	if r.Ended != gatecrawl.Done {
		fmt.Fprintf(w, "go on with: %s\n", j.goOn(r))
	}
	if r.Held > 0 {
		fmt.Fprintf(w, "%s on hosts that have used up --max-pages-per-host or --max-new-per-host: go on with a higher one\n",
			humanize.Many(r.Held, "URL waits", "URLs wait"))
	}
	if r.AsideHosts > 0 {
		fmt.Fprintf(w, "%s on %s: crawl set --job %s --park HOST=0s makes the crawl ask one again\n",
			humanize.Many(r.Aside, "URL waits", "URLs wait"), humanize.Many(r.AsideHosts, "host that was parked by hand", "hosts that were parked by hand"), cli.Quoted(j.dir))
	}
	if urls, hosts := r.Parked-r.Aside, r.ParkedHosts-r.AsideHosts; hosts > 0 {
		fmt.Fprintf(w, "%s: tried again by %s\n", waitsOn(urls, hosts), j.resume())
		if f := r.Run.LastTry; f != nil {
			fmt.Fprintf(w, "the last try: %s: %s\n", f.URL, f.Reason)
		}
	} else if n := r.Run.Seeds; n > 0 && !r.isEmpty() && r.Ended == gatecrawl.Done {
		fmt.Fprintf(w, "%s not answer: tried again by %s\n", humanize.Many(n, "seed did", "seeds did"), j.resume())
	}
}

// manyAbroad is how many copies of pages on other hosts may be those of a mirror.
const manyAbroad = 20

// tellOrders prints what can be done if most pages were left out because their owners want it so: by noindex, nofollow or
// robots.txt.
func (j *job) tellOrders(n gatecrawl.Tally) {
	w := j.screen
	if n.Forbidden > 0 && n.Forbidden >= 10*n.Fetched {
		fmt.Fprintf(w, "robots.txt forbids a crawler named %s nearly all that the run came to, and no setting changes that: crawl why --job %s URL shows the line that forbids a URL, and the site's owner can allow the name\n",
			j.settings.FetchOptions("").Token, cli.Quoted(j.dir))
	}
	read := n.New + n.Copies + n.Unchanged + n.Edited + n.Changed + n.NoIndex + n.OffTopic + n.ErrorPages
	var said, then []string
	if n.NoIndex > read/2 {
		said, then = append(said, fmt.Sprintf("%s of %s noindex, so that no document is kept there", humanize.Count(n.NoIndex), humanize.Many(read, "page says", "pages say"))), append(then, "keeps them")
	}
	if n.NoFollow > read/2 {
		said, then = append(said, fmt.Sprintf("%s of %s nofollow, so that no link there is followed", humanize.Count(n.NoFollow), humanize.Many(read, "page says", "pages say"))), append(then, "follows their links")
	}
	if len(said) > 0 {
		fmt.Fprintf(w, "%s: crawl run --job %s --obey-meta=false asks for them again and %s\n", strings.Join(said, "; "), cli.Quoted(j.dir), strings.Join(then, " and "))
	}
}

// tellUnrendered prints in one line whose scripts did not run to their end, and why for the first page.
func tellUnrendered(w io.Writer, f *gatecrawl.Failure) {
	if f.Count == 1 {
		fmt.Fprintf(w, "read as it was sent, since its scripts did not run to their end: %s\n", f.Reason)
		return
	}
	fmt.Fprintf(w, "read as they were sent, since their scripts did not run to their end: %s, the first: %s\n", humanize.Many(f.Count, "page", "pages"), f.Reason)
}

// tellUnread prints in a line that robots.txt names sitemaps which were not read, and what reads one. With
// --sitemaps a later run of the job reads those of sites whose robots.txt it fetches again.
func (j *job) tellUnread(f *gatecrawl.Failure) {
	first := ""
	if f.Count > 1 {
		first = ", the first"
	}
	fmt.Fprintf(j.screen, "not read in this run, since --sitemaps is off: %s%s: %s; %s -u %s reads it\n",
		humanize.Many(f.Count, "sitemap that robots.txt names", "sitemaps that robots.txt names"), first, f.URL, j.resume(), cli.Quoted(f.URL))
}

// waitsOn says how many URLs wait for hosts that rest; none if the last one waits for a retry.
func waitsOn(urls, hosts int64) string {
	if urls == 0 {
		return humanize.Many(hosts, "host does not answer or is too busy", "hosts do not answer or are too busy")
	}
	return humanize.Many(urls, "URL waits", "URLs wait") + " on " + humanize.Many(hosts, "host that does not answer or is too busy", "hosts that do not answer or are too busy")
}

// ranLine describes a run in a line: documents first, then the other answers.
func ranLine(n gatecrawl.Tally) string {
	parts := []string{humanize.Count(n.New) + " new"}
	also := func(count int64, one, more string) {
		if count > 0 {
			parts = append(parts, humanize.Many(count, one, more))
		}
	}
	if n.Again() > 0 {
		parts = append(parts, againParts(n)...)
	} else if n.Copies == 0 {
		parts = append(parts, "0 copies")
	}
	also(n.Copies, "copy", "copies")
	if n.Known > 0 {
		parts[len(parts)-1] += fmt.Sprintf(" (%s of documents of earlier crawls)", humanize.Count(n.Known))
	}
	also(n.Redirects, "redirect", "redirects")
	also(n.Errors, "error", "errors")
	also(n.NoIndex, "noindex", "noindex")
	also(n.OffTopic, "off the topic", "off the topic")
	also(n.ErrorPages, "error page with status 200", "error pages with status 200")
	also(n.Others-n.NoIndex-n.OffTopic-n.ErrorPages, "other", "others")
	line := fmt.Sprintf("%s fetched in %s: %s", humanize.Many(n.Fetched, "page", "pages"), humanize.Seconds(n.Seconds), strings.Join(parts, ", "))
	parts = parts[:0]
	also(n.Forbidden, "forbidden by robots.txt", "forbidden by robots.txt")
	also(n.Excluded, "left out by a rule", "left out by rules")
	also(n.Unanswered, "without an answer", "without an answer")
	if len(parts) > 0 {
		line += "; not fetched: " + strings.Join(parts, ", ")
	}
	return line
}

// againParts describes what was found for documents that were visited again.
func againParts(n gatecrawl.Tally) []string {
	parts := []string{humanize.Count(n.Changed) + " changed"}
	if n.Edited > 0 {
		parts = append(parts, humanize.Count(n.Edited)+" edited")
	}
	same := humanize.Count(n.Unchanged) + " unchanged"
	if n.Promoted > 0 {
		same += fmt.Sprintf(" (%s kept now that the former kept page is gone or has changed)", humanize.Many(n.Promoted, "copy", "copies"))
	}
	return append(parts, same, humanize.Count(n.Gone)+" gone")
}

// hostOf returns the host of a URL, with its port.
func hostOf(text string) string {
	if u, err := url.Parse(text); err == nil {
		return u.Host
	}
	return text
}

// failuresTold is how many kinds of failure the summary lists.
const failuresTold = 8

// tellFailures prints why pages failed, the most frequent kind first.
func tellFailures(w io.Writer, n gatecrawl.Tally) {
	kinds := slices.SortedFunc(maps.Keys(n.Failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(n.Failures[b].Count, n.Failures[a].Count), strings.Compare(a, b))
	})
	rest := int64(0)
	for i, kind := range kinds {
		f := n.Failures[kind]
		if i >= failuresTold {
			rest += f.Count
			continue
		}
		line := fmt.Sprintf("failed: %s %s", humanize.Count(f.Count), failureName(kind))
		if f.Count > 1 {
			line += ", the first"
		}
		line += ": " + f.URL
		if f.Reason != kind {
			line += ": " + strings.TrimPrefix(f.Reason, kind+": ")
		}
		fmt.Fprintln(w, line)
		if host := hostOf(f.URL); fetch.Phase(kind) == fetch.PhaseTLS {
			fmt.Fprintf(w, "a certificate of your own is trusted with --ca-file FILE; --insecure %s does not check that host's\n", host)
		}
	}
	if rest > 0 {
		fmt.Fprintf(w, "failed: %s for other reasons: see crawl pages --verdict failed\n", humanize.Count(rest))
	}
}

// failureName returns a kind of failure in words.
func failureName(kind string) string {
	switch fetch.Phase(kind) {
	case fetch.PhaseURL:
		return "not a URL to ask for"
	case fetch.PhaseDNS:
		return "host not found"
	case fetch.PhaseAddress:
		return "at an IP address that is not allowed"
	case fetch.PhaseConnect:
		return "no connection"
	case fetch.PhaseProxy:
		return "no proxy"
	case fetch.PhaseTLS:
		return "no secure connection"
	case fetch.PhaseHeader:
		return "connection lost"
	case fetch.PhaseProtocol:
		return "not HTTP"
	case fetch.PhaseBody:
		return "unreadable body"
	case fetch.PhaseTimeout:
		return "timed out"
	}
	return kind
}

// tellRules prints which entries of users' lists are not used: the first few, and how many there
// are.
func (j *job) tellRules() func(error) {
	const shown = 5
	n := 0
	return func(err error) {
		if n++; n <= shown {
			fmt.Fprintln(j.screen, err)
		}
		if n == shown+1 {
			fmt.Fprintln(j.screen, "more entries of these lists are not followed")
		}
	}
}

// tellAvoided prints in a line what learned rules and mirrors saved in the job; when says in which
// runs.
func tellAvoided(w io.Writer, t page.Totals, when string) {
	avoided, m := make(map[string]int64), t.Mirrors
	maps.Copy(avoided, t.Avoided)
	mirrored := t.Rules[gatecrawl.RuleMirror]
	if t.Rules[gatecrawl.RuleDust]+t.Reopened+mirrored+m["reopened"] == 0 {
		return
	}
	if mirrored > 0 {
		avoided[gatecrawl.RuleMirror] = mirrored
	}
	kinds := ""
	if len(avoided) > 0 {
		kinds = " (" + humanize.Counts(avoided) + ")"
	}
	fmt.Fprintf(w, "not fetched as known duplicates%s: %s%s; spot checks %s, wrong %s, queued again %s\n",
		when, humanize.Count(t.Rules[gatecrawl.RuleDust]+mirrored), kinds, humanize.Count(t.Explored+m["explored"]), humanize.Count(t.Wrong+m["wrong"]), humanize.Count(t.Reopened+m["reopened"]))
}

// byRule says how many URLs each rule refuses, the highest number first.
func byRule(rules map[string]int64) string {
	var parts []string
	for _, rule := range slices.SortedFunc(maps.Keys(rules), func(a, b string) int {
		return cmp.Or(cmp.Compare(rules[b], rules[a]), strings.Compare(a, b))
	}) {
		parts = append(parts, fmt.Sprintf("%s by the rule %q", humanize.Many(rules[rule], "URL", "URLs"), rule))
	}
	return ", " + strings.Join(parts, ", ")
}
