package labelled

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/mainpart"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/charset"
)

// folders reads the pages of each folder and finds the copies among them.
func (r *reader) folders(dirs []string) error {
	listed := r.Truth != Reader && r.Truth != Circular
	if listed && len(dirs) > 1 {
		return useErrorf("with the truth of %s: want one folder, in which its paths are", r.Truth)
	}
	var docs []methods.Document
	var parts []mainpart.Part // of docs, where the reader is asked
	for i, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return useErrorf("%s: want folders, or one file of pairs", dir)
		}
		site := mainpart.NewSite()
		corpus.Walk(dir, func(name string) {
			page, err := readPage(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				r.Fault(err)
				return
			}
			docs = append(docs, r.document(page, name, fmt.Sprintf("folder-%d", i+1)))
			switch {
			case r.Truth != Reader:
			case strings.HasSuffix(strings.ToLower(name), ".txt"):
				site.AddText(docs[len(docs)-1].Body)
			default:
				site.Add(page, "text/html")
			}
		}, r.Fault)
		parts = append(parts, site.Parts()...)
	}
	r.set.Pages = len(docs)
	switch {
	case listed:
		return r.truthOfFile(docs)
	case r.Truth == Circular:
		r.truthOfBodies(docs)
	default:
		r.truthOfReader(docs, parts)
	}
	return nil
}

// truthOfReader counts as copies the pages that an independent reader finds alike.
func (r *reader) truthOfReader(docs []methods.Document, parts []mainpart.Part) {
	known := make(map[string]mainpart.Part, len(docs))
	met := make(map[string]bool)
	var kept []methods.Document
	for i, d := range docs {
		if parts[i].Doubt != "" {
			r.set.LeftOut++
			continue
		}
		known[d.URL] = parts[i]
		if key := parts[i].Key(); r.Equal || !met[key] {
			met[key] = true
			kept = append(kept, d)
		}
	}
	docs = r.sample(kept)
	asked := make([]mainpart.Part, len(docs))
	for i, d := range docs {
		asked[i] = known[d.URL]
	}
	r.set.Truth, r.set.Test = Reader, exam.Test{Docs: docs}
	for _, p := range mainpart.Copies(asked, r.set.Least) {
		r.set.copies(p.A, p.B, p.Resemblance)
	}
}

// truthOfBodies counts as copies the pages whose texts, as the methods get them, are alike. It
// cannot find errors in those texts.
func (r *reader) truthOfBodies(docs []methods.Document) {
	if !r.Equal {
		docs = methods.Distinct(docs)
	}
	docs = r.sample(docs)
	r.set.Truth, r.set.Test = Circular, exam.Test{Docs: docs, Copies: methods.Copies(docs, r.set.Least)}
}

// truthOfFile counts as copies the pairs of a file. A line has two paths in the folder and how
// alike they are; without that number it is 1.
func (r *reader) truthOfFile(docs []methods.Document) error {
	s, file := r.set, string(r.Truth)
	docs = r.sample(docs)
	s.Truth, s.File, s.Test.Docs = Listed, file, docs
	at := make(map[string]int, len(docs))
	for i, d := range docs {
		at[d.URL] = i
	}
	folder := func(name string) string {
		return (&url.URL{Scheme: "http", Host: "folder-1", Path: "/" + fileOf(strings.TrimPrefix(name, "/"))}).String()
	}
	met := make(map[[2]int]bool)
	err := eachLine(file, func(n int, f []string) error {
		if len(f) < 2 || len(f) > 3 {
			return fmt.Errorf("want two paths and how alike they are, with tabs between them, got %d fields", len(f))
		}
		alike := 1.0
		if len(f) == 3 {
			var err error
			alike, err = strconv.ParseFloat(f[2], 64)
			if err != nil && n == 1 {
				return nil // the names of the columns
			}
			if err != nil || !(alike >= 0 && alike <= 1) {
				return fmt.Errorf("%q: want how alike the pages are, 0 to 1", f[2])
			}
		}
		a, okA := at[folder(f[0])]
		b, okB := at[folder(f[1])]
		pair := [2]int{min(a, b), max(a, b)}
		switch {
		case !okA || !okB:
			s.Missing++
		case a != b && alike >= s.Least && !met[pair]:
			met[pair] = true
			s.copies(pair[0], pair[1], alike)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(docs) == s.Distinct && s.Missing > 0 && len(met) == 0 {
		return fmt.Errorf("%s: none of its pairs has both paths in the folder; want paths as they are in it", file)
	}
	return nil
}

// copies notes that two documents of the test are copies.
func (s *Set) copies(a, b int, alike float64) {
	s.Test.Copies = append(s.Test.Copies, methods.Pair{A: min(a, b), B: max(a, b), Score: alike})
}

// document returns the text of a site's file as a document, "" as its site if it is not known.
func (r *reader) document(page []byte, name, site string) methods.Document {
	address := &url.URL{Scheme: "http", Host: site, Path: "/" + name}
	if strings.HasSuffix(name, ".txt") {
		text, _ := charset.Decode(page, "text/plain")
		return methods.Document{URL: address.String(), Site: site, Body: string(text)}
	}
	d := r.purified(page, "text/html", address)
	d.Site = site
	return d
}

func readPage(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPage))
}

// purified makes a document of a page. A URL that ends in a slash names the index.html
// there, as in a folder.
func (r *reader) purified(page []byte, contentType string, address *url.URL) methods.Document {
	v := purify.Purify(page, contentType)
	d := methods.Document{URL: address.String(), Site: address.Hostname(), Title: v.Title, Body: v.Body}
	switch {
	case r.Raw:
		d.Body = WholeText(page, contentType)
	case r.Main:
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
// main element, an element with that role, its article, an element of class body
// (as Sphinx writes it), or else its body.
func mainText(page []byte, contentType string) string {
	text, _ := charset.Decode(page, contentType)
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

// WholeText returns all visible text of a page, including its navigation.
func WholeText(page []byte, contentType string) string {
	text, _ := charset.Decode(page, contentType)
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return "" // never: any bytes are a page
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "body" {
			return textUnder(n)
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
			b.WriteByte(' ') // only tags separate cells and items
		}
	}
	return b.String()
}
