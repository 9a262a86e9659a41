package experiment

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/humanize"
)

// rates counts copies as crawl dedup does.
func rates(o *Options, r *Report) error {
	b, err := corpus.NewBatch(corpus.Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		return err
	}
	b.Fault = o.Fault
	var exact, body, near, pages int
	b.Judged = func(res corpus.Result) error {
		switch p := res.Record; {
		case !p.Document():
			return nil
		case p.Level == 3:
			exact++
		case p.Level == 4:
			body++
		case p.Level == 5:
			near++
		}
		pages++
		return nil
	}
	o.Progress("reading and comparing the pages")
	if _, err := b.Run(&corpus.Source{Names: o.Names, Stdin: o.Stdin, Jobs: o.Jobs}); err != nil {
		return err
	}
	if pages == 0 {
		return fmt.Errorf("no pages in %s", strings.Join(o.Names, ", "))
	}
	r.Pages, r.Truth = pages, "none: it is what the gate says"
	of := func(n int) string { return percent(float64(n) / float64(pages)) }
	r.Tables = []Table{{"shares of all pages", []string{"what", "pages", "ours", "published"}, [][]string{
		{"exact copies (equal bytes)", humanize.Count(exact), of(exact), "22%"},
		{"the same body in other bytes", humanize.Count(body), of(body), "-"},
		{"near copies", humanize.Count(near), of(near), "-"},
		{"exact or near", humanize.Count(exact + body + near), of(exact + body + near), "29%"},
	}}}
	r.Remarks = append(r.Remarks, "the published shares are of 150 million pages of the open web in 2003; crawl judge says how far ours are right")
	if slices.ContainsFunc(o.Names, func(name string) bool { return o.Jobs != nil && o.Jobs(name) != nil }) {
		r.Remarks = append(r.Remarks, "of a job these are the pages that it kept, and those that it discarded as copies are missing: crawl status has their number, and a crawl with --dedup mark keeps them; they are read and compared anew")
	}
	return nil
}

