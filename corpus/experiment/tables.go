package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/lab"
	"gatecrawl.example/gatecrawl/humanize"
)

const (
	distance     = 3         // k
	tableSize    = 1_000_000 // number of fingerprints if there are no pages
	tableQueries = 20_000
	fewQueries   = 100 // for schemes that take milliseconds for each
	fewStored    = 50  // fingerprints whose whole neighbourhood is stored
)

// A finder answers for fingerprints within distance bits.
type finder interface {
	Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool)
}

// tables measures the four schemes of the article, and the four designs of the last one.
func tables(o *Options, r *Report) error {
	fps, what, err := o.fingerprints(r)
	if err != nil {
		return err
	}
	n := len(fps)
	r.Pages = n
	random := rand.New(rand.NewPCG(1, uint64(n)))
	queries := make([]uint64, tableQueries)
	for i := range queries {
		queries[i] = random.Uint64()
		if i%2 == 0 {
			queries[i] = fps[random.IntN(n)]
			for range random.IntN(distance + 1) {
				queries[i] ^= 1 << random.IntN(64)
			}
		}
	}
	t := Table{fmt.Sprintf("%s, k = %d", what, distance), []string{"scheme", "tables", "p", "rows a probe", "n/2^p", "at 2^34 rows", "rows a query", "bytes a fingerprint", "queries/cpu-s", "in a batch"}, nil}
	for _, d := range []index.Design{lab.DesignSorted4, lab.DesignSorted10, lab.DesignSorted16, lab.DesignSorted20} {
		o.Progress(string(d))
		x, err := lab.NewIndex(d, distance)
		if err != nil {
			return err
		}
		sorted := x.(*lab.Sorted) // the designs are of this type
		for i, fp := range fps {
			sorted.Insert(fp, index.DocID(i+1))
		}
		sorted.Pack()
		p := sorted.Widths()
		least, most := slices.Min(p), slices.Max(p)
		reads, expected, large := 0, 0.0, 0.0
		for _, q := range queries[:fewQueries*10] {
			reads += sorted.Reads(q)
		}
		for _, bits := range p {
			expected += float64(n) / math.Exp2(float64(bits)) / float64(len(p))
			large += math.Exp2(34-float64(bits)) / float64(len(p))
		}
		perQuery := float64(reads) / float64(fewQueries*10)
		start := cputime.Used()
		sorted.NearBatch(queries, distance, func(int, index.DocID, uint64, int) bool { return true })
		batch := float64(len(queries)) / (cputime.Used() - start).Seconds()
		width := fmt.Sprint(least)
		if least != most {
			width = fmt.Sprintf("%d to %d", least, most)
		}
		t.Rows = append(t.Rows, []string{"4: " + string(d), fmt.Sprint(len(p)), width, fmt.Sprintf("%.2f", perQuery/float64(len(p))), fmt.Sprintf("%.2f", expected),
			humanize.Count(int64(large + .5)), fmt.Sprintf("%.1f", perQuery), fmt.Sprintf("%.1f", float64(sorted.Bytes())/float64(n)), speed(sorted, queries), humanize.Count(int64(batch))})
	}
	o.Progress("scan")
	t.Rows = append(t.Rows, []string{"1: scan", "1", "0", humanize.Count(n), humanize.Count(n), humanize.Count(int64(1) << 34), humanize.Count(n), "8.0", speed(lab.Scan(fps), queries[:fewQueries]), "-"})
	o.Progress("probes")
	probes := lab.NewProbes(fps)
	t.Rows = append(t.Rows, []string{fmt.Sprintf("2: %s probes", humanize.Count(lab.Around(distance))), "1", "64", "-", "-", "-", "-",
		fmt.Sprintf("%.1f", float64(probes.Bytes())/float64(n)), speed(probes, queries[:fewQueries]), "-"})
	o.Progress("neighbours")
	some := fps[:min(fewStored, n)]
	stored, err := lab.NewNeighbours(some, distance)
	if err != nil {
		return err
	}
	t.Rows = append(t.Rows, []string{fmt.Sprintf("3: all stored, of %d fingerprints", len(some)), "1", "64", "-", "-", "-", "-",
		humanize.Count(stored.Bytes() / int64(len(some))), speed(stored, queries), "-"})
	r.Tables = append(r.Tables, t)
	r.Remarks = append(r.Remarks,
		"published: 2^34 fingerprints; with 4 tables p = 16 and 2^18 rows a probe, 2^20 a query, as above; more tables, fewer rows and more memory",
		"a table read in memory takes the time of finding its place more than that of its rows: what more tables save shows where rows come from a disk, or where there are billions")
	return nil
}

// speed returns how many queries a second of processor time answers.
func speed(x finder, queries []uint64) string {
	start := cputime.Used()
	for _, q := range queries {
		x.Near(q, distance, func(index.DocID, uint64, int) bool { return true })
	}
	return humanize.Count(int64(float64(len(queries)) / max((cputime.Used()-start).Seconds(), 1e-6)))
}

// fingerprints returns the fingerprints of the pages, or random ones.
func (o *Options) fingerprints(r *Report) (fps []uint64, what string, err error) {
	if len(o.Names) > 0 && o.Size == 0 {
		o.Equal = true
		s, err := o.read(r)
		if err != nil {
			return nil, "", err
		}
		r.Truth = ""
		for _, d := range s.Test.Docs {
			fps = append(fps, dedup.SignText(d.Body).SimHash)
		}
		return fps, fmt.Sprintf("fingerprints of %s pages", humanize.Count(len(fps))), nil
	}
	n := o.Size
	if n == 0 {
		n = tableSize
	}
	random := rand.New(rand.NewPCG(2, uint64(n)))
	for range n {
		fps = append(fps, random.Uint64())
	}
	return fps, fmt.Sprintf("%s random fingerprints", humanize.Count(n)), nil
}
