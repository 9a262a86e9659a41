package labelled

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/humanize"
)

// A Truth is the source of the labels: who says which pages are copies.
type Truth string

// The truths. For a folder any other Truth is the name of a file of pairs.
const (
	Reader   Truth = "reader"   // main parts that an independent reader finds in a folder's pages
	Circular Truth = "circular" // the same texts that the methods are given
	Listed   Truth = "listed"   // a file of pairs, or files of sets and pairs
	Judged   Truth = "judged"   // people, who labelled pairs
	Server   Truth = "server"   // the test server, which made the copies
)

// The default Jaccard coefficients of copies: the usual one for near copies, and the one
// that agrees best with people.
const (
	LeastOfPages  = 0.8
	LeastOfJudged = 0.5
)

// LeastLabel is the default of Options.Label. In most files of judged pairs the label is 1 for a
// copy and 0 for any other pair, so with 0 every pair would count as a copy.
const LeastLabel = 1

// maxPage bounds a file that is read, in bytes, like a page that is fetched.
const maxPage = 64 << 20

// Options are the settings of Read.
type Options struct {
	Least  float64 // Jaccard coefficient of copies, above 0 to 1; 0 is LeastOfPages or LeastOfJudged
	Label  float64 // the least label of copies in a file of judged pairs; 0 is LeastLabel
	Sample int     // take at most so many pages
	Dir    string  // the folder of the pages that a file of pairs or sets names
	Truth  Truth   // of folders: Reader (the default), Circular or the name of a file of pairs; of pages with URLs the last may be the test server's truth, .json
	Equal  bool    // take all pages of equal text, not only the first
	Raw    bool    // take all text of a page, with its frame, and not only purify's body
	Main   bool    // take the text of a page's main, article or body element, and not purify's

	// Jobs returns the pages of a job folder with their bytes, or nil if the folder is not a
	// job's. If Jobs is nil, no folder is a job's.
	Jobs func(dir string) iter.Seq2[corpus.Page, error]

	// Fault is called with each page and line that cannot be read. Nil: they are ignored.
	Fault func(error)
}

// NoCopies is the text of a report on a Set that has no pair of copies.
const NoCopies = "no page here is a copy of another by this truth, so that precision and recall say nothing: count pages of equal main parts too (--equal), or give pages with copies"

// OfJob is the text of a report on a Set of a job's pages.
const OfJob = "a job has the pages that it kept, and not the copies that it discarded: the gate's figures are of what it did not find; a crawl with --dedup mark keeps copies"

// A Set is pages, or pairs of pages, whose copies are known.
type Set struct {
	Test exam.Test

	Truth    Truth
	Names    []string // the folders or the file
	File     string   // of pairs, where Truth is Listed
	Least    float64  // Jaccard coefficient of copies
	Pages    int      // that were read
	LeftOut  int      // pages whose main part the reader cannot tell, or lines of judged pairs that say so of themselves
	Distinct int      // pages of those left that differ, of which Test.Docs is a sample
	Missing  int      // listed pairs with a page that is not in the folder
	OfJob    bool     // some pages are those that a job kept
	Marked   int      // of these, pages that the job marked as copies
}

// Remarks returns what a reader of the figures has to know, and what to do about it.
func (s *Set) Remarks() (lines []string) {
	if len(s.Test.Copies) == 0 {
		lines = append(lines, NoCopies)
	}
	switch {
	case s.Marked > 0:
		lines = append(lines, "by the crawl's marks "+humanize.Many(s.Marked, "of these pages is a copy", "of these pages are copies")+
			"; of pages with equal texts only the first counts here, unless --equal is given")
	case s.OfJob:
		lines = append(lines, OfJob)
	}
	return lines
}

// TooFew returns an error if the set has fewer than two pages to compare; the error says why.
func (s *Set) TooFew(names []string) error {
	text := strings.Join(names, ", ") + ": no two pages to compare"
	switch {
	case len(s.Test.Docs) > 1:
		return nil
	case s.LeftOut == 0:
		return errors.New(text)
	case s.Truth == Reader:
		return fmt.Errorf("%s: of %s the main part cannot be told, which it takes marks such as a main element for, or more pages of the site; "+
			"say which are copies with --truth FILE, or use --truth circular", text, humanize.Many(s.LeftOut, "page", "pages"))
	}
	return fmt.Errorf("%s: %s, as pairs that nobody was sure about do", text, humanize.Many(s.LeftOut, "line says that it is to be left out", "lines say that they are to be left out"))
}

// A UseError says which options do not go together.
type UseError struct{ Text string }

func (e *UseError) Error() string { return e.Text }

func useErrorf(format string, args ...any) error { return &UseError{fmt.Sprintf(format, args...)} }

// Read reads folders of pages; or jobs, WARC files and lines of pages with URLs; or one file of
// judged pairs, or of sets if its name contains .pairs.tsv. A file may be - for stdin. The error
// is a *UseError if the options do not fit the names.
func Read(o Options, names []string, stdin io.Reader) (*Set, error) {
	o.Truth, o.Label = cmp.Or(o.Truth, Reader), cmp.Or(o.Label, LeastLabel)
	if o.Fault == nil {
		o.Fault = func(error) {}
	}
	s := &Set{Names: names, Least: cmp.Or(o.Least, LeastOfPages)}
	if o.Truth != Reader && o.Truth != Circular {
		if _, err := os.Stat(string(o.Truth)); err != nil {
			return nil, fmt.Errorf("truth: want %s, %s or a file: %w", Reader, Circular, err)
		}
	}
	r := &reader{Options: o, set: s}
	name := names[0]
	info, err := os.Stat(name)
	collection := r.collection(name)
	pages := collection || err == nil && info.IsDir() && name != "-"
	switch {
	case o.Raw && o.Main:
		return nil, useErrorf("all text of a page (raw) and that of its main element (main): want one of them")
	case pages && o.Dir != "":
		return nil, useErrorf("the folder %s is that of the pages which a file of pairs names; %s has pages of its own", o.Dir, name)
	case collection:
		return s, r.collections(names, stdin)
	case name != "-" && err != nil:
		return nil, err
	case pages:
		return s, r.folders(names)
	case o.Truth != Reader:
		return nil, useErrorf("a truth is for folders: %s says itself which pages are copies", name)
	case len(names) > 1:
		return nil, useErrorf("want folders, or one file of pairs")
	case strings.Contains(filepath.Base(name), ".pairs.tsv"):
		return s, r.sets(name)
	case o.Equal:
		return nil, useErrorf("pages of equal text (equal): all pairs of %s are taken in any case", name)
	}
	s.Least = cmp.Or(o.Least, LeastOfJudged)
	return s, r.judged(name, stdin)
}

// A reader fills a Set.
type reader struct {
	Options
	set *Set
}

// sample draws Options.Sample pages from those that differ.
func (r *reader) sample(docs []methods.Document) []methods.Document {
	r.set.Distinct = len(docs)
	return methods.Thin(docs, r.Sample)
}
