package node_test

import (
	"context"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/node"
)

// A job in two partitions waits for its nodes. Cluster/jetstream connects to an engine that
// lasts.
func ExampleOpen() {
	ctx := context.Background()
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	cluster, err := node.Open(ctx, net.Join("operator"))
	if err != nil {
		log.Fatal(err)
	}
	if err := cluster.Start(ctx, "news", []byte("seeds: [https://example.org/]\n"), []string{"north", "south"}); err != nil {
		log.Fatal(err)
	}
	jobs, err := cluster.Jobs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range jobs {
		fmt.Println(j.Name, j.State, j.Nodes)
	}
	// Output:
	// news running [north south]
}
