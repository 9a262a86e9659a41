package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

func testOptions() Options {
	o := DefaultOptions()
	o.Delay = 0
	o.Filter.Capacity = 10_000
	return o
}

// openToRead opens a job to read only. The caller closes it.
func openToRead(t testing.TB, dir string) *Store {
	t.Helper()
	o := testOptions()
	o.ReadOnly = true
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// smallJob makes a job with a kept page, a copy of it on another host, a
// failed page, a refused link, a queued link, and a URL that waits for a retry.
func smallJob(t *testing.T, dir string) {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	var cs []frontier.Candidate
	for i, u := range []string{"http://a.test/kept", "http://b.test/copy", "http://c.test/gone", "http://d.test/busy"} {
		p, err := weburl.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: p})
		cs[i].Signals.Seed = float32(10 - i)
	}
	if _, err := s.Add(ctx, cs); err != nil {
		t.Fatal(err)
	}
	for i := range cs {
		l, err := s.leaseURL(ctx)
		if err != nil {
			t.Fatal(err)
		}
		v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{URL: l.URL.String(), Status: 200}}
		switch i {
		case 0, 1:
			text := strings.Repeat("some words of a text that is long enough to be compared ", 20)
			sig := dedup.SignText(text)
			sig.Bytes = dedup.DigestOf([]byte(text))
			v.Sign, v.Body, v.Page.Digest = &sig, []byte(text), sig.Bytes.String()
			for _, ref := range []string{"waiting", "refused"} {
				to, err := l.URL.Parse(ref)
				if err != nil {
					t.Fatal(err)
				}
				c := frontier.Candidate{URL: to, From: l.URL.Key()}
				if ref == "refused" {
					c.Refused = frontier.Refusal{Rule: "exclude", Detail: "refused"}
				}
				v.Links = append(v.Links, c)
			}
		case 2:
			v.Page.Status, v.Page.Verdict, v.Page.Failure, v.Page.Reason = 404, page.VerdictFailed, "http 404", "http 404"
		case 3:
			v.Retry = time.Hour
		}
		if _, err := s.Settle(ctx, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// breaches verifies a job that is open to be written.
func breaches(t *testing.T, dir string) []string { return breachesOf(t, dir, testOptions()) }

// found verifies a job that is only read, as crawl check does.
func found(t *testing.T, dir string) []string {
	o := testOptions()
	o.ReadOnly = true
	return breachesOf(t, dir, o)
}

func breachesOf(t *testing.T, dir string, o Options) []string {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var found []string
	if _, err := s.Verify(t.Context(), func(b gatecrawl.Breach) error {
		found = append(found, b.Invariant+": "+b.Detail)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestVerifyFindsNothingWrongWithASoundJob(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	if got := breaches(t, dir); len(got) > 0 {
		t.Errorf("breaches of a sound job: %q", got)
	}
}

// waitingIn returns where the one entry of a host's queue stands.
func waitingIn(t *txn, host string) []byte {
	h := weburl.HostKeyOf(host)
	e, _, _ := kv.First(kv.Prefix(t.tx, queue.TableEntries, h[:])) // none: the spoil spoils nothing, and the test says so
	return e.Key
}

// spoils are ways to break a job, and the invariant that tells.
var spoils = []struct {
	name  string
	spoil func(t *txn) error
	want  string
}{
	{"a vote is lost", func(t *txn) error {
		t.tx.Delete(group.TableVotes, first(t, group.TableVotes))
		return nil
	}, "every copy is a vote"},
	{"a vote is counted twice", func(t *txn) error {
		t.tx.Put(group.TableGroups, first(t, group.TableGroups), []byte{2, 2}) // degree and copies
		return nil
	}, "a group counts its votes"},
	{"a queue entry is lost", func(t *txn) error {
		t.tx.Delete(queue.TableEntries, waitingIn(t, "a.test"))
		return nil
	}, "http://a.test/waiting has none"},
	{"a queue entry has no url", func(t *txn) error {
		t.tx.Put(queue.TableEntries, queue.EntryKey(weburl.HostKey{9}, 1, 1), make([]byte, 10))
		return nil
	}, "every entry of the queue is a queued url"},
	{"a queue entry stands elsewhere", func(t *txn) error {
		k := waitingIn(t, "a.test")
		tail, err := t.tx.Get(queue.TableEntries, k)
		t.tx.Delete(queue.TableEntries, k)
		t.tx.Put(queue.TableEntries, queue.EntryKey(weburl.HostKeyOf("a.test"), 99, 1), tail)
		return err
	}, "has another score"},
	{"a retry is lost", func(t *txn) error {
		t.tx.Delete(queue.TableLater, first(t, queue.TableLater))
		return nil
	}, "every url that waits has an entry in later"},
	{"a payment cannot be read", func(t *txn) error { t.tx.Put(queue.TableCash, seqKey(1), []byte{1}); return nil },
		"every row of the journal of cash can be read"},
	{"an outcome cannot be read", func(t *txn) error { t.tx.Put(queue.TableOutcomes, make([]byte, 16), []byte{1}); return nil },
		"every row of outcomes can be read"},
	{"a record is lost", func(t *txn) error { t.tx.Delete(tablePages, seqKey(2)); return nil },
		"every settled url has its page record"},
	{"a record cannot be read", func(t *txn) error { t.tx.Put(tablePages, seqKey(3), []byte{1, 200}); return nil },
		"every page record can be read"},
	{"a url is lost", func(t *txn) error {
		u, err := weburl.Parse("http://c.test/gone")
		t.tx.Delete(queue.TableURLs, keyOf(u))
		return err
	}, "every page is the only record of its url"},
	{"a url is cut short", func(t *txn) error {
		u, err := weburl.Parse("http://c.test/gone")
		t.tx.Put(queue.TableURLs, keyOf(u), []byte{2, byte(queue.Done), 0})
		return err
	}, "every url record can be read"},
	{"a signature is lost", func(t *txn) error { t.tx.Delete(tableSignatures, seqKey(1)); return nil },
		"every copy names a kept page that came before it"},
	{"a body is lost", func(t *txn) error { t.tx.Delete(tableBodies, seqKey(1)); return nil },
		"every kept page with text has its bytes"},
	{"a view is of another reading", func(t *txn) error {
		t.tx.Put(tableViews, seqKey(1), page.PackView(&purify.DocView{Body: "another text"}))
		return nil
	}, "record, signature and view are of one reading"},
	{"what a host repeats cannot be read", func(t *txn) error {
		sites := tableNamed("sites-small")
		t.tx.Put(sites, first(t, sites), []byte{200})
		return nil
	}, "what a host repeats can be read"},
	{"a host miscounts", func(t *txn) error {
		h := queue.HostRecord{Name: "a.test", Queued: 7}
		key := weburl.HostKeyOf(h.Name)
		t.tx.Put(queue.TableHosts, key[:], h.Encode())
		return nil
	}, "a host counts its queue"},
	{"the totals miscount", func(t *txn) error {
		t.state.Totals.Pages = 1
		return nil
	}, "the totals count what is there"},
	{"a signature is altered", alter("signatures", 1, 60), "page 1: its value in signatures is altered"},
	{"a body is altered", alter("bodies", 1, 9), "page 1: its value in bodies is altered"},
	{"a record is altered", alter("pages", 2, 30), "page 2: its value in pages is altered"},
	{"a list of links is altered", alter("outlinks", 1, 3), "page 1: its value in outlinks is altered"},
	{"checksums are altered", alter("kv.sums", 1, 3), "key 0000000000000001: checksums"},
	{"a page has a number that was never given", func(t *txn) error {
		b, err := t.tx.Get(tablePages, seqKey(3))
		t.tx.Put(tablePages, seqKey(1<<60), b)
		return err
	}, "pages are numbered without a gap"},
	{"a record of a url has another's key", func(t *txn) error {
		u, err := weburl.Parse("http://c.test/gone")
		if err != nil {
			return err
		}
		rec, err := t.queue.Get(u.Key())
		k := u.Key()
		k[7] ^= 1
		t.queue.Put(k, rec)
		return err
	}, "every url record has its key"},
}

// first returns the first key of a table.
func first(t *txn, table *kv.Table) []byte {
	e, _, _ := kv.First(kv.All(t.tx, table))
	return e.Key
}

// errAlter asks spoil for a byte of the file to be altered.
type errAlter struct {
	bucket string
	seq    uint64
	at     int
}

func (errAlter) Error() string { return "a byte of the file is to be altered" }

// alter changes one byte of a page's value behind the back of its checksum.
func alter(bucket string, seq uint64, at int) func(*txn) error {
	return func(*txn) error { return errAlter{bucket, seq, at} }
}

// spoil breaks a job.
func spoil(t *testing.T, dir string, how func(t *txn) error) {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	err = s.write(how)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if a, ok := errors.AsType[errAlter](err); ok {
		err = inFile(dir, func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(a.bucket))
			v := bytes.Clone(b.Get(seqKey(a.seq)))
			v[a.at] ^= 4
			return b.Put(seqKey(a.seq), v)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inFile changes the file of a job at which nobody is.
func inFile(dir string, fn func(*bbolt.Tx) error) error {
	db, err := bbolt.Open(filepath.Join(dir, job.FileTables), 0o644, nil)
	if err != nil {
		return err
	}
	return errors.Join(db.Update(fn), db.Close())
}

func TestVerifyFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, c := range spoils {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			smallJob(t, dir)
			spoil(t, dir, c.spoil)
			if got := strings.Join(found(t, dir), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("breaches %q; want %q among them", got, c.want)
			}
		})
	}
}

// inFiles has the log of a job written to sorted files, and returns these.
func inFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	o := testOptions()
	o.QueueMemory = 1
	list := func() (err error) {
		files, err = filepath.Glob(filepath.Join(dir, "runs", "*.run"))
		return err
	}
	for len(files) == 0 {
		s, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		for written := 0; err == nil && written < 20; { // a commit lets the writer look whether there is enough to write
			if err = errors.Join(s.Stopped("for the test"), list()); len(files) > 0 {
				written++
				time.Sleep(5 * time.Millisecond) // a commit takes the file up, which nothing outside shows
			}
		}
		err = errors.Join(err, s.Stopped("for the test"), s.Close(), list()) // a file that is not part of the job by now goes
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestADamagedFileOfTheTableIsNamed flips a bit of one.
func TestADamagedFileOfTheTableIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallJob(t, dir)
	path := inFiles(t, dir)[0]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[3] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, testOptions())
	if !errors.As(err, new(*kv.DamageError)) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--repair") {
		t.Errorf("Open = %v; want a DamageError that names %s, and the remedy", err, path)
	}
	if err == nil {
		s.Close()
	}
}

func TestASecondProcessIsToldWhoHasTheJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var locked *LockedError
	if _, err := Open(dir, testOptions()); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second Open = %v; want a LockedError with PID %d", err, os.Getpid())
	}
}

