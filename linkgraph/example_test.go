package linkgraph_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// Links are added in the transaction of their page, and read as of a snapshot.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	tables, err := mem.Open(linkgraph.Tables())
	if err != nil {
		panic(err)
	}
	var g *linkgraph.Graph
	err = tables.View(ctx, func(r kv.Reader) (err error) {
		g, err = linkgraph.Open(filepath.Join(dir, "links"), r, false)
		return err
	})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	to, err := weburl.Parse("http://b.example/bees")
	if err != nil {
		panic(err)
	}
	err = tables.Update(ctx, func(tx kv.Tx) error {
		g.Add(tx, 1, []linkgraph.Link{{Target: linkgraph.TargetOf(to.Key()), Text: "all about bees", Body: true}})
		return nil
	})
	if err != nil {
		panic(err)
	}
	err = tables.View(ctx, func(r kv.Reader) error {
		in := g.Reader(r)
		defer in.Close()
		return in.Each(ctx, true, func(seq uint64, links []linkgraph.Link) error {
			fmt.Println(seq, links[0].Target == linkgraph.TargetOf(to.Key()), links[0].Text)
			return nil
		})
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 1 true all about bees
}
