// Package live is the page of a crawl: what it does, what it found, and buttons to change it.
//
// A Site is rendered on the server with html/template, which escapes whatever pages and
// servers said; style and script are part of the program. Without scripts every page is whole
// and every button works; with them the parts of the first page that change are replaced once
// a second by server-sent events. Nothing here decides who may see it: guard.Guard does.
//
// A view costs little at any size of the job: lists look at Scan records at most and go on
// where they stopped, and what is costly is made once for all viewers.
package live
