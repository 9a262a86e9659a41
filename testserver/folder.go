package testserver

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// A Form says how a folder is served.
type Form string

// The forms.
const (
	FormPlain  Form = "plain"  // unchanged
	FormLayout Form = "layout" // the main content of each page in a template of the test web, without its own markup
)

// A Folder is a tree of files served as one site.
//
// The root answers with index.html if there is one, and otherwise with a listing of all HTML
// files. If there is an index.html the listing is at /_index.html, and is a seed as well,
// since the pages need not link to each other. A folder inside answers with its index.html
// or 404, and redirects without its final slash. Nothing outside of Dir is served, even if a
// symbolic link leads there.
//
// Two folders with the same Dir are mirrors of each other: whole if both serve all files at
// the same paths, otherwise partial.
type Folder struct {
	Dir     string  `json:"dir"`               // folder on disk
	Name    string  `json:"name"`              // the Site's name; must be new
	Form    Form    `json:"form,omitempty"`    // FormPlain when empty
	Layout  int     `json:"layout,omitempty"`  // for FormLayout: which template, from 1; folders of one number share it. 0: one of its own
	Prefix  string  `json:"prefix,omitempty"`  // path under which the tree is served, such as /mirror/; "/" when empty
	Subtree string  `json:"subtree,omitempty"` // slash path inside Dir; only what is below it is served; all when empty
	Share   float64 `json:"share,omitempty"`   // share of the HTML files that are served, chosen by Options.Seed; 0 and 1 for all
}

// Validate reports every fault at once that can be found without the disk.
func (f Folder) Validate() error {
	var faults []error
	if f.Dir == "" {
		faults = append(faults, errors.New("folder has no dir"))
	}
	if f.Name == "" || strings.ContainsAny(f.Name, "/ \t\n") {
		faults = append(faults, fmt.Errorf("folder name %q must be a word without slashes", f.Name))
	}
	if f.Form != "" && f.Form != FormPlain && f.Form != FormLayout {
		faults = append(faults, fmt.Errorf("folder form %q must be %s or %s", f.Form, FormPlain, FormLayout))
	}
	if f.Layout < 0 || f.Layout > 0 && f.Form != FormLayout {
		faults = append(faults, fmt.Errorf("folder layout is %d, must be 1 or more, with the form %s", f.Layout, FormLayout))
	}
	if f.Prefix != "" && !strings.HasPrefix(f.Prefix, "/") {
		faults = append(faults, fmt.Errorf("folder prefix %q must start with a slash", f.Prefix))
	}
	if f.Subtree != "" && !fs.ValidPath(strings.TrimSuffix(f.Subtree, "/")) {
		faults = append(faults, fmt.Errorf("folder subtree %q must be a path inside the folder, without .. and leading slash", f.Subtree))
	}
	if !(f.Share >= 0 && f.Share <= 1) {
		faults = append(faults, fmt.Errorf("folder share is %v, must be from 0 to 1", f.Share))
	}
	return errors.Join(faults...)
}

// folderSite is what a site needs to serve a folder.
type folderSite struct {
	Folder
	root  *os.Root
	real  string // Dir without symbolic links, to recognize mirrors
	seed  uint64
	files []folderFile // HTML files that are served, by name
	skin  *skin.Skin   // for FormLayout
}

type folderFile struct {
	name   string // slash path inside Dir
	digest [32]byte
}

// firstNumbered is beyond the number of any site: a template that is asked for by its number
// is no site's own.
const firstNumbered = 1 << 20

// maxFile bounds the size of HTML files that are put into another layout.
const maxFile = 32 << 20

