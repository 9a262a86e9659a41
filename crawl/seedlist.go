package crawl

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/warc"
)

// Seeds reads seeds of any form: a WARC or WACZ file, whose pages are fetched again, an index in CDX
// or CDXJ, lines of JSON with a URL each, the links of an HTML page, as browsers export their
// bookmarks, or what seeds.Read reads. All of these may be compressed by gzip or zstd. Errors are as
// with seeds.Read.
func Seeds(r io.Reader, name string) iter.Seq2[seeds.Seed, error] { return SeedsIn(r, name, "") }

// SeedsIn is Seeds with the column of a CSV file that has the URLs, as seeds.ReadColumn
// takes it.
func SeedsIn(r io.Reader, name, column string) iter.Seq2[seeds.Seed, error] {
	head, in := corpus.Head(r)
	text := corpus.Unpack(head, len(head))
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) && strings.HasSuffix(strings.ToLower(name), ".wacz"):
		return waczSeeds(r, name)
	case warc.IsArchive(text):
		return archiveSeeds(in, name)
	case isIndex(text):
		return indexSeeds(in, name)
	case isJSON(text):
		return jsonSeeds(in, name)
	case isPage(text):
		return pageSeeds(in, name)
	}
	if t := fetch.Sniff(text); t != "" && !fetch.IsTextType(t) {
		return func(yield func(seeds.Seed, error) bool) {
			yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: fmt.Errorf("it is %s, not a list of URLs", fetch.DescribeType(t))})
		}
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return seeds.ReadColumn(in, name, column) // it unzips, and says of its errors that they are those of unzipping
	}
	return func(yield func(seeds.Seed, error) bool) {
		plain, err := corpus.Decompress(in)
		if err != nil {
			yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: err})
			return
		}
		defer plain.Close()
		for s, err := range seeds.ReadColumn(plain, name, column) {
			if !yield(s, err) {
				return
			}
		}
	}
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

// isJSON recognizes JSON by its first characters. A list of objects is one too, which the error of its first line
// says something about.
func isJSON(text []byte) bool {
	text = trimStart(text)
	rest, isList := bytes.CutPrefix(text, []byte("["))
	return bytes.HasPrefix(text, []byte("{")) || isList && bytes.HasPrefix(trimStart(rest), []byte("{"))
}

// pageStarts are the starts of HTML pages, in lower case.
var pageStarts = [][]byte{
	[]byte("<!doctype html"), []byte("<!doctype netscape-bookmark"), []byte("<html"), []byte("<head"), []byte("<title"),
	[]byte("<meta"), []byte("<body"), []byte("<dl"), []byte("<ul"), []byte("<a "),
}

// isPage recognizes an HTML page by its start.
func isPage(text []byte) bool {
	text = bytes.ToLower(trimStart(text[:min(len(text), 4<<10)]))
	if bytes.HasPrefix(text, []byte("<?xml")) {
		return bytes.Contains(text, []byte("<html"))
	}
	return slices.ContainsFunc(pageStarts, func(start []byte) bool { return bytes.HasPrefix(text, start) })
}

func trimStart(text []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n")
}