func TestAJobOfAnotherVersionIsRefusedAndMayBeLookedAt(t *testing.T) {
	for _, c := range []struct {
		change   string // in the job record
		to       string
		readable bool
	}{
		{fmt.Sprintf(`"version":%d`, Version), `"version":99`, false},
		{fmt.Sprintf(`"signature":%d`, dedup.SignatureVersion), `"signature":99`, true},
	} {
		dir := t.TempDir()
		smallJob(t, dir)
		err := inFile(dir, func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(job.TableMeta.Name))
			return b.Put(job.KeyRecord, []byte(strings.Replace(string(b.Get(job.KeyRecord)), c.change, c.to, 1)))
		})
		if err != nil {
			t.Fatal(err)
		}
		var version *job.VersionError
		if _, err := Open(dir, testOptions()); !errors.As(err, &version) || version.Got != 99 {
			t.Errorf("Open with %s = %v; want a VersionError", c.to, err)
		}
		o := testOptions()
		o.ReadOnly = true
		s, err := Open(dir, o)
		if (err == nil) != c.readable {
			t.Errorf("Open for reading with %s = %v", c.to, err)
		}
		if err == nil {
			s.Close()
		}
	}
}

func TestALostFilterIsFilledAnew(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	if err := os.Remove(filepath.Join(dir, job.FileFilter)); err != nil {
		t.Fatal(err)
	}
	if got := breaches(t, dir); len(got) > 0 {
		t.Errorf("breaches: %q", got)
	}
}

