package lab

import (
	"strings"
	"testing"
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
