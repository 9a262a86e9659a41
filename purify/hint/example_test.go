package hint_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/hint"
)

// What the class "main-sidebar widget" says of the block that has it.
func ExampleTrie_Find() {
	said := hint.Names().Find([]byte("main-sidebar widget"))
	fmt.Println(said&hint.SaysSide != 0, said&hint.SaysComment != 0)
	// Output:
	// true false
}
