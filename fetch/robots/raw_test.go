package robots

import (
	"strings"
	"testing"
)

func TestRawPathIsWhatFollowsTheHost(t *testing.T) {
	for address, want := range map[string]string{
		"":                             "/",
		"http://h":                     "/",
		"http://h/":                    "/",
		"http://h/a/b?c":               "/a/b?c",
		"http://h?c=d":                 "/?c=d",
		"http://h;p":                   "/;p",
		"http://h/a#b":                 "/a",
		"http://h#/a":                  "/",
		"h/a":                          "/a",
		"//h/a":                        "/a",
		"/a":                           "/a",
		"/a?u=http://x/y":              "/a?u=http://x/y",
		"http://h/a?u=http://x/y#z":    "/a?u=http://x/y",
		"https://h/%e4%b8%AD/\u4e2d":   "/%e4%b8%AD/\u4e2d",
		"http://user:secret@h:8080//a": "//a",
	} {
		if got := rawPath(address); got != want {
			t.Errorf("rawPath(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestProductToken(t *testing.T) {
	for name, want := range map[string]string{
		"FooBot":     "FooBot",
		"FooBot/2.1": "FooBot",
		"foo_bot-x":  "foo_bot-x",
		"Foo Bar":    "Foo Bar", // names nobody
		"":           "",
	} {
		if got := ProductToken(name); got != want {
			t.Errorf("ProductToken(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestReadRobotsStopsWhereNothingCounts(t *testing.T) {
	head := "User-agent: *\nDisallow: /p\n"
	long := head + strings.Repeat("#", MaxSize-len(head)-len("Disallow: /q")) + "\nDisallow: /q/r\n"
	r := strings.NewReader(long + strings.Repeat("x", 1<<20))
	file, err := ReadFile(r)
	if err != nil {
		t.Fatal(err)
	}
	rules := file.Rules()
	if v := rules.CheckRaw(token, "/p"); v.Allowed || v.Line != 2 {
		t.Errorf("CheckRaw(/p) = %+v, want forbidden by line 2", v)
	}
	if v := rules.CheckRaw(token, "/q/x"); !v.Allowed {
		t.Errorf("CheckRaw(/q/x) = %+v, want allowed: the line that the limit cuts does not count", v)
	}
	if r.Len() < 1<<20 {
		t.Errorf("read on to %d bytes before the end", r.Len())
	}
}
