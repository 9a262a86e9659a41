package lab

import (
	"bufio"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// How many fingerprints the scan and the maps are measured with at most: a scan reads 80 MB
// per query, the maps take 300 MB.
const (
	scanSample = 10_000_000
	mapsSample = 2_000_000

	probesSample     = 10_000_000
	neighboursSample = 50 // 700 kB each
)

// FreeMemory returns how many bytes the system can give without swapping; 0 on systems other
// than Linux, which do not say.
func FreeMemory() int64 {
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

// A Row is what was measured of one index. Times are seconds, those of single calls
// microseconds.
type Row struct {
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

func newRow(name string, n, queries int, t Trial) Row {
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	r := Row{
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

// RunAll runs each trial, and then what could be used in place of an index: the maps and the
// scan of other libraries, and the article's two schemes, which probe all that is near a query
// or store all that is near a fingerprint. These are measured at smaller sizes. The scan's
// figures are also given for the size of the first trial, in proportion. RunAll calls start
// before each measurement, and the function that start returns after it.
func RunAll(trials []TrialOptions, start func(name string, size int) (done func())) ([]Row, error) {
	var rows []Row
	for _, o := range trials {
		done := start(string(o.Design), o.Size)
		t, err := o.Run()
		if err != nil {
			return nil, err
		}
		debug.FreeOSMemory() // the next one shall find the machine as this one did
		rows = append(rows, newRow(string(o.Design), o.Size, o.Queries, t))
		done()
	}
	o := trials[0]
	done := start("maps 4x16", min(o.Size, mapsSample))
	maps, n, err := o.RunMaps(mapsSample)
	if err != nil {
		return nil, err
	}
	rows = append(rows, newRow("maps 4x16", n, 2*maps.Planted, maps))
	done()
	done = start("scan", min(o.Size, scanSample))
	scan, n, err := o.RunScan(scanSample)
	if err != nil {
		return nil, err
	}
	rows = append(rows, newRow("scan", n, 2*scan.Planted, scan))
	done()
	if n < o.Size {
		more := float64(o.Size) / float64(n)
		r := rows[len(rows)-1]
		r.Size, r.Extrapolated = o.Size, true
		r.QueriesCPU, r.QueryP50, r.QueryP99 = r.QueriesCPU/more, r.QueryP50*more, r.QueryP99*more
		rows = append(rows, r)
	}
	for _, scheme := range []struct {
		name   string
		sample int
		run    func(sample int) (Trial, int, error)
	}{{"probes", probesSample, o.RunProbes}, {"neighbours", neighboursSample, o.RunNeighbours}} {
		done := start(scheme.name, min(o.Size, scheme.sample))
		t, n, err := scheme.run(scheme.sample)
		if err != nil {
			return nil, err
		}
		rows = append(rows, newRow(scheme.name, n, 2*t.Planted, t))
		debug.FreeOSMemory()
		done()
	}
	return rows, nil
}
