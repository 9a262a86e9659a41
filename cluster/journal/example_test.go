package journal_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/journal"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// A folder is deleted, and made from its log.
func Example() {
	ctx, net := context.Background(), mem.NewNet(mem.Options{})
	defer net.Close()
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pages := &kv.Table{Name: "pages"}
	o := journal.Options{
		Engine: net.Join("node-1"), Name: "news-p0", Dir: filepath.Join(dir, "p0"), File: "store.db", Tables: []*kv.Table{pages},
		Owner: owner.Options{Name: "node-1"},
	}
	for _, url := range []string{"https://example.org/", "https://example.org/about"} {
		j, err := journal.Take(ctx, o)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			log.Fatal(err)
		}
		s, err := disk.Open(filepath.Join(o.Dir, o.File), o.Tables, disk.Options{Journal: j})
		if err != nil {
			log.Fatal(err)
		}
		err = s.Update(ctx, func(tx kv.Tx) error { tx.Put(pages, []byte(url), []byte("visited")); return nil })
		if err != nil {
			log.Fatal(err)
		}
		err = s.View(ctx, func(r kv.Reader) error {
			return kv.Each(r, pages, func(k, v []byte) error { fmt.Printf("%s %s\n", k, v); return nil })
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("and the folder is deleted")
		if err := s.Close(); err != nil {
			log.Fatal(err)
		}
		if err := j.Release(ctx); err != nil {
			log.Fatal(err)
		}
		if err := os.RemoveAll(o.Dir); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// https://example.org/ visited
	// and the folder is deleted
	// https://example.org/ visited
	// https://example.org/about visited
	// and the folder is deleted
}
