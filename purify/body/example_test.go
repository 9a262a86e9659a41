package body_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

func Example() {
	var o blocks.Outline
	o.Reset()
	o.Read([]byte(`<nav><ul><li><a href=/>Home</a><li><a href=/shop>Shop</a></ul></nav>
<main><h1>Bees in winter</h1><p>When it grows cold, the bees of a hive crowd around their queen and shiver to keep her warm.</main>`), false)
	m := metadata.Read(o.Head.Markup)
	c := body.Chooser{Outline: &o}
	fmt.Println(c.Join(c.Choose(&m)))
	// Output:
	// When it grows cold, the bees of a hive crowd around their queen and shiver to keep her warm.
}
