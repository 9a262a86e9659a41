package cluster_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"gatecrawl.example/gatecrawl/cluster"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
)

// A job in three partitions: each URL waits in the partition of its domain.
func Example() {
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	job, err := cluster.Open(dir, cluster.Options{Store: store.DefaultOptions(), Partitions: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"example.org", "example.net"} {
		u, err := seeds.Parse(name)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := job.Add(context.Background(), []frontier.Candidate{{URL: u}}); err != nil {
			log.Fatal(err)
		}
	}
	if err := job.Close(); err != nil { // what Add returned for is durable
		log.Fatal(err)
	}

	// How many partitions it has stands in its folder.
	job, err = cluster.Open(dir, cluster.Options{Store: store.DefaultOptions()})
	if err != nil {
		log.Fatal(err)
	}
	defer job.Close()
	folders, err := cluster.Folders(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(folders), "partitions;", job.Totals().Queued, "URLs wait")
	// Output:
	// 3 partitions; 2 URLs wait
}
