// Package wacz writes web archives in one file: WACZ 1.1.1 of the Webrecorder project
// (https://specs.webrecorder.net/wacz/1.1.1/), which ReplayWeb.page and other programs open.
//
// A Writer gets WARC records, and the pages to show to a reader. It writes a ZIP file with the
// records (archive/data-N.warc.gz, a gzip member each), their index (indexes/index.cdxj), the pages
// with their text (pages/pages.jsonl), and a description with a SHA-256 of each of these
// (datapackage.json, whose own SHA-256 is in datapackage-digest.json). Records and index are not
// compressed again, so that a reader can fetch parts of the file.
//
// The file is written as a stream. Pages and index wait in temporary files until the records are
// written, and memory does not grow with their number. The package knows neither crawls nor jobs,
// and does not read WACZ.
package wacz
