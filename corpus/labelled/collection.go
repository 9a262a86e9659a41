package labelled

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/mainpart"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/testserver/score"
)

// collection reports whether a name is that of a job, a WARC file or a file of pages, one a line,
// and not that of a folder of pages or a file of judged pairs.
func (r *reader) collection(name string) bool {
	if name == "-" {
		return false
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return r.isJob(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := corpus.Head(f)
	return corpus.HasPages(head, name)
}

func (r *reader) isJob(dir string) bool { return r.Jobs != nil && r.Jobs(dir) != nil }

// collections reads the pages of jobs, WARC files and lines, each host a site.
func (r *reader) collections(names []string, stdin io.Reader) error {
	if r.Truth != Reader && r.Truth != Circular && !strings.HasSuffix(string(r.Truth), ".json") {
		return useErrorf("with the truth of %s: want a folder, in which its paths are; for pages with addresses it is the .json of crawl testserver --truth", r.Truth)
	}
	var docs []methods.Document
	var parts []mainpart.Part
	type place struct {
		site *mainpart.Site
		at   int
	}
	sites, places := make(map[string]*mainpart.Site), []place{}
	sizes := make(map[*mainpart.Site]int)
	met := make(map[string]bool)
	from := &corpus.Source{Names: names, Stdin: stdin, MaxBody: maxPage, Jobs: r.Jobs}
	r.set.OfJob = slices.ContainsFunc(names, r.isJob)
	for p := range from.Pages {
		switch {
		case p.Fault != nil:
			r.Fault(p.Fault)
			continue
		case p.Status != 0 && (p.Status < 200 || p.Status > 299), len(p.Body) == 0, met[p.URL]:
			continue
		}
		address, err := url.Parse(p.URL)
		if err != nil {
			address = new(url.URL)
		}
		text := strings.HasPrefix(p.Type, "text/plain")
		if !text && !strings.Contains(p.Type, "html") && p.Type != "" {
			continue // an image or the like
		}
		met[p.URL] = true
		if p.Marked {
			r.set.Marked++
		}
		var d methods.Document
		if text {
			d = methods.Document{Body: string(p.Body)}
		} else {
			d = r.purified(p.Body, p.Type, address)
		}
		d.URL, d.Site = p.URL, cmp.Or(address.Host, p.Argument)
		docs = append(docs, d)
		if r.Truth != Reader {
			continue
		}
		site := sites[d.Site]
		if site == nil {
			site = mainpart.NewSite()
			sites[d.Site] = site
		}
		places = append(places, place{site, sizes[site]})
		sizes[site]++
		if text {
			site.AddText(d.Body)
		} else {
			site.Add(p.Body, p.Type)
		}
	}
	r.set.Pages = len(docs)
	switch r.Truth {
	case Reader:
		known := make(map[*mainpart.Site][]mainpart.Part)
		for _, site := range sites {
			known[site] = site.Parts()
		}
		for _, p := range places {
			parts = append(parts, known[p.site][p.at])
		}
		r.truthOfReader(docs, parts)
		return nil
	case Circular:
		r.truthOfBodies(docs)
		return nil
	}
	return r.truthOfServer(docs)
}

// truthOfServer counts as copies the pages that the test server made as copies. Of equal texts it
// takes only the first, unless Options.Equal is set, and it leaves out pages that the server does
// not know.
func (r *reader) truthOfServer(docs []methods.Document) error {
	s, file := r.set, string(r.Truth)
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var truth score.Truth
	if err := json.Unmarshal(b, &truth); err != nil {
		return fmt.Errorf("%s: not the truth of crawl testserver --truth: %w", file, err)
	}
	pages := make(map[string]*score.Page, len(truth.Pages))
	for i := range truth.Pages {
		pages[truth.Pages[i].URL] = &truth.Pages[i]
	}
	alike := make(map[[2]int]float64, len(truth.Pairs))
	for _, p := range truth.Pairs {
		alike[[2]int{p.A, p.B}] = p.Jaccard
	}
	var kept []methods.Document
	texts := make(map[int]bool)
	for _, d := range docs {
		p := pages[d.URL]
		if p == nil || p.Group == 0 {
			s.LeftOut++
			continue
		}
		if r.Equal || !texts[p.Text] {
			texts[p.Text] = true
			kept = append(kept, d)
		}
	}
	if len(kept) == 0 && len(docs) > 0 {
		return fmt.Errorf("%s: it has none of these %d pages; the server writes it again, with other URLs, each time that it starts", file, len(docs))
	}
	docs = r.sample(kept)
	s.Truth, s.File, s.Test = Server, file, exam.Test{Docs: docs}
	groups := make(map[int][]int)
	for i, d := range docs {
		p := pages[d.URL]
		for _, j := range groups[p.Group] {
			q := pages[docs[j].URL]
			x := 1.0
			if p.Text != q.Text {
				x = alike[[2]int{min(p.Text, q.Text), max(p.Text, q.Text)}]
			}
			if x >= s.Least {
				s.copies(j, i, x)
			}
		}
		groups[p.Group] = append(groups[p.Group], i)
	}
	slices.SortFunc(s.Test.Copies, func(a, b methods.Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return nil
}
