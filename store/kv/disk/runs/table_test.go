package runs_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// An owner keeps log and manifest of a table in memory, as a transaction would on
// disk, and next to it a map of what the table should have.
type owner struct {
	t     *testing.T
	dir   string
	o     runs.Options
	table *runs.Table
	metas []runs.Meta
	log   map[uint64][]byte // slabs that are in no run
	place uint64
	want  map[string]string
}

// part is of keys like "hostN/...": all before the slash, and of "u..." the whole.
func part(key []byte) []byte {
	if bytes.HasPrefix(key, []byte("u")) && len(key) > 1 {
		return key
	}
	if i := bytes.IndexByte(key, '/'); i > 0 {
		return key[:i+1]
	}
	return nil
}

func newOwner(t *testing.T, memory int) *owner {
	o := &owner{
		t: t, dir: filepath.Join(t.TempDir(), "table"), o: runs.Options{Memory: memory, Part: part},
		log: make(map[uint64][]byte), want: make(map[string]string),
	}
	o.open()
	t.Cleanup(func() { o.table.Close() })
	return o
}

// open opens the table and replays the log.
func (o *owner) open() {
	o.t.Helper()
	var err error
	if o.table, err = runs.Open(o.dir, o.metas, o.o); err != nil {
		o.t.Fatalf("Open: %v", err)
	}
	for _, k := range slices.Sorted(maps.Keys(o.log)) {
		s, err := runs.ParseSlab(o.log[k])
		if err != nil {
			o.t.Fatalf("ParseSlab: %v", err)
		}
		o.table.Apply(o.table.Fold(s))
	}
}

func (o *owner) commit(b *runs.Batch) {
	o.place++
	s := b.Slab()
	o.log[o.place] = bytes.Clone(s.Bytes())
	o.table.Apply(o.table.Fold(s))
	for o.table.Full() && !o.table.Freeze(o.place) {
		o.take(<-o.table.Done())
	}
	select {
	case c := <-o.table.Done():
		o.take(c)
	default:
	}
}

func (o *owner) take(c runs.Change) {
	o.t.Helper()
	if err := o.table.Prepare(&c); err != nil {
		o.t.Fatalf("Prepare: %v", err)
	}
	o.metas = c.Runs
	for k := range o.log {
		if k <= c.Log {
			delete(o.log, k)
		}
	}
	o.table.Install(c)
}

// check compares the table with the map: as it is read at once, and by a reader that
// remembers where it was, forwards, back and forth, and with ranges in between.
func (o *owner) check(what string, keys []string) {
	o.t.Helper()
	s := o.table.Snapshot()
	defer s.Release()
	r := s.Reader()
	defer r.Close()
	get := func(how string, get func([]byte) ([]byte, bool, error), k string) {
		o.t.Helper()
		got, ok, err := get([]byte(k))
		want, wantOK := o.want[k]
		if err != nil || ok != wantOK || string(got) != want {
			o.t.Fatalf("%s, %s: Get(%q) = %q, %v, %v; want %q, %v", what, how, k, got, ok, err, want, wantOK)
		}
	}
	for i, k := range keys {
		if i%3 == 0 {
			get("at once", s.Get, k)
		}
		get("in no order", r.Get, k)
	}
	for i, k := range slices.Sorted(slices.Values(keys)) {
		get("in order", r.Get, k)
		if i%50 == 0 {
			n := 0
			err := r.Range(part([]byte(k)), []byte(k), func(key, v []byte) bool {
				if n == 0 && o.want[string(key)] != string(v) {
					o.t.Errorf("%s: Range from %q starts with %q, %q; want %q", what, k, key, v, o.want[string(key)])
				}
				get("within a range", r.Get, keys[i])
				n++
				return n < i%7
			})
			if err != nil {
				o.t.Fatal(err)
			}
		}
	}
	for _, r := range [][2]string{{"", ""}, {"u", ""}, {"host3/", ""}, {"host3/", "host3/5"}, {"host77/", ""}, {"nobody/", ""}} {
		var got, want []string
		err := s.Range([]byte(r[0]), []byte(r[1]), func(k, v []byte) bool {
			got = append(got, string(k)+"\x00"+string(v))
			return true
		})
		for k, v := range o.want {
			if len(k) >= len(r[0]) && k[:len(r[0])] == r[0] && k >= r[1] {
				want = append(want, k+"\x00"+v)
			}
		}
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			o.t.Fatalf("%s: Range(%q from %q) has %d entries, %v; want %d", what, r[0], r[1], len(got), err, len(want))
		}
	}
}

