package dedup

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
)

func indexAt(t testing.TB, dir string, last, complete DocID, o IndexOptions) *DurableIndex {
	t.Helper()
	x, got, err := OpenIndex(dir, last, o)
	if err != nil || got != complete {
		t.Fatalf("OpenIndex(last %d) = complete up to %d, %v, want %d", last, got, err, complete)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func insertDocs(t testing.TB, x *DurableIndex, from, to DocID) {
	t.Helper()
	for doc := from; doc <= to; doc++ {
		x.Insert(fpOf(doc), doc)
	}
	if err := x.Sync(); err != nil {
		t.Fatal(err)
	}
}

// fpOf is the fingerprint of a document: in the tests each tenth is near the
// one before.
func fpOf(doc DocID) uint64 {
	if doc%10 == 0 {
		return mix(uint64(doc-1)) ^ 1<<40 ^ 1<<3
	}
	return mix(uint64(doc))
}

// wantDocs compares the index with a scan of the documents up to last.
func wantDocs(t testing.TB, x Index, last DocID) {
	t.Helper()
	if x.Len() != int(last) {
		t.Fatalf("Len() = %d, want %d", x.Len(), last)
	}
	all := new(scan)
	for doc := DocID(1); doc <= last; doc++ {
		all.Insert(fpOf(doc), doc)
	}
	r := rand.New(rand.NewPCG(1, uint64(last)))
	for range 50 {
		q := flip(r, fpOf(DocID(r.IntN(int(last)+10))), r.IntN(4))
		if got, want := near(x, q, 3), near(all, q, 3); !slices.Equal(got, want) {
			t.Fatalf("Near(%#x, 3) = %v, want %v", q, got, want)
		}
	}
}

func TestAnIndexOnDiskComesBackWhole(t *testing.T) {
	dir := t.TempDir()
	o := IndexOptions{Memory: 300, Runs: 3}
	last := DocID(0)
	for i := range 12 { // in runs that are merged, and a log
		x := indexAt(t, dir, last, last, o)
		wantDocs(t, x, last)
		next := last + DocID(100+37*i)
		insertDocs(t, x, max(last, 10)-9, next) // what it has already does no harm
		last = next
		wantDocs(t, x, last)
		if runs := len(x.view.Load().runs); runs > o.Runs {
			t.Errorf("%d runs, want %d at most", runs, o.Runs)
		}
		if i%4 == 3 {
			if err := x.Snapshot(); err != nil {
				t.Fatal(err)
			}
			wantDocs(t, x, last)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnIndexForgetsWhatItsStoreHasNot(t *testing.T) {
	for _, c := range []struct {
		name           string
		memory         int
		last, complete DocID
	}{
		{"in the log", 1000, 70, 70},
		{"in the log, all", 1000, 0, 0},
		{"in the only run", 100, 70, 0},
		{"behind a run", 60, 80, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			o := IndexOptions{Memory: c.memory, Runs: 4}
			x := indexAt(t, dir, 0, 0, o)
			insertDocs(t, x, 1, 60)
			insertDocs(t, x, 61, 100)
			x.Close()
			x = indexAt(t, dir, c.last, c.complete, o)
			wantDocs(t, x, c.complete)
			insertDocs(t, x, c.complete+1, 200)
			x.Close()
			wantDocs(t, indexAt(t, dir, 500, 200, o), 200)
		})
	}
}

func TestATornLogIsCutAtTheTear(t *testing.T) {
	whole := t.TempDir()
	o := DefaultIndexOptions()
	x := indexAt(t, whole, 0, 0, o)
	const n = 20
	insertDocs(t, x, 1, n)
	x.Close()
	log, err := os.ReadFile(filepath.Join(whole, logName))
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, b []byte, complete DocID) {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, logName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		x, got, err := OpenIndex(dir, n, o)
		if err != nil || got != complete {
			t.Fatalf("%s: OpenIndex = %d, %v, want %d", name, got, err, complete)
		}
		defer x.Close()
		insertDocs(t, x, complete+1, n)
		wantDocs(t, x, n)
	}
	for cut := range len(log) {
		try(fmt.Sprintf("cut at %d", cut), log[:cut], DocID(max(0, cut/logRecord-1)))
	}
	for at := range log {
		b := slices.Clone(log)
		b[at] ^= 1 << (at % 8)
		try(fmt.Sprintf("altered at %d", at), b, DocID(max(0, at/logRecord-1)))
	}
}

func TestAnAlteredRunIsNotUsed(t *testing.T) {
	whole := t.TempDir()
	o := IndexOptions{Memory: 10, Runs: 4}
	x := indexAt(t, whole, 0, 0, o)
	insertDocs(t, x, 1, 50)
	insertDocs(t, x, 51, 100)
	x.Close()
	first, second := runSpan{0, 50}, runSpan{50, 100}
	for _, c := range []struct {
		span     runSpan
		complete DocID
	}{{first, 0}, {second, 50}} {
		b, err := os.ReadFile(filepath.Join(whole, c.span.name()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			altered := slices.Clone(b)
			altered[i*len(b)/200] ^= 1 << (i % 8)
			if i%4 == 0 {
				altered = b[:i*len(b)/200]
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, c.span.name()), altered, 0o644); err != nil {
				t.Fatal(err)
			}
			x := indexAt(t, dir, 100, c.complete, o)
			insertDocs(t, x, c.complete+1, 100)
			wantDocs(t, x, 100)
		}
	}
}

func TestWhatAMergeLeftBehindIsDeleted(t *testing.T) {
	dir := t.TempDir()
	o := IndexOptions{Memory: 10, Runs: 1}
	x := indexAt(t, dir, 0, 0, o)
	insertDocs(t, x, 1, 50)
	old, err := os.ReadFile(filepath.Join(dir, runSpan{0, 50}.name()))
	if err != nil {
		t.Fatal(err)
	}
	insertDocs(t, x, 51, 100)
	x.Close()
	for name, b := range map[string][]byte{runSpan{0, 50}.name(): old, runSpan{100, 120}.name() + ".new": old[:100]} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wantDocs(t, indexAt(t, dir, 100, 100, o), 100)
	if left, _ := filepath.Glob(filepath.Join(dir, "*.run*")); len(left) != 1 {
		t.Errorf("the folder has %v, want one run", left)
	}
}

func TestQueriesGoOnWhileRunsAreWritten(t *testing.T) {
	x := indexAt(t, t.TempDir(), 0, 0, IndexOptions{Memory: 500, Runs: 2})
	const n = 6000
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
				doc := x.Complete()
				found := doc == 0
				x.Near(fpOf(doc), 2, func(got DocID, _ uint64, _ int) bool { found = found || got == doc; return true })
				if !found {
					t.Errorf("document %d is not found", doc)
					return
				}
			}
		})
	}
	for doc := DocID(1); doc <= n; doc += 100 {
		insertDocs(t, x, doc, doc+99)
	}
	close(done)
	wg.Wait()
	wantDocs(t, x, n)
}

