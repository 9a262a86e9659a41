package frontier

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestRootURLAddsTheSameRootAsTheSeed(t *testing.T) {
	for _, c := range []struct {
		mode       ScopeMode
		seed, want string
	}{
		{ScopeHost, "https://a.example:8080/x/y.html?q=1", "https://a.example:8080/"},
		{ScopeDomain, "https://a.b.example.com.cn/x", "https://a.b.example.com.cn/"},
		{ScopePrefix, "https://a.example/x/y.html?q=/z/", "https://a.example/x/"},
		{ScopePrefix, "https://a.example/", "https://a.example/"},
		{ScopeAny, "https://a.example/x", "https://a.example/"},
	} {
		o := DefaultScopeOptions()
		o.Mode = c.mode
		s, err := NewScope(o)
		if err != nil {
			t.Fatal(err)
		}
		seed, err := weburl.Parse(c.seed)
		if err != nil {
			t.Fatal(err)
		}
		got := s.RootURL(seed)
		if got != c.want {
			t.Errorf("%v: RootURL(%s) = %s, want %s", c.mode, seed, got, c.want)
		}
		root, err := weburl.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		if s.Root(root) != s.Root(seed) {
			t.Errorf("%v: root of %s is %q, root of the seed %q", c.mode, root, s.Root(root), s.Root(seed))
		}
	}
}
