package corpus

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/scratch"
)

// maxSites bounds the number of templates, of sites and folders of sites; each takes 20 kB.
const maxSites = 20_000

// sites learns what the sites of a collection, and their folders, repeat. The zero value is empty.
//
// A purify.Site lets old pages count for less, as a crawl needs it. But a collection is often read
// folder by folder: then the template of a site with two manuals would be that of the second one.
// So the pages are learned only when all of them are read, in the order of their digests. Until
// then their prints are in a temporary file, with 24 bytes a page in memory.
//
// As in a crawl, which learns from kept pages, a page counts once however many copies of it there
// are: else an article that a folder has eight times would be what its site repeats, and none of
// the eight would be a copy of another. Only pages that say the same, in the same frame, are known
// to be copies before there is a template.
type sites struct {
	learning  map[sitePlace]*purify.Site
	templates map[sitePlace]*purify.Template
	grown     map[sitePlace]struct{} // with pages that no template has learned yet
	versions  map[sitePlace][]version

	f     *os.File // nil: no page had prints
	w     *bufio.Writer
	size  int64
	pages []learned
}

// A learned page is a page to learn from.
type learned struct {
	sum  uint64 // of its bytes: equal pages count once
	says uint64 // sum of its site, its title and its prints
	name uint64 // sum of its title
	at   int64  // in the file
}

// A sitePlace has a template: it is a site, or a folder of a site.
type sitePlace struct{ site, folder string }

// placesOf returns the site and the folders of a page, from the widest to the narrowest, and
// whether the last of them is the page itself. The folders of a file are those below the name that
// led to it, which is its site: the folders that lead there would take the places of its own.
func placesOf(site, url string) (list []sitePlace, itself bool) {
	list = []sitePlace{{site: site}}
	if below, ok := strings.CutPrefix(url, filepath.ToSlash(filepath.Clean(site))); ok {
		url = strings.TrimLeft(below, "/:") // a page of JSON lines is a file's name, a colon and a line
	}
	folders, itself := purify.FoldersOf(url)
	for _, f := range folders {
		list = append(list, sitePlace{site, f})
	}
	return list, itself
}

// printBytes is how many bytes of a print are used.
const printBytes = purify.PrintBits / 8

// add stores the prints of a page for its site and its folders.
func (s *sites) add(name, url, title string, bytes dedup.Digest, prints []purify.Print) (err error) {
	if len(prints) == 0 {
		return nil
	}
	if s.f == nil {
		if s.f, err = scratch.Create("", "crawl-dedup-*"); err != nil {
			return err
		}
		s.w = bufio.NewWriterSize(s.f, 1<<16)
	}
	var b []byte
	for _, text := range []string{name, url} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	said := xxhash.New() // its errors are always nil
	said.WriteString(name + "\n" + title + "\n")
	from := len(b)
	for _, p := range prints {
		b = binary.LittleEndian.AppendUint64(b, uint64(p))
		b = b[:len(b)-8+printBytes]
	}
	said.Write(b[from:])
	b = append(binary.AppendUvarint(nil, uint64(len(b))), b...)
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.pages = append(s.pages, learned{binary.LittleEndian.Uint64(bytes[:]), said.Sum64(), xxhash.Sum64String(title), s.size})
	s.size += int64(len(b))
	return nil
}

// learn learns from all pages that were added, and makes the templates.
func (s *sites) learn() error {
	if s.f == nil {
		return nil
	}
	defer s.close()
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.grown, s.versions = make(map[sitePlace]struct{}), make(map[sitePlace][]version)
	s.learning, s.templates = make(map[sitePlace]*purify.Site), make(map[sitePlace]*purify.Template)
	slices.SortFunc(s.pages, func(a, b learned) int { return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.at, b.at)) })
	r := bufio.NewReaderSize(nil, 1<<12)
	met := make(map[uint64]struct{}, len(s.pages))
	for i, p := range s.pages {
		_, again := met[p.says]
		if again || i > 0 && p.sum == s.pages[i-1].sum {
			continue
		}
		met[p.says] = struct{}{}
		r.Reset(io.NewSectionReader(s.f, p.at, s.size-p.at))
		name, url, prints, err := readLearned(r)
		if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		s.count(name, url, p.name, prints)
	}
	for p := range s.grown {
		if made := s.learning[p].Last(); made != nil {
			s.templates[p] = made
		}
	}
	s.learning, s.grown, s.versions = nil, nil, nil
	return nil
}

