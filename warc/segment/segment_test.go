package segment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/internal/peer"
)

// body returns page n of a site: pages share their frame.
func body(n int) []byte {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var b bytes.Buffer
	b.WriteString("<html><head><title>Page</title></head><body><ul class=menu>")
	for i := range 20 {
		fmt.Fprintf(&b, "<li><a href=/topics/%d/>Topic number %d</a>", i, i)
	}
	b.WriteString("</ul><p>")
	for range 200 {
		fmt.Fprintf(&b, "w%d ", rng.IntN(500))
	}
	return b.Bytes()
}

func record(n int) *Record {
	b := body(n)
	return &Record{
		Draft: warc.Draft{
			Type: warc.Response, URL: fmt.Sprintf("http://a.example/%d", n), Date: time.Unix(int64(1e9+n), 0), Kind: warc.KindResponse,
			Fields: warc.Fields{{Name: "WARC-IP-Address", Value: "192.0.2.1"}},
		},
		Head: warc.AppendResponseHead(nil, 200, http.Header{"Content-Type": {"text/html"}}, len(b)),
		Body: b,
	}
}

func options(c warc.Compression) Options {
	o := DefaultOptions()
	o.Compression, o.Train = c, 16
	o.About = warc.Fields{{Name: "software", Value: "test"}}
	return o
}

// A harness is the caller of segments, with a folder.
type harness struct {
	t      *testing.T
	s      *Segments
	dir    string
	o      Options
	end    End
	places []Place
	dicts  map[uint32][]byte
}

func newHarness(t *testing.T, o Options) *harness {
	k := &harness{t: t, dir: t.TempDir(), o: o, end: End{File: 1}, dicts: make(map[uint32][]byte)}
	k.open()
	return k
}

func (k *harness) open() {
	k.t.Helper()
	s, err := Open(k.dir, k.end, k.dicts, k.o)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { s.Close() })
	k.s = s
}

// add appends record n.
func (k *harness) add(n int) {
	k.t.Helper()
	p, err := k.s.Pack(record(n))
	if err != nil {
		k.t.Fatal(err)
	}
	place, id, dict, err := k.s.Append(p)
	if err != nil {
		k.t.Fatal(err)
	}
	if dict != nil {
		k.dicts[id] = dict
	}
	k.places = append(k.places, place)
}

func (k *harness) sync() {
	k.t.Helper()
	if err := k.s.Sync(); err != nil {
		k.t.Fatal(err)
	}
	k.end = k.s.End()
}

// trained appends records until there is one that was packed with a dictionary.
func (k *harness) trained() {
	k.t.Helper()
	for k.s.training.Load() {
		k.add(len(k.places))
	}
	k.add(len(k.places))
}

func (k *harness) check() {
	k.t.Helper()
	for i, p := range k.places {
		got, err := k.s.Payload(p)
		if err != nil || !bytes.Equal(got, body(i)) {
			k.t.Fatalf("record %d at %+v: %d bytes, %v; want %d", i, p, len(got), err, len(body(i)))
		}
	}
}

func TestRecordsAreReadAsTheyWereAppended(t *testing.T) {
	for _, c := range []warc.Compression{warc.Zstd, warc.Gzip} {
		k := newHarness(t, options(c))
		for i := range 5 {
			k.add(i)
			k.check() // what is buffered too
		}
		if c == warc.Zstd {
			k.trained()
		}
		k.sync()
		k.check()
		if err := k.s.Close(); err != nil {
			t.Fatal(err)
		}
		k.open()
		k.check()
		k.add(len(k.places))
		k.sync()
		k.check()
		if n := len(k.s.numbers()); c == warc.Zstd && n != 2 || c == warc.Gzip && n != 1 {
			t.Errorf("%s: %d segments", c, n)
		}
	}
}

func TestADictionaryMakesRecordsSmaller(t *testing.T) {
	k := newHarness(t, options(warc.Zstd))
	k.add(0)
	k.trained()
	first, last := k.places[0], k.places[len(k.places)-1]
	if last.Length*4 > first.Length*3 {
		t.Errorf("a record takes %d bytes with the dictionary and %d without", last.Length, first.Length)
	}
	if len(k.dicts) != 1 {
		t.Errorf("%d dictionaries are to be kept, want 1", len(k.dicts))
	}
}

