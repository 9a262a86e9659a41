package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// The tables of the tests: values, and where the file of each number ends.
var (
	tableValues = &kv.Table{Name: "values", ID: 1}
	tableKept   = &kv.Table{Name: "kept", Checked: true}
	tableEnds   = &kv.Table{Name: "ends"}
	tables      = []*kv.Table{tableValues, tableKept, tableEnds}
)

const (
	fileStore = "test.db"
	grows     = "grows"
	fileBytes = 3000 // how long a file grows before the next
)

// short leases make short tests.
var short = owner.Options{Name: "node", Lease: 60 * time.Millisecond, Margin: 10 * time.Millisecond, Beat: 10 * time.Millisecond, Slack: 5 * time.Millisecond, Retry: time.Millisecond}

func optionsOf(e engine.Engine, dir string) Options {
	return Options{
		Engine: e, Name: "log-p0", Dir: dir, File: fileStore, Tables: tables, Grow: []string{grows}, Derived: []string{"derived"},
		Owner: short, Snapshot: 6000,
	}
}

// A state is what a store should have.
type state struct {
	rows  map[string]string
	files map[string][]byte
}

func (s state) clone() state {
	files := make(map[string][]byte)
	for name, b := range s.files {
		files[name] = bytes.Clone(b)
	}
	return state{maps.Clone(s.rows), files}
}

// A user is a store with growing files, as a partition is.
type user struct {
	dir  string
	db   *disk.Store
	file uint32 // that grows
	end  int64
}

