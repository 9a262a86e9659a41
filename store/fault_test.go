//go:build unix

package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// limitedEnv names the folder in which a child of TestAWriteThatFailsLosesNothing
// claims, and how long its files may grow.
const limitedEnv = "STORE_TEST_LIMITED"

// TestAWriteThatFailsLosesNothing claims in a process whose files may not grow beyond
// some length, drawn anew each time, until a write fails, in whatever file. The store
// says so, what was acknowledged is there, the job is sound and goes on.
// GATECRAWL_FAULT_ROUNDS sets how often.
func TestAWriteThatFailsLosesNothing(t *testing.T) {
	t.Parallel()
	if v := os.Getenv(limitedEnv); v != "" {
		claimWithin(t, v)
	}
	rounds := env.Number(t, "GATECRAWL_FAULT_ROUNDS", 3) // one in which it cannot start, one in which a table does not grow, one in which pages are settled
	seed := rand.Uint64()
	t.Logf("seed of the lengths: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	settled := make(map[string]bool)
	for round := range rounds {
		limit := rng.Int64N(1 << 16) // in which a job cannot even start
		if round > 0 {
			if round == 1 {
				grown(t, dir, 200) // bbolt makes its file longer by 16 MB at once
			}
			limit = used(t, filepath.Join(dir, job.FileTables)) + rng.Int64N(1<<18)
		}
		if round == rounds-1 {
			limit += 2 << 20 // something is settled
		}
		child := exec.Command(os.Args[0], "-test.run=^TestAWriteThatFailsLosesNothing$")
		child.Env = append(os.Environ(), limitedEnv+"="+fmt.Sprintf("%d:%s", limit, dir))
		out, err := child.Output()
		if err == nil {
			t.Fatalf("round %d: no write failed in files of %d bytes", round, limit)
		}
		if !strings.Contains(string(out), "file too large") {
			t.Fatalf("round %d: within files of %d bytes the store failed by\n%s", round, limit, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "http://") {
				settled[strings.TrimSpace(line)] = true
			}
		}
		if Exists(dir) {
			wantClaims(t, dir, round, settled)
		}
	}
	if len(settled) == 0 {
		t.Error("nothing was ever settled")
	}
	t.Logf("%d failed writes, %d settled pages", rounds, len(settled))
}

// claimWithin is the child: it does what a crawl does when its store fails.
func claimWithin(t *testing.T, v string) {
	limit, dir, _ := strings.Cut(v, ":")
	n, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // so that the write returns
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, claimingOptions())
	if err != nil {
		t.Fatal(err)
	}
	err = claimForEver(s)
	t.Fatal(errors.Join(err, s.Close()))
}

// used returns how many bytes of a bbolt file have pages.
func used(t *testing.T, path string) (size int64) {
	t.Helper()
	db, err := bbolt.Open(path, 0o644, &bbolt.Options{ReadOnly: true})
	if err == nil {
		err = errors.Join(db.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil }), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// grown adds URLs to a job in a commit of its own.
func grown(t *testing.T, dir string, n int) {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var cs []frontier.Candidate
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("http://e.test/%d/%s", i, strings.Repeat("x", 500)))
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u})
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
}

// A crash in the middle of a commit leaves any part of its pages written, and its meta
// page whole, torn, or as it was: then the job is what it was before.
func TestATornCommitNeverHappened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallJob(t, dir)
	path := filepath.Join(dir, job.FileTables)
	before, was := read(t, path), addresses(t, dir)
	oneCommit(t, path)
	after := read(t, path)
	page := os.Getpagesize()
	seed := rand.Uint64()
	t.Logf("seed of the tears: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 12 {
		// Of the pages that the commit changed some are written, one of them by half;
		// the two meta pages are last.
		torn, old := bytes.Clone(after), make([]byte, page)
		for at := 2 * page; at < len(after); at += page {
			clear(old)
			copy(old, before[min(at, len(before)):])
			switch rng.IntN(3) {
			case 0:
				copy(torn[at:at+page], old)
			case 1:
				copy(torn[at+page/2:at+page], old[page/2:])
			}
		}
		copy(torn[:2*page], before)
		if rng.IntN(2) == 0 { // a torn meta page too: of the two that which is older
			older := olderMeta(before, page)
			copy(torn[older:older+page/64], after[older:])
		}
		if err := os.WriteFile(path, torn, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := found(t, dir); len(got) > 0 {
			t.Errorf("breaches %q, want none", got)
		}
		for u, is := range addresses(t, dir) {
			if is != was[u] {
				t.Errorf("%s is %q, was %q", u, is, was[u])
			}
		}
	}
}

// oneCommit changes all that a commit may, and more pages than most do.
func oneCommit(t *testing.T, path string) {
	t.Helper()
	err := inFile(filepath.Dir(path), func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			for i := range 100 {
				if err := b.Put(fmt.Appendf(nil, "new %d", i), make([]byte, 500)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// olderMeta returns where the meta page of the last commit but one starts.
func olderMeta(file []byte, page int) int {
	id := func(at int) uint64 { return binary.NativeEndian.Uint64(file[at+16+48:]) }
	if id(0) < id(page) {
		return 0
	}
	return page
}

// TestATornLastPageIsFoundAndMended is about a disk that lost a page of the file's end
// which it had said was written.
func TestATornLastPageIsFoundAndMended(t *testing.T) {
	whole := t.TempDir()
	smallJob(t, whole)
	grown(t, whole, 200)
	before, file := addresses(t, whole), compacted(t, whole)
	if err := os.WriteFile(filepath.Join(whole, job.FileTables), file, 0o644); err != nil {
		t.Fatal(err)
	}
	file = file[:used(t, filepath.Join(whole, job.FileTables))]
	page := os.Getpagesize()
	noticed := 0
	for name, tear := range map[string]func(b []byte) []byte{
		"cut in the last page":     func(b []byte) []byte { return b[:len(b)-page/2] },
		"cut before the last page": func(b []byte) []byte { return b[:len(b)-page] },
		"half of it is zeros":      func(b []byte) []byte { clear(b[len(b)-page/2:]); return b },
		"all of it is zeros":       func(b []byte) []byte { clear(b[len(b)-page:]); return b },
		"the last ten are zeros":   func(b []byte) []byte { clear(b[len(b)-10*page:]); return b },
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, job.FileTables), tear(bytes.Clone(file)), 0o644); err != nil {
			t.Fatal(err)
		}
		if !damaged(t, dir) {
			for u, is := range addresses(t, dir) {
				if is != before[u] {
					t.Errorf("%s: nothing is found, and %s is %s", name, u, is)
				}
			}
			continue
		}
		noticed++
		if s, err := Open(dir, testOptions()); err == nil {
			s.Close() // it is only seen by who verifies
		} else if !strings.Contains(err.Error(), "--repair") {
			t.Errorf("%s: Open: %v; want the remedy", name, err)
		}
		if _, err := Repair(t.Context(), dir, testOptions(), func(gatecrawl.Breach) error { return nil }); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := found(t, dir); len(got) > 0 {
			t.Errorf("%s: after the repair %q", name, got)
		}
	}
	if noticed == 0 {
		t.Error("no tear was noticed")
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
