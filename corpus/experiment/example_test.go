package experiment_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/corpus/experiment"
)

// Every experiment says which article it is of, and what it asks.
func Example() {
	for _, x := range experiment.All() {
		if x.Alone {
			fmt.Printf("%s: %s\n", x.Name, x.Asks)
		}
	}
	// Output: tables: how many rows a probe reads, and what 4, 10, 16 or 20 tables take
}
