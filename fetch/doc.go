// Package fetch sends HTTP requests and reads the answers.
//
// A Response is what a server answered: status, headers, and the body after decompression and
// within its limit. An Error says in which phase a fetch failed and whether another try may help.
// Fetcher.Robots fetches a robots.txt; package robots reads it.
//
// A Fetcher sends the requests of a crawl. It never follows a redirect of a page (the target goes
// back through the queue) and never waits for politeness (that is the queue's business). A Client
// sends the few requests of a command, outside a crawl: it obeys robots.txt and lets each host rest
// between two requests by itself.
//
// Neither connects to a private or loopback address unless told to. Inside, requests and callbacks
// are colly's, but no type of colly is in the package's interface.
package fetch