func TestNoJobIsSaidToBeThereWhereNoneIs(t *testing.T) {
	o := testOptions()
	o.ReadOnly = true
	dir := t.TempDir()
	if _, err := Open(dir, o); !errors.Is(err, ErrNoJob) {
		t.Errorf("Open = %v, want ErrNoJob", err)
	}
	if err := os.WriteFile(filepath.Join(dir, job.FileTables), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, o); !errors.Is(err, ErrNoJob) {
		t.Errorf("Open beside an empty file = %v, want ErrNoJob", err)
	}
	smallJob(t, dir) // starts one in its place
	if got := breaches(t, dir); len(got) > 0 {
		t.Errorf("breaches: %q", got)
	}
}

// A new job in the folder would delete the pages that the lost one has left.
func TestAJobWhoseTablesAreGoneKeepsItsPages(t *testing.T) {
	for name, lose := range map[string]func(string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			smallJob(t, dir)
			pages, err := filepath.Glob(filepath.Join(dir, archive.Dir, "*"))
			if err != nil || len(pages) == 0 {
				t.Fatalf("segments of the job: %q, %v", pages, err)
			}
			before, err := os.ReadFile(pages[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := lose(filepath.Join(dir, job.FileTables)); err != nil {
				t.Fatal(err)
			}
			read := testOptions()
			read.ReadOnly = true
			for what, open := range map[string]func() error{
				"Open":              func() error { _, err := Open(dir, testOptions()); return err },
				"Open to read only": func() error { _, err := Open(dir, read); return err },
				"Repair": func() error {
					_, err := Repair(t.Context(), dir, testOptions(), func(gatecrawl.Breach) error { return nil })
					return err
				},
			} {
				if err := open(); !errors.As(err, new(*TablesLostError)) || !errors.Is(err, ErrNoJob) {
					t.Errorf("%s = %v, want a *TablesLostError, which is an ErrNoJob", what, err)
				}
			}
			if after, err := os.ReadFile(pages[0]); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the segment has %d bytes, %v, and had %d", len(after), err, len(before))
			}
		})
	}
}