// close drops the pages that were not learned.
func (s *sites) close() error {
	if s.f == nil {
		return nil
	}
	err := scratch.Close(s.f)
	s.f, s.w, s.pages = nil, nil, nil
	return err
}

// readLearned reads a page that add has written.
func readLearned(r *bufio.Reader) (name, url string, prints []purify.Print, err error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return "", "", nil, err
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", "", nil, err
	}
	for _, text := range []*string{&name, &url} {
		n, size := binary.Uvarint(b)
		*text, b = string(b[size:][:n]), b[size+int(n):]
	}
	for ; len(b) > 0; b = b[printBytes:] {
		var wide [8]byte
		copy(wide[:], b[:printBytes])
		prints = append(prints, purify.Print(binary.LittleEndian.Uint64(wide[:])))
	}
	return name, url, prints, nil
}

// A version is a page that was counted for a folder.
type version struct {
	name   uint64
	prints []purify.Print
}

// maxVersions is how many pages of a folder others are compared with, and maxVersioned of how many
// folders there are such pages; a page takes some 1.5 kB.
const (
	maxVersions  = 8
	maxVersioned = 5000
)

// versionShare is the share of all prints of two pages that both have, from which they may be
// versions of one page.
const versionShare = 0.8

// again reports whether a page is a version of one that was counted for a folder: with the same
// title and nearly the same blocks. A folder may have nothing else, as that of a post with a page
// for the answer to each comment, and its text would be what the folder repeats.
func (s *sites) again(p sitePlace, name uint64, prints []purify.Print) bool {
	for _, v := range s.versions[p] {
		if v.name != name {
			continue
		}
		both := 0
		for i, j := 0, 0; i < len(prints) && j < len(v.prints); {
			switch c := cmp.Compare(prints[i], v.prints[j]); {
			case c < 0:
				i++
			case c > 0:
				j++
			default:
				both, i, j = both+1, i+1, j+1
			}
		}
		if float64(both) >= versionShare*float64(len(prints)+len(v.prints)-both) {
			return true
		}
	}
	if known := len(s.versions[p]); known < maxVersions && (known > 0 || len(s.versions) < maxVersioned) {
		s.versions[p] = append(s.versions[p], version{name, prints})
	}
	return false
}

// count counts the blocks of a page for its site and its folders.
func (s *sites) count(name, url string, title uint64, prints []purify.Print) {
	places, itself := placesOf(name, url)
	for i, p := range places {
		if i > 0 && s.again(p, title, prints) {
			continue
		}
		site := s.learning[p]
		if site == nil {
			if len(s.learning) == maxSites || itself && i > 0 && i == len(places)-1 {
				return
			}
			site = new(purify.Site)
			s.learning[p] = site
		}
		if site.Wants(prints) && !site.Met(prints) {
			if made := site.Learn(prints); made != nil {
				s.templates[p] = made
				delete(s.grown, p)
			} else {
				s.grown[p] = struct{}{}
			}
		}
		if site.Pages() < purify.FoldersFrom {
			return
		}
	}
}

// join joins the templates of a site and its folders; nil if there are none.
func (s *sites) join(places []sitePlace) *purify.Template {
	var folders []*purify.Template
	for _, p := range places[1:] {
		folders = append(folders, s.templates[p])
	}
	return s.templates[places[0]].With(folders...)
}

// text returns the part of a page that is compared: without what its site repeats.
func (s *sites) text(name, url string, view *purify.DocView) dedup.Text {
	places, _ := placesOf(name, url)
	template := s.join(places)
	if template.Asks() {
		template = template.For(view.Names())
	}
	view.Reframe(template)
	t := dedup.TextOf(view, template)
	if view.Layout != 0 { // a text without mark-up has no name either, by which pages of one host are told apart
		t.Host = name
	}
	return t
}

// like returns the site whose template has most of a page's text; of equal ones the first by name,
// "" if none has any.
func (s *sites) like(view *purify.DocView) string {
	best, most := "", 0
	for at, template := range s.templates {
		if at.folder != "" {
			continue
		}
		view.Reframe(template)
		shared := 0
		for i := range view.Blocks {
			if view.Blocks[i].Shared {
				shared += len(view.Blocks[i].Text)
			}
		}
		if shared > most || shared == most && shared > 0 && at.site < best {
			best, most = at.site, shared
		}
	}
	return best
}
