package store

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/job"
)

// repaired repairs a job, returns what was told, and wants no breach afterwards.
func repaired(t *testing.T, dir string) string {
	t.Helper()
	var told []string
	_, err := Repair(t.Context(), dir, testOptions(), func(b gatecrawl.Breach) error {
		told = append(told, b.Invariant+": "+b.Detail)
		return nil
	})
	if err != nil {
		t.Fatalf("Repair: %v; told %q", err, told)
	}
	if got := append(found(t, dir), breaches(t, dir)...); len(got) > 0 {
		t.Fatalf("after a repair that told %q the breaches are %q", told, got)
	}
	return strings.Join(told, "\n")
}

// addresses returns the state of each URL and the verdict of its page.
func addresses(t *testing.T, dir string) map[string]string {
	t.Helper()
	s := openToRead(t, dir)
	defer s.Close()
	all := make(map[string]string)
	for _, u := range []string{"a.test/kept", "b.test/copy", "c.test/gone", "d.test/busy", "a.test/waiting", "b.test/waiting"} {
		w, err := s.Why(t.Context(), "http://"+u)
		switch {
		case errors.Is(err, gatecrawl.ErrUnknown):
			all[u] = "unknown"
		case err != nil:
			t.Fatal(err)
		case w.Page != nil:
			all[u] = string(w.Page.Verdict)
		default:
			all[u] = w.State
		}
	}
	return all
}

func TestARepairLeavesASoundJobAsItIs(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	before := addresses(t, dir)
	repaired(t, dir)
	for u, was := range before {
		if is := addresses(t, dir)[u]; is != was {
			t.Errorf("%s is %s, and was %s", u, is, was)
		}
	}
}

func TestARepairMendsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, c := range spoils {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			smallJob(t, dir)
			before := addresses(t, dir)
			spoil(t, dir, c.spoil)
			told := repaired(t, dir)
			for u, is := range addresses(t, dir) {
				if is != before[u] && is != "queued" {
					t.Errorf("%s is %s, and was %s; told %s", u, is, before[u], told)
				}
			}
		})
	}
}

func TestAnAlteredKeeperIsQueuedAgainWithItsCopies(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	for _, c := range spoils {
		if c.name == "a body is altered" {
			spoil(t, dir, c.spoil)
		}
	}
	told := repaired(t, dir)
	if !strings.Contains(told, "page 1: its value in bodies is altered") || !strings.Contains(told, "page 2: a copy of page 1") {
		t.Errorf("told %q, want pages 1 and 2 to be named", told)
	}
	got := addresses(t, dir)
	for u, want := range map[string]string{"a.test/kept": "queued", "b.test/copy": "queued", "c.test/gone": "failed", "d.test/busy": "later"} {
		if got[u] != want {
			t.Errorf("%s is %s, want %s", u, got[u], want)
		}
	}
}

// The altered URL may be another site's, which nobody has asked the crawl to visit.
func TestAURLThatIsAlteredIsNotAskedFor(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	was, is := "http://a.test/waiting", "http://q.test/waiting"
	spoil(t, dir, func(t *txn) error {
		u, err := weburl.Parse(was)
		if err != nil {
			return err
		}
		rec, err := t.queue.Get(u.Key())
		if err != nil {
			return err
		}
		altered := *rec
		altered.URL = is
		t.tx.Put(queue.TableURLs, keyOf(u), altered.Encode())
		return nil
	})
	told := repaired(t, dir)
	wantUnknown(t, dir, is, told)
}

func TestTheURLOfAnAlteredRecordIsNotAskedFor(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	err := inFile(dir, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("pages"))
		v := bytes.Clone(b.Get(seqKey(2)))
		v[bytes.Index(v, []byte("b.test"))] ^= 4 // an f
		return b.Put(seqKey(2), v)
	})
	if err != nil {
		t.Fatal(err)
	}
	told := repaired(t, dir)
	wantUnknown(t, dir, "http://f.test/copy", told)
	if got := addresses(t, dir)["b.test/copy"]; got != "queued" {
		t.Errorf("the page's own URL is %s, want queued; told %s", got, told)
	}
}

