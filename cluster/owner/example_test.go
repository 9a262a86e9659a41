package owner_test

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/owner"
)

// One node crawls and gives its partition up; another has what it wrote, and goes on.
func Example() {
	ctx, net := context.Background(), mem.NewNet(mem.Options{})
	defer net.Close()

	log, err := net.Join("node-1").Log(ctx, "news-3")
	if err != nil {
		panic(err)
	}
	first, err := owner.Take(ctx, log, owner.Options{Name: "node-1"})
	if err != nil {
		panic(err)
	}
	if first.Allowed() == nil { // last thing before a request
		if _, err := first.Append(ctx, []byte("visited https://example.org/")); err != nil {
			panic(err) // somebody else owns it
		}
	}
	if err := first.Release(ctx); err != nil {
		panic(err)
	}

	log, err = net.Join("node-2").Log(ctx, "news-3")
	if err != nil {
		panic(err)
	}
	second, err := owner.Take(ctx, log, owner.Options{Name: "node-2", Apply: func(seq uint64, e engine.Entry) error {
		fmt.Printf("entry %d of epoch %d: %q\n", seq, e.Epoch, e.Batch)
		return nil
	}})
	if err != nil {
		panic(err)
	}
	defer second.Close()
	fmt.Println("epoch", second.Epoch(), first.Allowed(), second.Allowed())
	// Output:
	// entry 1 of epoch 1: ""
	// entry 2 of epoch 1: "visited https://example.org/"
	// entry 3 of epoch 1: ""
	// epoch 2 the log was given up <nil>
}
