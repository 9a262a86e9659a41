package score

// NearAt is the resemblance from which an edited text must be found: the exact Jaccard of
// 3-shingles by which published gates are judged.
const NearAt = .8

// A Record is what a crawler said about one page that it fetched.
type Record struct {
	URL   string `json:"url"`
	Copy  bool   `json:"copy"`
	Of    string `json:"of,omitempty"`    // the kept page, for a copy
	Level int    `json:"level,omitempty"` // the level of the gate that decided: 2 site, 3 bytes, 4 body, 5 near; 0 not said
	Class Class  `json:"class,omitempty"` // empty when not said
}

// A Tally compares verdicts with the truth.
type Tally struct {
	Claimed  int `json:"claimed"`  // copy verdicts
	Right    int `json:"right"`    // of these, correct ones
	Expected int `json:"expected"` // pages that are copies
	Found    int `json:"found"`    // of these, found
}

// Precision is the share of verdicts that are right; 1 without verdicts.
func (t Tally) Precision() float64 { return Ratio(t.Right, t.Claimed) }

// Recall is the share of copies that were found; 1 without copies.
func (t Tally) Recall() float64 { return Ratio(t.Found, t.Expected) }

func Ratio(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// A Report judges the records of one crawl.
//
// A verdict is right if the page and the kept page that it names are two pages of one true
// group, and the named page was kept itself: a page discarded in favour of one that was
// discarded too is wrong. Which member of a group is kept does not matter. Exact counts
// verdicts of the levels site and bytes, which need equal bytes to be right; Near counts
// those of the other levels.
//
// A page is expected to be found if an earlier page of its group was retained: kept, or
// discarded wrongly, so that a gate cannot gain recall by discarding everything. It is
// expected as exact if a retained member has its bytes, otherwise as near if one has its
// text or resembles it by NearAt or more. Edits that resemble every retained member less
// may be found or kept. A page counts as found if any right verdict names a group member,
// at any level.
type Report struct {
	Exact Tally `json:"exact"`
	Near  Tally `json:"near"`

	Classed    int `json:"classed"`     // right verdicts that named a class
	ClassRight int `json:"class_right"` // of these, with the true class
	// Named is of these, by true class, the verdicts on pages with other bytes than the kept page.
	Named    map[Class]Named `json:"named,omitempty"`
	Lost     int             `json:"lost"`     // pages discarded that should have been kept
	Unjudged int             `json:"unjudged"` // verdicts on two different files of folders, which the truth does not know

	Reachable int      `json:"reachable"` // documents that a crawl must fetch
	Fetched   int      `json:"fetched"`   // of these, fetched
	Missed    []string `json:"missed"`    // of these, not fetched
	Forbidden []string `json:"forbidden"` // fetched although robots.txt forbids it
	Twice     []string `json:"twice"`     // fetched more than once
	Beyond    int      `json:"beyond"`    // fetched, but not in the truth, such as a trap's far pages
	Wrong     []Record `json:"wrong"`     // wrong verdicts, at most 100
}

// A Named counts the copies of one class, and how many of them were given that class.
type Named struct {
	Copies int `json:"copies"`
	Right  int `json:"right"`
}

// Score judges records in crawl order, except that a kept page comes before the copies that name
// it. If a URL has several records the first one counts.
func (t Truth) Score(records []Record) Report {
	j := scorer{pages: make(map[string]*Page, len(t.Pages)), resemblance: make(map[[2]int]float64, len(t.Pairs)),
		first: make(map[string]*Record, len(records)), added: make(map[*Record]bool, len(records)), retained: map[int][]*Page{}}
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
			j.addAfterKept(r)
		}
	}
	t.CountFetches(&j.report, func(url string) int { return seen[url] })
	for url := range seen {
		if j.pages[url] == nil {
			j.report.Beyond++
		}
	}
	return j.report
}

// CountFetches sets the fields about fetches, given how often each URL was requested.
func (t Truth) CountFetches(r *Report, fetches func(url string) int) {
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

// required reports whether a crawl must fetch the page.
func (p *Page) required() bool { return p.Group != 0 && !p.Optional }

// A scorer judges one crawl's records.
type scorer struct {
	pages       map[string]*Page
	resemblance map[[2]int]float64
	first       map[string]*Record
	added       map[*Record]bool
	retained    map[int][]*Page // by group: earlier pages that were kept, or discarded wrongly
	report      Report
}

// addAfterKept adds a record, after that of the kept page that it names. If both pages were fetched
// at the same time the kept one may have the later place, although the gate got it first.
func (j *scorer) addAfterKept(r *Record) {
	if j.added[r] {
		return
	}
	if kept := j.first[r.Of]; r.Copy && kept != nil && !kept.Copy && !j.added[kept] {
		j.added[kept] = true
		j.add(kept)
	}
	j.added[r] = true
	j.add(r)
}

func (j *scorer) add(r *Record) {
	p := j.pages[r.URL]
	if p == nil && !r.Copy {
		return
	}
	exact, near := j.expected(p)
	right := false
	if r.Copy {
		right = j.check(r, p)
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
	j.retained[p.Group] = append(j.retained[p.Group], p)
}

func (t *Tally) add(found bool) {
	t.Expected++
	if found {
		t.Found++
	}
}

// expected returns which kind of copy a page must be found to be, given the pages retained before.
func (j *scorer) expected(p *Page) (exact, near bool) {
	if p == nil || p.Group == 0 {
		return false, false
	}
	for _, h := range j.retained[p.Group] {
		exact = exact || h.Bytes == p.Bytes
		near = near || j.similarity(h, p) >= NearAt
	}
	return exact, near && !exact
}

func (j *scorer) similarity(a, b *Page) float64 {
	if a.Text == b.Text {
		return 1
	}
	return j.resemblance[[2]int{min(a.Text, b.Text), max(a.Text, b.Text)}]
}

// check counts a copy verdict and reports whether it is right.
func (j *scorer) check(r *Record, p *Page) bool {
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
		j.named(r.Class, ClassOf(p, of), p.Bytes == of.Bytes)
	}
	return true
}

// named counts a class that was given to a copy.
func (j *scorer) named(said, is Class, bytes bool) {
	j.report.Classed++
	if said == is {
		j.report.ClassRight++
	}
	if bytes {
		return
	}
	n := j.report.Named[is]
	if n.Copies++; said == is {
		n.Right++
	}
	if j.report.Named == nil {
		j.report.Named = map[Class]Named{}
	}
	j.report.Named[is] = n
}

// maxWrong bounds Report.Wrong.
const maxWrong = 100
