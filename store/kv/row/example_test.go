package row_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A row is read in the order in which it was written, and a field that was added later
// stands at its end.
func Example() {
	var e row.Encoder
	e.Text("a.example")
	e.Uint(12)
	e.Tail(1, "added later")

	d := row.Decoder{B: e.B}
	fmt.Println(d.Text(), d.Uint())
	d.Tails(func(tag byte, v string) { fmt.Println(tag, v) })
	fmt.Println(d.Err)
	// Output:
	// a.example 12
	// 1 added later
	// <nil>
}
