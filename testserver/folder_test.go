package testserver

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/score"
)

// tree writes a folder of pages, with a file outside of it that links lead to.
func tree(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "pages")
	page := func(title, text string) string {
		return "<html><head><meta charset=\"GBK\"><title>" + title + "</title></head><body><nav>menu</nav><main><h1>" + title + "</h1><p>" + text + "</p></main><footer>end</footer></body></html>"
	}
	for name, body := range map[string]string{
		"pages/index.html":            page("Root", "See <a href=\"guide/\">the guide</a>."),
		"pages/guide/index.html":      page("Guide", "All of it."),
		"pages/guide/one.html":        page("One", "First."),
		"pages/guide/copy.html":       page("One", "First."),
		"pages/guide/a b & c.htm":     page("Spaces", "Second."),
		"pages/style.css":             "p{}",
		"pages/empty/readme.txt":      "no page",
		"secret/index.html":           page("Secret", "Not yours."),
		"pages/notes/deep/three.html": page("Three", "Third."),
	} {
		at := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(base, "secret"), filepath.Join(dir, "out")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	return dir
}

func folders(t *testing.T, fs ...Folder) *Web {
	t.Helper()
	w := made(t, Options{Seed: 1})
	for _, f := range fs {
		if err := w.AddFolder(f); err != nil {
			t.Fatalf("AddFolder: %v", err)
		}
	}
	start(t, w)
	return w
}

func TestFolderIsServedAsItIs(t *testing.T) {
	w := folders(t, Folder{Dir: tree(t), Name: "plain"})
	c := newWalker(t)
	root := w.Sites()[0].URL
	for _, want := range []struct {
		path   string
		status int
		has    string
	}{
		{"", 200, "<h1>Root</h1>"},
		{"index.html", 200, "<h1>Root</h1>"},
		{"guide/", 200, "<h1>Guide</h1>"},
		{"guide", 301, "Moved"},
		{"guide/a%20b%20&%20c.htm", 200, "<h1>Spaces</h1>"},
		{"style.css", 200, "p{}"},
		{"empty/", 404, ""},
		{"empty/readme.txt", 200, "no page"},
		{"robots.txt", 200, "Disallow:\n"},
		{"_index.html", 200, "guide/one.html"},
		{"missing.html", 404, ""},
		{"../secret/index.html", 404, ""},
		{"%2e%2e/secret/index.html", 404, ""},
		{"guide/..%2f..%2fsecret/index.html", 404, ""},
		{"out/index.html", 404, ""},
		{"out/", 404, ""},
	} {
		g := c.fetch(t, root+want.path)
		if g.status != want.status || !bytes.Contains(g.body, []byte(want.has)) || bytes.Contains(g.body, []byte("Secret")) {
			t.Errorf("GET /%s = %d %q, want %d with %q", want.path, g.status, g.body, want.status, want.has)
		}
	}
	if g := c.fetch(t, root+"guide"); g.target != root+"guide/" {
		t.Errorf("GET /guide leads to %q", g.target)
	}
}

// A folder that is served in some way has to be found whole by walking from the
// seeds, and to give nothing that is not in the truth.
func TestFolderFormsAreFoundByWalking(t *testing.T) {
	dir := tree(t)
	for _, f := range []Folder{
		{}, {Form: FormLayout}, {Prefix: "/copies/of/it"}, {Subtree: "guide"}, {Share: .5}, {Prefix: "x", Form: FormLayout, Share: .9},
	} {
		f.Dir, f.Name = dir, "site"
		if f.Prefix == "x" {
			f.Prefix = "/x/"
		}
		t.Run(fmt.Sprintf("%s %s %s %v", f.Form, f.Prefix, f.Subtree, f.Share), func(t *testing.T) {
			w := folders(t, f)
			c := newWalker(t)
			c.walk(t, w.Seeds(), func(string) bool { return false })
			truth := w.Truth()
			for _, p := range truth.Pages {
				if g, ok := c.got[p.URL]; !ok && !p.Optional || ok && g.status != 200 {
					t.Errorf("%s: status %d by walking", p.URL, g.status)
				}
				delete(c.got, p.URL)
			}
			for u, g := range c.got {
				if g.status == 200 {
					t.Errorf("%s: found, not in the truth", u)
				}
			}
			if got := w.Sites()[0].Pages; got < 2 || got > len(truth.Pages) {
				t.Errorf("Sites says %d pages, the truth has %d", got, len(truth.Pages))
			}
		})
	}
}

