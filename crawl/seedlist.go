package crawl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/warc"
)

// Seeds reads seeds of any form: a WARC file, whose pages are fetched again, its index in CDX
// or CDXJ, or what seeds.Read reads. WARC and index may be compressed by gzip or zstd. Errors
// are as with seeds.Read.
func Seeds(r io.Reader, name string) iter.Seq2[seeds.Seed, error] { return SeedsIn(r, name, "") }

// SeedsIn is Seeds with the column of a CSV file that has the URLs, as seeds.ReadColumn
// takes it.
func SeedsIn(r io.Reader, name, column string) iter.Seq2[seeds.Seed, error] {
	head, in := corpus.Head(r)
	text := corpus.Unpack(head, len(head))
	switch {
	case warc.IsArchive(text):
		return archiveSeeds(in, name)
	case isIndex(text):
		return indexSeeds(in, name)
	}
	return seeds.ReadColumn(in, name, column)
}

// isIndex recognizes an index by its first line: its header, which for CDXJ is one or more
// lines that start with "!" or "@", or a key, a time and either JSON or as many fields as an
// index has.
func isIndex(text []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n"))
	if bytes.HasPrefix(line, []byte(" CDX ")) || bytes.HasPrefix(line, []byte("!")) || bytes.HasPrefix(line, []byte("@")) {
		return true
	}
	f := strings.Fields(string(line))
	if len(f) < 3 || len(f[1]) < 4 || strings.Trim(f[1], "0123456789") != "" {
		return false
	}
	return strings.HasPrefix(f[2], "{") || len(f) >= 9
}

// archiveSeeds yields the URLs of the pages in a WARC file.
func archiveSeeds(r *bufio.Reader, name string) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		in, err := warc.NewReader(r, name, warc.DefaultOptions())
		if err != nil {
			yield(seeds.Seed{}, &seeds.ListError{Err: err})
			return
		}
		defer in.Close()
		var last error // damage that no record has followed: if none does, the file is cut short
		for {
			rec, err := in.Next()
			var damage *warc.RecordError
			damaged := errors.As(err, &damage)
			switch {
			case err == io.EOF && last != nil:
				yield(seeds.Seed{}, &seeds.ListError{Err: last})
				return
			case err == io.EOF:
				return
			case err != nil && !damaged:
				yield(seeds.Seed{}, &seeds.ListError{Err: errors.Join(last, err)})
				return
			}
			if last != nil && !yield(seeds.Seed{}, last) {
				return
			}
			if last = err; damaged {
				continue
			}
			if !fetchedFromWeb(rec) {
				continue
			}
			u, err := weburl.Parse(rec.URL())
			if err != nil {
				err = fmt.Errorf("%s: %v: %w", name, rec.Place, err)
			}
			if !yield(seeds.Seed{URL: u}, err) {
				return
			}
		}
	}
}

// fetchedFromWeb reports whether a record is about a page that can be asked for
// again.
func fetchedFromWeb(rec *warc.Record) bool {
	switch rec.Type {
	case warc.Response, warc.Resource, warc.Revisit, warc.Conversion:
		return isOfWeb(rec.URL()) && !warc.IsRobots(rec.URL())
	}
	return false
}

// isOfWeb reports whether a URL is one of the web; archives have dns: and others
// besides.
func isOfWeb(address string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(address), ":")
	return scheme == "http" || scheme == "https"
}

// indexSeeds yields the URLs of pages in an index. Those of other schemes, such
// as dns:, are left out, and robots.txt.
func indexSeeds(r *bufio.Reader, name string) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		plain, err := corpus.Decompress(r)
		if err != nil {
			yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: err})
			return
		}
		defer plain.Close()
		for c, err := range warc.Captures(plain, name) {
			var u weburl.URL
			var line *warc.LineError
			if err != nil && !errors.As(err, &line) {
				err = &seeds.ListError{Err: err} // of Captures, the last one
			}
			if err == nil {
				if !isOfWeb(c.URL) || warc.IsRobots(c.URL) {
					continue
				}
				if u, err = weburl.Parse(c.URL); err != nil {
					err = fmt.Errorf("%s: %w", name, err)
				}
			}
			if !yield(seeds.Seed{URL: u}, err) {
				return
			}
		}
	}
}
