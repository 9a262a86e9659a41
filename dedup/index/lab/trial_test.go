package lab

import (
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
)

func TestEveryDesignStandsATrial(t *testing.T) {
	for _, design := range Designs() {
		for _, skewed := range []bool{false, true} {
			o := DefaultTrialOptions()
			o.Size, o.Design, o.Skewed, o.Queries = 5000, design, skewed, 300
			got, err := o.Run()
			if err != nil {
				t.Errorf("%s, skewed %t: %v", design, skewed, err)
			}
			if got.Planted != o.Queries/2 || got.Hits < got.Planted || got.Bytes <= 0 || got.ClaimP99 < got.ClaimP50 {
				t.Errorf("%s, skewed %t: %+v", design, skewed, got)
			}
		}
	}
}

func TestThePeersFindWhatTheIndexFinds(t *testing.T) {
	o := DefaultTrialOptions()
	o.Size, o.Queries, o.Skewed = 5000, 100, true // as many as a scan is asked
	index, err := o.Run()
	if err != nil {
		t.Fatal(err)
	}
	scan, n, err := o.RunScan(o.Size)
	if err != nil || n != o.Size || scan.Hits != index.Hits {
		t.Errorf("RunScan = %d hits of %d, %v, want %d", scan.Hits, n, err, index.Hits)
	}
	maps, n, err := o.RunMaps(o.Size)
	if err != nil || n != o.Size || maps.Hits != index.Hits {
		t.Errorf("RunMaps = %d hits of %d, %v, want %d", maps.Hits, n, err, index.Hits)
	}
	if probes, n, err := o.RunProbes(o.Size); err != nil || n != o.Size || probes.Hits != index.Hits {
		t.Errorf("RunProbes = %d hits of %d, %v, want %d", probes.Hits, n, err, index.Hits)
	}
}

func TestTrialOptionsNameAllFaults(t *testing.T) {
	o := TrialOptions{Size: 1, Design: "cubes", Distance: 3, Queries: 1, Bare: true}
	err := o.Validate()
	for _, want := range []string{"size", "queries", "cubes", "DocIDs"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want it to name %s", err, want)
		}
	}
}

func TestSkewedFingerprintsAreSkewed(t *testing.T) {
	o := DefaultTrialOptions()
	o.Skewed = true
	set, at := 0, o.maker()
	for i := range 20_000 {
		fp, _ := at(2 * i)
		set += int(fp & 1)
	}
	if set < 6_500 || set > 8_500 {
		t.Errorf("%d of 20000 have their lowest bit set, want about 7500", set)
	}
}

// TestNeighboursAreStoredOnce compares scheme 3 with a scan.
func TestNeighboursAreStoredOnce(t *testing.T) {
	o := TrialOptions{Size: 20, Distance: 3, Seed: 1, Queries: 200, Skewed: true}
	fps := o.schemed(20)
	x, err := NewNeighbours(fps, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(x.rows), 20*43745; got != want || Around(3) != 43745 {
		t.Errorf("%d rows around 20 fingerprints, %d around one, want %d and 43745", got, Around(3), want)
	}
	for _, q := range o.queries() {
		var want, got []index.DocID
		Scan(fps).Near(q, 2, func(doc index.DocID, _ uint64, _ int) bool { want = append(want, doc); return true })
		x.Near(q, 2, func(doc index.DocID, _ uint64, _ int) bool { got = append(got, doc); return true })
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("Near(%#x) = %v, want %v", q, got, want)
		}
	}
	if _, err := NewNeighbours(fps, 4); err == nil {
		t.Error("neighbours within 4 bits were stored")
	}
}