// A job of a version before this one is refused, and left as it is.
func TestAJobOfAnOlderVersionIsRefused(t *testing.T) {
	for _, old := range []string{"testdata/job-v2.db.gz", "testdata/job-v3.db.gz", "testdata/job-v4.db.gz"} {
		wantRefused(t, old)
	}
}

func wantRefused(t *testing.T, old string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, job.FileTables)
	unpack(t, old, path)
	before := read(t, path)
	for _, readOnly := range []bool{true, false} {
		o := testOptions()
		o.ReadOnly = readOnly
		if s, err := Open(dir, o); err == nil || !strings.Contains(err.Error(), "start a new job in another folder") {
			t.Errorf("Open = %v; want it refused, with what to do", err)
			if err == nil {
				s.Close()
			}
		}
	}
	if _, err := Repair(t.Context(), dir, testOptions(), func(gatecrawl.Breach) error { return nil }); err == nil {
		t.Error("Repair of a job of another version = nil, want it refused")
	}
	if !bytes.Equal(read(t, path), before) {
		t.Error("the refused job was changed")
	}
}

// TestAJobOfAnotherVersionIsRefusedWithWhatCanBeDoneWithItsPages: the error named neither of two ways that work.
func TestAJobOfAnotherVersionIsRefusedWithWhatCanBeDoneWithItsPages(t *testing.T) {
	for part, want := range map[string]string{
		"purify":     "start a new job in another folder with --known jobs/old, which keeps what this job does not have; crawl export jobs/old/archive reads its pages, and with --fields url it writes their URLs for --seeds of a new job",
		"job folder": "start a new job in another folder; crawl export jobs/old/archive reads its pages, and with --fields url it writes their URLs for --seeds of a new job",
		"signature":  "start a new job in another folder",
	} {
		err := &VersionError{Dir: "jobs/old", Part: part, Got: 3, Want: 30}
		if !strings.HasSuffix(err.Error(), want) {
			t.Errorf("the error is %q, want %q at its end", err, want)
		}
	}
}

