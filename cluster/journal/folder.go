package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"gatecrawl.example/gatecrawl/durable"
)

// numberForm is how the names of growing files end: with a number and an extension.
var numberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+)\.[a-z.]+$`) })

func numberOf(name string) (n uint64, ok bool) {
	m := numberForm().FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(m[1], 10, 32)
	return n, err == nil
}

// A stretch is a part of a file.
type stretch struct {
	Folder, Name string
	Offset, Size int64
	Blob         string `json:",omitempty"` // the blob that has these bytes
}

// grownSince returns what was added to the growing files of dir after the tails, in the order in
// which they grew, and where the files end now.
func grownSince(dir string, folders []string, tails map[string]tail) (all []stretch, now map[string]tail, err error) {
	now = maps.Clone(tails)
	if now == nil {
		now = make(map[string]tail)
	}
	for _, folder := range folders {
		files, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		old := tails[folder]
		var grown []stretch
		for _, f := range files {
			n, ok := numberOf(f.Name())
			if !ok || n < old.Number {
				continue
			}
			i, err := f.Info()
			if err != nil {
				return nil, nil, err
			}
			s := stretch{Folder: folder, Name: f.Name(), Size: i.Size()}
			if n == old.Number {
				s.Offset, s.Size = old.Size, i.Size()-old.Size
			}
			if s.Size > 0 {
				grown = append(grown, s)
			}
			if was := now[folder]; n > was.Number || n == was.Number && i.Size() > was.Size {
				now[folder] = tail{n, i.Size()}
			}
		}
		slices.SortFunc(grown, func(a, b stretch) int {
			n, _ := numberOf(a.Name)
			m, _ := numberOf(b.Name)
			return int(n) - int(m)
		})
		all = append(all, grown...)
	}
	return all, now, nil
}

// clip returns the parts of the stretches that are before the tails.
func clip(all []stretch, tails map[string]tail) (some []stretch) {
	for _, s := range all {
		n, _ := numberOf(s.Name)
		end := tails[s.Folder]
		if n > end.Number {
			continue
		}
		if n == end.Number {
			s.Size = min(s.Size, end.Size-s.Offset)
		}
		if s.Size > 0 {
			some = append(some, s)
		}
	}
	return some
}

// read returns the bytes of a stretch.
func (s stretch) read(dir string) ([]byte, error) {
	f, err := os.Open(filepath.Join(dir, s.Folder, s.Name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, s.Size)
	_, err = f.ReadAt(b, s.Offset)
	return b, err
}

// A writer writes growth into the files of a folder.
type writer struct {
	dir  string
	file *os.File
	name string // of file, in dir
}

// isName reports whether a text can be the name of a file, without a path.
func isName(s string) bool { return filepath.IsLocal(s) && filepath.Base(s) == s && s != "." }

func (w *writer) open(folder, name string) error {
	if !isName(folder) || !isName(name) {
		return fmt.Errorf("%w: a file %q in %q", errEntry, name, folder)
	}
	if path := filepath.Join(folder, name); w.name != path {
		if err := w.close(); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(w.dir, folder), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(w.dir, path), os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		w.file, w.name = f, path
	}
	return nil
}

func (w *writer) write(g growth) error {
	if err := w.open(g.Folder, g.Name); err != nil {
		return err
	}
	_, err := w.file.WriteAt(g.Bytes, g.Offset)
	return err
}

// close makes the written bytes durable.
func (w *writer) close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.file.Sync(), w.file.Close())
	if err == nil {
		folder := filepath.Dir(w.file.Name())
		err = errors.Join(durable.SyncDir(folder), durable.SyncDir(w.dir))
	}
	w.file, w.name = nil, ""
	return err
}
