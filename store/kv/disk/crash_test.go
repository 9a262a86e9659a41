//go:build unix

package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
)

// seeded returns random numbers whose seed is printed.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestAPowerCutLosesNothingThatWasAcknowledged cuts the power in every commit of a store
// that writes sorted files all the time: what was not synced by then is there in part, or
// not at all. Go cannot come between bbolt and its file, so the part that a cut leaves of
// a commit is made of the file before and after it, by what bbolt promises: all pages of a
// commit are synced before the one that leads to them is written.
func TestAPowerCutLosesNothingThatWasAcknowledged(t *testing.T) {
	rng := seeded(t)
	path := filepath.Join(t.TempDir(), "test.db")
	lossy := &lossyFiles{files: make(map[string]*lossyFile)}
	was, is := make(kvtest.Model), make(kvtest.Model) // before and after the commit under way
	var before image
	commits := 0
	var cuts atomic.Int32 // sorted files come on after an Update has returned
	var closing atomic.Bool
	o := Options{Memory: 2000, files: lossy}
	o.watch = func(durable bool) {
		if !durable {
			before = image{}
			if commits++; commits%4 == 0 || closing.Load() { // an image takes some milliseconds
				before = lossy.image(t, rng, path)
			}
			return
		}
		if before.file == nil {
			return
		}
		after := lossy.image(t, rng, path)
		for _, cut := range cutsOf(rng, before, after) {
			cuts.Add(1)
			cut.want(t, was, is)
		}
	}
	s := open(t, path, o)
	for range 30 {
		err := s.Update(t.Context(), func(tx kv.Tx) error { // in the writer's goroutine, as watch is
			was = is.Clone()
			is.Change(rng, tx)
			tx.OnCommit(func() { was = is }) // for the commits of sorted files, which change nothing
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closing.Store(true)
	err := s.Update(t.Context(), func(tx kv.Tx) error { // after it each file that is written is cut
		was = is.Clone()
		is.Put(tx, kvtest.Tables()[0], "last", strings.Repeat("x", 100))
		tx.OnCommit(func() { was = is })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	whileOpen, left := cuts.Load(), s.table.Unwritten()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	lossy.mu.Lock()
	defer lossy.mu.Unlock()
	if left >= o.Memory/leastFold && cuts.Load() == whileOpen {
		t.Error("no cut while the store was closed")
	}
	if cuts.Load() < 20 || len(lossy.files) == 0 {
		t.Errorf("%d cuts and %d sorted files: want some dozens of each", cuts.Load(), len(lossy.files))
	}
}

// An image is what a disk has of a store.
type image struct {
	file []byte            // bbolt's
	runs map[string][]byte // by name
}

// A cut is an image and which of the two models it may have.
type cut struct {
	what     string
	image    image
	mayBe    bool // the commit may be there
	mayNotBe bool
}

// cutsOf are the images that a cut may leave in a commit of bbolt.
func cutsOf(rng *rand.Rand, before, after image) []cut {
	page := os.Getpagesize()
	long := len(after.file)
	if rng.IntN(2) == 0 {
		long = len(before.file) // it did not grow yet
	}
	some := make([]byte, long)
	copy(some, before.file)
	for at := 2 * page; at < long; at += page {
		if rng.IntN(2) == 0 {
			n := page
			if rng.IntN(4) == 0 {
				n = rng.IntN(page) // torn
			}
			copy(some[at:at+n], after.file[at:])
		}
	}
	all := bytes.Clone(after.file)
	copy(all[:2*page], before.file)
	torn := bytes.Clone(all)
	for at := 0; at < 2*page; at += page {
		copy(torn[at:at+16+rng.IntN(64)], after.file[at:])
	}
	return []cut{
		{"some pages of the commit are written", image{some, after.runs}, false, true},
		{"all pages of the commit are written but the last", image{all, after.runs}, false, true},
		{"the page that leads to the others is torn", image{torn, after.runs}, true, true},
		{"all is written", image{after.file, after.runs}, true, false},
	}
}

// want opens a store from an image, and wants one of the two models.
func (c cut) want(t *testing.T, was, is kvtest.Model) {
	t.Helper()
	path := c.image.write(t)
	s, err := Open(path, kvtest.Tables(), Options{})
	if err != nil {
		t.Errorf("%s: Open = %v", c.what, err)
		return
	}
	defer closeSound(t, s)
	var isWas, isIs string
	err = s.View(context.Background(), func(r kv.Reader) (err error) { // the test may be over
		if isWas, err = was.Differs(r); err == nil {
			isIs, err = is.Differs(r)
		}
		return err
	})
	if err != nil || !(c.mayNotBe && isWas == "") && !(c.mayBe && isIs == "") {
		t.Errorf("%s: it differs from before the commit: %q, and from after it: %q (%v)", c.what, isWas, isIs, err)
	}
}

// write puts an image into a folder of its own and returns the path of the store.
func (i image) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	err := errors.Join(os.WriteFile(path, i.file, 0o600), os.Mkdir(runsBeside(path), 0o700))
	for name, b := range i.runs {
		err = errors.Join(err, os.WriteFile(filepath.Join(runsBeside(path), name), b, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// lossyFiles remember what was synced of the files that they make. A limit above 0 is how
// many bytes may be written before writing fails.
type lossyFiles struct {
	mu    sync.Mutex
	files map[string]*lossyFile
	limit int
}

type lossyFile struct {
	*os.File
	of     *lossyFiles
	synced int64 // bytes
	named  bool  // the folder was synced since
}

// Create implements runs.Files.
func (l *lossyFiles) Create(path string) (runs.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	l.files[path] = &lossyFile{File: f, of: l}
	return l.files[path], nil
}

// SyncDir implements runs.Files.
func (l *lossyFiles) SyncDir(dir string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, f := range l.files {
		f.named = f.named || filepath.Dir(path) == dir
	}
	return nil
}

var errFull = errors.New("no space left on the lossy disk")

// Write implements runs.File.
func (f *lossyFile) Write(b []byte) (int, error) {
	f.of.mu.Lock()
	full := f.of.limit > 0 && f.of.limit < len(b)
	f.of.limit = max(0, f.of.limit-len(b))
	if full {
		f.of.limit = 1
	}
	f.of.mu.Unlock()
	if full {
		return 0, errFull
	}
	return f.File.Write(b)
}

// Sync implements runs.File: the bytes are remembered, and not synced, for nothing cuts our power.
func (f *lossyFile) Sync() error {
	info, err := f.Stat()
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if err == nil {
		f.synced = info.Size()
	}
	return err
}

// image returns what a cut leaves now: of a file that was not synced any part, and maybe
// not its name.
func (l *lossyFiles) image(t *testing.T, rng *rand.Rand, path string) image {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	i := image{file, make(map[string][]byte)}
	entries, err := os.ReadDir(runsBeside(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, e := range entries {
		name := filepath.Join(runsBeside(path), e.Name())
		b, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // merged meanwhile
		}
		if err != nil {
			t.Error(err)
		}
		f := l.files[name]
		if lost := int64(len(b)) - f.synced; lost > 0 {
			b = b[:f.synced+rng.Int64N(lost+1)]
		}
		if f.named || rng.IntN(2) == 0 {
			i.runs[e.Name()] = b
		}
	}
	return i
}

// TestAWriteThatFailsLosesNothingThatWasAcknowledged has the disk refuse what is written to
// the bbolt file or to a sorted file, from some moment on, which may be within a commit.
func TestAWriteThatFailsLosesNothingThatWasAcknowledged(t *testing.T) {
	rng := seeded(t)
	for round := range 12 {
		path := filepath.Join(t.TempDir(), "test.db")
		lossy := &lossyFiles{files: make(map[string]*lossyFile)}
		var file *os.File
		o := Options{Memory: 2000, files: lossy, open: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		}}
		ended := make(chan error, 1)
		o.Failed = func(err error) { ended <- err }
		sorted := round%3 == 0
		commits, last, broken := 0, rng.IntN(20), make(chan struct{})
		o.watch = func(durable bool) {
			if durable || sorted {
				return
			}
			if commits++; commits != last+1 {
				return
			}
			wait := time.Duration(rng.IntN(3)) * time.Duration(rng.IntN(1000)) * time.Microsecond
			go func() { // ends with the test's wait for broken
				time.Sleep(wait) // writes are refused at any point of a commit
				refuseWrites(t, file)
				close(broken)
			}()
			if wait == 0 {
				<-broken
			}
		}
		if sorted {
			lossy.limit = 1 + rng.IntN(20_000)
		}
		s, err := Open(path, kvtest.Tables(), o)
		if err != nil {
			t.Fatal(err)
		}
		was, is := make(kvtest.Model), make(kvtest.Model)
		for err == nil {
			was = is.Clone()
			err = s.Update(t.Context(), func(tx kv.Tx) error {
				is.Change(rng, tx)
				return nil
			})
			if t.Failed() { // the disk refuses nothing
				_ = s.Close()
				return
			}
		}
		if told := <-ended; !errors.Is(err, told) {
			t.Errorf("Update = %v, and Failed was told %v", err, told)
		}
		if again := s.Update(t.Context(), func(kv.Tx) error { return nil }); again == nil {
			t.Error("an Update after one that failed = nil")
		}
		err = s.View(t.Context(), func(r kv.Reader) error { _, err := r.Get(kvtest.Tables()[0], []byte("000")); return err })
		if err != nil {
			t.Errorf("View of a store that has ended = %v", err)
		}
		if !sorted {
			<-broken
		}
		_ = s.Close() // it says again what was wrong
		c := cut{what: fmt.Sprintf("round %d", round), mayBe: true, mayNotBe: true}
		c.image = lossy.image(t, rng, path)
		c.want(t, was, is)
	}
}

// refuseWrites puts a file that can only be read in the place of an open one.
func refuseWrites(t *testing.T, f *os.File) {
	read, err := os.Open(f.Name())
	if err == nil {
		for err = unix.EBUSY; err == unix.EBUSY; { // while another goroutine opens a file
			err = unix.Dup2(int(read.Fd()), int(f.Fd()))
		}
		err = errors.Join(err, read.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// TestManyMakeOneStore has several goroutines make a store at one path at once.
func TestManyMakeOneStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			start := func(tx kv.Tx) error {
				for _, table := range kvtest.Tables() {
					tx.Put(table, []byte("first"), []byte(table.Name))
				}
				return nil
			}
			if err := create(path, kvtest.Tables(), Options{Init: start}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, %v; want one", files, err)
	}
	s := open(t, path, Options{})
	err = s.View(t.Context(), func(r kv.Reader) error {
		for _, table := range kvtest.Tables() {
			if v, err := r.Get(table, []byte("first")); err != nil || string(v) != table.Name {
				t.Errorf("the first row of %s is %q, %v", table.Name, v, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestASecondWriterIsRefused opens a store twice.
func TestASecondWriterIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	open(t, path, Options{})
	if s, err := Open(path, kvtest.Tables(), Options{}); !errors.Is(err, kv.ErrLocked) {
		t.Errorf("Open of an open store = %v, %v; want %v", s, err, kv.ErrLocked)
	}
}

// TestAFileOfAnotherProgramIsLeftAlone gives Open and Repair a bbolt file without our tables.
func TestAFileOfAnotherProgramIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	inFile(t, path, func(buckets) error { return nil })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, kvtest.Tables(), Options{}); !errors.Is(err, ErrForeign) {
		t.Errorf("Open = %v, want %v", err, ErrForeign)
	}
	_, err = Repair(t.Context(), path, kvtest.Tables(), RepairOptions{Tell: func(string, string) error { return nil }})
	if !errors.Is(err, ErrForeign) {
		t.Errorf("Repair = %v, want %v", err, ErrForeign)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// TestWhatIsAlteredIsNamedAndMended changes bytes behind the back of the store.
func TestWhatIsAlteredIsNamedAndMended(t *testing.T) {
	checked := kvtest.Tables()[2]
	for _, c := range []struct {
		what   string
		bucket string
		change func(b []byte) []byte // nil: gone
		key    string
		want   string
	}{
		{"a value", checked.Name, func(b []byte) []byte { b[0] ^= 1; return b }, "key 1", "not as it was written"},
		{"a value is gone", checked.Name, nil, "key 1", "it is not there"},
		{"a checksum", string(bucketSums), func(b []byte) []byte { b[2] ^= 1; return b }, "key 1", "checksums"},
	} {
		path := filepath.Join(t.TempDir(), "test.db")
		s, err := Open(path, kvtest.Tables(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		put := func(tx kv.Tx) error { tx.Put(checked, []byte("key 1"), []byte("a value")); return nil }
		if err := errors.Join(s.Update(t.Context(), put), s.Close()); err != nil {
			t.Fatal(err)
		}
		inFile(t, path, func(b buckets) error { return b.change(c.bucket, c.key, c.change) })
		s, err = Open(path, kvtest.Tables(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		err = s.Check(t.Context(), func(err error) error {
			d, ok := errors.AsType[*kv.DamageError](err)
			if !ok || string(d.Key) != c.key {
				t.Errorf("%s: Check found %v, want a DamageError with the key", c.what, err)
			}
			found = append(found, err.Error())
			return nil
		})
		if err != nil || len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("%s: Check = %v, found %q; want one that says %q", c.what, err, found, c.want)
		}
		if err := errors.Join(s.Update(t.Context(), put), s.Check(t.Context(), func(err error) error { return err }), s.Close()); err != nil {
			t.Errorf("%s: what is put anew is not sound: %v", c.what, err)
		}
	}
}

// A key that is greater than the first of the next page is found by nobody who looks for it,
// and the order of its own page is right.
func TestAKeyBehindTheNextPagesFirstIsNamedAndMended(t *testing.T) {
	plain := kvtest.Tables()[0]
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := Open(path, kvtest.Tables(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 2000
	err = s.Update(t.Context(), func(tx kv.Tx) error {
		for i := range rows {
			tx.Put(plain, fmt.Appendf(nil, "key %06d", i), []byte("a value"))
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	alterLastKey(t, path, "key ", "kez ")

	found := 0
	if fault, err := checkFile(path, everyBucket, true); fault == nil || err != nil {
		t.Fatalf("checkFile = %v, %v; want the key", fault, err)
	}
	_, err = Repair(t.Context(), path, kvtest.Tables(), RepairOptions{Tell: func(where, what string) error { found++; return nil }})
	if err != nil || found == 0 {
		t.Fatalf("Repair = %v, and told of %d faults", err, found)
	}
	if s, err = Open(path, kvtest.Tables(), Options{}); err != nil {
		t.Fatal(err)
	}
	left := 0
	err = s.View(t.Context(), func(r kv.Reader) error {
		return kv.Each(r, plain, func(_, _ []byte) error { left++; return nil })
	})
	err = errors.Join(err, s.Check(t.Context(), func(err error) error { return err }), s.Close())
	if err != nil || left != rows {
		t.Errorf("after the repair: %d rows, %v; want %d", left, err, rows)
	}
}

// alterLastKey changes how the last key of the first leaf starts whose keys start so.
func alterLastKey(t *testing.T, path, from, to string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	for at := 2 * size; at < len(b); at += size {
		page := b[at : at+size]
		if native.Uint16(page[8:]) != leafPage || native.Uint16(page[10:]) < 2 {
			continue
		}
		key, _, _, err := element(page, int(native.Uint16(page[10:]))-1)
		if first, _, _, _ := element(page, 0); err == nil && bytes.HasPrefix(key, []byte(from)) && bytes.HasSuffix(first, []byte("000000")) {
			copy(key, to)
			if err := os.WriteFile(path, b, fileMode); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no leaf has such keys")
}
