// Package report tells the owner of a site, or a colleague, what a crawl found out: pages by
// verdict, status, type, language, depth and host, broken links with the pages that link
// there, redirects that lead on or in a circle, documents at several URLs, titles and
// descriptions that several pages share, canonical links and translations that contradict
// what was found, mirrors as groups, what was refused and what waits.
//
// Gather makes a Report of a job, also while a crawl works on it; WriteHTML, WriteCSV and
// JSON write it. The page loads nothing and runs nothing.
//
// A Report has each list whole up to MaxRows rows and counts the rest. What the pages of a
// running crawl say may change between the parts of a report.
package report
