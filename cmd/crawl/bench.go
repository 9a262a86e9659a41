package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/lab"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure parts of the crawler on this machine",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newBenchIndex())
	return cmd
}

// How many fingerprints the peers of an index have at most: a scan reads 80 MB
// a query, the maps take 300 MB.
const (
	scanSample = 10_000_000
	mapsSample = 2_000_000
)

func newBenchIndex() *cobra.Command {
	o, designs, asJSON := lab.DefaultTrialOptions(), []string{string(index.DesignHalves)}, false
	bare := false
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Measure the fingerprint index at a size",
		Long: `index builds the index of fingerprints that the gate asks for near copies, at a
size of your choice and in memory, asks it, and prints a row for each design. Half
of the queries are planted within --distance bits of a fingerprint and must be
found; otherwise the command fails. Beside it are a scan of all fingerprints and
four maps of 16 bits, as most libraries have them; their rows say at which size
they were measured, and the scan's is extrapolated to --size in proportion. What
is being measured is told on stderr.

A second of "cpu-s" is one in which the process had a processor, so that other
work of the machine counts less. Queries are asked from one goroutine; a batch is
answered by all processors and timed by the clock.

  bytes    of memory a fingerprint, and in brackets without the documents' numbers
  build    seconds by the clock on all processors, and fingerprints a cpu-s: what
           making them takes, as often as the index asks, is measured apart and
           taken off
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
				return usagef("bench index: %w", err)
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
	free := freeMemory()
	need := o.Memory()
	if free == 0 || need <= free {
		return nil
	}
	most := int(float64(o.Size) * float64(free) / float64(need) * .98)
	return usagef("bench index: %s fingerprints in %s need about %s, and %s of memory are free: want a --size of at most %d",
		count(int64(o.Size)), o.Design, size(need), size(free), most/1000*1000)
}

// freeMemory returns how many bytes the system can give without swapping, 0
// where it does not tell (all but Linux).
func freeMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || words[0] != "MemAvailable:" {
			continue
		}
		kb, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return 0
		}
		return kb << 10
	}
	return 0
}

// A benchRow is a row of the table. Times are seconds, those of single calls
// microseconds.
type benchRow struct {
	Index        string  `json:"index"`
	Size         int     `json:"size"`
	Extrapolated bool    `json:"extrapolated"` // from a smaller size
	Bytes        float64 `json:"bytes"`        // a fingerprint
	KeyBytes     float64 `json:"key_bytes"`    // without DocIDs; 0: they are not apart
	Build        float64 `json:"build_s"`
	MakeCPU      float64 `json:"make_cpu_s"` // to make the fingerprints; not in inserts_per_cpu_s
	InsertsCPU   float64 `json:"inserts_per_cpu_s"`
	QueriesCPU   float64 `json:"queries_per_cpu_s"`
	QueryP50     float64 `json:"query_p50_us"`
	QueryP99     float64 `json:"query_p99_us"`
	BatchQueries int     `json:"batch_queries"`
	Batch        float64 `json:"batch_s"`
	ClaimP50     float64 `json:"claim_p50_us"`
	ClaimP99     float64 `json:"claim_p99_us"`
}

func newBenchRow(name string, n, queries int, t lab.Trial) benchRow {
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	r := benchRow{
		Index: name, Size: n, Bytes: float64(t.Bytes) / float64(n), KeyBytes: float64(t.KeyBytes) / float64(n),
		Build:      t.Build.Seconds(),
		QueriesCPU: float64(queries) / t.QueryCPU.Seconds(), QueryP50: micros(t.QueryP50), QueryP99: micros(t.QueryP99),
		ClaimP50: micros(t.ClaimP50), ClaimP99: micros(t.ClaimP99),
	}
	if t.BuildCPU > 0 {
		r.MakeCPU = t.MakeCPU.Seconds()
		r.InsertsCPU = float64(n) / max(t.BuildCPU-t.MakeCPU, time.Microsecond).Seconds()
	}
	if t.Batch > 0 {
		r.Batch, r.BatchQueries = t.Batch.Seconds(), queries
	}
	return r
}

// benchIndex says on progress what it measures, since a row may take minutes, and
// prints all rows when the last is known: their columns go by all of them.
func benchIndex(w, progress io.Writer, trials []lab.TrialOptions, asJSON bool) error {
	var rows []benchRow
	begin := func(name string, n int) (done func()) {
		fmt.Fprintf(progress, "%s: measuring with %s fingerprints ...\n", name, count(int64(n)))
		start := time.Now()
		return func() { fmt.Fprintf(progress, "%s: done in %.1f s\n", name, time.Since(start).Seconds()) }
	}
	for _, o := range trials {
		done := begin(string(o.Design), o.Size)
		t, err := o.Run()
		if err != nil {
			return fmt.Errorf("bench index: %w", err)
		}
		debug.FreeOSMemory() // the next one shall find the machine as this one did
		rows = append(rows, newBenchRow(string(o.Design), o.Size, o.Queries, t))
		done()
	}
	o := trials[0]
	done := begin("maps 4x16", min(o.Size, mapsSample))
	maps, n, err := o.RunMaps(mapsSample)
	if err != nil {
		return fmt.Errorf("bench index: %w", err)
	}
	rows = append(rows, newBenchRow("maps 4x16", n, 2*maps.Planted, maps))
	done()
	done = begin("scan", min(o.Size, scanSample))
	scan, n, err := o.RunScan(scanSample)
	if err != nil {
		return fmt.Errorf("bench index: %w", err)
	}
	rows = append(rows, newBenchRow("scan", n, 2*scan.Planted, scan))
	done()
	if n < o.Size {
		more := float64(o.Size) / float64(n)
		r := rows[len(rows)-1]
		r.Size, r.Extrapolated = o.Size, true
		r.QueriesCPU, r.QueryP50, r.QueryP99 = r.QueriesCPU/more, r.QueryP50*more, r.QueryP99*more
		rows = append(rows, r)
	}
	if asJSON {
		enc := json.NewEncoder(w)
		for _, r := range rows {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	return showBench(w, rows)
}

func showBench(w io.Writer, rows []benchRow) error {
	t := newTable(w, "index", "size", "bytes", "build", "inserts/cpu-s", "queries/cpu-s", "query p50, p99", "batch", "claim p50, p99")
	for _, r := range rows {
		cells := slices.Repeat([]string{"-"}, 9)
		cells[0], cells[1] = r.Index, count(int64(r.Size))
		if r.Extrapolated {
			cells[0] += " (extrapolated)"
		}
		cells[2] = fmt.Sprintf("%.1f", r.Bytes)
		if r.KeyBytes > 0 {
			cells[2] += fmt.Sprintf(" (%.1f)", r.KeyBytes)
		}
		if r.InsertsCPU > 0 {
			cells[3], cells[4] = fmt.Sprintf("%.1f s", r.Build), count(int64(r.InsertsCPU))
		}
		cells[5] = count(int64(r.QueriesCPU))
		cells[6] = fmt.Sprintf("%.1f, %.1f us", r.QueryP50, r.QueryP99)
		if r.BatchQueries > 0 {
			cells[7] = fmt.Sprintf("%s in %.2f s", count(int64(r.BatchQueries)), r.Batch)
		}
		if r.ClaimP99 > 0 {
			cells[8] = fmt.Sprintf("%.1f, %.1f us", r.ClaimP50, r.ClaimP99)
		}
		t.row(cells...)
	}
	return t.flush()
}