func endKey(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// use opens a store and cuts its files to what is committed.
func use(t *testing.T, dir string, j disk.Journal) *user {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, grows), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := disk.Open(filepath.Join(dir, fileStore), tables, disk.Options{
		Journal: j, Memory: 10_000, Init: func(tx kv.Tx) error { tx.Put(tableKept, []byte("begun"), []byte("row")); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	u := &user{dir: dir, db: db, file: 1}
	ends := make(map[string]int64)
	err = db.View(t.Context(), func(r kv.Reader) error {
		return kv.Each(r, tableEnds, func(k, v []byte) error {
			u.file, u.end = binary.BigEndian.Uint32(k), int64(binary.BigEndian.Uint64(v))
			ends[u.name(u.file)] = u.end
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(dir, grows))
	for _, f := range files {
		path := filepath.Join(dir, grows, f.Name())
		if end, ok := ends[f.Name()]; ok {
			err = errors.Join(err, os.Truncate(path, end))
		} else {
			err = errors.Join(err, os.Remove(path))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (u *user) name(n uint32) string { return fmt.Sprintf("f-%05d.dat", n) }

// commit changes some rows and lets files grow, and tells want of it.
func (u *user) commit(draw *rand.Rand, want state) error {
	return u.db.Update(context.Background(), func(tx kv.Tx) error {
		for range 1 + draw.IntN(10) {
			key, value := fmt.Sprint("key ", draw.IntN(100)), fmt.Sprint("value ", draw.Uint64())
			table := tableValues
			if draw.IntN(2) == 0 {
				table = tableKept
			}
			if draw.IntN(4) == 0 {
				tx.Delete(table, []byte(key))
				delete(want.rows, table.Name+key)
			} else {
				tx.Put(table, []byte(key), []byte(value))
				want.rows[table.Name+key] = value
			}
		}
		for range draw.IntN(3) {
			if u.end >= fileBytes {
				u.file, u.end = u.file+1, 0
			}
			b := make([]byte, 1+draw.IntN(1500))
			for i := range b {
				b[i] = byte(draw.Uint32())
			}
			f, err := os.OpenFile(filepath.Join(u.dir, grows, u.name(u.file)), os.O_WRONLY|os.O_CREATE, 0o600)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(b, u.end)
			if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
				return err
			}
			u.end += int64(len(b))
			want.files[u.name(u.file)] = append(want.files[u.name(u.file)], b...)
			tx.Put(tableEnds, endKey(u.file), binary.BigEndian.AppendUint64(nil, uint64(u.end)))
		}
		return nil
	})
}

// check compares a store with what it should have.
func (u *user) check(t *testing.T, want state) {
	t.Helper()
	got := state{make(map[string]string), make(map[string][]byte)}
	err := u.db.View(t.Context(), func(r kv.Reader) error {
		for _, table := range []*kv.Table{tableValues, tableKept} {
			err := kv.Each(r, table, func(k, v []byte) error { got.rows[table.Name+string(k)] = string(v); return nil })
			if err != nil {
				return err
			}
		}
		return kv.Each(r, tableEnds, func(k, v []byte) error {
			name := u.name(binary.BigEndian.Uint32(k))
			b, err := os.ReadFile(filepath.Join(u.dir, grows, name))
			if end := binary.BigEndian.Uint64(v); err == nil && uint64(len(b)) != end {
				err = fmt.Errorf("%s has %d bytes, want %d", name, len(b), end)
			}
			got.files[name] = b
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got.rows, want.rows) {
		t.Fatalf("the store has %d rows, want %d, or other values", len(got.rows), len(want.rows))
	}
	if !maps.EqualFunc(got.files, want.files, bytes.Equal) {
		t.Fatalf("%d files, want %d, or other bytes in them", len(got.files), len(want.files))
	}
	if err := u.db.Check(t.Context(), func(err error) error { return err }); err != nil {
		t.Fatal(err)
	}
}

// A killed journal passes commits on until it is its turn: then the process is gone, before the
// commit came to the log or after that.
type killed struct {
	*Journal
	left  int
	after bool
}

var errKilled = errors.New("killed")

func (k *killed) Commit(s *disk.Store, redo []byte) ([]byte, error) {
	if k.left--; k.left < 0 && !k.after {
		return nil, errKilled
	}
	mark, err := k.Journal.Commit(s, redo)
	if k.left < 0 && err == nil {
		err = errKilled
	}
	return mark, err
}

func takeOver(t *testing.T, o Options) *Journal {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	j, err := Take(ctx, o)
	if err != nil {
		t.Fatalf("Take = %v", err)
	}
	return j
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// Owners are killed at any moment, or give up; the next one has the same folder, a damaged one, none, the one of
// an earlier time, or one that followed the log: it has all that was acknowledged, and nothing
// that was not asked for.
func TestWhoeverTakesOverHasAllThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 1))
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	e := net.Join("node")
	root := t.TempDir()
	dir, stale := filepath.Join(root, "p0"), filepath.Join(root, "stale")
	want := state{map[string]string{"keptbegun": "row"}, make(map[string][]byte)}
	count := make(map[string]int)
	committed := false
	rounds := 8
	if slow.Wanted() {
		rounds = 40
	}
	for range rounds {
		j := takeOver(t, optionsOf(e, dir))
		k := &killed{Journal: j, left: draw.IntN(15), after: draw.IntN(2) == 0}
		gentle := draw.IntN(4) == 0
		u := use(t, dir, k)
		u.check(t, want)
		for {
			next := want.clone()
			err := u.commit(draw, next)
			if err == nil || errors.Is(err, errKilled) && k.after {
				want, committed = next, true // in the log, whether it was acknowledged or not
			}
			if err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if err != nil || gentle && k.left == 0 {
				break
			}
		}
		if err := u.db.Close(); err != nil {
			t.Fatal(err)
		}
		if gentle {
			if err := j.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		} else {
			j.Owner.Close()
		}
		if err := os.MkdirAll(filepath.Join(dir, "derived"), 0o700); err != nil {
			t.Fatal(err)
		}
		how := []string{"same", "deleted", "stale", "other", "damaged"}[draw.IntN(5)]
		switch how {
		case "deleted":
			os.RemoveAll(dir)
		case "stale":
			old := filepath.Join(root, "old")
			copyFolder(t, stale, old)
			copyFolder(t, dir, stale)
			copyFolder(t, old, dir)
		case "damaged":
			if err := os.Truncate(filepath.Join(dir, fileStore), 5000); err != nil {
				t.Fatal(err)
			}
			if committed {
				break
			}
			if _, err := Take(t.Context(), optionsOf(e, dir)); !errors.As(err, new(*kv.DamageError)) || !strings.Contains(err.Error(), dir) {
				t.Fatalf("Take of a damaged folder of which the log has nothing = %v, want a DamageError that names it", err)
			}
			os.RemoveAll(dir)
		case "other":
			dir = filepath.Join(root, fmt.Sprint("p", draw.IntN(3)))
		}
		count[how]++
	}
	net2, err := e.Log(t.Context(), "log-p0")
	if err != nil {
		t.Fatal(err)
	}
	first, err := net2.First(t.Context())
	last, _, lastErr := net2.Last(t.Context())
	// After few rounds the last snapshot may be far back.
	if err := errors.Join(err, lastErr); err != nil || slow.Wanted() && first < last/2 {
		t.Errorf("the log has entries %d to %d, %v: it was not trimmed", first, last, err)
	}
	t.Logf("%v; %d entries, of which the log has those from %d on", count, last, first)
}

// A commit of several entries whose last one is missing was not made.
func TestACommitThatLacksItsLastPartWasNotMade(t *testing.T) {
	t.Parallel()
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	e := net.Join("node")
	dir := filepath.Join(t.TempDir(), "p0")
	j := takeOver(t, optionsOf(e, dir))
	u := use(t, dir, j)
	put := func(u *user, key string, size int) error {
		value := make([]byte, size)
		for i := range value {
			value[i] = byte(rand.Uint32())
		}
		return u.db.Update(t.Context(), func(tx kv.Tx) error { tx.Put(tableKept, []byte(key), value); return nil })
	}
	sizes := func(u *user) map[string]int {
		all := make(map[string]int)
		err := u.db.View(t.Context(), func(r kv.Reader) error {
			return kv.Each(r, tableKept, func(k, v []byte) error { all[string(k)] = len(v); return nil })
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	large := engine.MaxBatch + 1000
	if err := put(u, "large", large); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.db.Close(), j.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
	// The next owner is gone after the first part.
	j = takeOver(t, optionsOf(e, dir))
	parts := commit{redo: bytes.Repeat([]byte("no changes at all"), 100)}.encode(20)
	if len(parts) < 2 {
		t.Fatalf("%d parts", len(parts))
	}
	if _, err := j.Append(t.Context(), parts[0]); err != nil {
		t.Fatal(err)
	}
	j.Owner.Close()
	j.Close()
	os.RemoveAll(dir)
	j = takeOver(t, optionsOf(e, dir))
	u = use(t, dir, j)
	if got := sizes(u); got["large"] != large || len(got) != 2 {
		t.Errorf("the store has %v", got)
	}
	if err := put(u, "behind it", 10); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.db.Close(), j.Release(t.Context()), os.RemoveAll(dir)); err != nil {
		t.Fatal(err)
	}
	j = takeOver(t, optionsOf(e, dir))
	u = use(t, dir, j)
	if got := sizes(u); got["behind it"] != 10 || got["large"] != large || len(got) != 3 {
		t.Errorf("the store has %v", got)
	}
	if err := errors.Join(u.db.Close(), j.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// A process that was taken for dead and goes on cannot commit, and its folder has nothing of it.
func TestTheOwnerOfBeforeCannotCommit(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	old := net.Join("old")
	root := t.TempDir()
	o := optionsOf(old, filepath.Join(root, "old"))
	j := takeOver(t, o)
	u := use(t, o.Dir, j)
	draw := rand.New(rand.NewPCG(1, 1))
	want := state{map[string]string{"keptbegun": "row"}, make(map[string][]byte)}
	if err := u.commit(draw, want); err != nil {
		t.Fatal(err)
	}
	old.Stop()
	k := takeOver(t, optionsOf(net.Join("new"), filepath.Join(root, "new")))
	other := use(t, k.o.Dir, k)
	other.check(t, want)
	old.Continue()
	if err := u.commit(draw, want.clone()); !errors.Is(err, engine.ErrFenced) && !errors.Is(err, owner.ErrReleased) {
		t.Errorf("Update of the owner of before = %v, want that it is fenced", err)
	}
	if err := u.db.Close(); err != nil {
		t.Fatal(err)
	}
	j.Owner.Close()
	read := use(t, o.Dir, nil)
	read.check(t, want)
	if err := other.commit(draw, want); err != nil {
		t.Fatal(err)
	}
	other.check(t, want)
	if err := errors.Join(read.db.Close(), other.db.Close(), k.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// What an owner has left that was killed while it put a snapshot goes with the next snapshot; blobs
// of other logs and of later owners stay.
func TestBlobsThatNoSnapshotNamesAreDeleted(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	e := net.Join("node")
	o := optionsOf(e, filepath.Join(t.TempDir(), "p0"))
	o.Snapshot = 1
	gone := []string{o.Name + "-0-7", o.Name + "-0-7-files", o.Name + "-0-7-0"}
	stay := []string{o.Name + "-99-1", o.Name + "-p1-0-1", o.Name + "-x"}
	for _, name := range append(gone, stay...) {
		if err := e.Put(t.Context(), name, strings.NewReader("bytes")); err != nil {
			t.Fatal(err)
		}
	}
	j := takeOver(t, o)
	u := use(t, o.Dir, j)
	draw := rand.New(rand.NewPCG(1, 1))
	want := state{map[string]string{"keptbegun": "row"}, make(map[string][]byte)}
	for range 3 { // the first snapshot is of an empty log, and is not swept behind
		if err := u.commit(draw, want); err != nil {
			t.Fatal(err)
		}
		j.work.Wait()
	}
	left, err := e.Blobs(t.Context(), o.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range gone {
		if slices.Contains(left, name) {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range stay {
		if !slices.Contains(left, name) {
			t.Errorf("%s was deleted", name)
		}
	}
	if err := errors.Join(u.db.Close(), j.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		t.Fatal(err)
	}
	j = takeOver(t, o) // all that the last snapshot names is there
	u = use(t, o.Dir, j)
	u.check(t, want)
	if err := errors.Join(u.db.Close(), j.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// A folder that follows has what was committed when it takes over, without a snapshot.
func TestAFollowerHasWhatWasCommitted(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	e := net.Join("node")
	root := t.TempDir()
	o := optionsOf(e, filepath.Join(root, "p0"))
	second := optionsOf(e, filepath.Join(root, "p1"))
	ctx, cancel := context.WithCancel(t.Context())
	followed := make(chan error, 1)
	j := takeOver(t, o)
	u := use(t, o.Dir, j)
	draw := rand.New(rand.NewPCG(2, 1))
	want := state{map[string]string{"keptbegun": "row"}, make(map[string][]byte)}
	for n := range 50 {
		if n == 20 {
			go func() { followed <- Follow(ctx, second) }() // ends with cancel
		}
		if err := u.commit(draw, want); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(u.db.Close(), j.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-followed; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow = %v", err)
	}
	k := takeOver(t, second)
	u = use(t, second.Dir, k)
	u.check(t, want)
	if err := errors.Join(u.db.Close(), k.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// A folder of another log, or of an engine that was made anew, is not opened.
func TestAFolderOfAnotherLogIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p0")
	draw := rand.New(rand.NewPCG(3, 1))
	want := state{map[string]string{"keptbegun": "row"}, make(map[string][]byte)}
	for i := range 2 {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		j, err := Take(t.Context(), optionsOf(net.Join("node"), dir))
		if i == 1 {
			if _, ok := errors.AsType[*AheadError](err); !ok {
				t.Errorf("Take of a folder that is ahead of its log = %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		u := use(t, dir, j)
		if err := u.commit(draw, want); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(u.db.Close(), j.Release(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACommitComesBackFromItsParts(t *testing.T) {
	for _, most := range []int{1, 7, 100, 1 << 20} {
		c := commit{redo: []byte("changes"), grown: []growth{{"grows", "f-00001.dat", 12, []byte("some bytes")}, {"grows", "f-00002.dat", 0, nil}}}
		var packed []byte
		parts := c.encode(most)
		for i, part := range parts {
			follow, b, err := splitPart(part)
			if err != nil || follow != uint64(len(parts)-1-i) {
				t.Fatalf("part %d of %d: %d follow, %v", i, len(parts), follow, err)
			}
			packed = append(packed, b...)
		}
		got, err := decodeCommit(packed)
		same := slices.EqualFunc(got.grown, c.grown, func(a, b growth) bool {
			return a.Folder == b.Folder && a.Name == b.Name && a.Offset == b.Offset && bytes.Equal(a.Bytes, b.Bytes)
		})
		if err != nil || !same || !bytes.Equal(got.redo, c.redo) {
			t.Errorf("%+v came back as %+v, %v", c, got, err)
		}
	}
}

// Names in a log do not lead out of the folder.
func TestGrowthOutsideOfTheFolderIsRefused(t *testing.T) {
	w := &writer{dir: t.TempDir()}
	for _, g := range []growth{{Folder: "..", Name: "f-00001.dat"}, {Folder: "grows", Name: "../f-00001.dat"}, {Folder: "/tmp", Name: "f-00001.dat"}} {
		if err := w.write(g); !errors.Is(err, errEntry) {
			t.Errorf("write of %+v = %v", g, err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzEntry(f *testing.F) {
	f.Add(commit{redo: []byte("changes"), grown: []growth{{"grows", "f-00001.dat", 12, []byte("some bytes")}}}.encode(1 << 20)[0])
	f.Add([]byte{kindSnapshot, '{', '}'})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		if _, packed, err := splitPart(b); err == nil && len(packed) < 1<<12 {
			decodeCommit(packed) // it returns
		}
		decodePointer(b)
	})
}
