package kv_test

import (
	"context"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// Tables are declared next to the code that owns their rows.
var (
	pages = &kv.Table{Name: "pages"}
	hosts = &kv.Table{Name: "hosts"}
)

// Rows of two tables become durable together, and a view sees both or none.
func ExampleStore() {
	ctx := context.Background()
	s, err := mem.Open([]*kv.Table{pages, hosts})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	err = s.Update(ctx, func(tx kv.Tx) error {
		tx.Put(pages, []byte("a.example/1"), []byte("Bees"))
		tx.Put(pages, []byte("a.example/2"), []byte("Clocks"))
		tx.Put(hosts, []byte("a.example"), []byte("2 pages"))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	err = s.View(ctx, func(r kv.Reader) error {
		for e, err := range kv.Prefix(r, pages, []byte("a.example/")) {
			if err != nil {
				return err
			}
			fmt.Printf("%s: %s\n", e.Key, e.Value)
		}
		n, err := r.Get(hosts, []byte("a.example"))
		fmt.Printf("a.example: %s\n", n)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// a.example/1: Bees
	// a.example/2: Clocks
	// a.example: 2 pages
}
