package testserver

import "strings"

// NearAt is the resemblance from which an edited text has to be found: the
// exact Jaccard of 3-shingles that published gates are judged by.
const NearAt = .8

// A Record is what a crawler said of one page that it fetched.
type Record struct {
	URL   string `json:"url"`
	Copy  bool   `json:"copy"`
	Of    string `json:"of,omitempty"`    // the kept page, for a copy
	Level int    `json:"level,omitempty"` // who decided: 2 site, 3 bytes, 4 body, 5 near; 0 not said
	Class Class  `json:"class,omitempty"` // empty when not said
}

// A Tally compares what was said with what is so.
type Tally struct {
	Claimed  int `json:"claimed"`  // copy verdicts
	Right    int `json:"right"`    // of these, right ones
	Expected int `json:"expected"` // pages that are copies
	Found    int `json:"found"`    // of these, found
}

// Precision is the share of verdicts that are right; 1 when nothing was said.
func (t Tally) Precision() float64 { return ratio(t.Right, t.Claimed) }

// Recall is the share of copies that were found; 1 when there are none.
func (t Tally) Recall() float64 { return ratio(t.Found, t.Expected) }

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// A Report judges the records of one crawl.
//
// A verdict is right when the page and the kept page it names are two pages of
// one true group, and the named page was itself kept: a page thrown away in
// favour of one that was thrown away too is wrong. Which member of a group is
// kept does not matter. Exact counts verdicts of the levels site and bytes, and
// needs equal bytes to be right; Near counts those of the other levels.
//
// A page is expected to be found when an earlier record of its group was held:
// kept, or thrown away wrongly, so that a gate cannot win recall by throwing
// everything away. It is expected as exact when a held member has its bytes,
// otherwise as near when one has its text or resembles it by NearAt or more.
// Edits that resemble every held member less are right to find and right to
// keep. A page counts as found when any right verdict names a group member,
// whatever the level.
type Report struct {
	Exact Tally `json:"exact"`
	Near  Tally `json:"near"`

	Classed    int `json:"classed"`     // right verdicts that named a class
	ClassRight int `json:"class_right"` // of these, with the true class of the two pages
	Lost       int `json:"lost"`        // pages thrown away that ought to have been kept
	Unjudged   int `json:"unjudged"`    // verdicts on two different files of folders, which the truth does not know

	Reachable int      `json:"reachable"` // documents that a crawl has to fetch
	Fetched   int      `json:"fetched"`   // of these, fetched
	Missed    []string `json:"missed"`    // of these, not fetched
	Forbidden []string `json:"forbidden"` // fetched although robots.txt forbids it
	Twice     []string `json:"twice"`     // fetched more than once
	Beyond    int      `json:"beyond"`    // fetched outside of the truth, such as a trap's far pages
	Wrong     []Record `json:"wrong"`     // verdicts that are not right, at most 100
}

// Score judges records in crawl order. Of several records of one URL the first
// counts.
func (t Truth) Score(records []Record) Report {
	j := judge{pages: make(map[string]*Page, len(t.Pages)), resemblance: make(map[[2]int]float64, len(t.Pairs)),
		first: make(map[string]*Record, len(records)), held: map[int][]*Page{}}
	for i := range t.Pages {
		j.pages[t.Pages[i].URL] = &t.Pages[i]
	}
	for _, p := range t.Pairs {
		j.resemblance[[2]int{p.A, p.B}] = p.Jaccard
	}
	seen := make(map[string]int, len(records))
	for i := range records {
		r := &records[i]
		if seen[r.URL]++; seen[r.URL] == 1 {
			j.first[r.URL] = r
		}
	}
	for i := range records {
		if r := &records[i]; j.first[r.URL] == r {
			j.hear(r)
		}
	}
	t.account(&j.report, func(url string) int { return seen[url] })
	for url := range seen {
		if j.pages[url] == nil {
			j.report.Beyond++
		}
	}
	return j.report
}

