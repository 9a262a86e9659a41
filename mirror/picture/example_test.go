package picture_test

import (
	"log"
	"os"

	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/picture"
)

// Two sites, one of which is a mirror of the other.
func Example() {
	report := mirror.Gather([]mirror.Pair{{A: "example.org", B: "mirror.example.net", PagesA: 120, PagesB: 118, Relation: &mirror.Relation{
		A: "https://example.org", B: "https://mirror.example.net", Class: mirror.Mirror, Canonical: "https://example.org",
		AB: mirror.Interval{Share: .98, N: 100}, BA: mirror.Interval{Share: 1, N: 100},
	}}})
	if err := picture.DOT(os.Stdout, report); err != nil {
		log.Fatal(err)
	}
	// Output:
	// digraph mirrors {
	//   node [shape=circle, style=filled, fillcolor="#eef3f7"];
	//   "mirror.example.net" [label="mirror.example.net\n118 pages"];
	//   "example.org" [label="example.org\n120 pages"];
	//   "mirror.example.net" -> "example.org" [label="mirror 100.0%", color="#009e73", style=solid, dir=forward, penwidth=5.0];
	// }
}