// wantUnknown wants a job not to know a URL.
func wantUnknown(t *testing.T, dir, url, told string) {
	t.Helper()
	s := openToRead(t, dir)
	defer s.Close()
	if w, err := s.Why(t.Context(), url); !errors.Is(err, gatecrawl.ErrUnknown) {
		t.Errorf("Why(%s) = %+v, %v, want that it is unknown; told %s", url, w, err, told)
	}
}

// What is flipped is found and repaired, or changes nothing that a user sees.
func TestAFlippedBitOfTheFileIsFoundAndMended(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	smallJob(t, whole)
	before := addresses(t, whole)
	file := compacted(t, whole)
	noticed := 0
	// The first made a key of no length, the second a page without elements; others have other bits.
	for _, seed := range []uint64{1795715863763281718, 53, uint64(time.Now().UnixNano())} {
		t.Logf("seed %d", seed)
		noticed += flipBits(t, whole, file, before, rand.New(rand.NewPCG(seed, 0)))
	}
	if noticed == 0 {
		t.Error("no flip was noticed")
	}
}

// flipBits flips a bit of a job's file, sixteen times, and repairs what comes of it. It returns how often
// something was found.
func flipBits(t *testing.T, whole string, file []byte, before map[string]string, r *rand.Rand) (noticed int) {
	t.Helper()
	for range 16 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		b := bytes.Clone(file)
		at := 0
		for at < 2*os.Getpagesize() || b[at] == 0 { // behind the meta pages, where there is something
			at = r.IntN(len(b))
		}
		b[at] ^= 1 << r.IntN(8)
		if err := os.WriteFile(filepath.Join(dir, job.FileTables), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if !damaged(t, dir) {
			for u, is := range addresses(t, dir) {
				if is != before[u] {
					t.Errorf("byte %d: nothing is found, and %s is %s", at, u, is)
				}
			}
			continue
		}
		noticed++
		_, err := Repair(t.Context(), dir, testOptions(), func(gatecrawl.Breach) error { return nil })
		if err != nil {
			if errors.As(err, new(*job.VersionError)) {
				continue // a number in the record of the job
			}
			t.Errorf("byte %d: %v", at, err)
			continue
		}
		if got := found(t, dir); len(got) > 0 {
			t.Errorf("byte %d: after the repair %q", at, got)
		}
	}
	return noticed
}

