package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/splitmix"
	"gatecrawl.example/gatecrawl/testserver/kill"
)

// fingerprints are those of an honest web, and of one whose pages crowd together.
var fingerprints = []struct {
	name string
	next func(r *rand.Rand, i int) uint64
}{
	{"even", func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
	{"crowded", func(r *rand.Rand, i int) uint64 { return 0x5555<<20 ^ 1<<r.IntN(64) ^ uint64(i%7)<<40 }},
}

// signatures is a store of signatures: a function of the document.
type signatures func(doc DocID) Signature

func (s signatures) Signature(doc DocID) (Signature, error) { return s(doc), nil }

// signatureOf is what a document of these tests is claimed with: each tenth is
// near the one before, each seventh has no body, each fifth has a brief one.
func signatureOf(doc DocID) Signature {
	s := Signature{Bytes: digestOfNumber(uint64(doc)), Tokens: 200, SimHash: fpOf(doc)}
	s.Body = digestOfNumber(uint64(doc) + 1<<40)
	s.Sketch = digestOfNumber(uint64(doc) + 1<<41)
	for i := range s.Bands {
		s.Bands[i] = uint32(splitmix.Mix(uint64(doc)<<8 | uint64(i)))
	}
	s.Bands[5] = 7 // which all have, as pages of one template may
	switch {
	case doc%7 == 0:
		s.Body, s.Tokens = Digest{}, 0
	case doc%5 == 0:
		s.Tokens = 3
	case doc%11 == 0:
		s.Tokens = briefBody - 1
	}
	return s
}

func digestOfNumber(n uint64) (d Digest) {
	binary.LittleEndian.PutUint64(d[:], splitmix.Mix(n))
	binary.LittleEndian.PutUint64(d[8:], splitmix.Mix(n+1<<50))
	return d
}

func fpOf(doc DocID) uint64 {
	if doc%10 == 1 {
		return splitmix.Mix(uint64(doc-1)) ^ 1<<40 ^ 1<<3
	}
	return splitmix.Mix(uint64(doc))
}

func smallFolder(memory int) Options {
	o := DefaultOptions()
	o.Memory, o.Recent = memory, 1
	return o
}

// gateAt opens the gate in a folder and wants it complete up to a document.
func gateAt(t testing.TB, dir string, o Options, last, complete DocID) *Gate {
	t.Helper()
	g, got, err := OpenGate(Folder{Dir: dir, Last: last}, o, signatures(signatureOf))
	if err != nil || got != complete {
		t.Fatalf("OpenGate(last %d) = complete up to %d, %v, want %d", last, got, err, complete)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// load enters documents and commits now and then.
func load(t testing.TB, g *Gate, from, to DocID) {
	t.Helper()
	for doc := from; doc <= to; doc++ {
		g.Load(doc, signatureOf(doc))
		if doc%16 == 0 || doc == to {
			if err := g.Commit(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wantDocs compares the tables with the signatures of all documents up to last,
// and what they find against a gate in memory.
func wantDocs(t testing.TB, g *Gate, last DocID) {
	t.Helper()
	rows := 0
	for doc := DocID(1); doc <= last; doc++ {
		if err := g.Holds(doc, signatureOf(doc)); err != nil {
			t.Fatalf("document %d lacks %v", doc, err)
		}
		rows += g.RowsOf(signatureOf(doc))
	}
	if g.Rows() != rows {
		t.Fatalf("Rows() = %d, want %d", g.Rows(), rows)
	}
	if err := g.tables.Fault(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, uint64(last)))
	for range 50 {
		q := fpOf(DocID(r.IntN(int(last) + 10)))
		for range r.IntN(4) {
			q ^= 1 << r.IntN(64)
		}
		var got, want []DocID
		g.tables.Near(q, 3, func(doc DocID, _ uint64, _ int) bool { got = append(got, doc); return true })
		slices.Sort(got)
		for doc := DocID(1); doc <= last; doc++ {
			if s := signatureOf(doc); g.o.comparable(s) && bits.OnesCount64(s.SimHash^q) <= 3 {
				want = append(want, doc)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("near(%#x, 3) = %v, want %v", q, got, want)
		}
	}
}

func TestAGateInAFolderComesBackWhole(t *testing.T) {
	for _, design := range index.Designs() {
		t.Run(string(design), func(t *testing.T) {
			dir := t.TempDir()
			o := smallFolder(200)
			o.Index = design
			last := DocID(0)
			for i := range 5 { // in runs that are merged, and a log
				g := gateAt(t, dir, o, last, last)
				wantDocs(t, g, last)
				next := last + DocID(100+237*i)
				load(t, g, max(last, 10)-9, next) // what it has already does no harm
				last = next
				wantDocs(t, g, last)
				if err := g.Close(); err != nil {
					t.Fatal(err)
				}
				if n := g.tables.Runs(); n > 7 {
					t.Errorf("%d runs, want %d at most", n, 7)
				}
			}
		})
	}
}

func TestAGateForgetsWhatItsStoreHasNot(t *testing.T) {
	for _, c := range []struct {
		name           string
		memory         int
		last, complete DocID
	}{
		{"in the log", 1000, 64, 64},
		{"in a frame of the log", 1000, 70, 64},
		{"in the log, all", 1000, 0, 0},
		{"in the only run", 100, 70, 0},
		{"behind a run", 60, 80, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			o := smallFolder(c.memory)
			g := gateAt(t, dir, o, 0, 0)
			load(t, g, 1, 100)
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			g = gateAt(t, dir, o, c.last, c.complete)
			wantDocs(t, g, c.complete)
			load(t, g, c.complete+1, 200)
			wantDocs(t, g, 200)
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			wantDocs(t, gateAt(t, dir, o, 500, 200), 200)
		})
	}
}

func TestAGateOfOtherSettingsOrAnotherJobStartsAnew(t *testing.T) {
	dir := t.TempDir()
	o := smallFolder(60)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 100)
	g.Close()
	other := o
	other.MinTokens = 40
	load(t, gateAt(t, dir, other, 100, 0), 1, 50)
	g, complete, err := OpenGate(Folder{Dir: dir, Last: 100, Job: "another"}, other, signatures(signatureOf))
	if err != nil || complete != 0 {
		t.Fatalf("OpenGate for another job = complete up to %d, %v, want 0", complete, err)
	}
	g.Close()
}

func TestAGateThatIsReadLeavesItsFolderAlone(t *testing.T) {
	dir := t.TempDir()
	o := smallFolder(60)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 100)
	g.Close()
	before := filesOf(t, dir)
	read, complete, err := OpenGate(Folder{Dir: dir, Last: 120, ReadOnly: true}, o, signatures(signatureOf))
	if err != nil || complete != 100 {
		t.Fatalf("OpenGate to read = complete up to %d, %v, want 100", complete, err)
	}
	load(t, read, 101, 120)
	wantDocs(t, read, 120)
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, dir); !slices.Equal(got, before) {
		t.Errorf("the folder has\n%v\nand had\n%v", got, before)
	}
	read, complete, err = OpenGate(Folder{Dir: filepath.Join(dir, "none"), Last: 9, ReadOnly: true}, o, signatures(signatureOf))
	if err != nil || complete != 0 {
		t.Fatalf("OpenGate of no folder to read = complete up to %d, %v, want 0", complete, err)
	}
	load(t, read, 1, 9)
	wantDocs(t, read, 9)
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error("reading has made a folder")
	}
}

// filesOf returns the names and contents of a folder.
func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprintf("%s %x", e.Name(), DigestOf(b)))
	}
	return files
}

