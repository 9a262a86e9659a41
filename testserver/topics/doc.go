// Package topics is a loopback web of subjects, of which it is known what every page is about:
// what a focused crawl should find.
//
// A portal links to blogs, to manuals and to an encyclopaedia, each a host of its own. Every
// post, section and article is written about one subject by construction: most of its sentences
// are, others are about a subject that has half of the words in common, or about any other.
// Half of the sites are in Chinese. A blog is mostly about one or two subjects, a manual has chapters, and
// the articles of the encyclopaedia link to each other by preference to those that many link to.
//
// There is what leads crawls astray, if it is asked for: on each blog a page stuffed with the words of a
// subject, which links to pages of nothing, and a calendar that names a subject on each day and
// never ends; other hosts with copies of articles, of those that many link to or of any. The same seed gives
// the same pages.
package topics
