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
	if p.OffTopic {
		note += "  (off the topic by what was learned later)"
	}
	if p.TextError != "" {
		note += "  (its text could not be read: " + p.TextError + ")"
	}
	if p.Unrendered() {
		note += "  (its scripts did not run to their end)"
	}
	if p.ReplacedBy > 0 {
		note += fmt.Sprintf("  (changed: now %d)", p.ReplacedBy)
	}
	_, err := fmt.Fprintf(w, "%7d  %-7s  %3s  %s%s\n", p.Seq, p.Verdict, status, p.URL, note)
	return err
}

// TellTextless prints in one line how many documents are compared by their bytes alone because
// their text could not be read, and why for the first one.
func TellTextless(w io.Writer, count int64, url, reason string) {
	if count == 1 {
		fmt.Fprintf(w, "without its text, compared by its bytes alone: %s: %s\n", url, reason)
		return
	}
	fmt.Fprintf(w, "without their text, compared by their bytes alone: %s, the first: %s: %s\n", humanize.Many(count, "document", "documents"), url, reason)
}

// InArchive returns the URL of a copy's kept page, with its archive if that is an earlier crawl.
func InArchive(p page.Record) string {
	if p.Earlier() {
		return p.Of + " in " + p.Archive
	}
	return p.Of
}

// Likeness says how much a copy resembles the kept page.
func Likeness(class string, level, distance int, similarity float64) string {
	switch {
	case level == 0:
		return fmt.Sprintf("score %.2f", similarity) // found by a method, which has no classes
	case class == "": // a text of an earlier crawl, see earlier.Documents.Check
		return Likeness("layout not known", level, distance, similarity)
	case level < 5:
		return fmt.Sprintf("%s, level %d", class, level)
	}
	return fmt.Sprintf("%s, level %d, distance %d, similarity %.2f", class, level, distance, similarity)
}

// Levels returns counts with the levels of the gate named, such as "bytes (3)" for "3".
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
