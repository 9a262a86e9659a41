package limit_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/limit"
)

// A reservation that does not fit waits until another one gives back what it has.
func ExampleMemory() {
	m := limit.NewMemory(100)
	a, b := m.Reserve(), m.Reserve()
	fmt.Println(a.TryGrow(80), b.TryGrow(80))
	a.Release()
	fmt.Println(b.TryGrow(80))
	b.Release()
	// Output:
	// true false
	// true
}