// AddFolder adds a folder as a site, reading all its HTML files once. It must
// be called before Start.
func (w *Web) AddFolder(f Folder) error {
	fail := func(err error) error { return fmt.Errorf("test web: add folder %q: %w", f.Dir, err) }
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started {
		return fail(errors.New("the web has started"))
	}
	if err := f.Validate(); err != nil {
		return fail(err)
	}
	for _, s := range w.sites {
		if s.name == f.Name {
			return fail(fmt.Errorf("there is a site %q", f.Name))
		}
	}
	if f.Form == "" {
		f.Form = FormPlain
	}
	f.Prefix = "/" + strings.Trim(f.Prefix, "/") + "/"
	if f.Prefix == "//" {
		f.Prefix = "/"
	}
	if f.Subtree != "" {
		f.Subtree = strings.TrimSuffix(f.Subtree, "/") + "/"
	}
	real, err := filepath.Abs(f.Dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return fail(err)
	}
	s := &folderSite{Folder: f, root: root, real: real, seed: w.o.Seed}
	if err := s.scan(); err != nil {
		return fail(errors.Join(err, root.Close()))
	}
	if f.Form == FormLayout {
		n := len(w.sites)
		if f.Layout > 0 {
			n = firstNumbered + f.Layout
		}
		s.skin = skin.New(&skin.Layouts[n%len(skin.Layouts)], -n-1, corpus.Mix(w.o.Seed, uint64(n)), f.Name, skin.Windows1252,
			corpus.LabelsOnly(), []skin.Link{{Path: s.listingPath(0), Label: "All pages"}}, nil, 2000)
	}
	w.sites = append(w.sites, &site{name: f.Name, folder: s})
	return nil
}

// scan finds the HTML files that are served.
func (s *folderSite) scan() error {
	err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isHTML(name) || !s.serves(name) {
			return err
		}
		f, err := s.root.Open(name)
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		s.files = append(s.files, folderFile{name: name, digest: [32]byte(h.Sum(nil))})
		return errors.Join(err, f.Close())
	})
	if err == nil && len(s.files) == 0 {
		return errors.New("no HTML files in it")
	}
	return err
}