func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %v, %v, want one file", pattern, names, err)
	}
	return names[0]
}

func TestATornLogIsCutAtTheTear(t *testing.T) {
	whole := t.TempDir()
	o := smallFolder(1000)
	g := gateAt(t, whole, o, 0, 0)
	load(t, g, 1, 40)
	g.Close()
	name := filepath.Base(only(t, whole, "*.log"))
	log, err := os.ReadFile(filepath.Join(whole, name))
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte) {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
		g, complete, err := OpenGate(Folder{Dir: dir, Last: 40}, o, signatures(signatureOf))
		if err != nil || complete >= 40 || complete%16 != 0 {
			t.Fatalf("%s: OpenGate = complete up to %d, %v, want 0, 16 or 32", what, complete, err)
		}
		load(t, g, complete+1, 40)
		wantDocs(t, g, 40)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		g, complete, err = OpenGate(Folder{Dir: dir, Last: 40}, o, signatures(signatureOf))
		if err != nil || complete != 40 {
			t.Fatalf("%s: the next OpenGate = complete up to %d, %v, want 40", what, complete, err)
		}
		g.Close()
	}
	for cut := 0; cut < len(log); cut += 97 {
		try(fmt.Sprintf("cut at %d", cut), log[:cut])
	}
	for at := 0; at < len(log); at += 97 {
		b := slices.Clone(log)
		b[at] ^= 1 << (at % 8)
		try(fmt.Sprintf("altered at %d", at), b)
	}
}

