package purify

import (
	"slices"
	"testing"
)

func TestFoldersOf(t *testing.T) {
	for _, c := range []struct {
		url    string
		want   []string
		itself bool
	}{
		{"https://example.org/", nil, false},
		{"https://example.org/page.html", nil, false},
		{"https://example.org/a/", []string{"a/"}, true},
		{"https://example.org/a/page", []string{"a/"}, false},
		{"https://example.org/a/b/", []string{"a/", "a/b/"}, true},
		{"https://example.org/?a/b", nil, false},
		{"https://example.org/a/b/c/d/page?q=x/y/z", []string{"a/", "a/b/"}, false},
		{"https://example.org/page?q=/a/b", nil, false},
		{"file.html", nil, false},
	} {
		if got, itself := FoldersOf(c.url); !slices.Equal(got, c.want) || itself != c.itself {
			t.Errorf("FoldersOf(%q) = %q, %v, want %q, %v", c.url, got, itself, c.want, c.itself)
		}
	}
}

// site returns what n pages of a site teach that have these blocks next to one of their own.
func learned(n, from int, frame ...Print) (s Site, last *Template) {
	for i := range n {
		if t := s.Learn(lessonOf(from+i, frame...)); t != nil {
			last = t
		}
	}
	return s, last
}

func lessonOf(own int, frame ...Print) []Print {
	page := append(slices.Clone(frame), Print(1000+own))
	slices.Sort(page)
	return page
}

func TestAFolderWithAFrameOfItsOwnIsASite(t *testing.T) {
	_, host := learned(200, 0, 1)
	for _, c := range []struct {
		name  string
		frame []Print
		want  int // blocks of both templates
	}{
		{"the frame of its host alone", []Print{1}, 1},
		{"a line besides", []Print{1, 2}, 1},
		{"another frame", []Print{2, 3, 4}, 4},
	} {
		var folder Site
		var last *Template
		for i := range 12 {
			if made := folder.Learn(lessonOf(500+i, c.frame...)); made != nil {
				last = made
			}
		}
		with := host.With(last)
		if got := with.Blocks(); got != c.want {
			t.Errorf("%s: with its folder the template has %d blocks, want %d", c.name, got, c.want)
		}
		if isSite := c.want > 1; last == nil || isSite != (with.Generation() > host.Generation()) || folder.Generation() != last.Generation() {
			t.Errorf("%s: the folder has template %d of %d, and with it the host's %d is %d", c.name, last.Generation(), folder.Generation(), host.Generation(), with.Generation())
		}
		if c.want == 1 {
			continue
		}
		for _, p := range c.frame {
			if b := (&Block{Print: p, Linked: true}); host.Has(b) || !with.Has(b) {
				t.Errorf("%s: the link %d is of the host's frame: %v, and of the folder's: %v; want false, true", c.name, p, host.Has(b), with.Has(b))
			}
		}
	}
}

// A post that is under five of a blog's twenty tags is on a quarter of the pages of the folder
// with the tags, and is what these pages say.
func TestAFolderOfListsKeepsWhatItLists(t *testing.T) {
	frame := []Print{1, 2, 3, 4}
	_, host := learned(200, 0, frame...)
	var tags Site
	var last *Template
	for i := range 20 {
		page := frame
		if i%4 == 0 {
			page = append(slices.Clone(frame), 50)
		}
		if made := tags.Learn(lessonOf(500+i, page...)); made != nil {
			last = made
		}
	}
	if last.Blocks() == 0 || host.With(last) != host {
		t.Errorf("after 20 lists the folder has a template of %d blocks, want some, and that it is not used", last.Blocks())
	}
}

