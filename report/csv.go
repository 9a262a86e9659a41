package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/export/sheet"
)

// A list is one CSV file.
type list struct {
	name string // file name
	head []string
	rows func(put func(cells ...any))
}

// lists are the files that WriteCSV writes.
func (r *Report) lists() []list {
	counts := func(put func(...any)) {
		for _, c := range []struct {
			what string
			all  []Count
		}{
			{"verdict", r.Verdicts}, {"status", r.Statuses}, {"content_type", r.Types}, {"language", r.Languages},
			{"page_type", r.PageTypes}, {"depth", r.Depths},
		} {
			for _, n := range c.all {
				put(c.what, n.Name, n.N)
			}
		}
	}
	shared := func(l List[Shared]) func(put func(...any)) {
		return func(put func(...any)) {
			for _, s := range l.Rows {
				for _, u := range s.URLs {
					put(s.Text, s.Pages, u)
				}
			}
		}
	}
	conflicts := func(l List[Conflict]) func(put func(...any)) {
		return func(put func(...any)) {
			for _, c := range l.Rows {
				put(c.URL, c.Says, c.Lang, c.Kind, c.Found)
			}
		}
	}
	return []list{
		{"counts", []string{"what", "value", "pages"}, counts},
		{"broken", []string{"url", "status", "reason", "inlinks", "from", "text"}, func(put func(...any)) {
			for _, b := range r.Broken.Rows {
				if len(b.Links) == 0 {
					put(b.URL, b.Status, b.Reason, b.Inlinks, "", "")
				}
				for _, e := range b.Links {
					put(b.URL, b.Status, b.Reason, b.Inlinks, e.From, e.Text)
				}
			}
		}},
		{"redirects", []string{"url", "end", "hops", "loop", "ends_as", "reason", "inlinks", "way"}, func(put func(...any)) {
			for _, c := range r.Redirects.Rows {
				put(c.URLs[0], c.URLs[len(c.URLs)-1], len(c.URLs)-1, c.Loop, c.End, c.Reason, c.Inlinks, strings.Join(c.URLs, " "))
			}
		}},
		{"duplicates", []string{"kept", "title", "copies", "degree", "url", "class", "level", "similarity"}, func(put func(...any)) {
			for _, d := range r.Duplicates.Rows {
				for _, m := range d.Members {
					put(d.URL, d.Title, d.Copies, d.Degree, m.URL, m.Class, m.Level, m.Similarity)
				}
			}
		}},
		{"titles", []string{"title", "pages", "url"}, shared(r.Titles)},
		{"descriptions", []string{"description", "pages", "url"}, shared(r.Descriptions)},
		{"canonicals", []string{"url", "says", "lang", "kind", "found"}, conflicts(r.Canonicals)},
		{"translations", []string{"url", "says", "lang", "kind", "found"}, conflicts(r.Translations)},
		{"mirrors", []string{"canonical", "confidence", "site", "class", "map", "share", "low", "documents", "not_requested"}, func(put func(...any)) {
			for _, g := range r.Mirrors {
				for _, m := range g.Members {
					put(g.Canonical, g.Confidence, m.Site, m.Class, m.Mapping, m.Share, m.Low, m.Pages, m.Avoided)
				}
			}
		}},
		{"hosts", []string{"host", "pages", "new", "copies", "refused", "failed", "bytes", "mean_ms", "max_ms"}, func(put func(...any)) {
			for _, h := range r.Hosts {
				put(h.Name, h.Pages, h.New, h.Copies, h.Refused, h.Failed, h.Bytes, h.MeanMS, h.MaxMS)
			}
		}},
		{"refused", []string{"rule", "urls", "url", "reason"}, func(put func(...any)) {
			for _, f := range r.Refused {
				if len(f.Examples) == 0 {
					put(f.Rule, f.URLs, "", "")
				}
				for _, e := range f.Examples {
					put(f.Rule, f.URLs, e.URL, e.Reason)
				}
			}
		}},
		{"parked", []string{"host", "queued", "failures", "why", "until"}, func(put func(...any)) {
			for _, h := range r.Parked {
				until := ""
				if h.Parked != nil {
					until = h.Parked.UTC().Format("2006-01-02T15:04:05Z")
				}
				put(h.Name, h.Queued, h.Failures, h.Failure, until)
			}
		}},
	}
}

// WriteCSV writes each list of a report as a file into a folder, which must be empty or not exist.
// The folder gets its name when all files are complete. plain escapes what is not to be in a text, such as characters
// that control the terminal of a reader who prints the file.
func (r *Report) WriteCSV(dir string, plain func(string) string) (err error) {
	if old, err := os.ReadDir(dir); err == nil && len(old) > 0 {
		return fmt.Errorf("the folder %s is not empty: name another one", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), "."+filepath.Base(dir)+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp) // it is incomplete
		}
	}()
	for _, l := range r.lists() {
		if err := l.write(filepath.Join(tmp, l.name+".csv"), plain); err != nil {
			return err
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, dir)
}

func (l *list) write(path string, plain func(string) string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	w.Write(l.head) // Flush reports errors
	l.rows(func(cells ...any) {
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = cell(c, plain)
		}
		w.Write(line)
	})
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}

func cell(v any, plain func(string) string) string {
	switch v := v.(type) {
	case string:
		return sheet.Text(plain(v))
	case float64:
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return fmt.Sprint(v)
}
