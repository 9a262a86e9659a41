package jetstream_test

import (
	"context"
	"fmt"
	"os"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
)

// A server inside the process, and a log on it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	server, err := jetstream.Serve(jetstream.ServerOptions{Name: "node-1", Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	if err := server.Ready(ctx); err != nil {
		panic(err)
	}
	conn, err := jetstream.Open(ctx, jetstream.Options{Servers: []string{server.Addr()}, Replicas: 1})
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	log, err := conn.Log(ctx, "news-3")
	if err != nil {
		panic(err)
	}
	fmt.Println(log.Append(ctx, 0, engine.Entry{Epoch: 1, Owner: "node-1/1"}))
	_, err = log.Append(ctx, 0, engine.Entry{Epoch: 1, Owner: "node-2/1"})
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// append entry 1 to news-3: the log has a later entry than the writer knows: somebody else owns it
}
