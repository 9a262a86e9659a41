package duplicates

import (
	"fmt"
	"strings"
	"testing"
)

// Lines are read by several goroutines, and results come in the order of their lines all the same; of several wrong
// lines the first one is named.
func TestAListOfResultsIsReadInItsOrder(t *testing.T) {
	var list strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&list, "{\"url\":\"http://a.example/%d\"}\n", i)
	}
	results, err := readResults(strings.NewReader(list.String()), "list")
	if err != nil || len(results) != 1000 {
		t.Fatalf("%d results, %v; want 1000", len(results), err)
	}
	for i, r := range results {
		if want := fmt.Sprintf("http://a.example/%d", i); r.URL != want {
			t.Fatalf("result %d is of %s, want %s", i+1, r.URL, want)
		}
	}
	wrong := strings.NewReplacer("/700\"}", "/700\"", "/900\"}", "/900\"").Replace(list.String())
	if _, err := readResults(strings.NewReader(wrong), "list"); err == nil || !strings.HasPrefix(err.Error(), "list:701: ") {
		t.Errorf("of a list with two wrong lines: %v; want an error of line 701", err)
	}
}
