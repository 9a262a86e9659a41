package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/net/html"

	"gatecrawl/dedup/methods"
	"gatecrawl/purify"
)

// An evalSource is what eval's arguments come to.
type evalSource struct {
	test  methods.Test
	about string  // what was read, in a line
	pages int     // that were read
	least float64 // Jaccard coefficient of copies
	bad   int     // files or lines that could not be read, and were named
}

// The Jaccard coefficients of copies where none is asked for: the usual one for
// near copies, and the one that agrees best with people.
const (
	leastOfPages  = 0.8
	leastOfJudged = 0.5
)

// source reads the arguments.
func (e *evaluation) source(cmd *cobra.Command, args []string) (*evalSource, error) {
	s := &evalSource{least: cmp.Or(e.least, leastOfPages)}
	info, err := os.Stat(args[0])
	switch {
	case args[0] != "-" && err != nil:
		return nil, err
	case args[0] != "-" && info.IsDir():
		return s, e.readFolders(cmd, s, args)
	case len(args) > 1:
		return nil, usagef("want folders, or one file of pairs")
	case strings.Contains(filepath.Base(args[0]), ".pairs.tsv"):
		return s, e.readListed(cmd, s, args[0])
	}
	s.least = cmp.Or(e.least, leastOfJudged)
	return s, e.readJudged(cmd, s, args[0])
}

// readFolders reads the pages of each folder, and works out the copies.
func (e *evaluation) readFolders(cmd *cobra.Command, s *evalSource, dirs []string) error {
	var docs []methods.Document
	for i, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return usagef("%s: want folders, or one file of pairs", dir)
		}
		err := walkPages(dir, func(name string) {
			docs = e.appendPage(cmd, s, docs, dir, name, fmt.Sprintf("folder-%d", i+1))
		})
		if err != nil {
			return err
		}
	}
	s.pages = len(docs)
	about := many(s.pages, "page", "pages")
	if !e.equal {
		docs = methods.Distinct(docs)
		about += fmt.Sprintf(", %s of different text", count(int64(len(docs))))
	}
	of := len(docs)
	docs = methods.Thin(docs, e.sample)
	s.test = methods.Test{Docs: docs, Copies: methods.Copies(docs, s.least)}
	s.about = fmt.Sprintf("%s: %s%s, %s of copies: exact Jaccard of 3-shingles >= %g",
		strings.Join(dirs, ", "), about, drawn(len(docs), of), many(len(s.test.Copies), "pair", "pairs"), s.least)
	return nil
}

// drawn says that a sample was taken.
func drawn(n, of int) string {
	if n == of {
		return ""
	}
	return fmt.Sprintf(", a sample of %s of them", count(int64(n)))
}

// walkPages calls visit with the path of each page in dir, by name.
func walkPages(dir string, visit func(name string)) error {
	dir, err := filepath.EvalSymlinks(dir) // of links only the folder itself may be one
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		switch strings.ToLower(path.Ext(d.Name())) {
		case ".html", ".htm", ".txt":
			if d.Type().IsRegular() {
				visit(filepath.ToSlash(name))
			}
		}
		return nil
	})
}

// appendPage reads a page and names one that it cannot read.
func (e *evaluation) appendPage(cmd *cobra.Command, s *evalSource, docs []methods.Document, dir, name, site string) []methods.Document {
	page, err := readPage(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		s.bad++
		fmt.Fprintln(cmd.ErrOrStderr(), err)
		return docs
	}
	return append(docs, e.filed(page, name, site))
}

// filed makes a document of a file of a site, or of none that is known for "".
func (e *evaluation) filed(page []byte, name, site string) methods.Document {
	address := &url.URL{Scheme: "http", Host: site, Path: "/" + name}
	if strings.HasSuffix(name, ".txt") {
		text, _ := purify.Decode(page, "text/plain")
		return methods.Document{URL: address.String(), Site: site, Body: string(text)}
	}
	d := e.documentOf(page, "text/html", address)
	d.Site = site
	return d
}

func readPage(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxViewBytes))
}

// documentOf purifies a page. An address that ends in a slash is that of the
// index.html there, as in a folder.
func (e *evaluation) documentOf(page []byte, contentType string, address *url.URL) methods.Document {
	v := purify.Purify(page, contentType)
	d := methods.Document{URL: address.String(), Site: address.Hostname(), Title: v.Title, Body: v.Body}
	if e.main {
		d.Body = mainText(page, contentType)
	}
	for _, l := range v.Links {
		to, err := address.Parse(l.URL)
		if err != nil {
			continue
		}
		to.Fragment = ""
		if strings.HasSuffix(to.Path, "/") {
			to.Path += "index.html"
		}
		d.Links = append(d.Links, to.String())
	}
	return d
}