func TestAnAlteredLogIsReportedToWhoOnlyReads(t *testing.T) {
	dir := t.TempDir()
	o := smallFolder(1000)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 40)
	g.Close()
	path := only(t, dir, "*.log")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		b      []byte
		faults int
	}{
		{"whole", b, 0},
		{"cut in a frame, as by a kill", b[:len(b)-3], 0},
		{"altered", append(slices.Clone(b[:len(b)-3]), 'x', 'y', 'z'), 1},
	} {
		if err := os.WriteFile(path, c.b, 0o644); err != nil {
			t.Fatal(err)
		}
		g, _, err := OpenGate(Folder{Dir: dir, Last: 40, ReadOnly: true}, o, signatures(signatureOf))
		if err != nil {
			t.Fatal(err)
		}
		if got := g.CheckFiles(); len(got) != c.faults {
			t.Errorf("%s: CheckFiles() = %v, want %d faults", c.name, got, c.faults)
		}
	}
}

// A run is never answered from where it is altered: the opening, a question or
// the check says so, and a gate that starts anew is whole.
func TestAnAlteredRunIsReported(t *testing.T) {
	dir := t.TempDir()
	o := smallFolder(50)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 64)
	g.Close()
	path := only(t, dir, "*.run")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var damage *index.DamageError
	const places = 160
	for i := range places {
		at := i * len(whole) / places
		b := slices.Clone(whole)
		b[at] ^= 1 << (i % 8)
		if i%8 == 0 {
			b = b[:at]
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		g, _, err := OpenGate(Folder{Dir: dir, Last: 64, ReadOnly: true}, o, signatures(signatureOf))
		if err == nil {
			for doc := DocID(1); doc <= 64 && err == nil; doc++ {
				_, err = g.Check(signatureOf(doc), nil)
				if err == nil {
					if lack := g.Holds(doc, signatureOf(doc)); lack != nil && g.tables.Fault() == nil {
						t.Fatalf("altered at %d: document %d lacks %v, and nothing is said", at, doc, lack)
					}
				}
			}
			if err != nil && !errors.As(err, &damage) {
				t.Fatalf("altered at %d: Check = %v, want a DamageError", at, err)
			}
			if faults := g.CheckFiles(); len(faults) > 0 {
				err = faults[0]
			} else if !slices.Equal(b, whole) && !inPadding(whole, at) {
				t.Fatalf("altered at %d of %d: CheckFiles() finds nothing", at, len(whole))
			}
		}
		if err != nil && (!errors.As(err, &damage) || damage.File != path) {
			t.Fatalf("altered at %d: %v, want a DamageError of %s", at, err, path)
		}
	}
	if err := index.DropIndex(dir); err != nil {
		t.Fatal(err)
	}
	g = gateAt(t, dir, o, 64, 0)
	load(t, g, 1, 64)
	wantDocs(t, g, 64)
}

// inPadding reports whether a byte is one of the zeros that no checksum covers:
// those between tables.
func inPadding(run []byte, at int) bool { return run[at] == 0 && at > len(run)-index.OutlineSize*100 }

func TestWhatAMergeLeftBehindIsDeleted(t *testing.T) {
	dir := t.TempDir()
	o := smallFolder(48)
	g := gateAt(t, dir, o, 0, 0)
	load(t, g, 1, 48)
	g.Close()
	first := only(t, dir, "*.run")
	old, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	g = gateAt(t, dir, o, 48, 48)
	load(t, g, 49, 112)
	g.tables.Settled()
	g.Close()
	if g.tables.Runs() != 1 {
		t.Fatal("nothing was merged")
	}
	for name, b := range map[string][]byte{first: old, filepath.Join(dir, "0000000200-0000000300.run.new"): old[:100]} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	note := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(note, []byte("of the user"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantDocs(t, gateAt(t, dir, o, 112, 112), 112)
	if left, _ := filepath.Glob(filepath.Join(dir, "*.run*")); len(left) != 1 {
		t.Errorf("the folder has %v, want one run", left)
	}
	if _, err := os.Stat(note); err != nil {
		t.Errorf("a file of the user's: %v", err)
	}
}

func TestQuestionsGoOnWhileRunsAreWritten(t *testing.T) {
	g := gateAt(t, t.TempDir(), smallFolder(300), 0, 0)
	const n = 2000
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() { // ends when done is closed
			for {
				select {
				case <-done:
					return
				default:
				}
				g.mu.RLock()
				doc := g.tables.Last
				g.mu.RUnlock()
				if doc == 0 {
					continue
				}
				if v, err := g.Check(Signature{Bytes: signatureOf(doc).Bytes}, nil); err != nil || v.Of != Ref(doc) {
					t.Errorf("Check of document %d = %+v, %v", doc, v, err)
					return
				}
			}
		})
	}
	load(t, g, 1, n)
	close(done)
	wg.Wait()
	wantDocs(t, g, n)
}

