package disk

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
)

// BenchmarkView2GetsWhile64UpdatesACommitSync reads two rows in a view of its own, while
// 64 callers update all the time, so that a commit is always on its way to the disk. It
// says how long a view takes in the middle, at the 99th of a hundred, and at most.
func BenchmarkView2GetsWhile64UpdatesACommitSync(b *testing.B) {
	plain, scattered := kvtest.Tables()[0], kvtest.Tables()[4]
	s, err := Open(filepath.Join(b.TempDir(), "test.db"), kvtest.Tables(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	var stop atomic.Bool
	ended := make(chan error)
	for caller := range uint64(64) {
		go func() { // ends when stop is set
			var err error
			for i := uint64(0); err == nil && !stop.Load(); i++ {
				err = s.Update(b.Context(), func(tx kv.Tx) error {
					key := binary.BigEndian.AppendUint64(nil, (caller<<32+i)*0x9e3779b97f4a7c15)
					tx.Put(scattered, key, make([]byte, 100))
					tx.Put(plain, key, make([]byte, 100))
					return nil
				})
			}
			ended <- err
		}()
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		err := s.View(b.Context(), func(r kv.Reader) error {
			_, err := r.Get(plain, []byte("k"))
			if err == nil {
				_, err = r.Get(scattered, []byte("k"))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		time.Sleep(100 * time.Microsecond) // a reader that does something else too
	}
	stop.Store(true)
	for range 64 {
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	at := func(share float64) float64 { return float64(took[int(share*float64(len(took)-1))].Microseconds()) }
	b.ReportMetric(at(.5), "us-median")
	b.ReportMetric(at(.99), "us-p99")
	b.ReportMetric(at(1), "us-max")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkUpdate1Caller commits one row a time: two syncs each.
func BenchmarkUpdate1Caller(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "test.db"), kvtest.Tables(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := uint64(0); b.Loop(); i++ {
		err := s.Update(b.Context(), func(tx kv.Tx) error {
			tx.Put(kvtest.Tables()[0], binary.BigEndian.AppendUint64(nil, i), make([]byte, 100))
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