func TestARecordThatWasPackedWithAnotherDictionaryIsPackedAgain(t *testing.T) {
	k := newHarness(t, options(warc.Zstd))
	early, err := k.s.Pack(record(0))
	if err != nil {
		t.Fatal(err)
	}
	k.add(0)
	k.trained()
	place, _, _, err := k.s.Append(early)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := k.s.UsedBy(place); err != nil || id == 0 {
		t.Errorf("UsedBy = %d, %v: want the dictionary of its segment", id, err)
	}
	if b, err := k.s.Payload(place); err != nil || !bytes.Equal(b, body(0)) {
		t.Errorf("Payload = %d bytes, %v", len(b), err)
	}
}

func TestAFullSegmentIsFollowedByTheNext(t *testing.T) {
	o := options(warc.Zstd)
	o.MaxBytes = minBytes
	o.Train = 0
	k := newHarness(t, o)
	noise := make([]byte, 400_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	for len(k.s.numbers()) < 3 {
		p, err := k.s.Pack(&Record{Draft: record(0).Draft, Head: record(0).Head, Body: noise})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := k.s.Append(p); err != nil {
			t.Fatal(err)
		}
	}
	k.sync()
	for _, n := range k.s.numbers()[:2] {
		if i, err := os.Stat(filepath.Join(k.dir, k.s.Name(n))); err != nil || i.Size() < minBytes || i.Size() > minBytes+500_000 {
			t.Errorf("segment %d: %v, %v", n, i, err)
		}
	}
}

// TestOurReaderReadsSegments reads them without the places.
func TestOurReaderReadsSegments(t *testing.T) {
	for _, c := range []warc.Compression{warc.Zstd, warc.Gzip} {
		k := newHarness(t, options(c))
		k.add(0)
		if c == warc.Zstd {
			k.trained()
		}
		k.sync()
		found := 0
		for _, n := range k.s.numbers() {
			f, err := os.Open(filepath.Join(k.dir, k.s.Name(n)))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r, err := warc.NewReader(f, f.Name(), warc.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; ; i++ {
				rec, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if (i == 0) != (rec.Type == warc.Info) {
					t.Errorf("%s: record %d is of type %s", f.Name(), i, rec.Type)
				}
				if rec.Type == warc.Info {
					continue
				}
				p := k.places[found]
				if p.File != n || p.Offset != rec.Place.Offset || rec.URL() != fmt.Sprintf("http://a.example/%d", found) {
					t.Errorf("record %d: %s at %v of segment %d, and its place is %+v", found, rec.URL(), rec.Place, n, p)
				}
				found++
			}
		}
		if found != len(k.places) {
			t.Errorf("%s: the reader finds %d of %d records", c, found, len(k.places))
		}
	}
}

// TestZstdReadsSegments reads a segment by the reference implementation, with the
// dictionary that its first frame has.
func TestZstdReadsSegments(t *testing.T) {
	zstd, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("no zstd to compare with: apt-get install zstd")
	}
	k := newHarness(t, options(warc.Zstd))
	k.add(0)
	k.trained()
	k.sync()
	last := k.places[len(k.places)-1].File
	dict, err := k.s.firstFrame(last)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dict")
	if err := os.WriteFile(file, dict, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, n := range map[*[]string]uint32{
		{"-dc", filepath.Join(k.dir, k.s.Name(1))}:                1,
		{"-dc", "-D", file, filepath.Join(k.dir, k.s.Name(last))}: last,
	} {
		out, err := exec.CommandContext(t.Context(), zstd, *args...).Output()
		if err != nil {
			t.Fatalf("zstd %v: %v", *args, err)
		}
		for i, p := range k.places {
			if p.File == n && !bytes.Contains(out, body(i)) {
				t.Errorf("zstd's output of segment %d lacks record %d", n, i)
			}
		}
	}
}

// TestWarcioReadsSegments reads a segment by an independent implementation (npm, by .ci/run), which checks the digests.
func TestWarcioReadsSegments(t *testing.T) {
	program := peer.Warcio(t)
	k := newHarness(t, options(warc.Gzip))
	for i := range 5 {
		k.add(i)
	}
	k.sync()
	out, err := exec.CommandContext(t.Context(), program, "index", filepath.Join(k.dir, k.s.Name(1))).Output()
	if err != nil {
		t.Fatalf("warcio index: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 1+len(k.places) {
		t.Fatalf("warcio finds %d records, want %d:\n%s", len(lines), 1+len(k.places), out)
	}
	for i, p := range k.places {
		var got struct {
			URL    string      `json:"warc-target-uri"`
			Offset json.Number `json:"offset"`
		}
		if err := json.Unmarshal([]byte(lines[i+1]), &got); err != nil {
			t.Fatal(err)
		}
		if got.URL != fmt.Sprintf("http://a.example/%d", i) || got.Offset.String() != fmt.Sprint(p.Offset) {
			t.Errorf("record %d: warcio has %+v, and its place is %+v", i, got, p)
		}
	}
}

func TestDamageIsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(path string, p Place) error
		lost   bool
	}{
		{"a byte is altered", func(path string, p Place) error { return overwrite(path, p.Offset+20, []byte("xxxx")) }, false},
		{"the tail is torn", func(path string, p Place) error { return os.Truncate(path, p.Offset+5) }, true},
		{"the file is lost", func(path string, p Place) error { return os.Remove(path) }, true},
	} {
		k := newHarness(t, options(warc.Zstd))
		for i := range 3 {
			k.add(i)
		}
		k.sync()
		if err := k.s.Close(); err != nil {
			t.Fatal(err)
		}
		p := k.places[2]
		if err := c.damage(filepath.Join(k.dir, k.s.Name(1)), p); err != nil {
			t.Fatal(err)
		}
		k.open()
		var d *DamageError
		if err := k.s.Verify(p); !errors.As(err, &d) || d.Lost != c.lost {
			t.Errorf("%s: Verify = %v", c.name, err)
		}
		if _, err := k.s.Payload(p); !errors.As(err, &d) {
			t.Errorf("%s: Payload = %v", c.name, err)
		}
		told := 0
		if err := k.s.Check(k.end, nil, func(*DamageError) error { told++; return nil }); err != nil || (told > 0) != c.lost {
			t.Errorf("%s: Check tells %d, %v", c.name, told, err)
		}
		k.places = k.places[:2]
		if c.name != "the file is lost" {
			k.check() // nothing else is lost
		}
		k.add(2) // and writing goes on
		k.sync()
		if err := k.s.Verify(k.places[2]); err != nil {
			t.Errorf("%s: after it: %v", c.name, err)
		}
		if err := k.s.Check(k.end, nil, func(d *DamageError) error { return d }); err != nil {
			t.Errorf("%s: after it: %v", c.name, err)
		}
	}
}

func overwrite(path string, at int64, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, at)
	return errors.Join(err, f.Close())
}

