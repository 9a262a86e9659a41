package splitmix_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/splitmix"
)

// The first numbers of the sequence that starts with 1234567, as Rosetta Code has them.
func ExampleFinish() {
	state := uint64(1234567)
	for range 3 {
		state += splitmix.Gamma
		fmt.Println(splitmix.Finish(state))
	}
	// Output:
	// 6457827717110365317
	// 3203168211198807973
	// 9817491932198370423
}