// mainText returns the text of what the page itself marks as its main part: its
// main element, or one with that role, or its article, or an element of class
// body, as Sphinx has it, or else its body.
func mainText(page []byte, contentType string) string {
	text, _ := purify.Decode(page, contentType)
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return "" // never: any bytes are a page
	}
	for _, is := range []func(n *html.Node) bool{
		func(n *html.Node) bool { return n.Data == "main" },
		func(n *html.Node) bool { return attribute(n, "role") == "main" },
		func(n *html.Node) bool { return n.Data == "article" },
		func(n *html.Node) bool { return attribute(n, "class") == "body" },
		func(n *html.Node) bool { return n.Data == "body" },
	} {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && is(n) {
				return textUnder(n)
			}
		}
	}
	return ""
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textUnder(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type != html.TextNode {
			continue
		}
		switch d.Parent.Data {
		case "script", "style", "noscript", "template":
		default:
			b.WriteString(d.Data)
			b.WriteByte(' ') // cells and items have nothing between them but tags
		}
	}
	return b.String()
}

// readListed reads sets and pairs, and of each set its first page, or all.
func (e *evaluation) readListed(cmd *cobra.Command, s *evalSource, name string) error {
	if e.dir == "" {
		return usagef("%s: say with --dir where its pages are", name)
	}
	listed, err := e.listedPages(strings.Replace(name, ".pairs.tsv", ".sets.tsv", 1))
	if err != nil {
		return err
	}
	var docs []methods.Document
	sets := make(map[string]string, len(listed)) // by address
	for _, l := range listed {
		before := len(docs)
		docs = e.appendPage(cmd, s, docs, e.dir, l.path, "folder-1")
		if len(docs) > before {
			sets[docs[before].URL] = l.set
		}
	}
	s.pages = len(docs)
	docs = methods.Thin(docs, e.sample)
	members := make(map[string][]int) // of a set
	for i, d := range docs {
		set := sets[d.URL]
		for _, other := range members[set] {
			s.test.Copies = append(s.test.Copies, methods.Pair{A: other, B: i, Score: 1})
		}
		members[set] = append(members[set], i)
	}
	s.test.Docs = docs
	err = eachRow(name, func(f []string) error {
		if f[0] == f[1] {
			return fmt.Errorf("set %s is paired with itself", f[0])
		}
		similarity, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return fmt.Errorf("%q is no similarity", f[2])
		}
		for _, a := range members[f[0]] {
			for _, b := range members[f[1]] {
				s.test.Copies = append(s.test.Copies, methods.Pair{A: min(a, b), B: max(a, b), Score: similarity})
			}
		}
		return nil
	})
	kind := " of different text"
	if e.equal {
		kind = ""
	}
	s.about = fmt.Sprintf("%s: %s%s%s, %s of copies as listed", name,
		many(s.pages, "page", "pages"), kind, drawn(len(docs), s.pages), many(len(s.test.Copies), "pair", "pairs"))
	return err
}

// A listedPage is a page with the set that it is of.
type listedPage struct{ set, path string }

// listedPages reads the pages of each set: the first, or with --equal all.
func (e *evaluation) listedPages(name string) ([]listedPage, error) {
	var pages []listedPage
	sets, paths := make(map[string]bool), make(map[string]bool)
	err := eachRow(name, func(f []string) error {
		page := fileOf(f[1])
		switch {
		case !filepath.IsLocal(filepath.FromSlash(page)):
			return fmt.Errorf("the path %q leads out of the folder", f[1])
		case sets[f[0]] && !e.equal, paths[page]: // /a/ and /a/index.html are one file
			return nil
		}
		sets[f[0]], paths[page] = true, true
		pages = append(pages, listedPage{f[0], page})
		return nil
	})
	return pages, err
}

// fileOf returns the file in which a mirror keeps the page of a path.
func fileOf(name string) string {
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return name + "index.html"
	case path.Ext(name) == "":
		return name + ".html"
	}
	return name
}

// eachRow calls row with the three fields of each line.
func eachRow(name string, row func(fields []string) error) error {
	r, name, err := openLines(name, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 3 {
			return fmt.Errorf("%s:%d: want three fields with tabs between them, got %d", name, n, len(f))
		}
		if _, err := strconv.Atoi(f[0]); err != nil {
			return fmt.Errorf("%s:%d: %q is no number of a set", name, n, f[0])
		}
		if err := row(f); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