func TestATableHasWhatAMapHas(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	o := newOwner(t, 50_000)
	keys := make([]string, 0, 4000)
	for i := range cap(keys) / 2 {
		keys = append(keys, fmt.Sprintf("u%x", rng.Uint64()), fmt.Sprintf("host%d/%d", i%200, rng.IntN(1000)))
	}
	for round := range 200 {
		var b runs.Batch
		for range rng.IntN(150) {
			k := keys[rng.IntN(len(keys))]
			if rng.IntN(3) == 0 {
				b.Delete([]byte(k))
				delete(o.want, k)
				continue
			}
			v := fmt.Sprintf("value %d of a round %d", rng.IntN(100), round)
			b.Put([]byte(k), []byte(v))
			o.want[k] = v
		}
		o.commit(&b)
		switch {
		case round%25 == 24: // what was being written is lost; the log has it
			if err := o.table.Close(); err != nil {
				t.Fatal(err)
			}
			o.open()
			o.check(fmt.Sprintf("round %d, after a crash", round), keys)
		case round%15 == 14:
			o.check(fmt.Sprintf("round %d", round), keys)
		}
	}
	if len(o.metas) > 20 {
		t.Errorf("%d runs: they are not merged", len(o.metas))
	}
}

func TestASnapshotStaysAsItIs(t *testing.T) {
	o := newOwner(t, 4_000)
	put := func(v string) {
		var b runs.Batch
		for i := range 300 {
			b.Put(fmt.Appendf(nil, "host%d/x", i), []byte(v))
		}
		o.commit(&b)
	}
	put("old")
	s := o.table.Snapshot()
	for range 40 { // enough to merge the snapshot's runs away
		put("new")
	}
	n := 0
	err := s.Range(nil, nil, func(_, v []byte) bool {
		n++
		return string(v) == "old"
	})
	if err != nil || n != 300 {
		t.Errorf("a snapshot has %d old entries, %v; want 300", n, err)
	}
	s.Release()
}

func TestADamagedRunIsNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(b []byte) []byte
	}{
		{"a bit of a block", func(b []byte) []byte { b[100] ^= 1; return b }},
		{"a bit of the index", func(b []byte) []byte { b[len(b)-40] ^= 1; return b }},
		{"a bit of the tail", func(b []byte) []byte { b[len(b)-20] ^= 1; return b }},
		{"cut short", func(b []byte) []byte { return b[:len(b)-1] }},
		{"empty", func([]byte) []byte { return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOwner(t, 1)
			var b runs.Batch
			for i := range 100 {
				b.Put(fmt.Appendf(nil, "u%04d", i), []byte("some value"))
			}
			o.commit(&b)
			for len(o.metas) == 0 {
				o.take(<-o.table.Done())
			}
			if err := o.table.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(o.dir, o.metas[0].File)
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.spoil(file), 0o644); err != nil {
				t.Fatal(err)
			}
			table, err := runs.Open(o.dir, o.metas, o.o)
			if err == nil {
				defer table.Close()
				s := table.Snapshot()
				defer s.Release()
				err = s.Range(nil, nil, func(_, _ []byte) bool { return true })
			}
			if d, ok := errors.AsType[*runs.DamageError](err); !ok || d.Path != path {
				t.Errorf("error %v; want a DamageError that names %s", err, path)
			}
		})
	}
}

func TestOpenDeletesWhatNoManifestNames(t *testing.T) {
	o := newOwner(t, 1)
	orphan := filepath.Join(o.dir, "00000099.run")
	if err := os.WriteFile(orphan, []byte("of a crash"), 0o644); err != nil {
		t.Fatal(err)
	}
	readOnly, err := runs.Open(o.dir, nil, runs.Options{Part: part, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	readOnly.Close()
	if _, err := os.Stat(orphan); err != nil {
		t.Errorf("a table opened for reading changed its folder: %v", err)
	}
	o.open()
	if _, err := os.Stat(orphan); !os.IsNotExist(err) {
		t.Errorf("the orphan is still there: %v", err)
	}
}

func FuzzParseSlab(f *testing.F) {
	var b runs.Batch
	b.Put([]byte("a"), []byte("1"))
	b.Delete([]byte("b"))
	f.Add(b.Slab().Bytes())
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 1, 'a'})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := runs.ParseSlab(data)
		if err == nil && !bytes.Equal(s.Bytes(), data) {
			t.Errorf("ParseSlab(%x).Bytes() = %x", data, s.Bytes())
		}
	})
}