// What was committed is there after kill -9, and nothing is there twice.
// DEDUP_KILL_ROUNDS sets the number of kills.
func TestAKilledGateLosesNothing(t *testing.T) {
	const env = "DEDUP_TEST_GATE"
	o := smallFolder(400)
	if dir := os.Getenv(env); dir != "" {
		last, _ := strconv.Atoi(os.Getenv(env + "_LAST"))
		g, complete, err := OpenGate(Folder{Dir: dir, Last: DocID(last)}, o, signatures(signatureOf))
		if err != nil {
			t.Fatal(err)
		}
		for doc := complete + 1; ; doc += 24 {
			load(t, g, doc, doc+23)
			fmt.Println(doc + 23)
		}
	}
	rounds := kill.Rounds(t, "DEDUP_KILL_ROUNDS", 6)
	dir, last := t.TempDir(), DocID(0)
	for round := range rounds {
		told := 5 + 7*round%31
		kill.After(t, told, func(line string) {
			if told--; told < 0 {
				return // it came too late to be waited for
			}
			n, err := strconv.Atoi(line)
			if err != nil {
				t.Fatalf("the child says %q", line)
			}
			last = DocID(n)
		}, env+"="+dir, fmt.Sprintf("%s_LAST=%d", env, last))
		// The store may be ahead; all that it was told of is here.
		g, complete, err := OpenGate(Folder{Dir: dir, Last: last + 10_000}, o, signatures(signatureOf))
		if err != nil || complete < last {
			t.Fatalf("OpenGate = complete up to %d, %v, want %d at least", complete, err, last)
		}
		wantDocs(t, g, complete)
		last = complete
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder of version 1: a run of documents 1 to 32, a log of 33 to 40.
// GATECRAWL_UPDATE_GOLDEN=1 writes it.
func TestAFolderOfVersion1CanBeOpened(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the run was written by a little-endian machine")
	}
	golden := filepath.Join("testdata", "index1")
	o := smallFolder(32)
	o.MinTokens = 32 // the default of its time
	if os.Getenv("GATECRAWL_UPDATE_GOLDEN") != "" {
		os.RemoveAll(golden)
		g := gateAt(t, golden, o, 0, 0)
		load(t, g, 1, 40)
		g.Close()
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	wantDocs(t, gateAt(t, dir, o, 40, 40), 40)
}

// The same claims get the same answers whatever holds the tables, and whenever
// the process ends in between.
func TestVerdictsDoNotDependOnDesignOrRestarts(t *testing.T) {
	const n = 180
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, kind := range fingerprints {
		r := rand.New(rand.NewPCG(seed, 1))
		claims := make([]Signature, n+1)
		for i := range claims {
			s := Signature{Tokens: 200, SimHash: kind.next(r, i), Layout: r.Uint64()}
			s.Bytes, s.Body, s.Sketch = digestOfNumber(r.Uint64()), digestOfNumber(r.Uint64()), digestOfNumber(r.Uint64N(40))
			for b := range s.Bands {
				s.Bands[b] = r.Uint32N(900)
			}
			if i%9 == 8 {
				s.Bytes = claims[r.IntN(i)].Bytes
			}
			claims[i] = s
		}
		store := signatures(func(doc DocID) Signature { return claims[doc] })
		want := make([]Verdict, n+1)
		memory, err := NewGate(smallFolder(1), store)
		if err != nil {
			t.Fatal(err)
		}
		for doc := DocID(1); doc <= n; doc++ {
			if want[doc], err = memory.Claim(doc, claims[doc], nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, design := range index.Designs() {
			t.Run(kind.name+"/"+string(design), func(t *testing.T) {
				o := smallFolder(25)
				o.Index = design
				dir, last, g := t.TempDir(), DocID(0), (*Gate)(nil)
				for doc := DocID(1); doc <= n; doc++ {
					if g == nil {
						var complete DocID
						if g, complete, err = OpenGate(Folder{Dir: dir, Last: last}, o, store); err != nil {
							t.Fatal(err)
						}
						for d := complete + 1; d <= last; d++ { // as the store does
							if !want[d].Copy() {
								g.Load(d, claims[d])
							}
						}
						if err := g.Commit(); err != nil {
							t.Fatal(err)
						}
					}
					if got, err := g.Claim(doc, claims[doc], nil); err != nil || got != want[doc] {
						t.Fatalf("Claim(%d) = %+v, %v, want %+v", doc, got, err, want[doc])
					}
					last = doc
					if r.IntN(8) == 0 {
						if err := g.Commit(); err != nil {
							t.Fatal(err)
						}
					}
					if r.IntN(60) == 0 { // what was not committed is not in the files
						if err := g.Close(); err != nil {
							t.Fatal(err)
						}
						g = nil
					}
				}
				if g != nil {
					if err := g.Close(); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}
