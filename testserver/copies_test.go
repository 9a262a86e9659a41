package testserver

import (
	"math"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// shares counts a truth's documents and copies: a copy is exact if an earlier document has
// its bytes, and near if one has its group.
func shares(truth score.Truth) (documents int, exact, copies float64) {
	bytes, groups := map[int]bool{}, map[int]bool{}
	for _, p := range truth.Pages {
		if p.Group == 0 || p.Kind == score.KindTrap {
			continue
		}
		documents++
		bytes[p.Bytes], groups[p.Group] = true, true
	}
	n := float64(documents)
	return documents, 1 - float64(len(bytes))/n, 1 - float64(len(groups))/n
}

func TestTheWebHasTheSharesOfCopiesAskedFor(t *testing.T) {
	t.Parallel()
	cases := []Options{Demo(), Bench(16, 200), Bench(3, 100), Bench(1, 200), withSeed(Demo(), 99)}
	if slow.Wanted() {
		cases = append(cases, Bench(8, 1000))
	}
	few := Bench(4, 150)
	few.Exact, few.Copies = .4, .6
	for _, o := range append(cases, few) {
		_, truth := shared(t, o)
		documents, exact, copies := shares(truth)
		t.Logf("%d hosts x %d: %d documents, %.3f exact, %.3f copies", o.Hosts, o.Pages, documents, exact, copies)
		if math.Abs(exact-o.Exact) > .02 || math.Abs(copies-o.Copies) > .02 {
			t.Errorf("%d hosts x %d pages: exact %.3f, copies %.3f, want %.2f and %.2f", o.Hosts, o.Pages, exact, copies, o.Exact, o.Copies)
		}
		want := float64(o.Hosts * o.Pages)
		if o.CrawlDelay > 0 {
			want -= float64(o.Pages - delayedPages)
		}
		if math.Abs(float64(documents)/want-1) > .05 {
			t.Errorf("%d hosts x %d pages: %d documents", o.Hosts, o.Pages, documents)
		}
	}
}

func TestNearCopiesResembleTheirOriginal(t *testing.T) {
	for _, o := range []Options{Demo(), Bench(8, 500), withSeed(Demo(), 3)} {
		_, truth := shared(t, o)
		classes := map[score.Class]int{}
		low, high, light := 1., 0., 0
		for _, p := range truth.Pages {
			if p.Class == "" {
				continue
			}
			classes[p.Class]++
			if p.Class == score.PartialLayout || p.Class == score.PartialContent {
				low, high = min(low, p.Jaccard), max(high, p.Jaccard)
				if p.Jaccard > .93 {
					light++
				}
			} else if p.Jaccard != 1 {
				t.Errorf("%s: %s with Jaccard %v, want 1", p.URL, p.Class, p.Jaccard)
			}
		}
		t.Logf("classes %v, partial Jaccard %.3f to %.3f, %d above .93", classes, low, high, light)
		for _, c := range []score.Class{score.FullLayout, score.FullContent, score.PartialLayout, score.PartialContent} {
			if classes[c] == 0 {
				t.Errorf("no page of class %s", c)
			}
		}
		if low < score.NearAt || high == 1 {
			t.Errorf("partial copies have Jaccard %.3f to %.3f, want within [%v, 1)", low, high, score.NearAt)
		}
	}
}

// TestNoTwoGroupsResembleEachOther compares all documents with each other: texts that are meant to
// be different must be so for any gate that uses 3-shingles.
func TestNoTwoGroupsResembleEachOther(t *testing.T) {
	t.Parallel()
	webs := []Options{Demo(), Bench(3, 60)}
	if slow.Wanted() {
		webs = append(webs, Bench(4, 200))
	}
	for _, o := range webs {
		w, truth := shared(t, o)
		var docs []score.Page
		var sets []map[uint64]struct{}
		texts := map[int]bool{}
		for _, p := range truth.Pages {
			if p.Group == 0 || texts[p.Text] {
				continue
			}
			texts[p.Text] = true
			s, _ := w.Text(p.URL)
			docs, sets = append(docs, p), append(sets, corpus.Shingles(s))
		}
		sibling := map[string]bool{}
		for _, s := range w.sites {
			for _, p := range s.pages {
				sibling[s.url(p.path)] = p.text != nil && p.text.Shared > 0
			}
		}
		in := map[uint64][]int32{}
		for i, set := range sets {
			for s := range set {
				in[s] = append(in[s], int32(i))
			}
		}
		articles, hubs, siblings := 0., 0., 0.
		common := make([]int, len(docs))
		for i, set := range sets {
			clear(common)
			for s := range set {
				for _, j := range in[s] {
					common[j]++
				}
			}
			for j := range i {
				if docs[i].Group == docs[j].Group {
					continue
				}
				sim := score.Ratio(common[j], len(set)+len(sets[j])-common[j])
				if sibling[docs[i].URL] && sibling[docs[j].URL] {
					siblings = max(siblings, sim)
					continue
				}
				// Listings may share entries: a library is on several sites.
				limit := .3
				if docs[i].Kind == score.KindHub && docs[j].Kind == score.KindHub {
					limit = .5
					hubs = max(hubs, sim)
				} else {
					articles = max(articles, sim)
				}
				if sim > limit {
					t.Errorf("%s (%s) and %s (%s): Jaccard %.3f, want below %v", docs[i].URL, docs[i].Kind, docs[j].URL, docs[j].Kind, sim, limit)
				}
			}
		}
		t.Logf("%d texts: most alike %.3f, listings %.3f, siblings %.3f", len(docs), articles, hubs, siblings)
		if siblings < .25 || siblings > .65 {
			t.Errorf("siblings resemble each other by up to %.3f, want hard negatives well below %v", siblings, score.NearAt)
		}
	}
}

func TestArticlesHaveTheSizeAndTheLanguagesAskedFor(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{Demo(), Bench(16, 200)} {
		w, _ := shared(t, o)
		var sizes []int
		chinese, titles, articles := 0, map[string]*corpus.Text{}, 0
		for _, s := range w.sites {
			for _, p := range s.pages {
				if p.kind != score.KindPage || p.copyOf != nil || p.bareSkin != nil || s.mirrorOf != nil {
					continue
				}
				sizes = append(sizes, len(w.render(nil, p)))
				articles++
				if p.text.Corpus.Chinese {
					chinese++
				}
				if titles[p.text.Title] == nil {
					titles[p.text.Title] = p.text.Origin
				} else if titles[p.text.Title] != p.text.Origin {
					titles[""] = p.text
				}
			}
		}
		slices.Sort(sizes)
		median := sizes[len(sizes)/2]
		share := float64(chinese) / float64(articles)
		t.Logf("%d articles: %d to %d bytes, median %d, %.2f Chinese", articles, sizes[0], sizes[len(sizes)-1], median, share)
		if math.Abs(float64(median)/float64(o.PageBytes)-1) > .1 {
			t.Errorf("median page has %d bytes, want about %d", median, o.PageBytes)
		}
		if math.Abs(share-o.Chinese) > .08 {
			t.Errorf("%.2f of the articles are Chinese, want about %.2f", share, o.Chinese)
		}
		if titles[""] == nil {
			t.Error("no two different articles have one title")
		}
	}
}

// TestAGateThatKnowsTheTruthScoresFull runs a perfect gate over the demo in two orders.
func TestAGateThatKnowsTheTruthScoresFull(t *testing.T) {
	_, truth := shared(t, Demo())
	truth.Pages = slices.Clone(truth.Pages)
	for range 2 {
		kept := map[int]string{}
		keptBytes := map[int]string{}
		var records []score.Record
		for _, p := range truth.Pages {
			if p.Group == 0 {
				continue
			}
			r := score.Record{URL: p.URL}
			if of, ok := keptBytes[p.Bytes]; ok {
				r.Copy, r.Of, r.Level = true, of, 3
			} else if of, ok := kept[p.Group]; ok {
				r.Copy, r.Of, r.Level = true, of, 5
			} else {
				kept[p.Group], keptBytes[p.Bytes] = p.URL, p.URL
			}
			records = append(records, r)
		}
		r := truth.Score(records)
		if r.Exact.Precision() != 1 || r.Exact.Recall() != 1 || r.Near.Precision() != 1 || r.Near.Recall() != 1 || r.Lost != 0 || len(r.Missed) != 0 {
			t.Errorf("a perfect gate scores exact %+v, near %+v, lost %d, missed %d", r.Exact, r.Near, r.Lost, len(r.Missed))
		}
		slices.Reverse(truth.Pages)
	}
}