// account fills in what was fetched, by how often each URL was asked for.
func (t Truth) account(r *Report, fetches func(url string) int) {
	r.Reachable, r.Fetched, r.Missed, r.Forbidden, r.Twice = 0, 0, nil, nil, nil
	for i := range t.Pages {
		p := &t.Pages[i]
		n := fetches(p.URL)
		switch {
		case p.Kind == KindForbidden && n > 0:
			r.Forbidden = append(r.Forbidden, p.URL)
		case p.required():
			r.Reachable++
			if n > 0 {
				r.Fetched++
			} else {
				r.Missed = append(r.Missed, p.URL)
			}
		}
		if n > 1 {
			r.Twice = append(r.Twice, p.URL)
		}
	}
}

// required reports whether a crawl has to fetch the page.
func (p *Page) required() bool { return p.Group != 0 && !p.Optional }

// A judge hears one crawl's records.
type judge struct {
	pages       map[string]*Page
	resemblance map[[2]int]float64
	first       map[string]*Record
	held        map[int][]*Page // of each group: earlier pages that were kept, or thrown away wrongly
	report      Report
}

func (j *judge) hear(r *Record) {
	p := j.pages[r.URL]
	if p == nil && !r.Copy {
		return
	}
	exact, near := j.expected(p)
	right := false
	if r.Copy {
		right = j.judge(r, p)
	}
	switch {
	case exact:
		j.report.Exact.add(right)
	case near:
		j.report.Near.add(right)
	}
	if p == nil || p.Group == 0 || right {
		return
	}
	j.held[p.Group] = append(j.held[p.Group], p)
}

func (t *Tally) add(found bool) {
	t.Expected++
	if found {
		t.Found++
	}
}

// expected says as what a page has to be found, given what was held before.
func (j *judge) expected(p *Page) (exact, near bool) {
	if p == nil || p.Group == 0 {
		return false, false
	}
	for _, h := range j.held[p.Group] {
		exact = exact || h.Bytes == p.Bytes
		near = near || j.alike(h, p) >= NearAt
	}
	return exact, near && !exact
}

func (j *judge) alike(a, b *Page) float64 {
	if a.Text == b.Text {
		return 1
	}
	return j.resemblance[[2]int{min(a.Text, b.Text), max(a.Text, b.Text)}]
}

// judge counts a copy verdict and reports whether it is right.
func (j *judge) judge(r *Record, p *Page) bool {
	of, kept := j.pages[r.Of], j.first[r.Of]
	known := p != nil && of != nil && p.Group != 0 && of.Group != 0
	if known && p.Folder && of.Folder && p.Group != of.Group {
		j.report.Unjudged++
		return false
	}
	same := known && p.Group == of.Group && r.URL != r.Of && kept != nil && !kept.Copy
	tally, right := &j.report.Near, same
	switch {
	case r.Level == 2 || r.Level == 3:
		tally, right = &j.report.Exact, same && p.Bytes == of.Bytes
	case r.Level == 0 && same && p.Bytes == of.Bytes:
		tally = &j.report.Exact
	}
	tally.Claimed++
	if !right {
		if exact, near := j.expected(p); known && !exact && !near {
			j.report.Lost++
		}
		if len(j.report.Wrong) < maxWrong {
			j.report.Wrong = append(j.report.Wrong, *r)
		}
		return false
	}
	tally.Right++
	if r.Class != "" {
		j.report.Classed++
		if r.Class == classOf(p, of) {
			j.report.ClassRight++
		}
	}
	return true
}

// maxWrong bounds Report.Wrong.
const maxWrong = 100

// Score judges a crawl by its records, which are those of pages that were
// fetched, in crawl order; what was fetched, and how often, by the server's own
// count since Start or Reset.
func (w *Web) Score(records []Record) Report {
	t := w.Truth()
	r := t.Score(records)
	sites := make(map[string]*site, len(w.sites))
	for _, s := range w.sites {
		sites[s.name] = s
	}
	counts := make(map[string]int, len(t.Pages))
	for i := range t.Pages {
		p := &t.Pages[i]
		s := sites[p.Site]
		counts[p.URL] = s.traffic.count(strings.TrimPrefix(p.URL, strings.TrimSuffix(s.url("/"), "/")))
	}
	t.account(&r, func(url string) int { return counts[url] })
	return r
}
