package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"gatecrawl/frontier"
	"gatecrawl/warc"
)

// seedsIn reads seeds of any form: a WARC file, whose pages are asked for anew,
// its index in CDX or CDXJ, or what frontier.Seeds reads. WARC and index may be
// compressed by gzip or zstd. Errors are as with frontier.Seeds.
func seedsIn(r io.Reader, name string) iter.Seq2[frontier.Seed, error] {
	head, in := headOf(r)
	text := unpacked(head, 4<<10)
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(text, "\r\n"), []byte("WARC/")):
		return archiveSeeds(in, name)
	case isIndex(text):
		return indexSeeds(in, name)
	}
	return frontier.Seeds(in, name)
}

// isIndex knows an index by its first line: its header, which of CDXJ is one or more
// lines that begin with "!" or "@", or a key, a time and either JSON or as many fields as
// an index has.
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

// archiveSeeds yields the addresses of the pages in a WARC file.
func archiveSeeds(r io.Reader, name string) iter.Seq2[frontier.Seed, error] {
	return func(yield func(frontier.Seed, error) bool) {
		in, err := warc.NewReader(r, name, warc.DefaultOptions())
		if err != nil {
			yield(frontier.Seed{}, err)
			return
		}
		defer in.Close()
		for {
			rec, err := in.Next()
			var damage *warc.RecordError
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &damage):
				if !yield(frontier.Seed{}, err) {
					return
				}
				continue
			case err != nil:
				yield(frontier.Seed{}, err)
				return
			}
			if !fetchedFromWeb(rec) {
				continue
			}
			u, err := frontier.Parse(rec.URL())
			if err != nil {
				err = fmt.Errorf("%s: %v: %w", name, rec.Place, err)
			}
			if !yield(frontier.Seed{URL: u}, err) {
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
		scheme, _, _ := strings.Cut(strings.ToLower(rec.URL()), ":")
		return scheme == "http" || scheme == "https"
	}
	return false
}

// indexSeeds yields the addresses in an index. Those of other schemes, such as
// dns:, are left out.
func indexSeeds(r io.Reader, name string) iter.Seq2[frontier.Seed, error] {
	return func(yield func(frontier.Seed, error) bool) {
		plain, err := decompressed(r)
		if err != nil {
			yield(frontier.Seed{}, fmt.Errorf("%s: %w", name, err))
			return
		}
		for c, err := range warc.Captures(plain, name) {
			var u frontier.URL
			if err == nil {
				if scheme, _, _ := strings.Cut(strings.ToLower(c.URL), ":"); scheme != "http" && scheme != "https" {
					continue
				}
				if u, err = frontier.Parse(c.URL); err != nil {
					err = fmt.Errorf("%s: %w", name, err)
				}
			}
			if !yield(frontier.Seed{URL: u}, err) {
				return
			}
		}
	}
}
