package limit_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/limit"
)

func TestAFullMapTakesAnEntryInPlaceOfAnyOther(t *testing.T) {
	m := make(map[int]int)
	for i := range 10 {
		limit.Put(m, 4, i, i)
		if v, ok := m[i]; !ok || v != i || len(m) != min(i+1, 4) {
			t.Fatalf("after %d: %v, want %d entries, the last among them", i, m, min(i+1, 4))
		}
	}
}

func TestAnEntryOfAFullMapIsReplacedByItself(t *testing.T) {
	m := map[int]int{1: 1, 2: 2}
	for range 20 { // any other would be drawn
		limit.Put(m, 2, 1, 7)
	}
	if len(m) != 2 || m[1] != 7 || m[2] != 2 {
		t.Errorf("%v, want 1:7 and 2:2", m)
	}
}
