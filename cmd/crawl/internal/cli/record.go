package cli

import (
	"fmt"
	"io"

	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

// ShowPage writes one line of a listing that may be millions long.
func ShowPage(w io.Writer, p page.Record) error {
	status := "-"
	if p.Status > 0 {
		status = fmt.Sprint(p.Status)
	}
	note := ""
	switch p.Verdict {
	case page.VerdictCopy:
		note = fmt.Sprintf("  = %s (%s)", InArchive(p), Likeness(p.Class, p.Level, p.Distance, p.Similarity))
	case page.VerdictRefused, page.VerdictFailed:
		note = "  (" + p.Reason + ")"
	}
	if p.TextError != "" {
		note += "  (its text could not be read: " + p.TextError + ")"
	}
	if p.ReplacedBy > 0 {
		note += fmt.Sprintf("  (changed: now %d)", p.ReplacedBy)
	}
	_, err := fmt.Fprintf(w, "%7d  %-7s  %3s  %s%s\n", p.Seq, p.Verdict, status, p.URL, note)
	return err
}

// TellTextless says in a line how many documents are compared by their bytes alone because their
// text could not be read, and why the first could not.
func TellTextless(w io.Writer, count int64, url, reason string) {
	if count == 1 {
		fmt.Fprintf(w, "without its text, compared by its bytes alone: %s: %s\n", url, reason)
		return
	}
	fmt.Fprintf(w, "without their text, compared by their bytes alone: %s, the first: %s: %s\n", humanize.Many(count, "document", "documents"), url, reason)
}

// InArchive names the page that another is a copy of, with its archive if that is of an earlier
// crawl.
func InArchive(p page.Record) string {
	if p.Earlier() {
		return p.Of + " in " + p.Archive
	}
	return p.Of
}

// Likeness tells how a copy resembles the kept page.
func Likeness(class string, level, distance int, similarity float64) string {
	switch {
	case level == 0:
		return fmt.Sprintf("score %.2f", similarity) // by a method, which knows no class
	case level < 5:
		return fmt.Sprintf("%s, level %d", class, level)
	}
	return fmt.Sprintf("%s, level %d, distance %d, similarity %.2f", class, level, distance, similarity)
}

// Levels names the levels of the gate: "bytes (3)" says more than "3".
func Levels(m map[string]int64) map[string]int64 {
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
