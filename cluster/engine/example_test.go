package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
)

// Two processes append to one log. The second has not read the entry of the first, and learns
// that it does not own the log.
func Example() {
	ctx := context.Background()
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	for _, name := range []string{"north", "south"} {
		l, err := net.Join(name).Log(ctx, "partition-1")
		if err != nil {
			log.Fatal(err)
		}
		seq, err := l.Append(ctx, 0, engine.Entry{Epoch: 1, Owner: name, Batch: []byte("changes")})
		fmt.Println(name, seq, errors.Is(err, engine.ErrFenced))
	}
	// Output:
	// north 1 false
	// south 0 true
}
