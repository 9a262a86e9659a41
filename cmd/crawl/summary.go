package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
)

// tellEnd says what a run brought, why pages failed, and what can be done next.
func (j *job) tellEnd(r result) {
	w := j.screen
	when := ""
	if r.began > 0 {
		when = ", in all runs"
	}
	if r.Ended == gatecrawl.Done && r.Run.Fetched+r.Run.Forbidden+r.Run.Unanswered+r.Run.Retries == 0 {
		fmt.Fprintf(w, "nothing left to do: %s in %s, see crawl status --job %s\n", many(r.Pages, "page is", "pages are"), j.dir, j.dir)
	} else {
		fmt.Fprintf(w, "%s: %s\n", r.Ended, ranLine(r.Run))
		tellFailures(w, r.Run)
		if r.began > 0 {
			fmt.Fprintf(w, "the job has %s: %s, %s\n", many(r.Pages, "page", "pages"), many(r.New, "document", "documents"), many(r.Copies, "copy", "copies"))
		}
	}
	if r.Requisites+r.Unmet > 0 {
		fmt.Fprintf(w, "%s that pages need, %s%s; not to be had: %s\n",
			many(r.Requisites, "file", "files"), size(r.RequisiteBytes), when, count(r.Unmet))
	}
	tellAvoided(w, r.Totals, when)
	if m := r.Mirrors; m["found"] > 0 {
		fmt.Fprintf(w, "%s%s: crawl mirrors --job %s\n",
			many(m["found"], "site was", "sites were")+" found to mirror another", withdrawn(m["given-up"]), j.dir)
	}
	if r.Ended != gatecrawl.Done {
		fmt.Fprintf(w, "go on with: %s\n", j.resume())
	}
	if r.Held > 0 {
		fmt.Fprintf(w, "%s on hosts that have used up --max-pages-per-host or --max-new-per-host: go on with a higher one\n",
			many(r.Held, "URL waits", "URLs wait"))
	}
	if r.AsideHosts > 0 {
		fmt.Fprintf(w, "%s on %s: crawl set --park HOST=0s lets a running crawl ask one again\n",
			many(r.Aside, "URL waits", "URLs wait"), many(r.AsideHosts, "host that was parked by hand", "hosts that were parked by hand"))
	}
	if urls, hosts := r.Parked-r.Aside, r.ParkedHosts-r.AsideHosts; hosts > 0 {
		fmt.Fprintf(w, "%s on %s: tried again by %s\n",
			many(urls, "URL waits", "URLs wait"), many(hosts, "host that does not answer or is too busy", "hosts that do not answer or are too busy"), j.resume())
		if f := r.Run.LastTry; f != nil {
			fmt.Fprintf(w, "the last try: %s: %s\n", f.URL, f.Reason)
		}
	}
}

// ranLine tells a run in a line: documents first, then the other answers.
func ranLine(n gatecrawl.Tally) string {
	parts := []string{count(n.New) + " new"}
	also := func(count int64, one, more string) {
		if count > 0 {
			parts = append(parts, many(count, one, more))
		}
	}
	if again := n.Unchanged + n.Changed + n.Gone; again > 0 {
		parts = append(parts, count(n.Changed)+" changed", count(n.Unchanged)+" unchanged", count(n.Gone)+" gone")
	} else if n.Copies == 0 {
		parts = append(parts, "0 copies")
	}
	also(n.Copies, "copy", "copies")
	if n.Known > 0 {
		parts[len(parts)-1] += fmt.Sprintf(" (%s of documents of earlier crawls)", count(n.Known))
	}
	also(n.Redirects, "redirect", "redirects")
	also(n.Errors, "error", "errors")
	also(n.Others, "other", "others")
	line := fmt.Sprintf("%s fetched in %s: %s", many(n.Fetched, "page", "pages"), seconds(n.Seconds), strings.Join(parts, ", "))
	parts = parts[:0]
	also(n.Forbidden, "forbidden by robots.txt", "forbidden by robots.txt")
	also(n.Unanswered, "without an answer", "without an answer")
	if len(parts) > 0 {
		line += "; not fetched: " + strings.Join(parts, ", ")
	}
	return line
}

// failuresTold is how many kinds of failure the summary tells.
const failuresTold = 8

// tellFailures says why pages failed, the most frequent kind first.
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
		line := fmt.Sprintf("failed: %s %s", count(f.Count), failureName(kind))
		if f.Count > 1 {
			line += ", the first"
		}
		line += ": " + f.URL
		if f.Reason != kind {
			line += ": " + strings.TrimPrefix(f.Reason, kind+": ")
		}
		fmt.Fprintln(w, line)
	}
	if rest > 0 {
		fmt.Fprintf(w, "failed: %s for other reasons: see crawl pages --verdict failed\n", count(rest))
	}
}

// failureName says a kind of failure in words.
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