// jsonSeeds yields the URLs of lines of JSON, as crawl pages --json and crawl export write them.
func jsonSeeds(r *bufio.Reader, name string) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		plain, err := corpus.Decompress(r)
		if err != nil {
			yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: err})
			return
		}
		defer plain.Close()
		for l, err := range corpus.Lines(plain) {
			if err == nil && l.N == 1 {
				err = corpus.NotLines(l.Text)
			}
			if err != nil && !errors.Is(err, corpus.ErrLongLine) {
				yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: err})
				return
			}
			s := seeds.Seed{Line: l.N}
			if err == nil {
				s.URL, s.Text, err = urlOf(l.Text)
			}
			if err != nil {
				err = &seeds.LineError{Name: name, Line: l.N, Text: weburl.Shorten(string(l.Text)), Err: err}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

var errNoURL = errors.New(`no "url" in the object`)

// urlOf returns the URL of an object of JSON.
func urlOf(line []byte) (u weburl.URL, text string, err error) {
	var object struct{ URL *string }
	if json.Unmarshal(line, &object) != nil {
		return u, "", errors.New(`not an object of JSON whose "url" is a string`)
	}
	if object.URL == nil {
		return u, "", errNoURL
	}
	u, err = seeds.Parse(*object.URL)
	return u, *object.URL, err
}

// maxSeedPage is the longest page whose links are read, in bytes: a hundred times the bookmarks of most people.
const maxSeedPage = 64 << 20

// pageSeeds yields the links of an HTML page to the web. A relative one needs the page's base element.
func pageSeeds(r *bufio.Reader, name string) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		fail := func(err error) { yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: err}) }
		plain, err := corpus.Decompress(r)
		if err != nil {
			fail(err)
			return
		}
		defer plain.Close()
		page, err := io.ReadAll(io.LimitReader(plain, maxSeedPage+1))
		switch {
		case err != nil:
			fail(err)
			return
		case len(page) > maxSeedPage:
			fail(fmt.Errorf("a page that is longer than %d MiB", maxSeedPage>>20))
			return
		}
		text, _ := charset.Decode(page, "text/html")
		var base weburl.URL
		line, at := 1, 0
		l := markup.NewLexer(text, false)
		for kind := l.Next(); kind != markup.TokenEnd; kind = l.Next() {
			if kind != markup.TokenStart || l.Tag != markup.TagA && l.Tag != markup.TagBase {
				continue
			}
			raw, ok := l.Attr("href")
			if !ok {
				continue
			}
			href := strings.TrimSpace(string(markup.Unescape(nil, raw)))
			if l.Tag == markup.TagBase {
				base, _ = weburl.Parse(href) // one that is no URL is no base
				continue
			}
			s, err := seedOfLink(href, base)
			if err == nil && s.URL.IsZero() {
				continue
			}
			line, at = line+bytes.Count(text[at:l.From], []byte("\n")), l.From
			if s.Line = line; err != nil {
				err = &seeds.LineError{Name: name, Line: line, Text: weburl.Shorten(href), Err: err}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// seedOfLink returns the seed that a link is; the zero Seed for javascript:, mailto: and the like, and for a place
// on the same page.
func seedOfLink(href string, base weburl.URL) (s seeds.Seed, err error) {
	scheme, _, has := strings.Cut(href, ":")
	switch {
	case href == "", href[0] == '#', has && !isOfWeb(href) && !strings.ContainsAny(scheme, "/?#"):
		return s, nil
	case isOfWeb(href):
		s.URL, err = weburl.Parse(href)
	case base.IsZero():
		err = &weburl.ParseError{Text: href, Err: errors.New("a relative link, and the page has no base element")}
	default:
		s.URL, err = base.Parse(href)
	}
	s.Text = href
	return s, err
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

// waczSeeds yields the URLs of the pages that a WACZ lists (version 1.1.1, section 5.2: in the folder pages), or if it
// lists none, of all that its WARC files have.
func waczSeeds(r io.Reader, name string) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		in, err := corpus.OpenWACZ(r)
		if err != nil {
			yield(seeds.Seed{}, &seeds.ListError{Name: name, Err: err})
			return
		}
		lists := false
		read := func(f *zip.File, list func(*bufio.Reader, string) iter.Seq2[seeds.Seed, error]) bool {
			within := name + "/" + f.Name
			text, err := f.Open()
			if err != nil {
				return yield(seeds.Seed{}, &seeds.ListError{Name: within, Err: err})
			}
			defer text.Close()
			for s, err := range list(bufio.NewReader(text), within) {
				var line *seeds.LineError
				if errors.As(err, &line) && line.Line == 1 && errors.Is(err, errNoURL) {
					continue // the first line of a list of pages says what it is
				}
				lists = lists || err == nil
				if !yield(s, err) {
					return false
				}
			}
			return true
		}
		for _, f := range in.File {
			if path.Dir(f.Name) == "pages" && strings.HasSuffix(f.Name, ".jsonl") && !read(f, jsonSeeds) {
				return
			}
		}
		if lists {
			return
		}
		for _, f := range in.File {
			if corpus.InArchive(f.Name) && !read(f, archiveSeeds) {
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
