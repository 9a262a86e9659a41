package labelled

import (
	"bufio"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup/methods"
)

// sets reads sets and pairs, and of each set its first page, or all.
func (r *reader) sets(name string) error {
	if r.Dir == "" {
		return useErrorf("%s: say with --dir where its pages are", name)
	}
	listed, err := r.listedPages(strings.Replace(name, ".pairs.tsv", ".sets.tsv", 1))
	if err != nil {
		return err
	}
	var docs []methods.Document
	sets := make(map[string]string, len(listed)) // by URL
	for _, l := range listed {
		page, err := readPage(filepath.Join(r.Dir, filepath.FromSlash(l.path)))
		if err != nil {
			r.Fault(err)
			continue
		}
		d := r.document(page, l.path, "folder-1")
		sets[d.URL] = l.set
		docs = append(docs, d)
	}
	s := r.set
	s.Truth, s.File, s.Pages = Listed, name, len(docs)
	docs = r.sample(docs)
	s.Test.Docs = docs
	members := make(map[string][]int) // of a set
	for i, d := range docs {
		set := sets[d.URL]
		for _, other := range members[set] {
			s.copies(other, i, 1)
		}
		members[set] = append(members[set], i)
	}
	return eachRow(name, func(f []string) error {
		if f[0] == f[1] {
			return fmt.Errorf("set %s is paired with itself", f[0])
		}
		similarity, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return fmt.Errorf("%q is not a similarity: want a number from 0 to 1", f[2])
		}
		for _, a := range members[f[0]] {
			for _, b := range members[f[1]] {
				s.copies(a, b, similarity)
			}
		}
		return nil
	})
}

// A listedPage is a page and its set.
type listedPage struct{ set, path string }

// listedPages reads the pages of each set: the first, or with Options.Equal all.
func (r *reader) listedPages(name string) ([]listedPage, error) {
	var pages []listedPage
	sets, paths := make(map[string]bool), make(map[string]bool)
	err := eachRow(name, func(f []string) error {
		page := fileOf(f[1])
		switch {
		case !filepath.IsLocal(filepath.FromSlash(page)):
			return fmt.Errorf("the path %q leads out of the folder", f[1])
		case sets[f[0]] && !r.Equal, paths[page]: // /a/ and /a/index.html are one file
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
	return eachLine(name, func(_ int, f []string) error {
		if len(f) != 3 {
			return fmt.Errorf("want three fields with tabs between them, got %d", len(f))
		}
		if _, err := strconv.Atoi(f[0]); err != nil {
			return fmt.Errorf("%q is not the number of a set", f[0])
		}
		return row(f)
	})
}

// eachLine calls do with the number and the fields of each line of a table.
func eachLine(name string, do func(n int, fields []string) error) error {
	r, name, err := corpus.Open(name, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if err := do(n, strings.Split(lines.Text(), "\t")); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
