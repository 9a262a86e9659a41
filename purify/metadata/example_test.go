package metadata_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

func Example() {
	const url = "https://hive.example/2024/05/06/bees"
	var o blocks.Outline
	o.Reset()
	o.Read([]byte(`<title>Bees in winter | The Hive</title><meta name=generator content=Hugo><h1>Bees in winter</h1><p>By Ann Writer</p>`), false)
	m := metadata.Read(o.Head.Markup)
	fmt.Println(metadata.Title(&o, &m, "article", url, metadata.Known{}))
	fmt.Println(metadata.Author(&o, &m, url), metadata.Date(&o, &m, "article", url, metadata.Known{}))
	fmt.Println(m.Generator)
	// Output:
	// Bees in winter
	// Ann Writer 2024-05-06
	// hugo
}
