package judge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A Stratum is a kind of pages from which some are drawn.
type Stratum struct {
	Name  string `json:"name"`
	Copy  bool   `json:"copy"`  // the gate called its pages copies; else they are kept pages
	Pages int    `json:"pages"` // number of pages in the job

	doubt float64 // how much answers are expected to differ: sets how many are drawn
}

// A Side is one page of a pair.
type Side struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"` // its body; "" if it is not kept
}

// A Pair is two pages that a person is asked about.
type Pair struct {
	A       Side              // the copy, or the later kept page
	B       Side              // the kept page
	Stratum string            // its name
	Gate    string            // the gate's verdict as text
	Differs *dedup.Difference // for a copy whose text is not kept: the differences found when it was fetched
}

// Lost reports whether the text of a side is not kept.
func (p *Pair) Lost() bool { return p.A.Text == "" || p.B.Text == "" }

// A Sample is the pairs that were drawn.
type Sample struct {
	Job    string // identifies the job, so that its answers are told from those about another; "": not known
	Strata []Stratum
	Pairs  []Pair // shuffled, so that strata alternate
	Alone  int    // kept pages that have nothing in common with an earlier kept page: not asked about
	Bare   int    // kept pages without a word: not asked about
	Known  int    // copies of documents of earlier crawls, which have the texts: not asked about
}

// Lost returns the number of pairs of which the text of a side is not kept.
func (s *Sample) Lost() (n int) {
	for i := range s.Pairs {
		if s.Pairs[i].Lost() {
			n++
		}
	}
	return n
}

// A Job has the rows of a job: a control.Client or a gatecrawl.Inspector.
type Job interface {
	Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error
}

// The strata of copies and of kept pages: their bounds of similarity, and the doubt in each.
var (
	copyBounds = []float64{0, .8, .85, .9, .95, 1.01}
	copyDoubts = []float64{.5, .45, .35, .2, .1}
	keptBounds = []float64{0, .1, .3, .5, .65, .8, 1.01}
	keptDoubts = []float64{.03, .08, .2, .35, .5, .5}
)

// Doubts of copies by level: equal bytes, equal bodies.
const (
	doubtBytes = .03
	doubtBody  = .08
)

// leastDrawn is the least number of pages drawn from a stratum, if it has as many.
const leastDrawn = 4

// strata returns all strata, empty.
func strata() (list []Stratum) {
	list = append(list,
		Stratum{Name: "copy, equal bytes", Copy: true, doubt: doubtBytes},
		Stratum{Name: "copy, equal body", Copy: true, doubt: doubtBody})
	for i, d := range copyDoubts {
		list = append(list, Stratum{Name: "near copy, " + span(copyBounds, i), Copy: true, doubt: d})
	}
	for i, d := range keptDoubts {
		list = append(list, Stratum{Name: "kept, " + span(keptBounds, i), doubt: d})
	}
	return list
}

func span(bounds []float64, i int) string {
	return fmt.Sprintf("%.2f to %.2f", bounds[i], math.Min(1, bounds[i+1]))
}

// place returns the index of the range that a similarity is in.
func place(bounds []float64, x float64) int {
	for i := len(bounds) - 2; i > 0; i-- {
		if x >= bounds[i] {
			return i
		}
	}
	return 0
}

// stratumOfCopy returns the number of a copy's stratum.
func stratumOfCopy(r *page.Record) int {
	switch r.Level {
	case 3:
		return 0
	case 4:
		return 1
	}
	return 2 + place(copyBounds, r.Similarity)
}

func stratumOfKept(alike float64) int { return 2 + len(copyDoubts) + place(keptBounds, alike) }

// A drawn pair has only its URLs until its texts are read.
type drawn struct {
	a, b    string
	stratum int
	gate    string
	differs *dedup.Difference
	hash    uint64
}

