// Package soft404 finds error pages that are served with status 200: "not found", a
// login, a consent form, a parked name (Bar-Yossef, Broder, Kumar and Tomkins, Sic
// transit gloria telae, WWW 2004).
//
// ProbeURL makes up a URL next to a page at which there is no document. What its site answers
// there is the site's ErrorPage for that folder and extension, and a page with the same text is
// not a document. A Detector remembers error pages, which probes are wanted, and which hosts
// have many copies of one page, so that only those are probed.
//
// The package sends no requests. A Detector is in memory alone: a crawl that is
// resumed asks again when it needs to know.
package soft404
