package mem_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
)

// A node answers, until it is killed.
func ExampleNet_Join() {
	ctx := context.Background()
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	north, south := net.Join("north"), net.Join("south")
	_, err := south.Serve("south", func(_ context.Context, question []byte) ([]byte, error) {
		return append([]byte("hello "), question...), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := north.Ask(ctx, "south", []byte("north"))
	fmt.Println(string(answer), err)
	if err := south.Close(); err != nil {
		log.Fatal(err)
	}
	_, err = north.Ask(ctx, "south", []byte("north"))
	fmt.Println(errors.Is(err, engine.ErrNobody))
	// Output:
	// hello north <nil>
	// true
}
