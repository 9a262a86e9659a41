// Package weburl has the URL of a web page: its canonical form and its key.
//
// Parse reads an absolute http or https URL as browsers do and writes it in one
// canonical form; URL.Parse resolves a reference against its page. A Key names a URL
// in 16 bytes, a HostKey its host. SURT is the sort-friendly form of web archives.
// WithoutSession drops session ids, and EncodeQuery writes a query in the charset of
// its page.
//
// The package guarantees that equal URLs have equal keys under one Version, and that
// parsing a canonical URL returns it unchanged. It sends no requests, and does not
// know scopes and queues.
package weburl
