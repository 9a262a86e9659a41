package page

import "testing"

func TestPagesOfTwoHostsAreOneWithoutTheirNames(t *testing.T) {
	on := func(host, text string) uint64 {
		return HostlessOf([]byte(`<a href="https://`+host+`/p">`+text+`</a> on `+host), host)
	}
	a := on("www.one.example", "words")
	switch {
	case a == 0 || a != on("two.example", "words") && a != on("www.two.example", "words"):
		t.Errorf("pages that differ in their hosts' names: %x, %x", a, on("www.two.example", "words"))
	case a == on("www.two.example", "other words"):
		t.Error("other words are the same")
	case HostlessOf([]byte("words"), "one.example") != 0:
		t.Error("a page without the name has a digest")
	}
}