// docviews repeats the table of Yu and Xiong.
func docviews(o *Options, r *Report) error {
	s, err := o.read(r)
	if err != nil {
		return err
	}
	asked := []struct{ what, method, p, r, gamma string }{
		{"keywords (cosine of 5)", "docview-cosine:n=5,delta=.1", ".973", ".970", ".486"},
		{"signature (m of n segments)", "segments", ".982", ".839", ".452"},
		{"both, either condition", "docview:n=5,delta=.1", ".987", ".957", ".486"},
		{"both, both conditions", "docview-both:n=5,delta=.1", "", "", ""},
		{"both, weights tf x 1/df", "docview:n=5,delta=.1,weights=plain", "", "", ""},
	}
	var names []string
	for _, a := range asked {
		names = append(names, a.method)
	}
	results, err := o.examine(s, names...)
	if err != nil {
		return err
	}
	t := Table{"N = 5, delta = .1", []string{"method", "precision", "published", "recall", "published", "gamma", "published", "cpu ms/page"}, nil}
	for i, res := range results {
		a, all := asked[i], res.Scores[0]
		t.Rows = append(t.Rows, []string{a.what, all.Precision.Text(all.Found), dash(a.p), all.Recall.Text(all.Copies), dash(a.r), gamma(all), dash(a.gamma), perPage(res)})
	}
	r.Tables = append(r.Tables, t)
	if o.Sweep {
		if err := o.sweep(s, r); err != nil {
			return err
		}
	}
	r.Remarks = append(r.Remarks,
		"published: 10,000 pages, 16 to 18 minutes each (about 100 ms a page on a PC of 2011); by the paper's own counts its precisions are 94.3, 96.8 and 97.4%",
		"either condition is how section 3.3 explains the method, both is how its formula can be read; gamma = 1/(1/p + 1/r) is half of F1")
	return nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// perPage is what signing a page and finding its copies takes.
func perPage(r exam.Result) string {
	took := 1 / r.DocsPerSec
	if r.FindPerSec > 0 {
		took += 1 / r.FindPerSec
	}
	return fmt.Sprintf("%.3f", 1000*took)
}

// sweep tries values of N and delta, which according to the paper decide precision and recall.
func (o *Options) sweep(s *labelled.Set, r *Report) error {
	deltas := []string{"0.02", "0.05", "0.1", "0.2", "0.3"}
	for _, kind := range []string{"docview-cosine", "docview"} {
		t := Table{kind + ": precision, recall and F1 by N and delta", []string{"N"}, nil}
		for _, d := range deltas {
			t.Head = append(t.Head, "delta "+d)
		}
		for _, n := range []int{3, 5, 10, 20, 50} {
			row := []string{fmt.Sprint(n)}
			for _, d := range deltas {
				results, err := o.examine(s, fmt.Sprintf("%s:n=%d,delta=%s", kind, n, d))
				if err != nil {
					return err
				}
				row = append(row, scores(results[0].Scores[0]))
			}
			t.Rows = append(t.Rows, row)
		}
		r.Tables = append(r.Tables, t)
	}
	return nil
}

// scores writes precision, recall and F1; "-" stands for a number that is not defined.
func scores(s exam.Score) string {
	p, r, f := "-", "-", "-"
	if s.Found > 0 {
		p = share(s.Precision.Value)
	}
	if s.Copies > 0 {
		r = share(s.Recall.Value)
	}
	if s.Found+s.Copies > 0 {
		f = share(s.F1.Value)
	}
	return strings.Join([]string{p, r, f}, " ")
}

// purified compares whole pages with bodies, by the same truth.
func purified(o *Options, r *Report) error {
	names := []string{"docview", "segments", "simhash-tf", "shingling", "imatch", "spotsigs", "supershingle", "gate"}
	var both [2][]exam.Result
	for i, raw := range []bool{true, false} {
		o.Raw = raw
		s, err := o.read(r)
		if err != nil {
			return err
		}
		if both[i], err = o.examine(s, names...); err != nil {
			return err
		}
	}
	t := Table{"all text of the pages, and their bodies", []string{"method", "raw precision", "purified", "raw recall", "purified", "raw F1", "purified"}, nil}
	better, worse := 0, 0
	for i, name := range names {
		raw, pure := both[0][i].Scores[0], both[1][i].Scores[0]
		switch {
		case pure.F1.Value > raw.F1.Value:
			better++
		case pure.F1.Value < raw.F1.Value:
			worse++
		}
		t.Rows = append(t.Rows, []string{name,
			raw.Precision.Text(raw.Found), pure.Precision.Text(pure.Found),
			raw.Recall.Text(raw.Copies), pure.Recall.Text(pure.Copies),
			share(raw.F1.Value), share(pure.F1.Value)})
	}
	r.Tables = append(r.Tables, t)
	r.Remarks = append(r.Remarks, fmt.Sprintf("purifying has the better F1 for %d of %d methods and the worse one for %d; the paper says so without a figure: templates hide copies, and make copies of pages that are none", better, len(names), worse))
	return nil
}

// simhashes sweeps the distance.
func simhashes(o *Options, r *Report) error {
	s, err := o.read(r)
	if err != nil {
		return err
	}
	t := Table{"64 bits", []string{"distance", "tf-idf precision", "recall", "tf precision", "recall", "published"}, nil}
	for k := 0; k <= 10; k++ {
		results, err := o.examine(s, fmt.Sprintf("simhash:distance=%d", k), fmt.Sprintf("simhash-tf:distance=%d", k))
		if err != nil {
			return err
		}
		idf, tf := results[0].Scores[0], results[1].Scores[0]
		published := "-"
		if k == 3 {
			published = "about .75 and .75"
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(k), idf.Precision.Text(idf.Found), idf.Recall.Text(idf.Copies), tf.Precision.Text(tf.Found), tf.Recall.Text(tf.Copies), published})
	}
	r.Tables = append(r.Tables, t)
	r.Remarks = append(r.Remarks, "published: 8 billion pages, pairs judged by people as equal but for small differences")
	return nil
}

