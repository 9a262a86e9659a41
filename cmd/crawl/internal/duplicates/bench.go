package duplicates

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/lab"
	"gatecrawl.example/gatecrawl/humanize"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure parts of the crawler on this machine",
		Example: "  crawl bench index --size 1000000",
		Args:    cobra.NoArgs,
	}
	cmd.AddCommand(newBenchIndex())
	return cmd
}

func newBenchIndex() *cobra.Command {
	o, designs, asJSON := lab.DefaultTrialOptions(), []string{string(index.DesignHalves)}, false
	bare := false
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Measure the fingerprint index at a size",
		Long: `index builds the index of fingerprints in which the gate finds near copies, in memory and
at a size of your choice, queries it, and prints a row for each design. Half of the
queries are planted within --distance bits of a fingerprint and must be found;
otherwise the command fails. For comparison it measures a scan of all fingerprints;
four maps of 16 bits, which most libraries have; and the two schemes between which the
tables are a compromise: probes (sorted fingerprints, searched for each of the 43,745
within 3 bits of a query) and neighbours (these stored beforehand, for 50 fingerprints).
Their rows say at which size they were measured; the scan's row is extrapolated to
--size in proportion. Progress is printed on stderr.

A second of "cpu-s" is one in which the process had a processor, so that other
work of the machine counts less. Queries run in one goroutine; a batch runs on all
processors and is timed by the clock.

  bytes    of memory a fingerprint, and in brackets without the documents' numbers
  build    seconds by the clock on all processors, and fingerprints a cpu-s, without the
           time of generating the fingerprints, which is measured separately
  query    queries a cpu-s, and the time of one by the clock: median and 99th percentile
  batch    seconds by the clock for all queries at once
  claim    the time of a query and an insert by the clock

designs: ` + designList() + `.`,
		Example: "  crawl bench index\n" +
			"  crawl bench index --size 1000000000 --design static --bare\n" +
			"  crawl bench index --size 100000000 --design halves --seed 1\n" +
			"  crawl bench index --size 1000000 --design halves,blocks,sorted4 --skewed",
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.IntVar(&o.Size, "size", o.Size, "fingerprints")
	f.StringSliceVar(&designs, "design", designs, "designs to try, with commas between")
	f.IntVar(&o.Distance, "distance", o.Distance, "bits in which near fingerprints differ at most")
	f.IntVar(&o.Queries, "queries", o.Queries, "how many to ask, one by one and as a batch")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "makes one run's fingerprints like another's")
	f.BoolVar(&o.Skewed, "skewed", false, "fingerprints in clusters and with rare bits, not evenly spread")
	f.BoolVar(&bare, "bare", false, "leave the documents' numbers out of halves and static")
	f.BoolVar(&asJSON, "json", false, "print JSON, one object a row")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.Bare = bare
		var trials []lab.TrialOptions
		for _, d := range designs {
			o.Design = index.Design(d)
			if err := o.Validate(); err != nil {
				return cli.Usagef("bench index: %w", err)
			}
			if err := fits(o); err != nil {
				return err
			}
			trials = append(trials, o)
		}
		defer debug.SetGCPercent(debug.SetGCPercent(20)) // room for the index, not for garbage
		return benchIndex(cmd.OutOrStdout(), cmd.ErrOrStderr(), trials, asJSON)
	}
	return cmd
}

func designList() string {
	var names []string
	for _, d := range lab.Designs() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}

// fits refuses a trial that would not fit into the memory that is free.
func fits(o lab.TrialOptions) error {
	free := lab.FreeMemory()
	need := o.Memory()
	if free == 0 || need <= free {
		return nil
	}
	most := int(float64(o.Size) * float64(free) / float64(need) * .98)
	return cli.Usagef("bench index: %s fingerprints in %s need about %s, and %s of memory are free: want a --size of at most %d",
		humanize.Count(o.Size), o.Design, humanize.Size(need), humanize.Size(free), most/1000*1000)
}

// benchIndex says on progress what it measures, since a row may take minutes, and
// prints all rows when the last is known: their columns go by all of them.
func benchIndex(w, progress io.Writer, trials []lab.TrialOptions, asJSON bool) error {
	rows, err := lab.RunAll(trials, func(name string, n int) (done func()) {
		fmt.Fprintf(progress, "%s: measuring with %s fingerprints ...\n", name, humanize.Count(n))
		start := time.Now()
		return func() { fmt.Fprintf(progress, "%s: done in %.1f s\n", name, time.Since(start).Seconds()) }
	})
	if err != nil {
		return fmt.Errorf("bench index: %w", err)
	}
	if asJSON {
		for _, r := range rows {
			if err := console.EncodeLine(w, r); err != nil {
				return err
			}
		}
		return nil
	}
	return showBench(w, rows)
}

func showBench(w io.Writer, rows []lab.Row) error {
	t := console.NewTable(w, "index", "size", "bytes", "build", "inserts/cpu-s", "queries/cpu-s", "query p50, p99", "batch", "claim p50, p99")
	for _, r := range rows {
		cells := slices.Repeat([]string{"-"}, 9)
		cells[0], cells[1] = r.Index, humanize.Count(r.Size)
		if r.Extrapolated {
			cells[0] += " (extrapolated)"
		}
		cells[2] = fmt.Sprintf("%.1f", r.Bytes)
		if r.KeyBytes > 0 {
			cells[2] += fmt.Sprintf(" (%.1f)", r.KeyBytes)
		}
		if r.InsertsCPU > 0 {
			cells[3], cells[4] = fmt.Sprintf("%.1f s", r.Build), humanize.Count(int64(r.InsertsCPU))
		}
		cells[5] = humanize.Count(int64(r.QueriesCPU))
		cells[6] = fmt.Sprintf("%.1f, %.1f us", r.QueryP50, r.QueryP99)
		if r.BatchQueries > 0 {
			cells[7] = fmt.Sprintf("%s in %.2f s", humanize.Count(r.BatchQueries), r.Batch)
		}
		if r.ClaimP99 > 0 {
			cells[8] = fmt.Sprintf("%.1f, %.1f us", r.ClaimP50, r.ClaimP99)
		}
		t.Row(cells...)
	}
	return t.Flush()
}
