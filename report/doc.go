// Package report makes a report of a crawl for the owner of a site or a colleague: pages by
// verdict, status, type, language, depth and host, broken links with the pages that link there,
// chains and loops of redirects, documents at several URLs, titles and descriptions that several
// pages share, canonical links and translations that contradict what was found, groups of mirrors,
// refused URLs and URLs that still wait.
//
// Gather makes a Report of a job, also of one that is running; WriteHTML, WriteCSV and JSON write
// it. The HTML page loads nothing and runs no scripts.
//
// Each list in a Report has at most MaxRows rows; the rest are counted. If the job is running,
// parts of a report may be from different moments.
package report
