// Package experiment repeats the experiments of the articles that the project builds on, on
// a user's own pages, and puts the published figures next to the measured ones.
//
// An Experiment has a name, an article and a question. Run reads the pages by package
// corpus/labelled, whose truth does not come from the texts that the methods are given
// (unless a user asks for that), and returns a Report: tables and remarks. Times are the
// process's processor time; all other figures are the same in every run.
package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/humanize"
)

// Options are the settings of an experiment.
type Options struct {
	labelled.Options
	Names []string  // of pages, as labelled.Read takes them
	Stdin io.Reader //
	Sweep bool      // also try other constants
	Size  int       // number of fingerprints in tables; 0: one for each page, or 1,000,000 if there are no pages

	// Progress is told what is being measured. May be nil.
	Progress func(what string)
}

// A Report is the result of an experiment.
type Report struct {
	Name    string   `json:"name"`
	Article string   `json:"article"`
	Asks    string   `json:"asks"`
	Pages   int      `json:"pages"`
	Truth   string   `json:"truth,omitempty"`
	Tables  []Table  `json:"tables"`
	Remarks []string `json:"remarks,omitempty"`
}

// A Table has cells of text. A published figure is in the row of the measured one.
type Table struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// An Experiment repeats an experiment of an article.
type Experiment struct {
	Name    string
	Article string // the article, and the place in it
	Asks    string
	Alone   bool // it needs no pages
	run     func(*Options, *Report) error
}

// All returns every experiment.
func All() []Experiment {
	return []Experiment{
		{"rates", "Xiuchuan's notes and Zhang Junlin 2006, section 1 (Fetterly 2003)", "which share of pages is an exact copy, and which exact or near", false, rates},
		{"docview", "Yu and Xiong 2011, table 1", "precision, recall and time of keywords, signatures and both on purified pages", false, docviews},
		{"purify", "Yu and Xiong 2011, section 3.1", "what comparing bodies in place of whole pages does to methods", false, purified},
		{"simhash", "Giant's primer and Manku 2007, section 5.1", "precision and recall of SimHash by distance", false, simhashes},
		{"tables", "SimHash and duplicate pages (Manku 2007, section 3.2)", "how many rows a probe reads, and what 4, 10, 16 or 20 tables take", true, tables},
		{"cost", "Zhang Junlin 2006, section 3", "what methods cost, and their order by speed", false, costs},
		{"links", "Zhang Junlin 2006, section 4.5", "what links add to the text: 90% and 93%", false, linked},
		{"imatch", "Xiuchuan's notes on I-Match (Kolcz 2004)", "how unstable one lexicon is, and what more of them bring", false, lexicons},
	}
}

// Run runs the experiment with a name.
func Run(name string, o Options) (*Report, error) {
	all := All()
	i := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name })
	if i < 0 {
		var names []string
		for _, e := range all {
			names = append(names, e.Name)
		}
		return nil, useErrorf("no such experiment: %q; there are %s", name, strings.Join(names, ", "))
	}
	e := all[i]
	if len(o.Names) == 0 && !e.Alone {
		return nil, useErrorf("%s: want pages: a folder, a job, a WARC file or lines of pages", name)
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	r := &Report{Name: e.Name, Article: e.Article, Asks: e.Asks}
	return r, e.run(&o, r)
}

func useErrorf(format string, args ...any) error {
	return &labelled.UseError{Text: "--experiment: " + fmt.Sprintf(format, args...)}
}

// read reads the pages, and describes them in the report.
func (o *Options) read(r *Report) (*labelled.Set, error) {
	o.Progress("reading the pages")
	s, err := labelled.Read(o.Options, o.Names, o.Stdin)
	if err != nil {
		return nil, err
	}
	if err := s.TooFew(o.Names); err != nil {
		return nil, err
	}
	r.Pages = len(s.Test.Docs)
	r.Truth = fmt.Sprintf("%s: %s, alike by %g or more", truthWords[s.Truth], humanize.Many(len(s.Test.Copies), "pair of copies", "pairs of copies"), s.Least)
	if s.LeftOut > 0 {
		r.Truth += fmt.Sprintf("; %s left out, of which it says nothing", humanize.Many(s.LeftOut, "page is", "pages are"))
	}
	for _, remark := range s.Remarks() {
		if !slices.Contains(r.Remarks, remark) { // purify reads twice
			r.Remarks = append(r.Remarks, remark)
		}
	}
	return s, nil
}

var truthWords = map[labelled.Truth]string{
	labelled.Reader:   "main parts that an independent reader finds",
	labelled.Circular: "circular, the very texts that the methods are given",
	labelled.Listed:   "a list of pairs",
	labelled.Server:   "the test server, which made the copies",
	labelled.Judged:   "people, who labelled pairs",
}

// named returns one method.
func named(text string, least float64) (methods.Method, error) {
	return methods.Parse(text, least)
}

// examine runs methods by their names with options.
func (o *Options) examine(s *labelled.Set, names ...string) (list []exam.Result, err error) {
	of := exam.NewExam(s.Test)
	for _, name := range names {
		m, err := named(name, s.Least)
		if err != nil {
			return nil, err
		}
		o.Progress(name)
		list = append(list, of.Run(m))
	}
	return list, nil
}

func share(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// gamma is the articles' 1/(1/p + 1/r), half of F1.
func gamma(s exam.Score) string {
	p, r := s.Precision.Value, s.Recall.Value
	if p == 0 || r == 0 {
		return "-"
	}
	return share(1 / (1/p + 1/r))
}
