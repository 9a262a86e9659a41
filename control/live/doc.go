// Package live is the web page of a crawl: what it does, what it has found, and buttons to change
// it.
//
// A Site is rendered on the server with html/template, which escapes all text of pages and servers;
// style and script are part of the program. Without scripts every page is complete and every button
// works; with them, the parts of the first page that change are replaced once a second by
// server-sent events. The package does not decide who may see it: guard.Guard does.
//
// A view costs little however large the job is: lists read at most Scan records and go on where
// they stopped, and what is costly is computed once for all viewers.
package live