func TestADictionaryThatIsAlteredIsRestored(t *testing.T) {
	k := newHarness(t, options(warc.Zstd))
	k.add(0)
	k.trained()
	k.sync()
	last := k.places[len(k.places)-1]
	if err := overwrite(filepath.Join(k.dir, k.s.Name(last.File)), 3000, []byte("xxxxxxxx")); err != nil {
		t.Fatal(err)
	}
	k.s.Close()
	k.open()
	k.check() // by what the caller keeps
	id, err := k.s.UsedBy(last)
	if err != nil {
		t.Fatal(err)
	}
	using := map[uint32]uint32{last.File: id}
	told := 0
	if err := k.s.Check(k.end, using, func(*DamageError) error { told++; return nil }); err != nil || told != 1 {
		t.Fatalf("Check tells %d faults, %v; want 1", told, err)
	}
	if err := k.s.Restore(last.File, id); err != nil {
		t.Fatal(err)
	}
	if err := k.s.Check(k.end, using, func(d *DamageError) error { return d }); err != nil {
		t.Error(err)
	}
}

func TestPlacesReadBack(t *testing.T) {
	p := Place{File: 3, Offset: 1 << 40, Length: 5000, Plain: 30_000, Sum: 0xdeadbeef}
	got, err := DecodePlace(p.Encode())
	if err != nil || got != p {
		t.Errorf("DecodePlace = %+v, %v; want %+v", got, err, p)
	}
	for n := range p.Encode() {
		if got, err := DecodePlace(p.Encode()[:n]); err == nil {
			t.Errorf("DecodePlace of %d bytes = %+v, want an error", n, got)
		}
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for _, change := range []func(*Options){
		func(o *Options) { o.Prefix = "a/b" },
		func(o *Options) { o.Prefix = "" },
		func(o *Options) { o.Prefix = "-a" },
		func(o *Options) { o.MaxBytes = 10 },
		func(o *Options) { o.Compression = "lzma" },
		func(o *Options) { o.Train = -1 },
	} {
		o := DefaultOptions()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
}

// TestAPowerCutLosesNothingThatWasSynced cuts the power again and again: of what was not
// synced a part is there, or nothing. The caller has then the places and the end of his last
// commit.
func TestAPowerCutLosesNothingThatWasSynced(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	lossy := &lossyFiles{rng: rng, files: make(map[string]*lossyFile)}
	o := options(warc.Zstd)
	o.MaxBytes, o.fs = minBytes, lossy
	k := newHarness(t, o)
	n := 0
	for range 8 {
		for range 1 + rng.IntN(4) {
			for range rng.IntN(40) {
				k.add(n)
				n++
			}
			k.sync()
		}
		kept, dicts := len(k.places), len(k.dicts)
		for range rng.IntN(100) { // no commit names these
			k.add(n)
			n++
		}
		if rng.IntN(2) == 0 {
			if err := k.s.Sync(); err != nil { // the power fails before the commit
				t.Fatal(err)
			}
		}
		if err := k.s.Close(); err != nil {
			t.Fatal(err)
		}
		lossy.cut(t)
		k.places, n = k.places[:kept], kept
		if len(k.dicts) > dicts {
			clear(k.dicts)
		}
		k.open()
		k.check()
		size := int64(0)
		if i, err := os.Stat(filepath.Join(k.dir, k.s.Name(k.end.File))); err == nil && k.end.Size > 0 {
			size = i.Size()
		}
		if size != k.end.Size {
			t.Fatalf("the last segment has %d bytes after the opening, and the commit says %d", size, k.end.Size)
		}
	}
}

// lossyFiles are files that lose what was not synced.
type lossyFiles struct {
	mu    sync.Mutex
	rng   *rand.Rand
	files map[string]*lossyFile
	names map[string]bool // that are durable
}

type lossyFile struct {
	*os.File
	all    *lossyFiles
	path   string
	synced []byte
}

func (l *lossyFiles) open(path string, write bool) (file, error) {
	f, err := system{}.open(path, write)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.files[path]
	lf := &lossyFile{File: f.(*os.File), all: l, path: path}
	if was != nil {
		lf.synced = was.synced
	}
	l.files[path] = lf
	return lf, nil
}

func (l *lossyFiles) remove(path string) error { return os.Remove(path) }

func (l *lossyFiles) syncDir(dir string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, err := os.ReadDir(dir)
	l.names = make(map[string]bool)
	for _, f := range files {
		l.names[filepath.Join(dir, f.Name())] = true
	}
	return err
}

func (f *lossyFile) Sync() error {
	b, err := os.ReadFile(f.path)
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	f.synced = b
	return err
}

// cut leaves of every file what was synced, and some bytes of what was not.
func (l *lossyFiles) cut(t *testing.T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, f := range l.files {
		now, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			delete(l.files, path)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !l.names[path] && l.rng.IntN(2) == 0 {
			os.Remove(path)
			delete(l.files, path)
			continue
		}
		left := bytes.Clone(f.synced)
		if more := len(now) - len(left); more > 0 {
			tail := bytes.Clone(now[len(left) : len(left)+l.rng.IntN(more+1)])
			for i := range tail {
				if l.rng.IntN(3) == 0 {
					tail[i] = 0 // pages that did not reach the disk
				}
			}
			left = append(left, tail...)
		}
		if err := os.WriteFile(path, left, 0o600); err != nil {
			t.Fatal(err)
		}
		f.synced = left
	}
}

func BenchmarkPack4kB(b *testing.B) {
	s, err := Open(b.TempDir(), End{File: 1}, nil, options(warc.Zstd))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r := record(1)
	b.SetBytes(int64(len(r.Body)))
	for b.Loop() {
		if _, err := s.Pack(r); err != nil {
			b.Fatal(err)
		}
	}
}