// TestAJobIsReadForEver opens a job of this version that was written when it was new.
func TestAJobIsReadForEver(t *testing.T) {
	const golden = "testdata/job-v5.db.gz"
	beside := map[string]string{firstSegment: "testdata/job-v5.warc.zst", filepath.Join("links", "000001.links"): "testdata/job-v5.links"}
	if os.Getenv("GATECRAWL_UPDATE_GOLDEN") != "" {
		writeGolden(t, golden, beside)
	}
	dir := t.TempDir()
	unpack(t, golden, filepath.Join(dir, job.FileTables))
	for name, from := range beside {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, read(t, from), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s := openToRead(t, dir)
	defer s.Close()
	wantSmallJob(t, s)
	if b, err := s.Body(t.Context(), "http://a.test/kept"); err != nil || !strings.HasPrefix(string(b), "some words of a text") {
		t.Errorf("Body = %.30q, %v", b, err)
	}
}

// firstSegment is the first file with the bytes of pages.
var firstSegment = filepath.Join(archive.Dir, "crawl-00001.warc.zst")

func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	db, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(db, z); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantSmallJob checks that a store has what smallJob writes.
func wantSmallJob(t *testing.T, s *Store) {
	t.Helper()
	var got []string
	if err := s.Pages(context.Background(), 1, func(p page.Record) error {
		got = append(got, fmt.Sprintf("%d %s %s of=%s %s", p.Seq, p.Verdict, p.URL, p.Of, p.Class))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 new http://a.test/kept of= ",
		"2 copy http://b.test/copy of=http://a.test/kept full-layout",
		"3 failed http://c.test/gone of= ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("records\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n, err := s.Verify(context.Background(), func(b gatecrawl.Breach) error {
		t.Errorf("breach: %s: %s", b.Invariant, b.Detail)
		return nil
	}); err != nil || n.URLs != 8 {
		t.Errorf("Verify = %+v, %v; want 8 urls", n, err)
	}
}

func writeGolden(t *testing.T, name string, beside map[string]string) {
	dir := t.TempDir()
	smallJob(t, dir)
	for from, to := range beside {
		if err := os.WriteFile(to, read(t, filepath.Join(dir, from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src, err := bbolt.Open(filepath.Join(dir, job.FileTables), 0o644, nil)
	if err != nil {
		t.Fatal(err)
	}
	small, err := bbolt.Open(filepath.Join(dir, "small.db"), 0o644, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := bbolt.Compact(small, src, 0); err != nil {
		t.Fatal(err)
	}
	small.Close()
	src.Close()
	b, err := os.ReadFile(filepath.Join(dir, "small.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func keyOf(u weburl.URL) []byte {
	k := u.Key()
	return k[:]
}