func TestFoldersOfOneDirAreMirrors(t *testing.T) {
	dir := tree(t)
	w := folders(t, Folder{Dir: dir, Name: "plain"}, Folder{Dir: dir, Name: "twin"},
		Folder{Dir: dir, Name: "other", Form: FormLayout}, Folder{Dir: dir, Name: "part", Subtree: "guide/", Prefix: "/m/"})
	truth := w.Truth()
	by := map[string]score.Page{}
	for _, p := range truth.Pages {
		by[strings.TrimPrefix(p.URL, "http://")] = p
	}
	at := func(site int, path string) score.Page {
		t.Helper()
		p, ok := by[strings.TrimPrefix(w.Sites()[site].URL, "http://")+path]
		if !ok {
			t.Fatalf("no page %q on site %d", path, site)
		}
		return p
	}
	one := at(0, "guide/one.html")
	for _, c := range []struct {
		site  int
		path  string
		class score.Class
		bytes bool
	}{
		{1, "guide/one.html", score.FullLayout, true},
		{2, "guide/one.html", score.FullContent, false},
		{3, "m/guide/one.html", score.FullLayout, true},
		{0, "guide/copy.html", "", true}, // sorts before one.html, so it is the original
	} {
		p := at(c.site, c.path)
		if p.Group != one.Group || p.Class != c.class || p.Bytes == one.Bytes != c.bytes {
			t.Errorf("%s on site %d: %+v, want class %q of %+v", c.path, c.site, p, c.class, one)
		}
	}
	if p := at(0, "guide/"); p.Group == one.Group {
		t.Error("two different pages are in one group")
	}
	wholes := 0
	for _, m := range truth.Mirrors {
		if m.Whole {
			wholes++
		}
		if m.By == "part" && (m.Whole || m.Pages != 4 || m.Prefix != "/m/guide/") {
			t.Errorf("mirror %+v, want 4 pages at /m/guide/", m)
		}
	}
	if len(truth.Mirrors) != 6 || wholes != 3 {
		t.Errorf("%d mirrors, %d of them whole; want 6 and 3: %+v", len(truth.Mirrors), wholes, truth.Mirrors)
	}
}

func TestAddFolderRefuses(t *testing.T) {
	w := made(t, Options{})
	dir := tree(t)
	if err := w.AddFolder(Folder{Dir: dir, Name: "taken"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    Folder
		says string
	}{
		{Folder{Dir: dir, Name: "taken"}, `there is a site "taken"`},
		{Folder{Dir: filepath.Join(dir, "none"), Name: "a"}, "no such file"},
		{Folder{Dir: filepath.Join(dir, "style.css"), Name: "b"}, "style.css"},
		{Folder{Dir: filepath.Join(dir, "empty"), Name: "c"}, "no HTML files"},
		{Folder{Name: "d/e", Form: "round", Prefix: "x", Subtree: "../up", Share: 2}, "no dir"},
		{Folder{Dir: dir, Name: "d/e", Form: "round", Prefix: "x", Subtree: "../up", Share: 2}, "from 0 to 1"},
	} {
		if err := w.AddFolder(c.f); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("AddFolder(%+v) = %v, want it to say %q", c.f, err, c.says)
		}
	}
	start(t, w)
	if err := w.AddFolder(Folder{Dir: dir, Name: "late"}); err == nil {
		t.Error("AddFolder after Start succeeded")
	}
}

// TestRealPagesKeepTheirTextInAnotherLayout needs the project's development
// data next to the checkout.
func TestRealPagesKeepTheirTextInAnotherLayout(t *testing.T) {
	t.Parallel()
	archive := filepath.Join("..", "..", "shared", "data", "pages", "guide-zh.tar.gz")
	if _, err := os.Stat(archive); err != nil {
		t.Skipf("no real pages to serve: %v", err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Skipf("tar: %v: %s", err, out)
	}
	dir = filepath.Join(dir, "guide-zh")
	w := folders(t, Folder{Dir: dir, Name: "plain"}, Folder{Dir: dir, Name: "other", Form: FormLayout})
	c := newWalker(t)
	heading := regexp.MustCompile(`(?s)<h1[^>]*>(.*?)</h1>`)
	tags := regexp.MustCompile(`<[^>]*>`)
	words := func(page []byte) string { // of the first heading
		h := heading.FindSubmatch(page)
		if h == nil {
			return ""
		}
		return strings.Join(strings.Fields(tags.ReplaceAllString(string(h[1]), "")), " ")
	}
	plainURL, otherURL := w.Sites()[0].URL, w.Sites()[1].URL
	pages, kept := 0, 0
	for _, p := range w.Truth().Pages {
		path, ok := strings.CutPrefix(p.URL, plainURL)
		if !ok || p.Optional || p.Kind == score.KindHub {
			continue
		}
		original, other := c.fetch(t, p.URL), c.fetch(t, otherURL+path)
		if original.status != 200 || other.status != 200 {
			t.Errorf("%s: status %d, in the other layout %d", path, original.status, other.status)
		}
		pages++
		if strings.Contains(strings.Join(strings.Fields(tags.ReplaceAllString(string(other.body), "")), " "), words(original.body)) {
			kept++
		}
	}
	t.Logf("%d pages, the first heading kept on %d", pages, kept)
	if pages < 100 || kept < pages*9/10 {
		t.Errorf("%d pages, the first heading kept on %d", pages, kept)
	}
}
