// Package corpus puts pages that a user already has through the duplicate gate.
//
// A Source reads a collection: WARC files, files of JSON lines and folders of pages,
// compressed or not. A Batch says for each of its Pages, in order, whether the page is new
// or a copy of which earlier page. The verdicts are those of a crawl that knew from the
// start what each site repeats, so all pages are read before the first is judged. Texts
// and signatures wait in unnamed temporary files; Options says how much memory it takes.
//
// Verdicts do not depend on the number of workers. A line or record that cannot be read
// is a fault that names file and line or offset; the rest is read. Nothing is fetched.
package corpus