// What was synced is there after kill -9, and nothing is there twice.
func TestAKilledProcessLosesNoFingerprint(t *testing.T) {
	const env = "DEDUP_TEST_INDEX"
	o := IndexOptions{Memory: 400, Runs: 2}
	if dir := os.Getenv(env); dir != "" {
		from, _ := strconv.Atoi(os.Getenv(env + "_LAST"))
		x, complete, err := OpenIndex(dir, DocID(from), o)
		if err != nil {
			t.Fatal(err)
		}
		for doc := complete + 1; ; doc += 25 {
			insertDocs(t, x, doc, doc+24)
			fmt.Println(doc + 24)
		}
	}
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	dir, last := t.TempDir(), DocID(0)
	for round := range rounds {
		child := exec.Command(os.Args[0], "-test.run=^TestAKilledProcessLosesNoFingerprint$")
		child.Env = append(os.Environ(), env+"="+dir, fmt.Sprintf("%s_LAST=%d", env, last))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 5 + 7*round%31 {
			if !lines.Scan() {
				t.Fatal("the child ended")
			}
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			last = DocID(n)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait() // it was killed
		// The store may be ahead; all that it was told of is here.
		x, complete, err := OpenIndex(dir, last+10_000, o)
		if err != nil || complete < last {
			t.Fatalf("OpenIndex = %d, %v, want %d at least", complete, err, last)
		}
		wantDocs(t, x, complete)
		last = complete
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndexOptionsReportEveryFault(t *testing.T) {
	_, _, err := OpenIndex(t.TempDir(), 0, IndexOptions{})
	if err == nil || err.Error() != "index memory: want at least one fingerprint, got 0\nindex runs: want at least one, got 0" {
		t.Errorf("OpenIndex without options = %v", err)
	}
}

// A folder of version 1: a run of documents 1 to 5, a log of 6 to 9.
func TestAnIndexOfVersion1CanBeOpened(t *testing.T) {
	if native.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the runs were written by a little-endian machine")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "index1"))); err != nil {
		t.Fatal(err)
	}
	wantDocs(t, indexAt(t, dir, 9, 9, DefaultIndexOptions()), 9)
}

func FuzzOpenLog(f *testing.F) {
	f.Add([]byte("gcfplog1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, logName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		x, complete, err := OpenIndex(dir, 1000, DefaultIndexOptions())
		if err != nil || complete > 1000 {
			t.Fatalf("OpenIndex = %d, %v", complete, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