// Draw draws n pairs of a job; another seed draws others. If told is not nil it is called from time
// to time with the number of kept pages that were read. Draw reads all of them, which takes some .5
// to .7 ms of processor time a page.
func Draw(ctx context.Context, job Job, n int, seed uint64, told func(kept int)) (*Sample, error) {
	s := &Sample{Strata: strata()}
	pools := make([]pool, len(s.Strata))
	for i := range pools {
		pools[i].most = n
	}
	take := func(d drawn) {
		s.Strata[d.stratum].Pages++
		d.hash = splitmix.Mix(xxhash.Sum64String(d.a+"\n"+d.b) ^ splitmix.Mix(seed))
		pools[d.stratum].add(d)
	}
	var kept near
	var read batch
	add := func() error {
		bare, err := read.addTo(&kept)
		s.Bare += bare
		if told != nil {
			told(len(kept.urls))
		}
		return err
	}
	err := job.Rows(ctx, gatecrawl.Wanted{Views: true}, func(r *gatecrawl.Row) error {
		switch p := &r.Page; {
		case p.Verdict == page.VerdictCopy && p.Archive != "":
			s.Known++
		case p.Verdict == page.VerdictCopy:
			take(drawn{a: p.URL, b: p.Of, stratum: stratumOfCopy(p), gate: verdictText(p), differs: p.Differs})
		case p.Verdict == page.VerdictNew && r.View == nil:
			s.Bare++
		case p.Verdict == page.VerdictNew:
			if read.take(p.URL, r.View); read.full() {
				return add()
			}
		}
		return nil
	})
	if err == nil {
		err = add()
	}
	if err != nil {
		return nil, err
	}
	for i, best := range kept.nearest() {
		if best.alike == 0 {
			s.Alone++
			continue
		}
		take(drawn{a: kept.urls[i], b: kept.urls[best.of], stratum: stratumOfKept(best.alike), gate: fmt.Sprintf("kept; %.2f of both texts is about the same", best.alike)})
	}
	var all []drawn
	for i, some := range allot(s.Strata, n) {
		all = append(all, pools[i].first(some)...)
	}
	slices.SortFunc(all, func(x, y drawn) int { return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.a, y.a)) })
	err = s.read(ctx, job, all)
	return s, err
}

func verdictText(p *page.Record) string {
	return fmt.Sprintf("%s copy, level %d, similarity %.2f", p.Class, p.Level, p.Similarity)
}

// A pool keeps the pairs of a stratum with the smallest hashes.
type pool struct {
	most int
	has  []drawn
}

func byHash(x, y drawn) int { return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.a, y.a)) }

func (p *pool) add(d drawn) {
	if p.has = append(p.has, d); len(p.has) >= 2*p.most+64 {
		p.has = p.first(p.most)
	}
}

func (p *pool) first(n int) []drawn {
	slices.SortFunc(p.has, byHash)
	return p.has[:min(n, len(p.has))]
}

// allot divides n among the strata, half of it among copies, in proportion to their pages times the
// doubt about them (Neyman 1934), but at least leastDrawn each, or fewer if these would be more than half of n. If a
// stratum has too few pages, the others get the rest.
func allot(list []Stratum, n int) []int {
	got := make([]int, len(list))
	half := func(copies bool, n int) (left int) {
		var open []int // with pages left, the heaviest first
		weight := func(i int) float64 { return float64(list[i].Pages) * list[i].doubt }
		for i, s := range list {
			if s.Copy == copies && got[i] < s.Pages {
				open = append(open, i)
			}
		}
		slices.SortStableFunc(open, func(i, j int) int { return cmp.Compare(weight(j), weight(i)) })
		give := func(i, more int) {
			more = min(more, list[i].Pages-got[i], n)
			got[i], n = got[i]+more, n-more
		}
		least := min(leastDrawn, max(1, n/(2*max(1, len(open)))))
		for _, i := range open {
			give(i, max(0, least-got[i]))
		}
		for n > 0 && len(open) > 0 {
			all, rest := 0.0, n
			for _, i := range open {
				all += weight(i)
			}
			for _, i := range open {
				give(i, max(1, int(float64(rest)*weight(i)/all)))
			}
			open = slices.DeleteFunc(open, func(i int) bool { return got[i] == list[i].Pages })
		}
		return n
	}
	left := half(true, n-n/2)
	left = half(false, n/2+left)
	half(true, left)
	return got
}

// read fills in the texts of the pairs.
func (s *Sample) read(ctx context.Context, job Job, all []drawn) error {
	sides := make(map[string]Side, 2*len(all))
	for _, d := range all {
		sides[d.a], sides[d.b] = Side{URL: d.a}, Side{URL: d.b}
	}
	if len(all) == 0 {
		return nil
	}
	err := job.Rows(ctx, gatecrawl.Wanted{Views: true, URLs: slices.Sorted(maps.Keys(sides))}, func(r *gatecrawl.Row) error {
		side, wanted := sides[r.Page.URL]
		if !wanted {
			return nil
		}
		side.Title = r.Page.Title
		if r.View != nil {
			view, err := page.UnpackBrief(r.View)
			if err != nil {
				return fmt.Errorf("%s: %w", r.Page.URL, err)
			}
			side.Title, side.Text = view.Title, view.Body
		}
		sides[side.URL] = side
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range all {
		p := Pair{A: sides[d.a], B: sides[d.b], Stratum: s.Strata[d.stratum].Name, Gate: d.gate}
		if p.A.Text == "" && d.stratum < 2 {
			p.A.Text = p.B.Text // equal bytes or an equal body: the text is the same
		}
		if p.A.Text == "" {
			p.Differs = d.differs
		}
		s.Pairs = append(s.Pairs, p)
	}
	return nil
}