// compacted returns a job's file without free pages.
func compacted(t *testing.T, dir string) []byte {
	t.Helper()
	from, err := bbolt.Open(filepath.Join(dir, job.FileTables), 0o644, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), job.FileTables)
	to, err := bbolt.Open(path, 0o644, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bbolt.Compact(to, from, 0), to.Close(), from.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// damaged reports whether opening or verifying a job finds anything.
func damaged(t *testing.T, dir string) bool {
	o := testOptions()
	o.ReadOnly = true
	s, err := Open(dir, o)
	if err != nil {
		return true
	}
	defer s.Close()
	v, err := s.Verify(t.Context(), func(gatecrawl.Breach) error { return nil })
	return err != nil || v.Breaches > 0
}

func TestADamagedIndexIsReportedWithTheRemedy(t *testing.T) {
	dir := t.TempDir()
	o := testOptions()
	smallJob(t, dir)
	o.Dedup.Memory = 1 // what is entered becomes a run at once
	if _, err := Repair(t.Context(), dir, o, func(gatecrawl.Breach) error { return nil }); err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob(filepath.Join(dir, job.DirIndex, "*.run"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, %v, want one", runs, err)
	}
	whole, err := os.ReadFile(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{20, len(whole) - 3} { // in the head, and in an outline
		b := bytes.Clone(whole)
		b[at] ^= 1
		if err := os.WriteFile(runs[0], b, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(found(t, dir), "\n"); !strings.Contains(got, runs[0]) {
			t.Errorf("byte %d: breaches %q, want %s to be named", at, got, runs[0])
		}
		if s, err := Open(dir, o); err != nil { // always of the head; of an outline where it was read ahead by then
			if !strings.Contains(err.Error(), "--repair") || strings.Count(err.Error(), runs[0]) != 1 {
				t.Errorf("byte %d: Open = %v, want the file and the remedy", at, err)
			}
		} else if at == 20 {
			t.Errorf("byte %d: Open found nothing", at)
		} else if err := s.Close(); err != nil && !strings.Contains(err.Error(), runs[0]) { // it was read ahead since
			t.Fatal(err)
		}
		repaired(t, dir)
		if _, err := Repair(t.Context(), dir, o, func(gatecrawl.Breach) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFilterThatForgotIsReportedAndFilledAnew(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	path := filepath.Join(dir, job.FileFilter)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[1<<16:])
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(found(t, dir), "\n"); !strings.Contains(got, "the filter knows every url") {
		t.Errorf("breaches %q, want the filter among them", got)
	}
	repaired(t, dir)
}

func TestAJobAtWorkIsNotRepaired(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var locked *LockedError
	if _, err := Repair(context.Background(), dir, testOptions(), nil); !errors.As(err, &locked) {
		t.Errorf("Repair = %v, want a LockedError", err)
	}
}

// handedOnJob makes a job of n documents, a third of which are copies of younger ones, as lists are of the
// posts that they show.
func handedOnJob(t *testing.T, dir string, n int) {
	t.Helper()
	linkedJobOf(t, dir, n)
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.write(func(t *txn) error {
		for i := uint64(1); i <= uint64(n)/3; i++ {
			of := uint64(n) - i%7
			v := dedup.Verdict{Of: dedup.Ref(of), Class: dedup.FullContent, Level: dedup.LevelNear, Distance: 1, Similarity: 1}
			if err := t.s.groups.Join(t.tx, i, of, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A page that has to go may be what pages with smaller numbers are copies of.
func TestOneRepairHealsAJobWhoseBytesAreAlteredAndCountsTheDocuments(t *testing.T) {
	t.Parallel()
	const documents = 60
	whole := t.TempDir()
	handedOnJob(t, whole, documents)
	s := openToRead(t, whole)
	before := s.Totals().New
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if before != documents-documents/3 {
		t.Fatalf("%d pages are kept, want %d", before, documents-documents/3)
	}
	file := compacted(t, whole)
	counted := 0
	for _, seed := range []uint64{1, 2, 3, 4, 5, 6, uint64(time.Now().UnixNano())} {
		t.Logf("seed %d", seed)
		altered := alteredAt(file, 20, rand.New(rand.NewPCG(seed, 0)))
		for _, interrupted := range []bool{false, true} {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, job.FileTables), altered, 0o644); err != nil {
				t.Fatal(err)
			}
			if interrupted {
				told := 0
				_, err := Repair(t.Context(), dir, testOptions(), func(gatecrawl.Breach) error {
					if told++; told > 5 {
						return context.Canceled
					}
					return nil
				})
				if err != nil && !errors.Is(err, context.Canceled) && !errors.As(err, new(*job.VersionError)) {
					t.Fatal(err)
				}
			}
			done, told := salvaged(t, dir)
			s := openToRead(t, dir)
			after := s.Totals().New
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if done.Documents != after || !interrupted && !done.Uncertain && done.Lost != before-after {
				t.Errorf("seed %d, interrupted %v: %+v; %d documents were kept, and %d are; told %s", seed, interrupted, done, before, after, told)
			}
			if !interrupted && !done.Uncertain && done.Lost > 0 {
				counted++
			}
		}
	}
	if counted == 0 {
		t.Error("no repair has counted lost documents")
	}
}

// alteredAt returns a copy of a job's file with n of its bytes altered, of those that are not zero behind the
// meta pages.
func alteredAt(file []byte, n int, r *rand.Rand) []byte {
	b := bytes.Clone(file)
	for range n {
		at := 0
		for at < 2*os.Getpagesize() || b[at] == 0 {
			at = r.IntN(len(b))
		}
		b[at] ^= 255
	}
	return b
}
