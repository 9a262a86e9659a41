package store

import (
	"os"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
)

// TestCostOfComparingAgain compares the kept pages of all hosts in a copy of the job in GATECRAWL_COMPARED_JOB
// once more, as a run does at its end with those of hosts whose template has changed, and prints the processor
// time that it took; then that of a run after which only a host without pages has changed.
func TestCostOfComparingAgain(t *testing.T) {
	job := os.Getenv("GATECRAWL_COMPARED_JOB")
	if job == "" {
		t.Skip("set GATECRAWL_COMPARED_JOB to the folder of a job: it is copied")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(job)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []weburl.HostKey
	err = s.look(func(in snapshot) error {
		return kv.Each(in, template.TableTemplates, func(k, _ []byte) error {
			all = append(all, weburl.HostKey(k))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := float64(s.Totals().New)
	for _, hosts := range [][]weburl.HostKey{all, all, all, {weburl.HostKeyOf("none.test")}} {
		err := s.write(func(t *txn) error {
			for _, h := range hosts {
				t.tx.Put(template.TableStale, h[:], []byte{1})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		start, before := time.Now(), cputime.Used()
		if err := s.compareAgain(t.Context()); err != nil {
			t.Fatal(err)
		}
		took := cputime.Used() - before
		t.Logf("%d hosts changed, %.0f kept pages: %.3f s of processor time in %.3f s, %.4f ms a kept page",
			len(hosts), kept, took.Seconds(), time.Since(start).Seconds(), took.Seconds()*1e3/kept)
	}
}
