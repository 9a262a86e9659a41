package group_test

import (
	"context"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// Other partitions of a job count the copies that they have of page 7.
func ExampleWholeSizeOf() {
	s, err := mem.Open(group.Tables())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	err = s.Update(ctx, func(tx kv.Tx) error {
		group.PutElsewhere(tx, 7, 1, group.Size{Degree: 1, Copies: 4})
		group.PutElsewhere(tx, 7, 2, group.Size{Degree: 2, Copies: 2})
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	err = s.View(ctx, func(r kv.Reader) error {
		size, _, err := group.WholeSizeOf(r, 7)
		fmt.Println(size.Copies, "copies on", size.Degree, "domains")
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 6 copies on 3 domains
}
