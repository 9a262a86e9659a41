// Package corpus puts pages that a user already has through the duplicate gate.
//
// A Source reads a collection: WARC files, files of JSON lines and folders of pages,
// compressed or not. A Batch says of each of its Pages in their order whether the page is
// new or a copy, and of which page before it: the verdicts that a crawl would come to if
// it knew from the start what each site repeats. So all pages are read before the first is
// judged; texts and signatures wait in temporary files without a name, and memory is
// bounded by what Options says of it.
//
// Verdicts do not depend on the number of workers. A line or record that cannot be read
// is a fault that names file and line or offset; the rest is read. Nothing is fetched.
package corpus
