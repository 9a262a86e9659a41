package jetstream_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// size returns what the files of a folder have.
func size(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// An append is 20,000 bytes, about 64 visits, that do not compress; six logs, one append
// under way in each. Servers and clients are one process.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprintf("servers=%d", n), func(b *testing.B) {
			cluster := startServers(b, n)
			conn := connect(b, cluster.addresses, n)
			batch := make([]byte, 20000)
			for i := range batch {
				batch[i] = byte(rand.Uint32())
			}
			var logs []engine.Log
			for i := range 6 {
				l, err := conn.Log(b.Context(), fmt.Sprintf("part-%d", i))
				if err != nil {
					b.Fatal(err)
				}
				logs = append(logs, l)
			}
			messages, bytes := cluster.traffic(b)
			disk, used := cluster.size(b), cputime.Used()
			for b.Loop() {
				var group sync.WaitGroup
				for _, l := range logs {
					group.Go(func() {
						for seq, _, err := l.Last(b.Context()); ; seq++ {
							if err != nil {
								b.Error(err)
							}
							if _, err = l.Append(b.Context(), seq, engine.Entry{Owner: "a", Batch: batch}); err != nil || (seq+1)%50 == 0 {
								return
							}
						}
					})
				}
				group.Wait()
			}
			appends := float64(b.N * 6 * 50)
			moreMessages, moreBytes := cluster.traffic(b)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(appends/b.Elapsed().Seconds(), "appends/s")
			b.ReportMetric(float64((cputime.Used()-used).Microseconds())/appends, "cpu-us/append")
			b.ReportMetric(float64(moreMessages-messages)/appends, "messages/append")
			b.ReportMetric(float64(moreBytes-bytes)/appends, "wire-B/append")
			b.ReportMetric(float64(cluster.size(b)-disk)/appends, "disk-B/append")
		})
	}
}

// What the log of an idle partition costs: a heartbeat each 2 s.
func BenchmarkHeartbeat(b *testing.B) {
	cluster := startServers(b, 3)
	conn := connect(b, cluster.addresses, 3)
	l, err := conn.Log(b.Context(), "part-0")
	if err != nil {
		b.Fatal(err)
	}
	messages, bytes := cluster.traffic(b)
	disk, used := cluster.size(b), cputime.Used()
	seq := uint64(0)
	for b.Loop() {
		if seq, err = l.Append(b.Context(), seq, engine.Entry{Epoch: 1, Owner: "node-1/ABCDEFGHIJKLMNOPQRSTUVWXYZ"}); err != nil {
			b.Fatal(err)
		}
	}
	moreMessages, moreBytes := cluster.traffic(b)
	n := float64(b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64((cputime.Used()-used).Microseconds())/n, "cpu-us/append")
	b.ReportMetric(float64(moreMessages-messages)/n, "messages/append")
	b.ReportMetric(float64(moreBytes-bytes)/n, "wire-B/append")
	b.ReportMetric(float64(cluster.size(b)-disk)/n, "disk-B/append")
}

// TestAnotherNodeTakesOverInTheTimeOfALease has an owner vanish ten times.
func TestAnotherNodeTakesOverInTheTimeOfALease(t *testing.T) {
	slow.Test(t, "waits for leases to end")
	cluster := startServers(t, 3)
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			name := fmt.Sprintf("part-%d", i)
			a, err := connect(t, cluster.addresses, 3).Log(t.Context(), name)
			if err != nil {
				t.Error(err)
				return
			}
			first, err := owner.Take(t.Context(), a, owner.Options{Name: "a"})
			if err != nil {
				t.Error(err)
				return
			}
			_, err = first.Append(t.Context(), []byte("the last visit"))
			acknowledged := time.Now()
			first.Close()
			b, logErr := connect(t, cluster.addresses, 3).Log(t.Context(), name)
			if err != nil || logErr != nil {
				t.Error(err, logErr)
				return
			}
			applied := ""
			second, err := owner.Take(t.Context(), b, owner.Options{Name: "b", Apply: func(_ uint64, e engine.Entry) error {
				applied += string(e.Batch)
				return nil
			}})
			if err != nil {
				t.Error(err)
				return
			}
			defer second.Close()
			took := time.Since(acknowledged)
			if took < 10*time.Second || second.Epoch() != 2 || applied != "the last visit" {
				t.Errorf("taken over after %v as epoch %d with %q applied", took, second.Epoch(), applied)
			}
			t.Logf("taken over %.2f s after the last append", took.Seconds())
		})
	}
	group.Wait()
}
