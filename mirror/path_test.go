package mirror

import "testing"

func TestTheMappingBetweenTwoPathsHasTheLongestCommonEnd(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Mapping
		ok   bool
	}{
		{"/a/b.html", "/a/b.html", Mapping{From: "/", To: "/"}, true},
		{"/debian/x/1.html", "/pub/mirrors/debian/x/1.html", Mapping{From: "/", To: "/pub/mirrors/"}, true},
		{"/docs/x/1.html", "/manual/x/1.html", Mapping{From: "/docs/", To: "/manual/"}, true},
		{"/a/b.html", "/a/b.htm", Mapping{From: "/", To: "/", FromExt: ".html", ToExt: ".htm"}, true},
		{"/a/b.html", "/m/a/b", Mapping{From: "/", To: "/m/", FromExt: ".html"}, true},
		{"/x/", "/m/x/", Mapping{From: "/", To: "/m/"}, true},
		{"/", "/", Mapping{From: "/", To: "/"}, true},
		{"/a?id=1", "/b/a?id=1", Mapping{From: "/", To: "/b/"}, true},
		{"/a?id=1", "/a?id=2", Mapping{}, false},
		{"/a/b.html", "/a/c.html", Mapping{}, false},
		{"/a/xb.html", "/a/yb.html", Mapping{}, false},
		{"/x/", "/y/", Mapping{}, false},
	} {
		got, ok := MappingBetween(c.a, c.b)
		if ok != c.ok || got != c.want {
			t.Errorf("between(%q, %q) = %v, %v; want %v, %v", c.a, c.b, got, ok, c.want, c.ok)
		}
		if !ok {
			continue
		}
		if to, in := got.Apply(c.a); !in || to != c.b {
			t.Errorf("%v applied to %q = %q, %v; want %q", got, c.a, to, in, c.b)
		}
		if from, in := got.Reverse().Apply(c.b); !in || from != c.a {
			t.Errorf("%v back from %q = %q, %v; want %q", got, c.b, from, in, c.a)
		}
	}
}

func TestAMappingLeavesOtherExtensionsAlone(t *testing.T) {
	m := Mapping{From: "/a/", To: "/b/", FromExt: ".html", ToExt: ".htm"}
	for path, want := range map[string]string{
		"/a/x.html": "/b/x.htm", "/a/x.html?q=1": "/b/x.htm?q=1", "/a/x/": "/b/x/", "/a/x.pdf": "/b/x.pdf", "/a/.html": "/b/.html", "/c/x.html": "",
	} {
		if got, _ := m.Apply(path); got != want {
			t.Errorf("%v applied to %q = %q, want %q", m, path, got, want)
		}
	}
}

func TestTheTailOfAPathIsItsLastTwoSegmentsAndItsQuery(t *testing.T) {
	for path, want := range map[string]string{
		"/": "", "/a.html": "a", "/x/y/z.html": "y/z", "/x/y/z/": "y/z/", "/v1.2": "v1.2", "/p/i.php?id=3": "p/i?id=3", "/index.html": "index",
	} {
		if got := tailOf(path); got != want {
			t.Errorf("tailOf(%q) = %q, want %q", path, got, want)
		}
	}
}

func FuzzMapping(f *testing.F) {
	f.Add("/a/b.html", "/c/a/b.htm?x")
	f.Add("/", "//")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = "/"+a, "/"+b
		tailOf(a)
		m, ok := MappingBetween(a, b)
		if !ok {
			return
		}
		if got, in := m.Apply(a); !in || got != b {
			t.Errorf("between(%q, %q) = %+v, which makes %q of the first", a, b, m, got)
		}
	})
}
