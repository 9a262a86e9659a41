// Package topics is a web on loopback addresses in which the subject of every page is known: what a
// focused crawl should find.
//
// A portal links to blogs, manuals and an encyclopaedia, each on a host of its own. Every post,
// section and article is about one subject by construction: most of its sentences are about it, the
// others about a subject that shares half of the words, or about any subject. Half of the sites are
// in Chinese. A blog is mostly about one or two subjects, a manual has chapters, and the articles
// of the encyclopaedia prefer links to articles that many link to.
//
// On request the web has what leads crawls astray: on each blog a page stuffed with the words of a
// subject, which links to pages about nothing, and an endless calendar that names a subject on each
// day; a page of many links in the words of a subject, to pages about nothing; and other hosts with copies of articles, of popular or of random ones. The same seed gives
// the same pages.
package topics
