// Package soft404 finds error pages that are served with status 200: "not found", a
// login, a consent form, a parked name (Bar-Yossef, Broder, Kumar and Tomkins, Sic
// transit gloria telae, WWW 2004).
//
// ProbeURL names a URL beside a page at which nothing is. What its site answers there
// is the site's ErrorPage for that folder and extension, and a page that says the same
// is no document. A Detector remembers error pages, which probes are wanted, and which
// hosts have many copies of one page, so that only those are looked at.
//
// The package sends no requests. A Detector is in memory alone: a crawl that is
// resumed asks again when it needs to know.
package soft404