// Two versions of a manual have most of their frame in common. The pages of the one come when those of the
// other are known, and of these the host's template forgets what the new ones lack.
func TestAVersionThatIsCrawledFirstKeepsItsFrame(t *testing.T) {
	both, first, second := []Print{1, 2, 3, 4, 5}, []Print{11, 12}, []Print{21, 22}
	var site Site
	var host *Template
	for i := range 1000 {
		own := first
		if i >= 300 {
			own = second
		}
		if made := site.Learn(lessonOf(i, slices.Concat(both, own)...)); made != nil {
			host = made
		}
	}
	_, folder := learned(300, 0, slices.Concat(both, first)...)
	_, other := learned(700, 300, slices.Concat(both, second)...)
	has := func(t *Template, p Print) bool { return t.Has(&Block{Print: p, Linked: true}) }
	if has(host, 11) || folder.IsSiteIn(host) {
		t.Fatal("the host's template has the frame of the first version, or this is a site of its own, and the test needs that it is not")
	}
	with := host.With(folder)
	for _, p := range slices.Concat(both, first, second) {
		if !has(with, p) {
			t.Errorf("the template for the first version's pages lacks the link %d, which their frame or its host's has", p)
		}
	}
	if with.Generation() <= host.Generation() {
		t.Errorf("the template for the first version's pages is %d, want one that is later than its host's, %d", with.Generation(), host.Generation())
	}
	if host.With(other) != host {
		t.Error("the template for the second version's pages is not its host's, which has their frame")
	}
	if _, few := learned(forgotten-1, 0, slices.Concat(both, first)...); host.With(few) != host {
		t.Errorf("a folder of %d pages that is no site of its own adds to its host's template: few lists may have many links in common", forgotten-1)
	}
}

// Until five pages of a folder are known nobody can tell whether it is a site of its own, with a
// frame of its own, where the pages of its host have nothing in common.
func TestOfAFolderThatNobodyKnowsTheFrameIsNotKnown(t *testing.T) {
	_, site := learned(40, 0, 1, 2)
	var mixed Site
	var host *Template
	for i := range 40 {
		if made := mixed.Learn(lessonOf(500+i, Print(10+i%4), Print(20+i%4))); made != nil {
			host = made
		}
	}
	if host.Blocks() != 8 {
		t.Fatalf("the mixed host has a template of %d blocks, and the test needs eight", host.Blocks())
	}
	if got := host.With(nil); got != nil {
		t.Errorf("on a host without a frame the pages of a new folder are read with template %d, want none", got.Generation())
	}
	if got := host.With(&Template{generation: 1}); got != host {
		t.Error("on a host without a frame the pages of a folder that is no site are not read with the host's template")
	}
	asked := site.With(nil)
	for _, c := range []struct {
		name string
		page []Print
		want bool
	}{
		{"the site's frame", lessonOf(700, 1, 2), true},
		{"half of it", lessonOf(701, 1), true},
		{"nothing of it", lessonOf(702, 3, 4), false},
	} {
		if got := asked.For(c.page); (got == asked) != c.want || !c.want && got != nil {
			t.Errorf("a page of a new folder with %s is read with template %d of %d", c.name, got.Generation(), site.Generation())
		}
	}
	_, named := learned(40, 0, printOfPart("Bees"))
	if got := named.With(nil); !got.HasTitle("Bees") || got.For(lessonOf(704)) != nil {
		t.Errorf("on a host that has only the name in its titles in common, a page of a new folder is read with template %d, which has the name: %v; want the name and no frame",
			got.For(lessonOf(704)).Generation(), got.HasTitle("Bees"))
	}
	if got := site.For(lessonOf(703)); got != site {
		t.Error("a page of a host without folders that lacks the frame is not read with its template")
	}
}

func TestATemplateWithFoldersIsReadBack(t *testing.T) {
	var names [2][]Print
	for i := range names {
		for p := range maxRows {
			names[i] = append(names[i], Print(10+2*p+i))
		}
	}
	_, host := learned(40, 5000, names[0]...)
	_, folder := learned(40, 6000, names[1]...)
	with := host.With(folder)
	if with.Blocks() != maxRows {
		t.Errorf("two templates of %d blocks make one of %d, want as many", maxRows, with.Blocks())
	}
	again, err := ParseTemplate(with.Bytes())
	if err != nil || again.Generation() != with.Generation() || !slices.Equal(again.rows, with.rows) {
		t.Errorf("it is read back as template %d, %v; want %d", again.Generation(), err, with.Generation())
	}
	if !slices.IsSortedFunc(with.rows, func(a, b row) int { return int(a.print) - int(b.print) }) {
		t.Error("its rows are not in order")
	}
	if got := (*Template)(nil).With(folder); got.Generation() != folder.Generation() || got.Blocks() != folder.Blocks() {
		t.Error("where the host has no template the folder's is not used")
	}
}