func isHTML(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// serves reports whether a file belongs to the part of the folder that is
// served. The share is selected by name, so that mirrors have the same files.
func (s *folderSite) serves(name string) bool {
	if !strings.HasPrefix(name, s.Subtree) {
		return false
	}
	if s.Share == 0 || s.Share == 1 || !isHTML(name) {
		return true
	}
	h := s.seed
	for _, b := range []byte(name) {
		h = corpus.Mix(h, uint64(b))
	}
	return float64(h>>11)/(1<<53) < s.Share
}

func (s *folderSite) hasIndex() bool {
	return s.Prefix == "/" && slices.ContainsFunc(s.files, func(f folderFile) bool { return f.name == "index.html" })
}

// documents is the number of pages that a crawl must fetch: files and listing.
func (s *folderSite) documents() int {
	return len(s.files) + (len(s.files)+perIndex-1)/perIndex
}

// perIndex is the number of links on one page of a folder's listing.
const perIndex = 500

// listingPath is where the n-th page of the listing is, from 0.
func (s *folderSite) listingPath(n int) string {
	switch {
	case n > 0:
		return "/_index-" + strconv.Itoa(n+1) + ".html"
	case s.hasIndex():
		return "/_index.html"
	}
	return "/"
}

// listing returns the page of the listing at a path, or "" if there is none.
func (s *folderSite) listing(at string) string {
	for n := 0; n*perIndex < len(s.files); n++ {
		if at == s.listingPath(n) {
			return s.list(n)
		}
	}
	return ""
}

func (s *folderSite) list(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>All pages, %d</title></head>\n<body>\n<h1>All pages, %d</h1>\n<ul>\n", n+1, n+1)
	for _, f := range s.files[n*perIndex : min((n+1)*perIndex, len(s.files))] {
		fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a></li>\n", html.EscapeString(s.pathOf(f.name)), html.EscapeString(f.name))
	}
	b.WriteString("</ul>\n")
	for _, to := range []int{n - 1, n + 1} {
		if to >= 0 && to*perIndex < len(s.files) {
			fmt.Fprintf(&b, "<a href=\"%s\">%d</a>\n", s.listingPath(to), to+1)
		}
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// pathOf returns the escaped path of a file; an index.html has the path of its folder.
func (s *folderSite) pathOf(name string) string {
	if path.Base(name) == "index.html" {
		name = strings.TrimSuffix(name, "index.html")
	}
	return escapePath(s.Prefix + name)
}

// serveFile answers for a folder.
func (w *Web) serveFile(rw http.ResponseWriter, r *http.Request, s *site) int {
	f := s.folder
	at := r.URL.Path
	if at == "/robots.txt" {
		return reply(rw, 200, "text/plain; charset=utf-8", "User-agent: *\nDisallow:\n")
	}
	if l := f.listing(at); l != "" {
		return reply(rw, 200, "text/html; charset=utf-8", l)
	}
	name, ok := strings.CutPrefix(at, f.Prefix)
	if !ok {
		return notHere(rw)
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	if !fs.ValidPath(name) {
		return notHere(rw)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return notHere(rw)
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return notHere(rw)
	case info.IsDir():
		rw.Header().Set("Location", escapePath(at)+"/")
		return reply(rw, http.StatusMovedPermanently, "text/html; charset=utf-8", "<html><body>Moved.</body></html>\n")
	case !info.Mode().IsRegular() || !f.serves(name):
		return notHere(rw)
	}
	rw.Header().Set("Content-Type", contentType(name))
	if f.Form == FormLayout && isHTML(name) {
		original, err := io.ReadAll(io.LimitReader(file, maxFile))
		if err != nil {
			return notHere(rw)
		}
		return reply(rw, 200, contentType(name), string(f.skin.Wrap(original)))
	}
	rw.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	_, _ = io.CopyN(rw, file, info.Size()) // the client may be gone
	return 200
}

func notHere(rw http.ResponseWriter) int {
	return reply(rw, 404, "text/plain; charset=utf-8", "not found\n")
}

// contentType returns the content type by the file's extension. HTML has no charset: only
// the file itself may declare one.
func contentType(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".html", ".htm":
		return "text/html"
	case ".xhtml":
		return "application/xhtml+xml"
	case ".txt":
		return "text/plain"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
	}
	return "application/octet-stream"
}

// folderPages returns the truth about a folder's HTML files.
func (w *Web) folderPages(s *site, c *numbering) []score.Page {
	f := s.folder
	var pages []score.Page
	add := func(at string, kind score.Kind, same, words any, layout int, optional bool) {
		p := score.Page{URL: s.url(at), Site: s.name, Kind: kind, Status: 200, Folder: true, Optional: optional,
			Group: numberOf(c.groups, words), Bytes: numberOf(c.bytes, same), Text: numberOf(c.texts, words), Layout: numberOf(c.layouts, layout)}
		if _, ok := c.first[p.Group]; !ok {
			c.first[p.Group] = p
		}
		pages = append(pages, p)
	}
	type wrapped struct {
		digest [32]byte
		layout int
		by     string // a template names its site
	}
	for _, file := range f.files {
		layout, by := 0, ""
		if f.skin != nil {
			layout, by = f.skin.ID, f.Name
		}
		same := wrapped{file.digest, layout, by}
		at := f.pathOf(file.name)
		if at == f.listingPath(0) {
			continue // the listing is at this path
		}
		add(at, score.KindPage, same, file.digest, layout, false)
		if strings.HasSuffix(at, "/") {
			add(at+"index.html", score.KindPage, same, file.digest, layout, true)
		}
	}
	for n := 0; n*perIndex < len(f.files); n++ {
		add(f.listingPath(n), score.KindHub, f.list(n), f.list(n), 0, false)
	}
	return pages
}

// folderMirrors pairs the folders with the same Dir.
func (w *Web) folderMirrors() []score.Mirror {
	var list []score.Mirror
	for i, a := range w.sites {
		for _, b := range w.sites[:i] {
			if a.folder == nil || b.folder == nil || a.folder.real != b.folder.real {
				continue
			}
			common := 0
			for _, f := range a.folder.files {
				if b.folder.serves(f.name) {
					common++
				}
			}
			if common == 0 {
				continue
			}
			whole := common == len(a.folder.files) && common == len(b.folder.files) && a.folder.Prefix == b.folder.Prefix
			list = append(list, score.Mirror{Of: b.name, By: a.name, Whole: whole, Subtree: b.folder.Prefix + a.folder.Subtree, Prefix: a.folder.Prefix + a.folder.Subtree,
				Exact: a.folder.Form == FormPlain && b.folder.Form == FormPlain, Pages: common})
		}
	}
	return list
}
