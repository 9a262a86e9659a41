package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// TestAHostOfOnePageTakesLittleDisk measures what of a job's file is about hosts, in a crawl
// in which each page is of another host. It is quick unless it is told how many:
//
//	GATECRAWL_HOSTS=50000 go test ./store -run OnePageTakes -v -timeout 1h
func TestAHostOfOnePageTakesLittleDisk(t *testing.T) {
	t.Parallel()
	hosts := env.Number(t, "GATECRAWL_HOSTS", 3000)
	dir := t.TempDir()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	cs := make([]frontier.Candidate, hosts)
	for i := range cs {
		if cs[i].URL, err = weburl.Parse(fmt.Sprintf("https://host-%d.example/", i)); err != nil {
			t.Fatal(err)
		}
		cs[i].Root = cs[i].URL.String()
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	each := make(chan error, 64)
	for w := range cap(each) {
		all.Go(func() { // ends with its share of the hosts
			rng := rand.New(rand.NewPCG(uint64(w), 7))
			for range (hosts - w + cap(each) - 1) / cap(each) {
				l, err := s.leaseURL(t.Context())
				if err != nil {
					each <- err
					return
				}
				file := robots.File{Origin: l.URL.Origin(), Status: 404, Fetched: time.Now()}
				if err := s.write(func(t *txn) error { return s.robots.Put(t.tx, file) }); err != nil {
					each <- err
					return
				}
				v := claimed(l)
				v.Prints = make([]purify.Print, 24)
				for i := range v.Prints {
					v.Prints[i] = purify.Print(rng.Uint64() >> 24)
				}
				slices.Sort(v.Prints)
				v.Sign.SimHash, v.Sign.Sketch = rng.Uint64(), [16]byte(dedup.DigestOf([]byte(l.URL.Host())))
				v.Sign.Bytes = dedup.DigestOf([]byte(l.URL.String()))
				v.Sign.Body = v.Sign.Bytes
				v.Page.Digest = v.Sign.Bytes.String()
				if _, err := s.Settle(t.Context(), v); err != nil {
					each <- err
					return
				}
			}
		})
	}
	all.Wait()
	if len(each) > 0 {
		t.Fatal(<-each)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sum, err := diskOfHosts(t, dir, hosts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes a host in tables of hosts and in sorted files, where its URL is too", sum)
	if sum >= 240 {
		t.Errorf("a host of one page takes %d bytes in tables of hosts and in sorted files, want less than 240", sum)
	}
}

// diskOfHosts returns how many bytes a host takes in the tables of the job's file that are about hosts, and in the sorted files next to it.
func diskOfHosts(t *testing.T, dir string, hosts int) (sum int, err error) {
	db, err := bbolt.Open(filepath.Join(dir, job.FileTables), 0, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	ofHosts := []string{"robots", "roots", "mirrors", "samples", "sites"}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			st := b.Stats()
			bytes := (st.LeafAlloc + st.BranchAlloc) / hosts
			if bytes > 0 {
				t.Logf("%-10s %4d bytes a host, %d in use, %d keys", name, bytes, (st.LeafInuse+st.BranchInuse)/hosts, st.KeyN)
			}
			if slices.Contains(ofHosts, string(name)) {
				sum += bytes
			}
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
	size := 0
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return 0, err
		}
		size += int(info.Size())
	}
	t.Logf("%-10s %4d bytes a host", "runs", size/hosts)
	if size == 0 {
		t.Error("no sorted file was written")
	}
	return sum + size/hosts, err
}

func TestARobotsFileUnderItsOriginIsReadUntilItIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := openOptions(t, t.TempDir(), testOptions())
	const origin = "https://site.example:8443"
	file := robots.File{Status: 200, Body: []byte("User-agent: *\nDisallow: /a\n"), Fetched: time.Now().UTC().Truncate(time.Second)}
	put := func(write func(kv.Tx) error) {
		t.Helper()
		if err := s.write(func(t *txn) error { return write(t.tx) }); err != nil {
			t.Fatal(err)
		}
		got, ok, err := s.Robots(origin)
		if want := file; err != nil || !ok || got.Origin != origin || string(got.Body) != string(want.Body) || !got.Fetched.Equal(want.Fetched) {
			t.Errorf("Robots(%s) = %+v, %t, %v, want %+v", origin, got, ok, err, want)
		}
	}
	put(func(tx kv.Tx) error {
		b, err := file.MarshalBinary()
		tx.Put(tableNamed("robots"), []byte(origin), b)
		return err
	})
	file.Origin, file.Body = origin, []byte("User-agent: *\nDisallow: /b\n")
	put(func(tx kv.Tx) error { return s.robots.Put(tx, file) })
}
