package blocks_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

func Example() {
	var o blocks.Outline
	o.Reset()
	o.Read([]byte(`<main><h1>Bees in winter</h1><p>They stay <a href=/warm>warm</a>.</main>`), false)
	for i := range o.Blocks {
		b := &o.Blocks[i]
		fmt.Printf("%s in %s: %s\n", b.Tag, o.Nodes[o.Nodes[b.Node].Parent].Tag, o.BlockText(i))
	}
	// Output:
	// h1 in main: Bees in winter
	// p in main: They stay warm.
}
