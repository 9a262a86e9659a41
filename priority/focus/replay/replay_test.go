package replay

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The front page links to two branches of 50 pages; the topic is the whole second branch, and no
// link leads to one page.
func branches() (*Web, func(string) bool) {
	var w Web
	w.Add("front", true, []string{"a0", "b0", "front", "elsewhere"})
	for _, b := range []string{"a", "b"} {
		for i := range 50 {
			w.Add(fmt.Sprint(b, i), false, []string{fmt.Sprint(b, i+1)})
		}
	}
	w.Add("stray", false, nil)
	return &w, func(url string) bool { return url[0] == 'b' }
}

func TestOrdersHaveEveryPageOnce(t *testing.T) {
	w, on := branches()
	topic, n := w.Topic(on)
	if n != 50 {
		t.Fatalf("Topic = %d pages, want 50", n)
	}
	bfs, stray := w.BreadthFirst()
	if stray != 1 {
		t.Errorf("BreadthFirst: %d pages have no link to them, want 1", stray)
	}
	for name, o := range map[string]Order{"breadth first": bfs, "ideal": w.Ideal(topic), "crawled": w.Crawled()} {
		if got := slices.Sorted(slices.Values(o)); !slices.Equal(got, w.Crawled()) {
			t.Errorf("%s: has %v of %d pages", name, got, w.Len())
		}
	}
	if got := bfs[:5]; !slices.Equal(got, Order{0, 1, 51, 2, 52}) {
		t.Errorf("BreadthFirst = %v ..., want both branches in turn", got)
	}
}

func TestMarksTellOrdersApart(t *testing.T) {
	w, on := branches()
	topic, _ := w.Topic(on)
	bfs, _ := w.BreadthFirst()
	worst, middle, best := w.Crawled().Mark(topic), bfs.Mark(topic), w.Ideal(topic).Mark(topic)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"r20 of the crawl, which took the other branch first", worst.R20.Share, 0},
		{"r20 breadth first: 10 of the first 21", middle.R20.Share, .2},
		{"r20 of the ideal order: 20 of the first 21", best.R20.Share, .4},
		{"t25 of the ideal order: the front page and 13", best.QuarterHad, 14},
		{"t25 of the crawl", worst.QuarterHad, 64},
		{"h100 of the ideal order", best.H100.Share, .5},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if i := best.R20; !(i.Low < i.Share && i.Share < i.High) {
		t.Errorf("interval %+v", i)
	}
	if m := (Order{}).Mark(nil); m != (Marks{}) {
		t.Errorf("no page: %+v", m)
	}
	m := Mean([]Marks{worst, best})
	if m.R20.Share != .2 || m.R20.Low != 0 || m.R20.High != .4 || m.QuarterHad != 39 {
		t.Errorf("Mean = %+v", m)
	}
}

// On a web with shortcuts the ideal order is never worse than another.
func TestTheIdealOrderGoesTheShortestWay(t *testing.T) {
	var w Web
	w.Add("s", true, []string{"x1", "y1"})
	w.Add("x1", false, []string{"x2"})
	w.Add("x2", false, []string{"t1"})
	w.Add("y1", false, []string{"t1"})
	w.Add("t1", false, []string{"t2"})
	w.Add("t2", false, nil)
	topic, _ := w.Topic(func(u string) bool { return u[0] == 't' })
	if got, want := w.Ideal(topic), (Order{0, 3, 4, 5, 1, 2}); !slices.Equal(got, want) {
		t.Errorf("Ideal = %v, want %v", got, want)
	}
}
