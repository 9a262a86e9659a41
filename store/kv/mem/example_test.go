package mem_test

import (
	"context"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

func ExampleOpen() {
	colours := &kv.Table{Name: "colours"}
	s, err := mem.Open([]*kv.Table{colours})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	err = s.Update(ctx, func(tx kv.Tx) error {
		tx.Put(colours, []byte("sky"), []byte("blue"))
		tx.Put(colours, []byte("grass"), []byte("green"))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	err = s.View(ctx, func(r kv.Reader) error {
		for e, err := range r.Scan(colours, nil, nil) {
			if err != nil {
				return err
			}
			fmt.Printf("%s: %s\n", e.Key, e.Value)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// grass: green
	// sky: blue
}
