package plan_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/cluster/plan"
)

// Node b is gone: what it had goes to the others, and nothing else moves.
func ExampleAssign() {
	parts := []plan.Partition{
		{Load: 10, Owner: "a"}, {Load: 12, Owner: "b"}, {Load: 11, Owner: "c"},
		{Load: 9, Owner: "a"}, {Load: 2, Owner: "b"}, {Load: 10, Owner: "c"},
	}
	fmt.Println(plan.Assign(parts, []string{"a", "c"}))
	// Output: [a a c a c c]
}
