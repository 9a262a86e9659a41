package disk

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
)

// buckets are those of a bbolt file, to be changed behind the back of a store.
type buckets struct{ *bbolt.Tx }

// change gives a key another value, or none.
func (b buckets) change(bucket, key string, change func([]byte) []byte) error {
	in := b.Bucket([]byte(bucket))
	if change == nil {
		return in.Delete([]byte(key))
	}
	return in.Put([]byte(key), change(bytes.Clone(in.Get([]byte(key)))))
}

func inFile(t *testing.T, path string, fn func(buckets) error) {
	t.Helper()
	db, err := bbolt.Open(path, fileMode, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return fn(buckets{tx}) }); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzPageFile reads files that are none, or damaged: whatever they say, they are read to
// an end, and what is found wrong is an error.
func FuzzPageFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), "test.db")
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{PageSize: 1024})
	if err != nil {
		f.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := byte(0); err == nil && i < 60; i++ {
			err = b.Put([]byte{'k', i}, make([]byte, 40))
		}
		return err
	})
	if err != nil || db.Close() != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:16<<10], 3000, byte(1))
	f.Add(whole[:4<<10], 40, byte(8))
	f.Add([]byte("no store"), 0, byte(0))
	f.Fuzz(func(t *testing.T, b []byte, at int, bits byte) {
		b = bytes.Clone(b)
		if at >= 0 && at < len(b) {
			b[at] ^= bits
		}
		p, err := openPageFile(bytes.NewReader(b), int64(len(b)), 1024)
		if err != nil {
			return
		}
		_ = p.check(everyBucket)
	})
}

// FuzzSums decodes rows of checksums: what is taken is written the same.
func FuzzSums(f *testing.F) {
	s := newStore("", kvtest.Tables(), Options{})
	f.Add(sums{1, 2}.encode())
	f.Add(sums{0, 7}.encode())
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		row, err := s.decodeSums(b)
		if err == nil && len(b) == 4*len(s.summed)+4 && !bytes.Equal(row.encode(), b) {
			t.Errorf("%x is decoded to %x, which is written %x", b, row, row.encode())
		}
	})
}

// FuzzCommonPrefix compares the start that a scan's keys share with keys of the scan.
func FuzzCommonPrefix(f *testing.F) {
	f.Add([]byte("host/a"), []byte("host0"), []byte("host/b"))
	f.Add([]byte{1, 255, 7}, []byte{2}, []byte{1, 255, 9})
	f.Fuzz(func(t *testing.T, from, to, key []byte) {
		prefix := kv.CommonPrefix(from, to)
		in := bytes.Compare(key, from) >= 0 && bytes.Compare(key, to) < 0
		if in && !bytes.HasPrefix(key, prefix) {
			t.Errorf("%x is from %x to %x, and does not start with %x", key, from, to, prefix)
		}
	})
}