// costs measures what methods cost, and how that grows.
func costs(o *Options, r *Report) error {
	s, err := o.read(r)
	if err != nil {
		return err
	}
	rows := []struct{ what, method, published string }{
		{"super-shingles", "supershingle", "13,900 pages/s (150 million pages in 3 hours); place 1"},
		{"I-Match", "imatch", "O(d log d) at worst; place 2"},
		{"Bloom filters", "bloom", "10 kB in 66 ms; place 3"},
		{"shingles", "shingling", "35 pages/s a machine (30 million in 10 machine days); place 4"},
	}
	docs := s.Test.Docs
	sizes := []int{len(docs) / 4, len(docs) / 2, len(docs)}
	t := Table{"processor time", []string{"method"}, nil}
	for _, n := range sizes {
		t.Head = append(t.Head, fmt.Sprintf("us/page of %s", humanize.Count(n)))
	}
	t.Head = append(t.Head, "sign", "find", "pages/s", "us/10 kB", "place", "published")
	bytes := 0
	for _, d := range docs {
		bytes += len(d.Body)
	}
	perDoc := float64(bytes) / float64(len(docs))
	took := make([]float64, len(rows))
	for i, row := range rows {
		cells := []string{row.what}
		m, err := named(row.method, s.Least)
		if err != nil {
			return err
		}
		var sign, find float64
		for _, n := range sizes {
			o.Progress(fmt.Sprintf("%s: %d pages", row.method, n))
			part := docs[:n]
			start := cputime.Used()
			sigs := m.Sign(part)
			signed := cputime.Used()
			for range sigs.Pairs(m.Threshold()) {
			}
			per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(max(n, 1)) }
			sign, find = per(signed-start), per(cputime.Used()-signed)
			cells = append(cells, fmt.Sprintf("%.1f", sign+find))
		}
		took[i] = sign + find
		t.Rows = append(t.Rows, append(cells, fmt.Sprintf("%.1f", sign), fmt.Sprintf("%.1f", find), humanize.Count(int(1e6/max(took[i], 1e-3))), fmt.Sprintf("%.1f", sign*10_000/max(perDoc, 1)), "", row.published))
	}
	sorted := slices.Sorted(slices.Values(took))
	for i := range t.Rows {
		place, _ := slices.BinarySearch(sorted, took[i])
		t.Rows[i][len(t.Head)-2] = fmt.Sprint(place + 1)
	}
	r.Tables = append(r.Tables, t)
	r.Remarks = append(r.Remarks, "a cost a page that grows with the number of pages is one of more than linear time; the published figures are of machines of 1997 to 2005")
	return nil
}

// linked compares the text alone with text and links.
func linked(o *Options, r *Report) error {
	s, err := o.read(r)
	if err != nil {
		return err
	}
	rows := []struct{ what, method, published string }{
		{"text (random projection)", "projection", "90%"},
		{"text, spread over links", "projection-links", "93%"},
		{"text, links and words of the URL", "text-links-url", "-"},
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.method)
	}
	results, err := o.examine(s, names...)
	if err != nil {
		return err
	}
	t := Table{"what links add", []string{"information", "precision", "recall", "F1", "best F1", "published"}, nil}
	for i, res := range results {
		all := res.Scores[0]
		t.Rows = append(t.Rows, []string{rows[i].what, all.Precision.Text(all.Found), all.Recall.Text(all.Copies), share(all.F1.Value),
			fmt.Sprintf("%.3f at %.3f", res.Best.F1, res.Best.Threshold), rows[i].published})
	}
	r.Tables = append(r.Tables, t)
	r.Remarks = append(r.Remarks, "the article gives 90 and 93% without saying of what")
	return nil
}

// lexicons tries I-Match with one lexicon and with several, which leave out a smaller or larger
// share of the words.
func lexicons(o *Options, r *Report) error {
	s, err := o.read(r)
	if err != nil {
		return err
	}
	t := Table{"I-Match", []string{"lexicons", "left out of each", "precision", "recall", "F1", "short pairs: recall", "published"}, nil}
	for _, row := range []struct{ method, lexicons, left, published string }{
		{"imatch", "1", "-", "unstable; wrong on short texts"},
		{"imatch-lexicons:left=.05", "1 + 10", ".05", "a very small share is left out"},
		{"imatch-lexicons:left=.15", "1 + 10", ".15", "-"},
		{"imatch-lexicons", "1 + 10", ".33", "a third (Kolcz 2004)"},
	} {
		results, err := o.examine(s, row.method)
		if err != nil {
			return err
		}
		all, short := results[0].Scores[0], results[0].Scores[4]
		t.Rows = append(t.Rows, []string{row.lexicons, row.left, all.Precision.Text(all.Found), all.Recall.Text(all.Copies), share(all.F1.Value), short.Recall.Text(short.Copies), row.published})
	}
	r.Tables = append(r.Tables, t)
	return nil
}
