package mirror

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

func TestAWholeMirrorOverlapsWholly(t *testing.T) {
	s := Shared{pages: map[string]int{"a": 4, "b": 3}}
	s.Group([]string{"a", "b", "b"}) // two pages of b are copies of one of a
	s.Group([]string{"b", "a"})
	s.Group([]string{"a", "a"}) // within one host: says nothing of two
	got := s.Pairs()
	want := []Pair{{A: "a", B: "b", Shared: 3, PagesA: 4, PagesB: 3, Overlap: 1, By: ByCopies, shared: 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Pairs = %+v, want %+v", got, want)
	}
}

func TestPairsAreSortedByWhatIsShared(t *testing.T) {
	s := Shared{pages: map[string]int{"a": 3, "b": 3, "c": 3}}
	for i := range 3 {
		for _, h := range []string{"a", "b", "c"} {
			if h != "c" || i == 0 {
				continue
			}
			s.Group([]string{"a", "c"})
		}
		s.Group([]string{"a", "b"})
	}
	var got []string
	for _, p := range s.Pairs() {
		got = append(got, fmt.Sprintf("%s %s %d %.2f", p.A, p.B, p.Shared, p.Overlap))
	}
	if want := []string{"a b 3 1.00", "a c 2 0.67"}; !slices.Equal(got, want) {
		t.Errorf("Pairs = %v, want %v", got, want)
	}
}

func TestAGroupOnManyHostsIsNoEvidence(t *testing.T) {
	s := Shared{pages: make(map[string]int)}
	var hosts []string
	for i := range maxHosts + 1 {
		hosts = append(hosts, fmt.Sprint("h", i))
		s.pages[hosts[i]] = 1
	}
	s.Group(hosts)
	if got := s.Pairs(); len(got) != 0 {
		t.Errorf("%d pairs, want none", len(got))
	}
}
